import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { UserId, WorkspaceId } from "../../../core/platform/kernel/index.js"
import { ModelFailed } from "../../../core/platform/models/index.js"
import { type Browser, browser, origin } from "../../support/browser.js"
import { startServer, type TestServer } from "../../support/server.js"

// biome-ignore lint/suspicious/noExplicitAny: tests look into what they are given.
type Answer = any

const down = new ModelFailed({ modelId: "laws/vectors", message: "The model is down.", retryable: false })
const noUse = { inputTokens: 3, outputTokens: 2, costUsd: "0", estimated: false }
const talker = {
  modelId: "laws/chat",
  generate: () =>
    Effect.succeed({
      text: '{"ok": true}',
      modelId: "laws/chat",
      finishReason: "stop" as const,
      usage: noUse
    })
}

let server: TestServer
let workspace: WorkspaceId
let ann: UserId
let page: Browser
let docId: string

const text = `---
tags: [energy]
---

# Battery storage

A battery may be stored for 18 months at 15 °C. See [[Solar]] and ![Plan](../img/plan.png).

| Property | Value |
|---|---|
| Rated power | 2,200 kW |

<script>alert(1)</script> <b>bold</b> <b onclick="x()">no</b> [bad](javascript:alert(1)) [good](https://example.org)
`

beforeAll(async () => {
  server = await startServer({ consoleSettings: { origin } })
  workspace = await server.workspace("one")
  ann = await server.user("Ann", [workspace], "admin")
  page = await browser(server, { key: await server.userKey(ann, [workspace]) })
  const made = await page.call("POST", "/console/api/v1/documents", {
    body: { path: "notes/battery.md", content: text }
  })
  docId = made.body.docId
  await page.call("POST", "/console/api/v1/documents", {
    body: { path: "notes/Solar.md", content: "# Solar\n\nPanels." }
  })
  await page.call("POST", "/console/api/v1/documents", { body: { path: "top.md", content: "# Top" } })
  const img = join(server.folder, workspace, "img")
  mkdirSync(img, { recursive: true })
  writeFileSync(join(img, "plan.png"), "png")
  writeFileSync(join(img, "x.svg"), "<svg/>")
})
afterAll(() => server.close())

const events = async (body: unknown): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const response = await server.fetch(
    new Request(`${origin}/console/ask`, {
      method: "POST",
      headers: {
        cookie: page.cookie,
        origin,
        "x-kanon-csrf": page.session.csrf,
        "content-type": "application/json"
      },
      body: JSON.stringify(body)
    })
  )
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  return (await response.text())
    .split("\n")
    .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))
}

describe("documents for pages", () => {
  it("are rendered as HTML that runs nothing, with the place of each block and the passages", async () => {
    const { body } = await page.call("GET", `/console/api/v1/documents/${docId}?render=html`)
    expect(body).toMatchObject({ version: 1, verification: "unverified", nextVerifyAt: null })
    const { html } = body
    const [, start = "", end = ""] = /<h1 data-start="(\d+)" data-end="(\d+)"/.exec(html) ?? []
    expect(body.content.slice(Number(start), Number(end))).toBe("# Battery storage")
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    expect(html).toContain("<b>bold</b>")
    expect(html).toContain("&lt;b onclick=&quot;x()&quot;&gt;no")
    expect(html).not.toContain("javascript:")
    expect(html).toContain('<a href="https://example.org" target="_blank" rel="noopener noreferrer">good</a>')
    expect(html).toContain('src="files?path=img%2Fplan.png"')
    expect(html).toMatch(/<a href="documents\/doc_\w+" data-document>Solar<\/a>/)
    expect(html).not.toMatch(/ style=/)
    for (const { end: to, start: from } of body.passages) expect(body.content.slice(from, to)).not.toBe("")
    expect((await page.call("GET", `/console/api/v1/documents/${docId}`)).body.html).toBeUndefined()
  })

  it("are listed by folder, by words and in order", async () => {
    const list = async (query: string) => (await page.call("GET", `/console/api/v1/documents?${query}`)).body
    const top = await list("folder=")
    expect(top.items.map(({ path }: { path: string }) => path)).toEqual(["top.md"])
    expect(top.folders).toEqual([{ path: "notes", documents: 2 }])
    expect((await list("folder=notes")).total).toBe(2)
    expect((await list("q=BATT")).items).toMatchObject([
      { path: "notes/battery.md", verification: "unverified" }
    ])
    expect((await list("sort=title")).items.map(({ title }: { title: string }) => title)).toEqual([
      "Battery storage",
      "Solar",
      "Top"
    ])
  })

  it("are not overwritten by a save of an older version", async () => {
    const { body: made } = await page.call("POST", "/console/api/v1/documents", {
      body: { path: "race.md", content: "one" }
    })
    const save = (content: string, expectVersion: number) =>
      page.call("PATCH", `/console/api/v1/documents/${made.docId}`, { body: { content, expectVersion } })
    expect((await save("two", 1)).body).toMatchObject({ version: 2 })
    const stale = await save("three", 1)
    expect([stale.status, stale.body.error]).toEqual([409, "conflict"])
    expect((await page.call("GET", `/console/api/v1/documents/${made.docId}`)).body.content).toBe("two")
  })

  it("are previewed with the renderer of saved ones", async () => {
    const { body, status } = await page.call("POST", "/console/preview", {
      body: { content: "# A\n\n<img src=x onerror=alert(1)>", path: "notes/new.md" }
    })
    expect(status).toBe(200)
    expect(body.title).toBe("A")
    expect(body.html).toContain("&lt;img src=x onerror=alert(1)&gt;")
  })

  it("show images of the vault, and nothing else of it", async () => {
    const get = (path: string) => page.call("GET", `/console/files/${workspace}/${path}`)
    const image = await get("img/plan.png")
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"])
    const svg = await get("img/x.svg")
    expect(svg.headers.get("content-security-policy")).toContain("sandbox")
    for (const path of ["notes/battery.md", ".kanon/kanon.db", "img%2F..%2F..%2Fx.png", "img/none.png", ""])
      expect((await get(path)).status, path).toBe(404)
    const other = await server.workspace("other")
    expect((await page.call("GET", `/console/files/${other}/img/plan.png`)).status).toBe(403)
  })
})

describe("models and tools for pages", () => {
  it("tells how long a model took, what went wrong, or that none is chosen", async () => {
    const models = { embedder: { modelId: "laws/vectors", batchMax: 8, embed: () => Effect.fail(down) } }
    const other = await startServer({ consoleSettings: { origin }, models: { ...models, chat: talker } })
    const one = await other.workspace("one")
    const signedIn = await browser(other, { key: await other.key(one) })
    const test = async (role: string) =>
      (await signedIn.call("POST", `/console/models/${role}/test`, { body: {} })).body
    expect(await test("chat")).toEqual({ modelId: "laws/chat", ms: expect.any(Number), error: null })
    expect(await test("embedding")).toMatchObject({ modelId: "laws/vectors", error: "The model is down." })
    expect(await test("reranker")).toEqual({ modelId: null, ms: 0, error: null })
    const reader = await browser(other, { key: await other.key(one, ["kb:read"]) })
    expect((await reader.call("POST", "/console/models/chat/test", { body: {} })).status).toBe(403)
    await other.close()
  })

  it("lists the tools that an agent may be given", async () => {
    const { body } = await page.call("GET", "/console/tools")
    expect(body.items).toContainEqual({
      name: "svc_create_document",
      description: expect.any(String),
      effect: "write"
    })
    const names = body.items.map(({ name }: { readonly name: string }) => name)
    expect(names).toEqual([...names].sort())
  })
})

describe("entities for pages", () => {
  it("are listed by words, standing and owner, and not overwritten by a stale change", async () => {
    const { body: entity } = await page.call("POST", "/console/api/v1/entities", {
      body: { name: "Lantern Grid", type: "project" }
    })
    await page.call("POST", `/console/api/v1/entities/${entity.id}/owner`, { body: { ownerId: ann } })
    const names = async (query: string) =>
      (await page.call("GET", `/console/api/v1/entities?${query}`)).body.entities.map(
        ({ name }: { name: string }) => name
      )
    expect(await names("q=lant")).toEqual(["Lantern Grid"])
    expect(await names("authority=certified")).toEqual([])
    expect(await names(`ownerId=${ann}&authority=asserted&lifecycle=published&sort=name`)).toEqual([
      "Lantern Grid"
    ])
    const change = (description: string, expectVersion: number) =>
      page.call("PATCH", `/console/api/v1/entities/${entity.id}`, { body: { description, expectVersion } })
    const changed = await change("a", 2)
    expect(changed.body).toMatchObject({ version: 3, description: "a" })
    const stale = await change("b", 2)
    expect([stale.status, stale.body.error]).toEqual([409, "conflict"])
  })
})

describe("asking", () => {
  it("tells the stages and then the answer, whose claims and sources say where their words stand", async () => {
    const told = await events({ question: "How long may a battery be stored?" })
    const kinds = told.map(({ type }) => type)
    expect(kinds.at(-1)).toBe("answer")
    expect(told.map(({ name }) => name)).toEqual(expect.arrayContaining(["gather", "ground"]))
    const { answer, answerId } = told.at(-1) as unknown as { answer: Answer; answerId: string }
    const [claim] = answer.claims
    const source = answer.sources.find(({ id }: { id: string }) => id === claim.citations[0])
    expect(source).toMatchObject({ docVersion: 1, verification: "unverified", reviewDue: false })
    const [quote] = claim.quotes
    expect(text.slice(quote.start, quote.end)).toContain("18 months")
    expect(text.slice(source.start, source.end)).toContain("18 months")

    const { body: kept } = await page.call("GET", `/console/answers/${answerId}`)
    expect(kept).toMatchObject({ id: answerId, askedBy: ann, question: "How long may a battery be stored?" })
    const { body: history } = await page.call("GET", "/console/answers?q=BATTERY")
    expect(history.items.map(({ id }: { id: string }) => id)).toContain(answerId)
    const log = await page.call("GET", `/console/api/v1/policy/decisions?askedBy=${ann}&q=battery`)
    expect(log.body.items).toHaveLength(1)
    const { body: decision } = await page.call("GET", `/console/api/v1/policy/decisions/${kept.decisionId}`)
    expect(decision.citations[0]).toMatchObject({
      state: "current",
      // biome-ignore lint/suspicious/noThenProperty: a name of the wire; its value is no function.
      then: { docVersion: 1, text: expect.stringContaining("18 months") },
      now: { text: expect.stringContaining("18 months") }
    })
  })

  it("keeps answers with the policy off, and takes feedback that feeds judgments and the inbox", async () => {
    const told = await events({ question: "What is the rated power?", policyMode: "off" })
    const { answerId } = told.at(-1) as unknown as { answerId: string }
    const path = `/console/answers/${answerId}`
    expect((await page.call("GET", path)).body).toMatchObject({ mode: "off", decisionId: null })
    const wrong = await page.call("POST", `${path}/feedback`, {
      body: { kind: "thumb", value: { thumb: "sideways" } }
    })
    expect(wrong.status).toBe(400)
    const given = await page.call("POST", `${path}/feedback`, {
      body: { kind: "correction", value: { text: "2,200 kW" } }
    })
    expect(given.status).toBe(201)
    const { body: proposed } = await page.call("POST", "/console/operations/proposeQrels", {
      body: { set: "feedback" }
    })
    expect(proposed.items).toMatchObject([{ answerId, runId: null, answers: ["2,200 kW"] }])
    const { body: inbox } = await page.call("GET", "/console/inbox")
    // One event is one item: the judgment that follows from the feedback is part of it.
    const complaint = inbox.items.find(({ kind }: { kind: string }) => kind === "feedback")
    expect(complaint.data.judgments).toMatchObject([{ set: "feedback", answers: ["2,200 kW"] }])
    expect(inbox.counts).toMatchObject({ feedback: 1, judgment: 0, total: inbox.total })
  })

  it("takes feedback on an answer over the API at the path of runs, by the id of the answer", async () => {
    const key = await server.key(workspace)
    const asked = await server.call("POST", "/api/v1/query", {
      key,
      body: { question: "How long is it stored?" }
    })
    const answerId = asked.headers.get("x-answer-id") ?? ""
    const give = (id: string, value: unknown) =>
      server.call("POST", `/api/v1/runs/${id}/feedback`, { key, body: { kind: "thumb", value } })
    expect(await give(answerId, { thumb: "down" })).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^fbk_/) }
    })
    const { body } = await page.call("GET", "/console/answers?mine=false&feedback=negative")
    expect(body.items.map(({ id }: { id: string }) => id)).toContain(answerId)
    expect((await give(answerId, { thumb: "sideways" })).status).toBe(400)
    for (const id of [`ans_${"0".repeat(26)}`, `run_${"0".repeat(26)}`, "doc_x"])
      expect((await give(id, { thumb: "up" })).status, id).toBe(404)
  })

  it("lists contradictions, which wait in the inbox until somebody settles them", async () => {
    const write = async (path: string, hours: number) =>
      page.call("POST", "/console/api/v1/documents", {
        body: { path, content: `# ${path}\n\nThe harbour crane is inspected every ${hours} hours.\n` }
      })
    await write("crane.md", 200)
    await write("plan.md", 300)
    expect((await page.call("POST", "/console/contradictions/find", { body: {} })).status).toBe(200)
    const { body: listed } = await page.call("GET", "/console/contradictions?status=open")
    expect(listed).toMatchObject({ total: 1, items: [{ kind: "number", status: "open" }] })
    const { body: inbox } = await page.call("GET", "/console/inbox?kind=contradiction")
    expect(inbox.items).toMatchObject([{ id: listed.items[0].id, data: { sides: [{}, {}] } }])
    const path = `/console/contradictions/${listed.items[0].id}/settle`
    expect((await page.call("POST", path, { body: { status: "both_true" } })).status).toBe(400)
    const settled = await page.call("POST", path, { body: { status: "both_true", reason: "Two cranes." } })
    expect(settled.body).toMatchObject({ status: "both_true", reason: "Two cranes." })
    expect((await page.call("POST", path, { body: { status: "settled", reason: "x" } })).status).toBe(409)
    expect((await page.call("GET", "/console/inbox?kind=contradiction")).body.items).toEqual([])
  })

  it("compiles a page on request, which waits in the inbox until a person writes or rejects it", async () => {
    await page.call("POST", "/console/api/v1/documents", {
      body: { path: "sluice.md", content: "# Sluice\n\nThe sluice gate opens at six in the morning.\n" }
    })
    const { body: proposed, status } = await page.call("POST", "/console/proposals", {
      body: { topic: "sluice gate" }
    })
    expect([status, proposed.status, proposed.path]).toEqual([200, "open", "topics/sluice-gate.md"])
    const { body: inbox } = await page.call("GET", "/console/inbox?kind=proposal")
    expect(inbox.items).toMatchObject([{ id: proposed.id, mine: true, data: { docId: null } }])
    const { body: shown } = await page.call("GET", `/console/proposals/${proposed.id}`)
    expect(shown).toMatchObject({ base: null, content: expect.stringContaining("opens at six") })
    const approved = await page.call("POST", `/console/proposals/${proposed.id}/approve`, { body: {} })
    expect(approved.body).toMatchObject({ version: 1, proposal: { status: "approved" } })
    expect((await page.call("POST", `/console/proposals/${proposed.id}/reject`, { body: {} })).status).toBe(
      409
    )
    expect((await page.call("GET", "/console/proposals?status=open")).body.total).toBe(0)
    expect((await page.call("GET", "/console/inbox?kind=proposal")).body.items).toEqual([])
  })

  it("refuses bad input before the stream opens", async () => {
    expect((await page.call("POST", "/console/ask", { body: { question: "" } })).status).toBe(400)
    const reader = await browser(server, { key: await server.key(workspace, ["kb:read"]) })
    expect((await reader.call("POST", "/console/ask", { body: { question: "a" } })).status).toBe(403)
  })

  it("shows answers to nobody who asked something else and may not read the log", async () => {
    const [{ answerId }] = [(await events({ question: "Solar?" })).at(-1) as unknown as { answerId: string }]
    const asker = await browser(server, { key: await server.key(workspace, ["agents:run"]) })
    expect((await asker.call("GET", `/console/answers/${answerId}`)).status).toBe(404)
    expect((await asker.call("GET", "/console/answers?mine=false")).status).toBe(403)
    expect((await asker.call("GET", "/console/answers")).body.total).toBe(0)
  })
})

describe("conversations", () => {
  const asked = async (who: Browser, question: string, conversationId?: string) => {
    const response = await who.call("POST", "/console/ask", { body: { question, conversationId } })
    const lines = String(response.body)
      .split("\n")
      .filter((line) => line.startsWith("data: "))
    return JSON.parse(lines.at(-1)?.slice(6) ?? "null") as { answerId: string }
  }
  const colleague = async (role: "admin" | "member") => {
    const id = await server.user("Cleo", [workspace], role)
    return browser(server, { key: await server.userKey(id, [workspace]) })
  }

  it("are listed with their first question, read with their turns, renamed and deleted by who asked", async () => {
    await asked(page, "How long may a battery be stored?", "crane-1")
    await asked(page, "And at which temperature?", "crane-1")
    const { body: listed } = await page.call("GET", "/console/conversations")
    expect(listed.items[0]).toMatchObject({
      id: "crane-1",
      title: "How long may a battery be stored?",
      questions: 2
    })
    const path = "/console/conversations/crane-1"
    const { body: read } = await page.call("GET", path)
    expect(read.turns.map(({ question }: { question: string }) => question)).toEqual([
      "How long may a battery be stored?",
      "And at which temperature?"
    ])
    expect(read.turns[1].answer.standaloneQuestion).toContain("battery")
    const renamed = await page.call("PATCH", path, { body: { title: " Batteries " } })
    expect(renamed.body).toMatchObject({ id: "crane-1", title: "Batteries" })
    expect((await page.call("PATCH", path, { body: { title: " " } })).status).toBe(400)

    const other = await colleague("admin")
    for (const [method, body] of [["GET"], ["PATCH", { title: "x" }], ["DELETE"]] as const)
      expect((await other.call(method, path, { body })).status, method).toBe(404)
    expect((await other.call("GET", "/console/conversations")).body.total).toBe(0)

    const { body: log } = await page.call("GET", "/console/api/v1/audit?action=conversation.rename")
    expect(log.items ?? log.events).toHaveLength(1)
    expect((await page.call("DELETE", path)).body).toEqual({ deleted: true, id: "crane-1" })
    expect((await page.call("GET", path)).status).toBe(404)
    expect((await page.call("GET", `/console/answers/${read.turns[0].id}`)).status).toBe(404)
  })

  it("stay with the person who asked, also for admins, until the workspace says otherwise", async () => {
    const cleo = await colleague("member")
    const { answerId } = await asked(cleo, "Who paints the Solar panels?", "cleo-1")
    const seen = async (who: Browser) => ({
      answer: (await who.call("GET", `/console/answers/${answerId}`)).status,
      listed: (await who.call("GET", "/console/answers?mine=false&q=paints")).body.total
    })
    expect(await seen(cleo)).toEqual({ answer: 200, listed: 1 })
    expect(await seen(page)).toEqual({ answer: 404, listed: 0 })
    const { decisionId } = (await cleo.call("GET", `/console/answers/${answerId}`)).body
    const asker = async (who: Browser) =>
      (await who.call("GET", `/console/api/v1/policy/decisions/${decisionId}`)).body.decision.askedBy
    const cleoId = cleo.session.actor
    expect([await asker(cleo), await asker(page)]).toEqual([cleoId, "member"])
    const filtered = `/console/api/v1/policy/decisions?askedBy=${cleoId}`
    expect((await page.call("GET", filtered)).body.total).toBe(0)
    expect((await cleo.call("GET", filtered)).body.total).toBe(1)
    expect((await page.call("GET", "/console/people?ids=member")).body.items[0].name).toBe("A member")

    const set = (questions: string) =>
      page.call("PATCH", "/console/api/v1/workspace", { body: { privacy: { questions } } })
    expect((await set("workspace")).status).toBe(200)
    expect([await seen(page), await asker(page)]).toEqual([{ answer: 200, listed: 1 }, cleoId])
    expect(await seen(await colleague("member"))).toEqual({ answer: 404, listed: 0 })
    await set("own")

    // Feedback shares the answer with those who look after the documents.
    await cleo.call("POST", `/console/answers/${answerId}/feedback`, {
      body: { kind: "thumb", value: { thumb: "down" } }
    })
    expect((await seen(page)).answer).toBe(200)
  })
})

describe("the console's other endpoints", () => {
  it("name members and keys of the workspace and nobody else", async () => {
    const bob = await server.user("Bob", [await server.workspace("elsewhere")])
    const { body } = await page.call("GET", `/console/people?ids=${ann},local,system,${bob},key_x`)
    expect(body.items.map(({ kind, name }: { kind: string; name: string }) => [kind, name])).toEqual([
      ["member", "Ann"],
      ["local", "Local user"],
      ["system", "System"],
      ["unknown", bob],
      ["unknown", "key_x"]
    ])
  })

  it("tell the state of the workspace", async () => {
    const { body, status } = await page.call("GET", "/console/health")
    expect(status).toBe(200)
    expect(body).toMatchObject({ counts: { documents: expect.any(Number) }, vault: { readable: true } })
  })

  it("put what waits for the member first in the inbox", async () => {
    const { body: entity } = await page.call("POST", "/console/api/v1/entities", {
      body: { name: "Owned", type: "project" }
    })
    await page.call("POST", `/console/api/v1/entities/${entity.id}/owner`, { body: { ownerId: ann } })
    await page.call("POST", "/console/api/v1/change-requests", {
      body: { kind: "update", entityId: entity.id, payload: { description: "x" } }
    })
    const { body } = await page.call("GET", "/console/inbox?limit=1")
    expect(body.items).toMatchObject([{ kind: "change_request", mine: true, data: { blocked: null } }])
    const keyPage = await browser(server, { key: await server.key(workspace) })
    const other = (await keyPage.call("GET", "/console/inbox?kind=change_request")).body
    expect(other.items).toMatchObject([{ mine: false, data: { blocked: "reviewer_required" } }])
  })

  it("call operations without a route by name, and no others", async () => {
    const call = (name: string, body: unknown) => page.call("POST", `/console/operations/${name}`, { body })
    expect((await call("listStewardship", {})).status).toBe(200)
    expect((await call("getDocumentByPath", { path: "top.md" })).body.title).toBe("Top")
    expect((await call("mintKey", {})).status).toBe(404)
    expect((await call("judgeAgreement", {})).status).toBe(400)
  })
})
