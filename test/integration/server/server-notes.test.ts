// remember, recall and forget: what an assistant writes down, and what it is compared with before.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import type { WorkspaceId } from "../../../core/platform/kernel/index.js"
import { forgetExpiredNotes } from "../../../core/upkeep/notes/index.js"
import { startServer, type TestServer } from "../../support/server.js"

let server: TestServer
let workspace: WorkspaceId
let key = ""
beforeAll(async () => {
  server = await startServer()
  workspace = await server.workspace("Harbour")
  key = await server.key(workspace)
  await create(
    "crane.md",
    "---\ntype: equipment\n---\n# Harbour crane\n\nThe harbour crane lifts 40 tonnes.\n"
  )
})
afterAll(() => server.close())

const create = async (path: string, content: string) =>
  z
    .object({ docId: z.string() })
    .parse((await server.call("POST", "/api/v1/documents", { key, body: { path, content } })).body).docId

const connect = async (by: string, modern = true) => {
  const client = new Client(
    { name: "scribe", title: "Scribe for Harbours", version: "1.0.0" },
    modern ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://kanon.test/api/mcp"), {
      requestInit: { headers: { authorization: `Bearer ${by}` } },
      fetch: (url, init) => server.fetch(new Request(url, init))
    })
  )
  return client
}
const call = async (name: string, args: Record<string, unknown>, by = key, modern = true) => {
  const client = await connect(by, modern)
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args })
  await client.close()
  const [text] = z.array(z.object({ text: z.string() })).parse(content)
  return z.record(z.string(), z.unknown()).parse(isError ? JSON.parse(text?.text ?? "") : structuredContent)
}
const documents = async () =>
  z
    .object({ total: z.int(), items: z.array(z.looseObject({ path: z.string() })) })
    .parse((await server.call("GET", "/api/v1/documents", { key })).body)
const requests = async () =>
  z
    .object({ requests: z.array(z.looseObject({ id: z.string() })) })
    .parse((await server.call("GET", "/api/v1/change-requests?status=open", { key })).body).requests

describe("notes of assistants", () => {
  it("are documents with who said it through which client, found again, and gone to the trash when forgotten", async () => {
    const text = "The pilot Ida Brandt prefers calls on channel 12."
    const made = await call("remember", { text, about: "Ida Brandt", expires: "2099-01-31" })
    expect(made).toMatchObject({ outcome: "remembered", path: expect.stringMatching(/^assistant-notes\//u) })
    const id = String(made["id"])
    const page = await server.call("GET", `/api/v1/documents/${id}`, { key })
    expect(page.body).toMatchObject({ verification: "unverified" })
    const { notes } = await call("recall", { query: "channel of the pilot" })
    expect(notes).toEqual([
      expect.objectContaining({
        id,
        text,
        about: "Ida Brandt",
        saidBy: expect.stringMatching(/^key_/u),
        owner: expect.stringMatching(/^key_/u),
        client: "Scribe for Harbours",
        expires: "2099-01-31T00:00:00.000Z",
        verification: "unverified"
      })
    ])
    const answer = await server.call("POST", "/api/v1/query", {
      key,
      body: { question: "Which channel does Ida Brandt prefer for calls?" }
    })
    expect(answer.body).toMatchObject({ claims: [{ text, status: "supported" }] })
    expect(await call("forget", { id })).toEqual({ deleted: true, id })
    expect(await call("recall", { query: "channel of the pilot" })).toEqual({ notes: [] })
    expect((await server.call("GET", `/api/v1/documents/${id}`, { key })).status).toBe(404)
    expect(await call("forget", { id })).toMatchObject({ error: "not_found" })
    const crane = (await documents()).items.find(({ path }) => path === "crane.md")
    expect(await call("forget", { id: crane?.["id"] })).toMatchObject({ error: "not_found" })
  })

  it("are not written where the documents, or another note, say the same", async () => {
    const before = (await documents()).total
    const known = await call("remember", { text: "The harbour crane lifts 40 tonnes." }, key, false)
    expect(known).toMatchObject({
      outcome: "known",
      id: null,
      standing: [{ path: "crane.md", quote: expect.stringContaining("40 tonnes") }]
    })
    expect((await documents()).total).toBe(before)
    const note = { text: "The north gate closes at 18:00 in winter." }
    const both = await Promise.all([call("remember", note), call("remember", note)])
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(["known", "remembered"])
    expect(await call("remember", { text: "the north gate closes  at 18:00 in winter." })).toMatchObject({
      outcome: "known",
      standing: [{ path: expect.stringMatching(/^assistant-notes\//u) }]
    })
    expect((await documents()).total).toBe(before + 1)
  })

  it("are proposed to a person where the documents say otherwise, once", async () => {
    const before = (await documents()).total
    const body = { name: "Harbour crane", type: "equipment" }
    expect((await server.call("POST", "/api/v1/entities", { key, body })).status).toBe(201)
    const note = { text: "The harbour crane lifts 50 tonnes.", about: "Harbour crane" }
    const proposed = await call("remember", note)
    expect(proposed).toMatchObject({ outcome: "proposed", id: null, standing: [{ path: "crane.md" }] })
    expect(await call("remember", note)).toMatchObject({ requestId: proposed["requestId"] })
    expect(await requests()).toEqual([
      expect.objectContaining({
        id: proposed["requestId"],
        kind: "update",
        entityName: "Harbour crane",
        payload: { description: note.text },
        note: expect.stringMatching(/through Scribe for Harbours, and contradicted by\ncrane\.md: /u)
      })
    ])
    expect(await call("remember", { text: "The harbour crane lifts 60 tonnes." })).toMatchObject({
      outcome: "proposed"
    })
    expect((await requests()).map(({ kind }) => kind).sort()).toEqual(["create", "update"])
    expect((await documents()).total).toBe(before)
  })

  it("end with their date", async () => {
    expect(await call("remember", { text: "Ferry 9 is full today.", expires: "2001-01-01" })).toMatchObject({
      error: "invalid_body"
    })
    const front = 'said_by: "key_x"\nexpires: "2001-01-01T00:00:00.000Z"'
    await create("assistant-notes/old.md", `---\n${front}\n---\n\nFerry 9 is out of service.\n`)
    await create("assistant-notes/page.md", "---\nexpires: 2001-01-01\n---\n\nFerry 9 has a page, no note.\n")
    expect(await call("recall", { query: "Ferry 9" })).toEqual({ notes: [] })
    expect(await server.as(workspace, forgetExpiredNotes)).toBe(1)
    const paths = (await documents()).items.map(({ path }) => path)
    expect(paths).toContain("assistant-notes/page.md")
    expect(paths).not.toContain("assistant-notes/old.md")
  })

  it("need the right to write, and to read what they are compared with", async () => {
    const reader = await connect(await server.key(workspace, ["kb:read"]))
    const names = (await reader.listTools()).tools.map(({ name }) => name)
    await reader.close()
    expect(names).toContain("recall")
    expect(names).not.toContain("remember")
    expect(names).not.toContain("forget")
    const writer = await server.key(workspace, ["kb:write"])
    expect(await call("remember", { text: "The harbour crane lifts 40 tonnes." }, writer)).toMatchObject({
      error: "insufficient_scope"
    })
  })
})
