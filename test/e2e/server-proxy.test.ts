import { cpSync } from "node:fs"
import type { Server } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { startApplication } from "../../examples/same-origin-proxy.js"
import { folder, kanon, start } from "../support/cli.js"
import { serverShapes } from "../support/cli-shapes.js"

let key = ""
let application: Server
let server: ReturnType<typeof start>
let url = ""

beforeAll(async () => {
  const notes = join(folder(), "notes")
  cpSync("demo/vault", notes, { recursive: true })
  const made = kanon(["init", "--vault", notes, "--json"])
  key = z.object({ key: z.string() }).parse(JSON.parse(made.stdout)).key
  expect(kanon(["ingest", "--vault", notes]).status).toBe(0)
  server = start(["serve", "--vault", notes, "--port", "0", "--json"])
  const { url: kanonUrl } = serverShapes.serve.parse(JSON.parse(await server.firstLine))
  const isSignedIn = ({ headers }: Request) => headers.get("cookie") === "session=ada"
  application = await startApplication({ kanonUrl, key, port: 0, isSignedIn })
  const address = application.address()
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
})

afterAll(async () => {
  application.close()
  server.signal("SIGTERM")
  await server.ended
})

const ask = (headers: Readonly<Record<string, string>>) =>
  fetch(`${url}/kb/query`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ question: "Who was the project manager of Project Heron?" })
  })

describe("a browser application behind its own server", () => {
  it("asks under its own origin, and never sees the key", async () => {
    const page = await (await fetch(url)).text()
    const response = await ask({ cookie: "session=ada", "sec-fetch-site": "same-origin" })
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get("x-request-id")).toMatch(/./)
    expect(z.object({ answer: z.string() }).parse(JSON.parse(text)).answer).toContain("Bethan Oakshott")
    for (const seen of [page, text, JSON.stringify([...response.headers])]) expect(seen).not.toContain(key)
    const found = await fetch(`${url}/kb/search?q=gearbox&limit=1`, { headers: { cookie: "session=ada" } })
    expect(z.object({ results: z.array(z.unknown()) }).parse(await found.json()).results).toHaveLength(1)
  })

  it("gives nothing to strangers, to other sites, and nothing that it does not offer", async () => {
    expect((await ask({})).status).toBe(401)
    expect((await ask({ cookie: "session=ada", "sec-fetch-site": "cross-site" })).status).toBe(403)
    const keys = await fetch(`${url}/kb/keys`, { headers: { cookie: "session=ada" } })
    expect(keys.status).toBe(404)
  })
})
