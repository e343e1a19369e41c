import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { operations } from "../../../../core/operations.js"
import { runOperation, scopeOf, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"

import { exportWorkspace } from "../../../../core/upkeep/transfer/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { startServer, type TestServer } from "../../../support/server.js"
import { type Seed, seedWorkspace } from "../../../support/workspace-seed.js"

const credential = "sk-VeryPrivate-0123456789abcdef"
const path = "/api/v1/workspace"
const View = z.object({
  revision: z.int(),
  name: z.string(),
  settings: z.looseObject({
    models: z.looseObject({}),
    retention: z.looseObject({ answerDays: z.int() }),
    retrieval: z.looseObject({ governance: z.record(z.string(), z.number()) })
  }),
  capabilities: z.record(z.string(), z.boolean())
})

const exportText = (workspace: WorkspaceScope) =>
  Effect.map(Stream.runCollect(exportWorkspace(workspace)), (lines) =>
    Buffer.concat(Array.from(lines)).toString("utf8")
  )

describe("PATCH /api/v1/workspace", () => {
  const data = temporaryFolder("settings")
  let server: TestServer
  let home: Seed
  beforeAll(async () => {
    server = await startServer({ data })
    home = await seedWorkspace(server, "home")
  })
  afterAll(() => server.close())

  const patch = (body: unknown) => server.call("PATCH", path, { key: home.key, body })
  const view = async () => View.parse((await server.call("GET", path, { key: home.key })).body)
  const secrets = () =>
    server.as(
      home.workspace,
      Effect.flatMap(WorkspaceStore, (store) => store.secrets.list(scopeOf(home.workspace)))
    )

  it("changes of how passages rank what their standing counts for, and nothing else", async () => {
    const { retrieval } = (await view()).settings
    const { body, status } = await patch({ retrieval: { governance: { certified: 1.05 } } })
    expect([status, View.parse(body).settings.retrieval]).toEqual([
      200,
      { ...retrieval, governance: { ...retrieval.governance, certified: 1.05 } }
    ])
    for (const refused of [{ governance: { deprecated: 0 } }, { governance: { certified: 1.01 }, rrfK: 1 }])
      expect((await patch({ retrieval: refused })).status).toBe(400)
    expect((await view()).settings.retrieval.governance.certified).toBe(1.05)
    expect((await patch({ retrieval: { governance: { certified: 1.02 } } })).status).toBe(200)
  })

  it("changes what is given and leaves the rest, one revision at a time, and shows it as GET does", async () => {
    const before = await view()
    const { body, status } = await patch({
      name: "Archive",
      reviewIntervalDays: 90,
      retention: { answerDays: 30 },
      caps: { activeRuns: 3 },
      budgets: { costUsd: "2.50" }
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: "Archive",
      revision: before.revision + 1,
      settings: {
        reviewIntervalDays: 90,
        retention: { ...before.settings.retention, answerDays: 30 },
        caps: { agentSpendUsd: "100", activeRuns: 3 },
        budgets: { steps: 20, tokens: 100_000, costUsd: "2.50", minutes: 10, callsPerTurn: 32 }
      }
    })
    expect((await server.call("GET", path, { key: home.key })).body).toEqual(body)
    expect((await patch({ name: "Archive", caps: { activeRuns: 3 } })).body).toEqual(body)
  })

  it("refuses what is out of bounds or empty, and a revision that does not stand", async () => {
    const before = await view()
    for (const body of [
      {},
      { nothing: 1 },
      { reviewIntervalDays: 0 },
      { name: " " },
      { caps: { agentSpendUsd: "a lot" } },
      { retention: { answerDays: 1.5 } },
      { models: { chat: { provider: "nobody", model: "x" } } },
      { models: { chat: { provider: "anthropic" } } },
      { models: { chat: { provider: "openai-compatible", model: "x" } } },
      { models: { reranker: { provider: "anthropic", model: "x" } } },
      { models: { chat: { provider: "openai", model: "x", baseUrl: "ftp://example.org" } } },
      { models: { chat: { provider: "openai", model: "x", baseUrl: "https://user:pw@example.org/v1" } } },
      ...["chat", "judge", "embedding", "reranker", "extraction"].flatMap((role) =>
        ["x", "", "http://", "example.org:80:80"].map((baseUrl) => ({
          models: { [role]: { provider: role === "reranker" ? "jina" : "ollama", model: "x", baseUrl } }
        }))
      ),
      { models: { chat: { provider: "openai", model: "x", credential: "two\nlines" } } },
      { models: { prices: { x: { input: -1, output: 0 } } } }
    ]) {
      const { body: said, status } = await patch(body)
      expect([status, Reflect.get(Object(said), "error")], JSON.stringify(body)).toEqual([
        400,
        "invalid_body"
      ])
    }
    const stale = await patch({ name: "Other", expectRevision: before.revision + 1 })
    expect([stale.status, stale.body]).toMatchObject([409, { error: "conflict" }])
    expect(await view()).toEqual(before)
    expect(await secrets()).toEqual([])
    expect((await patch({ name: "Archive", expectRevision: before.revision })).status).toBe(200)
  })

  it("lets one of many win who all saw the same revision, and loses nothing of those who did not look", async () => {
    const { revision } = await view()
    const tries = await Promise.all(
      Array.from({ length: 6 }, (_, at) => patch({ name: `Name ${at}`, expectRevision: revision }))
    )
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1)
    await Promise.all([
      patch({ caps: { activeRuns: 5 } }),
      patch({ budgets: { steps: 7 } }),
      patch({ reviewIntervalDays: 33 })
    ])
    expect((await view()).settings).toMatchObject({
      caps: { activeRuns: 5 },
      budgets: { steps: 7 },
      reviewIntervalDays: 33
    })
  })

  it("keeps a credential sealed and says it nowhere: not in answers, audit, export or any file", async () => {
    const chosen = { provider: "anthropic", model: "claude-haiku-4-5" }
    const set = await patch({ models: { chat: { ...chosen, credential } } })
    expect(set.body).toMatchObject({
      settings: { models: { chat: { ...chosen, baseUrl: null, enabled: true, hasCredential: true } } },
      capabilities: { chat: true }
    })
    const [kept] = await secrets()
    expect(kept?.sealed).toMatch(/^v1\.[0-9a-f]{8}\./)
    const scope = scopeOf(home.workspace)
    const told = [
      JSON.stringify(set.body),
      JSON.stringify(await view()),
      JSON.stringify(
        await server.as(
          home.workspace,
          runOperation(operations.listAuditEvents, { action: "workspace.update" })
        )
      ),
      await server.as(home.workspace, exportText(scope)),
      ...readdirSync(data, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => readFileSync(join(data, name), "latin1"))
    ]
    for (const text of told) expect(text).not.toContain(credential)
    expect(told[2]).toContain('"credential":"set"')
    expect(told[3]).not.toContain(kept?.id)
  })

  it("erases a credential that goes elsewhere, is replaced, or is no longer wanted", async () => {
    const stored = async () => (await secrets()).map(({ id }) => id)
    const first = await stored()
    await patch({ models: { chat: { model: "claude-sonnet-4-5" } } })
    expect(await stored()).toEqual(first)
    await patch({ models: { chat: { credential: "sk-another-one" } } })
    const second = await stored()
    expect([second.length, second[0] === first[0]]).toEqual([1, false])
    const moved = await patch({ models: { chat: { baseUrl: "https://elsewhere.example/v1" } } })
    expect(moved.body).toMatchObject({ settings: { models: { chat: { hasCredential: false } } } })
    expect(await stored()).toEqual([])
    await patch({ models: { chat: { credential } } })
    const gone = await patch({ models: { chat: null } })
    expect(gone.body).toMatchObject({ settings: { models: { chat: null } } })
    expect(await stored()).toEqual([])
  })

  it("starts embedding anew for another model, and not for another address of the same", async () => {
    const jobs = async () => {
      const { body } = await server.call("GET", "/api/v1/jobs?kind=reembed", { key: home.key })
      return z.object({ total: z.int() }).parse(body).total
    }
    expect(await jobs()).toBe(0)
    await patch({ models: { embedding: { provider: "ollama", model: "nomic-embed-text" } } })
    expect(await jobs()).toBe(1)
    await patch({ models: { embedding: { baseUrl: "http://127.0.0.1:9/" } } })
    expect(await jobs()).toBe(1)
    await patch({ models: { embedding: null } })
  })

  it("forgets the answers that are older than they are kept from now on", async () => {
    const asked = await server.call("POST", "/api/v1/query", {
      key: home.key,
      body: { question: "Who keeps what?" }
    })
    const id = asked.headers.get("x-answer-id")
    expect(id).toMatch(/^ans_/)
    await patch({ retention: { answerDays: 0 } })
    const again = await server.call("POST", "/api/v1/query", { key: home.key, body: { question: "Who?" } })
    expect(again.headers.get("x-answer-id")).toBeNull()
  })

  it("is 409 for questions where no model is left", async () => {
    await patch({ models: { fallbackToExtractive: false } })
    const { body, status } = await server.call("POST", "/api/v1/query", {
      key: home.key,
      body: { question: "Who?" }
    })
    expect([status, body]).toMatchObject([409, { error: "no-model-configured" }])
    expect((await view()).capabilities["chat"]).toBe(false)
  })
})
