import { expect, it } from "vitest"
import { kanon, start } from "../support/cli.js"
import { freePort, listenOnLoopback } from "../support/loopback.js"

it("measures the check of this version on the frozen claims", () => {
  const { status, stderr, stdout } = kanon(["bench-claims", "--json"])
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  const { falseSupported, kinds, trueSupported } = JSON.parse(stdout)
  expect(kinds.length).toBeGreaterThan(10)
  expect(falseSupported).toBeLessThanOrEqual(0.02)
  expect(trueSupported).toBeGreaterThanOrEqual(0.8)
})

it("measures another check by its address, and sends it the token", async () => {
  const tokens = new Set<string | undefined>()
  const server = await listenOnLoopback((request, response) => {
    tokens.add(request.headers.authorization)
    response.end(JSON.stringify({ supported: true }))
  })
  const endpoint = `${server.url}/check`
  const { status, stdout } = await start(["bench-claims", "--endpoint", endpoint, "--token", "t0ken"]).ended
  await server.close()
  expect(status).toBe(0)
  expect(stdout).toMatch(/100 % of the false claims are supported, 100 % of the true ones/)
  expect([...tokens]).toEqual(["Bearer t0ken"])
})

it("says why an endpoint cannot be reached", async () => {
  const { status, stderr } = kanon(["bench-claims", "--endpoint", `http://127.0.0.1:${await freePort()}/`])
  expect(status).toBe(1)
  expect(stderr).toContain("The endpoint cannot be reached (ECONNREFUSED).")
})

it("takes addresses of the web alone", () => {
  const { status, stderr } = kanon(["bench-claims", "--endpoint", "ftp://127.0.0.1/"])
  expect(status).toBe(2)
  expect(stderr).toMatch(/--endpoint takes an address that begins with/)
})
