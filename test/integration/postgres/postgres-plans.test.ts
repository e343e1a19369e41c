import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { scriptedEmbedder } from "../../../adapters/models/index.js"
import { handlers } from "../../../core/engine/engine/index.js"
import { syncVault } from "../../../core/files/vault-sync/index.js"
import { JobStore, startWorker } from "../../../core/platform/jobs/index.js"
import { Caller } from "../../../core/platform/kernel/index.js"
import { apiDocument, operationsOf } from "../../../tools/api-document.js"
import { requestOf } from "../../support/api-requests.js"
import { enlarge, plansOf, type Sent } from "../../support/plans.js"
import { dropDatabase, makeServedDatabase } from "../../support/postgres.js"
import { isLong } from "../../support/runs.js"
import { startServer, type TestServer } from "../../support/server.js"
import { seedWorkspace } from "../../support/workspace-seed.js"

/** Rows of each table; of the largest ones in a long run two millions, of which the workspace has one. */
const rowsMin = 6_000
const largest = new Set(["chunk", "vector", "mention", "graph_claim"])
const rowsOf = (table: string): number => (!isLong ? rowsMin : largest.has(table) ? 2_000_000 : 100_000)

const Id = z.looseObject({ id: z.string() })
const Doc = z.looseObject({ docId: z.string() })

let url: string
/** The same database as the role of a server, whom policies keep to one workspace. */
let walled: string
let rows: ReadonlyMap<string, number>
let server: TestServer
let workspace: string
/** Every statement that the engine has sent, by its text: the first values that it was sent with. */
const sent = new Map<string, Sent>()
const recorded = Statement.setTransformer((statement) => {
  const [text, values] = statement.compile()
  if (!sent.has(text)) sent.set(text, { text, values })
  return Effect.succeed(statement)
})

beforeAll(async () => {
  ;({ owner: url, server: walled } = await makeServedDatabase())
  server = await startServer({ database: url, around: recorded, models: { embedder: scriptedEmbedder(16) } })
  const seed = await seedWorkspace(server, "home")
  workspace = seed.workspace
  const document = apiDocument()
  for (const operation of operationsOf(document)) {
    const { body, method, path } = requestOf(document, operation, seed.ids).request
    await server.call(method, path, { key: seed.key, ...(body === undefined ? {} : { body }) })
  }
  await server.as(seed.workspace, work)
  const send = async (method: string, path: string, body: unknown) =>
    (await server.call(method, `/api/v1${path}`, { key: seed.key, body })).body
  await server.user("Ada", [seed.workspace])
  const related: Array<string> = []
  for (const name of ["Grace Hopper", "Ada Lovelace"]) {
    const made = await send("POST", "/entities", { name, type: "person", aliases: [`${name} the elder`] })
    related.push(Id.parse(made).id)
  }
  const [srcEntityId, dstEntityId] = related
  await send("POST", "/relations", { srcEntityId, dstEntityId, type: "knows", evidence: "a letter" })
  for (const place of [1, 2, 3]) {
    const content = `---\ntags: [letters]\n---\n# Page ${place}\n\nGrace Hopper wrote to Ada Lovelace of [[Page ${place - 1}]].\n`
    const { docId } = Doc.parse(await send("POST", "/documents", { path: `page-${place}.md`, content }))
    await send("PATCH", `/documents/${docId}`, { content: `${content}\nMore.\n` })
  }
  await server.as(seed.workspace, work)
  await send("POST", "/query", { question: "Whom did Grace Hopper write to?" })
  rows = await enlarge(url, workspace, rowsOf)
})
afterAll(async () => {
  await server.close()
  await dropDatabase(url)
})

/** A sync, and all jobs that wait, until none is left. */
const work = Effect.gen(function* () {
  yield* Effect.ignore(syncVault())
  const [store, { workspace: scope }] = [yield* JobStore, yield* Caller]
  yield* startWorker(handlers, { owner: "plans" })
  const kinds = handlers.map(({ kind }) => kind)
  for (;;) {
    const { running, waiting } = yield* store.depth(scope, kinds)
    if (running + waiting === 0) return
    yield* Effect.sleep(50)
  }
}).pipe(Effect.scoped)

describe("the plans of Postgres", () => {
  it("reach rows by indexes, and look through no table for a few of them", async () => {
    const statements = [...sent.values()].filter(({ text }) =>
      /^\s*(?:select|with|insert|update|delete)\b/i.test(text)
    )
    expect(statements.length).toBeGreaterThan(200)
    for (const table of [
      "chunk",
      "vector",
      "mention",
      "graph_claim",
      "posting_block",
      "entity",
      "edge",
      "job"
    ])
      expect([table, (rows.get(table) ?? 0) >= rowsOf(table)]).toEqual([table, true])
    const plans = await plansOf(url, statements, rows)
    expect(plans.filter(({ scanned }) => scanned.length > 0)).toEqual([])
  })

  it("are no others behind the policies of a server", async () => {
    const own = [...sent.values()].filter(({ text }) =>
      /^\s*(?:select|with|insert|update|delete)\b/i.test(text)
    )
    const plans = await plansOf(walled, own, rows, { "kanon.workspace": workspace, "kanon.reach": "host" })
    expect(plans.filter(({ scanned }) => scanned.length > 0)).toEqual([])
  })

  it("would show a look through a table", async () => {
    const text = "select * from chunk where workspace_id = $1 and start_offset = $2"
    const [plan] = await plansOf(url, [{ text, values: [workspace, -1] }], rows)
    expect(plan?.scanned).toEqual(["chunk"])
  })
})
