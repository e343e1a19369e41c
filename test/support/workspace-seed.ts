import { join } from "node:path"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { Ids, RunId, scopeOf, type WorkspaceId } from "../../core/platform/kernel/index.js"
import { RunStore } from "../../core/work/agent-runs/index.js"
import type { TestServer } from "./server.js"

/** A workspace with one thing of every kind. */
export interface Seed {
  readonly workspace: WorkspaceId
  /** A key with every scope. */
  readonly key: string
  /** An id of each kind, by the prefix that it carries. */
  readonly ids: Readonly<Record<string, string>>
}

/** A run that was cancelled, in a conversation, with an approval that was not decided. */
const seedRun = async (
  server: TestServer,
  workspace: WorkspaceId,
  send: (method: string, path: string, body?: unknown) => Promise<unknown>
) => {
  const { runId } = z
    .object({ runId: RunId })
    .parse(await send("POST", "/agents/researcher/runs", { input: "Who keeps the secret?" }))
  await send("POST", `/runs/${runId}/cancel`)
  const { run } = z
    .object({ run: z.object({ conversationId: z.string() }) })
    .parse(await send("GET", `/runs/${runId}`))
  const approval = await server.as(
    workspace,
    Effect.gen(function* () {
      const ids = yield* Ids
      const id = ids.make("approval")
      yield* (yield* RunStore).addApproval(scopeOf(workspace), {
        id,
        runId,
        stepId: ids.make("step"),
        toolName: "svc_create_document",
        arguments: {},
        digest: "0".repeat(64),
        targets: {},
        status: "skipped",
        expiresAt: "2030-01-01T00:00:00.000Z",
        decidedBy: null,
        decidedAt: null,
        note: null
      })
      return id
    })
  )
  return { run: runId, cnv: run.conversationId, apv: approval }
}

const DocId = z.object({ docId: z.string() })
const Id = z.object({ id: z.string() })
const First = z.object({ items: z.tuple([Id], Id) })

/** Fills a workspace over the API: two documents, two entities that are related, a question unless nobody is to be asked, a spare key. */
export const seedWorkspace = async (
  server: TestServer,
  name: string,
  { asks = true }: { readonly asks?: boolean } = {}
): Promise<Seed> => {
  const workspace = await server.workspace(name)
  const key = await server.key(workspace)
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await server.call(method, `/api/v1${path}`, {
      key,
      ...(body === undefined ? {} : { body })
    })
    if (answer.status >= 300) throw new RangeError(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const content = `# Secrets of ${name}\n\nThe secret of ${name} is kept by Person of ${name}.\n\n## More\n\nSecond passage of ${name}.\n`
  const { docId } = DocId.parse(await send("POST", "/documents", { path: `secrets-of-${name}.md`, content }))
  await send("POST", "/documents", { title: `Another of ${name}` })
  const entity = async (one: string) =>
    Id.parse(await send("POST", "/entities", { name: `${one} of ${name}`, type: "person" })).id
  const ent = await entity("Person")
  const second = await entity("Friend")
  const { relationId } = z.object({ relationId: z.string() }).parse(
    await send("POST", "/relations", {
      srcEntityId: ent,
      dstEntityId: second,
      type: "knows",
      evidence: name
    })
  )
  const proposal = { kind: "update", entityId: ent, payload: { description: `Keeps the secret of ${name}.` } }
  const request = Id.parse(await send("POST", "/change-requests", proposal)).id
  const chunk = z
    .object({ results: z.tuple([z.object({ chunkId: z.string() })], z.unknown()) })
    .parse(await send("GET", "/search?q=secret")).results[0].chunkId
  const job = First.parse(await send("GET", "/jobs")).items[0].id
  const event = First.parse(await send("GET", "/audit")).items[0].id
  if (asks) await send("POST", "/query", { question: `Who keeps the secret of ${name}?` })
  const decided = z.object({ items: z.array(Id) }).parse(await send("GET", "/policy/decisions")).items
  const spare = Id.parse(await send("POST", "/keys", { name: "spare", scopes: ["kb:read"] })).id
  const live = await seedLiveData(server, name, send)
  const ofRun = asks ? await seedRun(server, workspace, send) : {}
  await send("PUT", "/qrels", {
    judgments: [{ set: "seed", queryId: "q1", query: `Who keeps the secret of ${name}?`, docId, grade: 3 }]
  })
  const evl = Id.parse(await send("POST", "/evals", { name, suite: "retrieval", set: "seed" })).id
  const src = Id.parse(
    await send("POST", "/connectors", { name: `Uploads of ${name}`, kind: "markdown_upload" })
  ).id
  const rep = Id.parse(await send("POST", "/reports", { title: `About ${name}` })).id
  return {
    workspace,
    key,
    ids: {
      ...live,
      ...ofRun,
      evl,
      rep,
      src,
      doc: docId,
      chk: chunk,
      ent,
      rel: relationId,
      job,
      key: spare,
      cr: request,
      aud: event,
      ...(decided[0] === undefined ? {} : { dec: decided[0].id })
    }
  }
}

/** A connector to a file of one table, a named query and a call of it. */
const seedLiveData = async (
  server: TestServer,
  name: string,
  send: (method: string, path: string, body?: unknown) => Promise<unknown>
): Promise<Readonly<Record<"con" | "qry" | "dcl", string>>> => {
  const path = join(server.folder, `${name}-${crypto.randomUUID()}.sqlite`)
  const database = new Sqlite(path)
  database.exec("create table secret (owner text, text text)")
  database.prepare("insert into secret values (?, ?)").run(`Person of ${name}`, `Live secret of ${name}`)
  database.close()
  const connector = { name: `Live data of ${name}`, kind: "sqlite", settings: { path }, probe: false }
  const con = Id.parse(await send("POST", "/data/connectors", connector)).id
  const query = {
    title: `Live secrets of ${name}`,
    connectorId: con,
    sql: "select owner, text from secret where owner = :owner",
    params: [{ name: "owner", type: "string" }]
  }
  const qry = Id.parse(await send("PUT", "/data/queries/live-secrets", query)).id
  const run = await send("POST", "/data/queries/live-secrets/run", { params: { owner: `Person of ${name}` } })
  return { con, qry, dcl: z.object({ dataCallId: z.string() }).parse(run).dataCallId }
}
