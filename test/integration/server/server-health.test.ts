import { describe, expect, it } from "vitest"
import { serveHealth } from "../../../server/http/health.js"

const metrics = { count: () => undefined, read: async () => ({ contentType: "text/plain", text: "up 1\n" }) }
const ask = (method: string, path: string, isReady = true) =>
  serveHealth(new Request(`http://kanon.test${path}`, { method }), { metrics, isReady: async () => isReady })

describe("the paths for machines that look after the server", () => {
  it.each(["/healthz", "/readyz", "/metrics"])(
    "(%s) answer GET and HEAD alike, and nothing else",
    async (path) => {
      for (const method of ["GET", "HEAD"]) {
        const response = await ask(method, path)
        expect([method, response?.status]).toEqual([method, 200])
        expect(response?.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/)
      }
      const refused = await ask("POST", path)
      expect([refused?.status, refused?.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    }
  )

  it("say that the disk is full, while the process is alive", async () => {
    const shortage = async () => "The disk of the data folder is full: writes fail until there is space."
    const ready = await serveHealth(new Request("http://kanon.test/readyz"), {
      metrics,
      isReady: async () => true,
      shortage
    })
    expect(ready?.status).toBe(503)
    expect(await ready?.json()).toEqual({
      status: "not ready",
      reason: "data_full",
      message: await shortage()
    })
  })

  it("say when it cannot serve, and know no other path", async () => {
    expect((await ask("HEAD", "/readyz", false))?.status).toBe(503)
    expect(await ask("GET", "/healthz/more")).toBeUndefined()
  })
})
