import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { scriptedEmbedder } from "../../../adapters/models/index.js"
import type { EngineOptions } from "../../../adapters/sqlite/index.js"
import { scopeOf, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { ModelFailed } from "../../../core/platform/models/index.js"
import { WorkspaceStore } from "../../../core/platform/workspace/index.js"
import { apiDocument, operationsOf, ownParameters, successOf } from "../../../tools/api-document.js"
import { createEngine } from "../../support/database.js"
import { enumerationsOf } from "../../support/enumerations.js"
import { temporaryFolder } from "../../support/folders.js"
import { judge } from "../../support/reach-answers.js"
import { Docs, idOf } from "../../support/reach-calls.js"
import { govern } from "../../support/reach-governance.js"
import { runAgent, runLiveData } from "../../support/reach-runs.js"
import { startServer, type TestServer } from "../../support/server.js"
import { owed } from "../../support/unreached-values.js"

const document = apiDocument()
const operations = operationsOf(document)
const { declare, declared, reach, reached } = enumerationsOf(document)

let server: TestServer
let folder = ""
let home: WorkspaceId
let key = ""
let vault = ""

/** Calls an operation; what is asked and what is answered is reached where it is taken. */
const call = async (operationId: string, input: Readonly<Record<string, unknown>> = {}, as = key) => {
  const operation = operations.find((one) => one.operationId === operationId)
  if (operation === undefined) throw new RangeError(`There is no ${operationId}.`)
  const parameters = ownParameters(operation)
  const inPlace = (place: string) => parameters.filter((one) => one.in === place && one.name in input)
  const path = inPlace("path").reduce(
    (text, { name }) => text.replace(`{${name}}`, String(input[name])),
    operation.path
  )
  const query = new URLSearchParams(
    Object.fromEntries(inPlace("query").map(({ name }) => [name, String(input[name])]))
  )
  const body = Object.fromEntries(
    Object.entries(input).filter(([name]) => !parameters.some((one) => one.name === name))
  )
  const hasBody = operation.requestBody !== undefined
  const answer = await server.call(operation.method, `${path}?${query}`, {
    key: as,
    ...(hasBody ? { body } : {})
  })
  if (answer.status >= 300) throw new RangeError(`${operationId}: ${JSON.stringify(answer.body)}`)
  reach(successOf(operation).content?.schema ?? {}, operationId, answer.body)
  for (const { name, schema } of inPlace("query")) reach(schema, `${operationId}.${name}`, input[name])
  if (hasBody) reach(operation.requestBody?.content["application/json"].schema ?? {}, operationId, body)
  return answer.body
}

type Embedder = NonNullable<NonNullable<EngineOptions["models"]>["embedder"]>
const embedder: Embedder = scriptedEmbedder(16)

/** An engine over the same data, which takes in the files and does the jobs as a server does beside its requests. */
const working = async (own: Embedder, use: (ended: Promise<unknown>) => Promise<unknown>) => {
  const data = join(folder, "data")
  const logger = Logger.none
  const engine = await createEngine({ vault, data, workspace: home, models: { embedder: own }, logger })
  const ended = engine.ingest().catch(() => undefined)
  await use(ended)
  await engine.close()
  await ended
}

/** Looks until there is a job in this state. */
const JobItems = z.object({ items: z.array(z.unknown()) })

/** Seen is what is listed: a job that comes between the page and its total is counted only. */
const seesJob = (status: string) =>
  expect.poll(async () => JobItems.parse(await call("listJobs", { status })).items.length).toBeGreaterThan(0)

beforeAll(async () => {
  for (const operation of operations) {
    declare(successOf(operation).content?.schema ?? {}, operation.operationId)
    declare(operation.requestBody?.content["application/json"].schema ?? {}, operation.operationId)
    for (const { name, schema } of ownParameters(operation))
      declare(schema, `${operation.operationId}.${name}`)
  }
  folder = temporaryFolder("reach")
  mkdirSync(join(folder, "data"))
  server = await startServer({ data: join(folder, "data"), models: { embedder } })
  home = await server.workspace("home")
  key = await server.key(home)
  const own = await server.as(
    home,
    Effect.flatMap(WorkspaceStore, (store) => store.vault(scopeOf(home)))
  )
  vault = resolve(
    join(folder, "data"),
    Option.getOrElse(own, () => "")
  )
})
afterAll(() => server.close())

/** Reads the audit trail as lines, which the schemas do not describe. */
const readAuditLines = async () => {
  const lines = await server.fetch(
    new Request("http://kanon.test/api/v1/audit?format=ndjson", {
      headers: { authorization: `Bearer ${key}` }
    })
  )
  if (lines.status === 200) reached.get("listAuditEvents.format")?.add("ndjson")
  await lines.text()
}

describe("every value of every enumeration", () => {
  it("is reached by some sequence of operations, or owed", async () => {
    const text = (place: number) =>
      `# Page ${place}\n\nAda Lovelace met [[Charles Babbage]] on day ${place}.\n`
    for (let place = 0; place < 8; place++) writeFileSync(join(vault, `page-${place}.md`), text(place))
    writeFileSync(join(vault, "Charles Babbage.md"), "# Charles Babbage\n\nHe built an engine in 1837.\n")
    await working(embedder, (ended) => ended)
    // Searches, answers.
    await call("search", { q: "Ada Lovelace met Charles Babbage" })
    await call("query", { question: "When did Charles Babbage build an engine?" })
    await call("query", { question: "What is the colour of the moon's cheese?" })
    for (const policyMode of ["off", "shadow", "enforce"])
      await call("query", { question: "When did Charles Babbage build an engine?", policyMode }).catch(
        () => undefined
      )
    // Entities and relations, by hand and by reading.
    const ada = idOf(
      await call("createEntity", { name: "Ada King", type: "person", aliases: ["The Countess"] })
    )
    const engine = idOf(await call("createEntity", { name: "Analytical Engine", type: "product" }))
    await call("createRelation", { srcEntityId: ada, dstEntityId: engine, type: "wrote_for" })
    await working(embedder, (ended) => ended)
    for (const q of ["Ada Lovelace", "The Countess", "Ada Lovelac", "someone like Ada"])
      await call("resolveEntities", { q })
    const Ends = z.object({ items: z.array(z.object({ srcEntityId: z.string() })) })
    for (const origin of ["manual", "extraction"])
      for (const { srcEntityId } of Ends.parse(await call("listRelations", { origin })).items)
        await call("getEntity", { id: srcEntityId })
    await call("listEntities")
    for (const sort of ["pagerank", "name", "nextReviewAt"]) await call("listEntities", { sort })
    await call("getEntity", { id: ada })
    await call("getNeighborhood", { id: ada })
    const { items } = Docs.parse(await call("listDocuments"))
    for (const sort of ["path", "title", "updatedAt", "nextVerifyAt"]) await call("listDocuments", { sort })
    for (const render of ["none", "html"]) await call("getDocument", { id: items[0]?.id, render })
    await call("getManifest")
    // Keys and members.
    for (const kind of ["active", "expired", "revoked"]) await call("listKeys", { state: kind })
    const all = [...(declared.get("KeyScope") ?? [])]
    await call("mintKey", { name: "all", scopes: all })
    const user = await server.user("Ada", [home])
    await server.userKey(user, [home])
    for (const role of ["reader", "curator"] as const) await server.user(role, [home], role)
    for (const role of ["admin", "curator", "member", "reader"]) await call("listMembers", { role })
    await call("listMembers")
    await call("listKeys")
    // Jobs in every state.
    for (const status of ["queued", "succeeded"]) await call("listJobs", { status })
    const odd = (embed: Embedder["embed"]): Embedder => ({ ...embedder, embed })
    const failing = (retryable: boolean) =>
      odd(() => Effect.fail(new ModelFailed({ modelId: embedder.modelId, message: "no", retryable })))
    await call("createDocument", { title: "Tenth", content: text(10) })
    await seesJob("queued")
    await working(
      odd(() => Effect.never),
      () => seesJob("running")
    )
    await working(failing(true), () => seesJob("scheduled"))
    await working(failing(false), () => seesJob("dead"))
    await call("createDocument", { title: "Eleventh", content: text(11) })
    await call("startJob", { kind: "retry", all: true })
    await seesJob("cancelled")
    await govern(call, ada, engine, () => working(embedder, (ended) => ended))
    await readAuditLines()
    await judge(call)
    await runLiveData(call, join(server.folder, "shop.sqlite"))
    await runAgent(call)
    // Settings, the usual ones last.
    for (const standing of ["asserted", "certified", "curated"])
      await call("updateWorkspace", { data: { standing } })
    for (const questions of ["workspace", "own"]) {
      await call("updateWorkspace", { privacy: { questions } })
      await call("getWorkspace")
    }
    for (const [mode, cacheMode] of [
      ["off", "off"],
      ["enforce", "on"],
      ["shadow", "shadow"]
    ]) {
      await call("updateWorkspace", { policy: { mode }, cacheMode })
      await call("getWorkspace")
      await call("getCacheStats")
    }
    const missing = [...declared].flatMap(([name, values]) =>
      [...values].filter((value) => !reached.get(name)?.has(value)).map((value) => `${name} ${value}`)
    )
    const known = Object.keys(owed)
    expect(missing.filter((one) => !known.includes(one))).toEqual([])
    expect(known.filter((one) => !missing.includes(one))).toEqual([])
  })
})
