import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../../support/server.js"

let server: TestServer
let key = ""
let id = ""
beforeAll(async () => {
  server = await startServer({})
  key = await server.key(await server.workspace("Workshop"))
  const body = { path: "oil.md", content: "# Gearbox\n\nThe gearbox takes four litres of oil.\n" }
  const made = await server.call("POST", "/api/v1/documents", { key, body })
  id = String(Reflect.get(Object(made.body), "docId"))
})
afterAll(() => server.close())

const mcp = async (name: string, given: Record<string, unknown>) => {
  const transport = new StreamableHTTPClientTransport(new URL("http://kanon.test/api/mcp"), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (url, init) => server.fetch(new Request(url, init))
  })
  const client = new Client({ name: "test", version: "0.0.0" })
  await client.connect(transport as Parameters<Client["connect"]>[0])
  const result = await client.callTool({ name, arguments: given })
  await client.close()
  return JSON.stringify(result)
}

describe("asOf on the wire", () => {
  it("reads the workspace as it stood then, over every door", async () => {
    const asOf = new Date().toISOString()
    await new Promise((go) => setTimeout(go, 5))
    const content = "# Gearbox\n\nThe gearbox takes six litres of oil.\n"
    await server.call("PATCH", `/api/v1/documents/${id}`, { key, body: { content } })
    const past = await server.call("GET", `/api/v1/documents/${id}?asOf=${asOf}`, { key })
    expect(past.body).toMatchObject({ version: 1, asOf, content: expect.stringContaining("four") })
    const found = await server.call("GET", `/api/v1/search?q=gearbox+oil&asOf=${asOf}`, { key })
    expect(found.body).toMatchObject({
      asOf,
      results: [{ docId: id, snippet: expect.stringContaining("four") }]
    })
    const body = { question: "How many litres of oil does the gearbox take?", asOf }
    const answered = await server.call("POST", "/api/v1/query", { key, body })
    expect(answered.body).toMatchObject({
      asOf,
      answer: expect.stringContaining("four"),
      sources: [{ docVersion: 1, validAt: expect.any(String) }]
    })
    expect(await mcp("svc_query", body)).toContain("four litres")
    expect(await mcp("svc_search", { q: "gearbox oil", asOf })).toContain("four litres")
    expect(await mcp("svc_search", { q: "gearbox oil" })).toContain("six litres")
  })

  it("refuses the future, a word that is no moment, and live data of another day", async () => {
    const statusAndCode = async (...given: Parameters<TestServer["call"]>) => {
      const { body, status } = await server.call(...given)
      return [status, Reflect.get(Object(body), "error")]
    }
    const question = "How much oil?"
    const params = [400, "invalid_params"]
    expect(await statusAndCode("GET", "/api/v1/search?q=a&asOf=2999-01-01", { key })).toEqual(params)
    expect(await statusAndCode("GET", "/api/v1/search?q=a&asOf=spring", { key })).toEqual(params)
    expect(await statusAndCode("GET", `/api/v1/documents/${id}?asOf=2999-01-01`, { key })).toEqual(params)
    expect(await statusAndCode("GET", `/api/v1/documents/${id}?asOf=1999-01-01`, { key })).toEqual([
      404,
      "not_found"
    ])
    for (const more of [{ asOf: "2999-01-01" }, { asOf: "1999-01-01", includeData: true }])
      expect(await statusAndCode("POST", "/api/v1/query", { key, body: { question, ...more } })).toEqual([
        400,
        "invalid_body"
      ])
  })
})
