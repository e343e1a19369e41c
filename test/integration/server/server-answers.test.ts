import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { scriptedChatModel } from "../../../adapters/models/index.js"
import { AnswerStore, StructuredAnswer, stageNames } from "../../../core/answers/answering/index.js"
import { DocumentStore } from "../../../core/files/documents/index.js"
import { operations } from "../../../core/operations.js"
import { AnswerId, DocumentId, scopeOf } from "../../../core/platform/kernel/index.js"
import { changeSettings } from "../../../core/platform/workspace/index.js"
import { WorkspaceView } from "../../../core/upkeep/overview/index.js"
import { row } from "../../../server/catalog/row.js"
import { createClient, replyOf } from "../../../server/client/index.js"
import { checked } from "../../../server/http/serve-row.js"
import { startServer, type TestServer } from "../../support/server.js"
import { type Seed, seedWorkspace } from "../../support/workspace-seed.js"

const question = "Who keeps the secret of home?"
const ask = (server: TestServer, key: string) =>
  server.call("POST", "/api/v1/query", { key, body: { question } })
const view = async (server: TestServer, key: string) =>
  WorkspaceView.parse((await server.call("GET", "/api/v1/workspace", { key })).body)

describe("an answer over HTTP", () => {
  let server: TestServer
  let home: Seed
  beforeAll(async () => {
    server = await startServer()
    home = await seedWorkspace(server, "home")
  })
  afterAll(() => server.close())

  const storedAnswer = (id: string) =>
    server.as(
      home.workspace,
      Effect.flatMap(AnswerStore, (store) => store.find(scopeOf(home.workspace), AnswerId.parse(id)))
    )
  const citing = () =>
    server.as(
      home.workspace,
      Effect.flatMap(AnswerStore, (store) =>
        store.countCiting(scopeOf(home.workspace), DocumentId.parse(home.ids["doc"]))
      )
    )

  it("is kept as it was given, under the id that its header names, with who asked and what it cites", async () => {
    const before = await citing()
    const { body, headers, status } = await ask(server, home.key)
    expect(status).toBe(200)
    const answer = StructuredAnswer.parse(body)
    expect(answer.claims.length).toBeGreaterThan(0)
    const stored = Option.getOrThrow(await storedAnswer(headers.get("x-answer-id") ?? ""))
    expect(stored).toMatchObject({ question, activity: "api", answer: body, createdAt: answer.generatedAt })
    expect(stored.askedBy).toMatch(/^key_/)
    expect(await citing()).toBe(before + 1)
  })

  it("is given to no question that a database cannot hold", async () => {
    const evil = "Who\0keeps the secret\ud800 of home?"
    const { body, status } = await server.call("POST", "/api/v1/query", {
      key: home.key,
      body: { question: evil }
    })
    expect([status, body]).toMatchObject([400, { error: "invalid_body", issues: [{ path: ["question"] }] }])
  })

  it("reaches the typed client with its id", async () => {
    const client = createClient({ baseUrl: "http://kanon.test", key: home.key, fetch: sendTo(server) })
    const answer = await client.query({ question })
    const { answerId, requestId } = replyOf(answer)
    expect(Option.getOrThrow(await storedAnswer(answerId ?? "")).answer).toEqual(answer)
    expect(requestId).toMatch(/^[\w.:-]+$/)
    expect(replyOf(await client.getManifest())).toMatchObject({ answerId: null })
    expect(replyOf({ ...answer })).toEqual({ answerId: null, requestId: null })
  })

  it("comes after its stages to whoever prefers an event stream, the same as without", async () => {
    const events = async (accept: string, body: unknown = { question }) => {
      const reply = await server.call("POST", "/api/v1/query", { key: home.key, body, headers: { accept } })
      const lines = typeof reply.body === "string" ? reply.body.split("\n\n") : []
      const data = lines.flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))
      return { ...reply, data }
    }
    const { data, headers } = await events("text/event-stream")
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    const stages = data.filter(({ type }) => type === "stage").map(({ name }) => name)
    expect(stages).toEqual(stageNames.filter((stage) => stages.includes(stage)))
    expect(stages).toContain("gather")
    expect(data.filter(({ type }) => type === "answer" || type === "error")).toEqual([
      { type: "answer", answerId: expect.stringMatching(/^ans_/), answer: expect.anything() }
    ])
    const last = data.at(-1)
    expect(Option.getOrThrow(await storedAnswer(last.answerId)).answer).toEqual(last.answer)
    const plain = await events("application/json, text/event-stream")
    expect(StructuredAnswer.parse(plain.body).answer).toBe(last.answer.answer)
    const wrong = await events("text/event-stream", { question: "" })
    expect([wrong.status, wrong.body]).toMatchObject([400, { error: "invalid_body" }])
  })

  it("that is not to be had before anything was told is refused as usual", async () => {
    await server.as(home.workspace, changeSettings({ models: { chatEnabled: false } }))
    const { body, status } = await server.call("POST", "/api/v1/query", {
      key: home.key,
      body: { question },
      headers: { accept: "text/event-stream" }
    })
    await server.as(home.workspace, changeSettings({ models: { chatEnabled: true } }))
    expect([status, body]).toMatchObject([409, { error: "no-model-configured" }])
  })

  it("is given all the same, without an id, where the workspace keeps none", async () => {
    const kept = (await ask(server, home.key)).headers.get("x-answer-id") ?? ""
    await server.as(home.workspace, changeSettings({ retention: { answerDays: 0 } }))
    const { headers, status } = await ask(server, home.key)
    expect([status, headers.get("x-answer-id")]).toEqual([200, null])
    await server.as(home.workspace, changeSettings({ retention: { answerDays: 30 } }))
    expect(Option.isSome(await storedAnswer(kept))).toBe(true)
    const again = (await ask(server, home.key)).headers.get("x-answer-id")
    expect(again).toMatch(/^ans_/)
  })
})

describe("what an answer quotes of a deleted document", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it("is read by an administrator alone, and goes when the document is removed for ever", async () => {
    const own = await server.workspace("quotes")
    const [admin, reader] = [await server.key(own), await server.key(own, ["kb:read", "agents:run"])]
    const call = (key: string, method: string, path: string, body?: unknown) =>
      server.call(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) })
    const made = await call(admin, "POST", "/documents", {
      path: "safe.md",
      content: "# Safe\n\nThe safe of the harbour opens with the code zebra."
    })
    const { docId } = z.object({ docId: DocumentId }).parse(made.body)
    await call(admin, "POST", "/query", { question: "With which code does the safe of the harbour open?" })
    const { items } = z
      .object({ items: z.array(z.object({ id: z.string() })) })
      .parse((await call(admin, "GET", "/policy/decisions")).body)
    const explained = async (key: string) =>
      JSON.stringify((await call(key, "GET", `/policy/decisions/${items[0]?.id}`)).body)
    expect(await explained(reader)).toContain("zebra")
    await call(admin, "DELETE", `/documents/${docId}`)
    expect(await explained(admin)).toContain("zebra")
    const hidden = await explained(reader)
    expect(hidden).not.toContain("zebra")
    expect(hidden).toContain("[deleted]")
    expect(hidden).toContain('"state":"gone"')
    await server.as(
      own,
      Effect.flatMap(DocumentStore, (store) => store.purge(scopeOf(own), [docId], "2999-01-01T00:00:00.000Z"))
    )
    const erased = await explained(admin)
    expect(erased).not.toContain("zebra")
    expect(erased).toContain("[deleted]")
  })
})

/** The server as a `fetch` of a client. */
const sendTo =
  (server: TestServer): typeof fetch =>
  (input, init) =>
    server.fetch(new Request(input, init))

describe("the workspace over HTTP", () => {
  it("tells of the key, of models, settings and what was used, and counts its own changes", async () => {
    const server = await startServer({
      models: {
        chat: scriptedChatModel(
          () => ({
            text: JSON.stringify({
              answerable: false,
              missing: "it",
              sentences: []
            }),
            usage: { inputTokens: 30, outputTokens: 12, costUsd: "0.0015", estimated: false }
          }),
          "test/chat"
        )
      }
    })
    try {
      const home = await seedWorkspace(server, "home", { asks: false })
      const other = await seedWorkspace(server, "other", { asks: false })
      const first = await view(server, home.key)
      expect(first).toMatchObject({
        id: home.workspace,
        name: "home",
        key: { name: "test", kind: "workspace", expiresAt: null },
        capabilities: { chat: true, judge: false, embedding: true, reranker: false, extraction: true },
        settings: { reviewIntervalDays: 180, retention: { answerDays: 365 }, caps: { activeRuns: 8 } },
        usage: { agentSpendUsd: "0", capUsd: "100", activeRuns: 0, activeRunCap: 8, tokens: 0, costUsd: "0" },
        revision: 1
      })
      expect(first.key?.scopes).toContain("workspace:admin")
      await ask(server, home.key)
      await ask(server, home.key)
      await server.as(home.workspace, changeSettings({ caps: { activeRuns: 3 } }))
      await server.as(home.workspace, changeSettings({ caps: { activeRuns: 3 } }))
      expect(await view(server, home.key)).toMatchObject({
        usage: {
          month: new Date().toISOString().slice(0, 7),
          tokens: 84,
          inputTokens: 60,
          outputTokens: 24,
          costUsd: "0.003",
          activeRunCap: 3
        },
        revision: 2
      })
      expect(await view(server, other.key)).toMatchObject({ usage: { tokens: 0 }, revision: 1 })
    } finally {
      await server.close()
    }
  })
})

describe("without the built-in models", () => {
  it("refuses questions and making anew, and says what it cannot do; the rest goes on", async () => {
    const server = await startServer({ builtInModels: false })
    try {
      const home = await seedWorkspace(server, "home", { asks: false })
      expect(await ask(server, home.key)).toMatchObject({
        status: 409,
        body: { error: "no-model-configured" }
      })
      for (const kind of ["reembed", "reextract"])
        expect(
          await server.call("POST", "/api/v1/jobs", { key: home.key, body: { kind, all: true } })
        ).toMatchObject({ status: 409, body: { error: "no-model-configured" } })
      const started = await server.call("POST", "/api/v1/jobs", {
        key: home.key,
        body: { kind: "reindex", subjectIds: [home.ids["doc"]] }
      })
      expect(started).toMatchObject({
        status: 202,
        body: { items: [{ kind: "reindex", subjectId: home.ids["doc"] }], total: 1 }
      })
      expect((await view(server, home.key)).capabilities).toEqual({
        chat: false,
        judge: false,
        embedding: false,
        reranker: false,
        extraction: false
      })
      const found = await server.call("GET", "/api/v1/search?q=secret", { key: home.key })
      expect(z.object({ total: z.int().min(1) }).safeParse(found.body).success).toBe(true)
    } finally {
      await server.close()
    }
  })
})

describe("starting jobs over HTTP", () => {
  it("answers another workspace's documents like those that nothing has", async () => {
    const server = await startServer()
    try {
      const [home, other] = [await seedWorkspace(server, "home"), await seedWorkspace(server, "other")]
      const start = (subject: string | undefined) =>
        server.call("POST", "/api/v1/jobs", {
          key: home.key,
          body: { kind: "reindex", subjectIds: [home.ids["doc"], subject] }
        })
      const [foreign, unknown] = [
        await start(other.ids["doc"]),
        await start("doc_00000000000000000000000000")
      ]
      expect(foreign).toMatchObject({ status: 404, body: unknown.body })
      const none = await server.call("GET", "/api/v1/jobs?kind=reindex", { key: home.key })
      expect(none.body).toMatchObject({ total: 0 })
      const bad = await server.call("POST", "/api/v1/jobs", {
        key: home.key,
        body: { kind: "graph_analytics", subjectIds: [home.ids["doc"]] }
      })
      expect(bad).toMatchObject({
        status: 400,
        body: { error: "invalid_body", issues: [{ path: ["subjectIds"] }] }
      })
    } finally {
      await server.close()
    }
  })
})

describe("the check of responses", () => {
  it("turns one that breaks its schema into an internal error, and lets others through", async () => {
    const manifest = row(operations.getManifest, "GET", "/api/v1/manifest")
    const outcome = (result: unknown) => ({ admitted: null, result: Either.right(result) })
    const wrong = await Effect.runPromise(checked(outcome({ workspace: "none" }), manifest))
    expect(wrong.result).toMatchObject({ left: { status: 500, body: { error: "internal" } } })
    const refused = { admitted: null, result: Either.left({ status: 404, body: { error: "not_found" } }) }
    expect(await Effect.runPromise(checked(refused, manifest))).toBe(refused)
    const ack = { deleted: true, id: "doc_1" }
    const deletion = row(operations.deleteEntity, "DELETE", "/api/v1/entities/{id}")
    expect((await Effect.runPromise(checked(outcome(ack), deletion))).result).toEqual(Either.right(ack))
  })
})
