import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import Sqlite from "better-sqlite3"
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

const Id = z.object({ id: z.string() })
const idOf = (body: unknown) => Id.parse(body).id

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
  folder = mkdtempSync(join(tmpdir(), "kanon-reach-"))
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
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const DocId = z.object({ docId: z.string() })
const Docs = z.object({ items: z.array(z.object({ id: z.string() })) })

/** Everything that people decide about entities and documents, and the trash. */
const govern = async (ada: string, engine: string) => {
  const person = async (name: string) => idOf(await call("createEntity", { name, type: "person" }))
  const propose = async (kind: string, entityId?: string, payload: object = {}) =>
    idOf(await call("proposeChange", { kind, payload, ...(entityId === undefined ? {} : { entityId }) }))
  const [first, second, third] = [await person("Mary"), await person("Grace"), await person("Joan")]
  for (const authority of ["machine_extracted", "asserted", "curated", "certified"])
    await call("setAuthority", { id: ada, authority })
  await call("certifyEntity", { id: ada })
  await call("reviewEntity", { id: ada })
  await call("setOwner", { id: third, ownerId: "ada" })
  await call("updateEntity", { id: ada, description: "She wrote the first program." })
  for (const lifecycleStatus of ["draft", "pending_review", "published"]) {
    await call("setEntityLifecycle", { id: second, lifecycleStatus })
    await call("getEntity", { id: second })
    await call("resolveEntities", { q: "Grace" })
  }
  await call("mergeEntity", { id: first, intoId: second })
  await call("listTrash", { kind: "merged_entity" })
  await call("restoreFromTrash", { id: first })
  const requests = {
    create: await propose("create", undefined, { name: "Emmy", type: "person", lifecycle: "draft" }),
    update: await propose("update", second, { description: "An admiral." }),
    deprecate: await propose("deprecate", second),
    supersede: await propose("supersede", first, { supersededBy: second }),
    delete: await propose("delete", second)
  }
  const Applied = z.object({ appliedEntityId: z.string() })
  for (const id of [requests.create, requests.update, requests.supersede]) {
    const { appliedEntityId } = Applied.parse(await call("approveChangeRequest", { id }))
    await call("getEntity", { id: appliedEntityId })
  }
  await call("rejectChangeRequest", { id: requests.deprecate })
  await call("withdrawChangeRequest", { id: requests.delete })
  for (const lifecycle of ["pending_review", "published"])
    await propose("create", undefined, { name: `Sofia, ${lifecycle}`, type: "person", lifecycle })
  for (const status of ["open", "approved", "rejected", "withdrawn"])
    await call("listChangeRequests", { status })
  await call("deprecateEntity", { id: second })
  await call("resolveEntities", { q: "Mary" })
  const dead = await person("Rosalind")
  await call("deleteEntity", { id: dead })
  await call("listTrash", { kind: "entity" })
  await call("restoreFromTrash", { id: dead })
  for (const id of [ada, first, second, third, dead]) await call("listRevisions", { id })
  const Relation = z.object({ relationId: z.string() })
  const relation = { srcEntityId: engine, dstEntityId: ada, type: "named_by" }
  const { relationId } = Relation.parse(await call("createRelation", relation))
  await call("deleteRelation", { id: relationId })
  await call("listTrash", { kind: "relation" })
  await call("restoreFromTrash", { id: relationId })
  const { docId } = DocId.parse(await call("createDocument", { title: "Mine" }))
  for (const { id } of Docs.parse(await call("listDocuments")).items.slice(0, 3)) {
    await call("listDocumentVersions", { id })
    await call("getDocumentLineage", { id })
  }
  await call("getDocumentLineage", { id: docId })
  await call("replaceDocument", { id: docId, content: "# Mine\n\nSee [[page-1]].\n" })
  for (const verification of ["verified", "certified", "deprecated", "unverified"]) {
    await call("verifyDocument", { id: docId, verification })
    await call("getDocument", { id: docId })
    await call("replaceDocument", { id: docId, content: `# Mine\n\nSee [[page-1]], ${verification}.\n` })
    await call("listDocumentVersions", { id: docId })
  }
  const other = DocId.parse(
    await call("createDocument", { title: "Yours", content: "[Mine](Mine.md)" })
  ).docId
  await call("moveDocument", { id: docId, path: "deep/mine.md" })
  await call("listDocumentVersions", { id: other })
  await call("getDocumentLineage", { id: other })
  await call("deleteDocument", { id: docId })
  await call("listTrash", { kind: "document" })
  await call("restoreFromTrash", { id: docId })
  for (const kind of ["ingest", "reindex", "reembed", "reextract", "graph_analytics", "reconcile"])
    await call("startJob", { kind, all: true })
  await call("listAuditEvents", { format: "json" })
  const lines = await server.fetch(
    new Request("http://kanon.test/api/v1/audit?format=ndjson", {
      headers: { authorization: `Bearer ${key}` }
    })
  )
  if (lines.status === 200) reached.get("listAuditEvents.format")?.add("ndjson")
  await lines.text()
  const document = {
    "@context": { skos: "http://www.w3.org/2004/02/skos/core#" },
    "@graph": [
      ...["Moon", "Sun"].map((name) => ({
        "@id": `https://example.org/${name}`,
        "@type": "skos:Concept",
        "skos:prefLabel": name
      })),
      ...["Collection", "OrderedCollection"].map((kind) => ({
        "@id": `https://example.org/${kind}`,
        "@type": `skos:${kind}`,
        "skos:prefLabel": kind,
        "skos:member": { "@id": "https://example.org/Moon" }
      })),
      // Something of each kind that is not kept.
      {
        "@id": "https://example.org/Moon",
        "skos:example": "",
        "skos:hiddenLabel": "Moon",
        "http://purl.org/dc/terms/creator": "Ada",
        "http://purl.org/dc/terms/isReplacedBy": ["A", "B"].map((name) => ({
          "@id": `https://example.org/${name}`
        })),
        "skos:altLabel": Array.from({ length: 240 }, (_, at) => `Moon ${at}`),
        "skos:broader": {}
      }
    ]
  }
  for (const mode of ["propose", "apply"]) await call("importSkos", { document, mode, dryRun: true })
  await call("importSkos", { document, mode: "apply" })
  await working(embedder, (ended) => ended)
  for (const origin of ["manual", "extraction", "import"]) await call("listRelations", { origin })
  const Found = z.object({ candidates: z.tuple([Id], z.unknown()) })
  await call("getEntity", { id: Found.parse(await call("resolveEntities", { q: "Moon" })).candidates[0].id })
  await call("exportSkos")
}

/** Connectors of every kind, and runs of a named query that end differently. */
const runLiveData = async () => {
  const path = join(server.folder, "shop.sqlite")
  new Sqlite(path)
    .exec(
      "create table album (title text, price integer); insert into album values ('One', -9223372036854775807)"
    )
    .close()
  const address = { host: "127.0.0.1", database: "shop", user: "reader" }
  const settings = { sqlite: { path }, postgres: address, mysql: address }
  const connectors = new Map<string, string>()
  for (const [kind, one] of Object.entries(settings)) {
    const connector = { name: kind, kind, settings: one, probe: false }
    const id = idOf(await call("createDataConnector", connector))
    await call("updateDataConnector", { id, limits: { rowCap: 10 } })
    connectors.set(kind, id)
  }
  const query = { title: "Albums", connectorId: connectors.get("sqlite") }
  // The least integer has no absolute value.
  const sql = "select title, abs(price - cast(:n as integer)) as price from album"
  await call("putDataQuery", { ...query, slug: "albums", sql, params: [{ name: "n", type: "integer" }] })
  const Ran = z.object({ dataCallId: z.string() })
  const { dataCallId } = Ran.parse(await call("runDataQuery", { slug: "albums", params: { n: 0 } }))
  await call("getDataCall", { id: dataCallId })
  const fails = async (input: object) => {
    const error = await call("runDataQuery", { slug: "albums", ...input }).catch(String)
    await call("getDataCall", { id: /dcl_\w+/.exec(String(error))?.[0] })
  }
  await fails({})
  await fails({ params: { n: 1 } })
}

/** An agent, and a run of it that gets feedback and is cancelled. */
const runAgent = async () => {
  const tools = [{ name: "svc_search" }, { name: "svc_create_document", approval: "always" }]
  await call("putAgent", { slug: "reader", name: "Reader", instructions: "Read.", modelRole: "chat", tools })
  await call("getAgent", { slug: "reader" })
  const Started = z.object({ runId: z.string() })
  const { runId: id } = Started.parse(await call("startRun", { slug: "reader", input: "Who met whom?" }))
  await call("getRun", { id })
  await call("cancelRun", { id })
  await call("getRun", { id })
  const feedback = {
    thumb: { thumb: "up" },
    rating: { rating: 2 },
    correction: { text: "Somebody else." },
    edit: { before: "Ada", after: "Grace" },
    citation_flag: { docId: "doc_1", chunkId: "chk_1", reason: "Says nothing of it." }
  }
  for (const [kind, value] of Object.entries(feedback)) await call("addRunFeedback", { id, kind, value })
  for (const one of ["positive", "negative", "any"]) await call("listRuns", { feedback: one })
}

/** Questions that the gate judges in every way: sources that disagree or are out of date, names, and nothing at all. */
const judge = async () => {
  const write = async (title: string, text: string) =>
    DocId.parse(await call("createDocument", { title, content: `# ${title}\n\n${text}\n` })).docId
  const one = await write(
    "Pump P-17",
    "The pump P-17 weighs 40 kg. The pump P-17 entered service on 3 May 2021. The pump P-17 is allowed outdoors. The pump P-17 is enabled."
  )
  const other = await write(
    "Pump P-17 in the field",
    "The pump P-17 weighs 55 kg. The pump P-17 entered service on 9 June 2022. The pump P-17 is not allowed outdoors. The pump P-17 is disabled."
  )
  const ask = (question: string, policyMode: string) => call("query", { question, policyMode })
  const asked = [
    "How much does the pump P-17 weigh?",
    "When did the pump P-17 enter service?",
    "Is the pump P-17 allowed outdoors?",
    "Is the pump P-17 enabled?"
  ]
  for (const question of asked) await ask(question, "shadow")
  for (const verification of ["verified", "deprecated"])
    await call("verifyDocument", { id: one, verification }).then(() => ask(asked[0] ?? "", "enforce"))
  await call("deleteDocument", { id: other })
  await ask(asked[0] ?? "", "enforce")
  for (const question of ["What is it?", "What is the torque of the KX-99812?"])
    await ask(question, "enforce")
  await reserve(write, ask)
  for (const mode of ["off", "shadow", "enforce"]) await call("listPolicyDecisions", { mode })
  for (const verdict of ["answer", "answer_with_caveats", "clarify", "abstain_with_pointers"]) {
    const { items } = Docs.parse(await call("listPolicyDecisions", { verdict }))
    for (const { id } of items) await call("getPolicyDecision", { id })
  }
}

/** Answers with each of the reservations that no other answer has, and one that is given again. */
const reserve = async (
  write: (title: string, text: string) => Promise<string>,
  ask: (question: string, policyMode: string) => Promise<unknown>
) => {
  const boat = async (name: string) => idOf(await call("createEntity", { name, type: "boat" }))
  await write("Zephyr", "The boat Zephyr carries 12 people. The Zephyr is enabled.")
  await write("Zephyr in the field", "The boat Zephyr carries 12 people and is not enabled.")
  const verified = await write("Mistral", "The boat Mistral carries 14 people.")
  await call("verifyDocument", { id: verified, verification: "verified" })
  const [zephyr, mistral] = [await boat("Zephyr"), await boat("Mistral")]
  // A reservation of entities stands beside every answer about them; the machine's are those that nobody made.
  await ask("When did Charles Babbage build an engine?", "shadow")
  await call("updateWorkspace", { cacheMode: "on" })
  await write("Pump Q-9", "The pump Q-9 weighs 40 kg.")
  for (const _ of ["written", "given again"]) await ask("How much does the pump Q-9 weigh?", "shadow")
  await call("updateWorkspace", { cacheMode: "shadow" })
  await ask("How much does the pump Q-9 weigh?", "shadow")
  // The calibration that the sequence fitted gives no confidence.
  await call("updateWorkspace", { policy: { thresholds: { floor: 0, confidence: 0.99 } } })
  await call("deprecateEntity", { id: zephyr, supersededBy: mistral })
  await ask("How many people does the boat Zephyr carry?", "shadow")
  await call("deprecateEntity", { id: mistral })
  await ask("How many people does the boat Mistral carry?", "shadow")
  const said = async (title: string, text: string, other: string) => {
    const docIds = [await write(title, text), await write(`${title} elsewhere`, other)]
    await call("checkGrounding", {
      text: `${text} The moon is made of green cheese.`,
      docIds,
      policyMode: "shadow"
    })
  }
  await said(
    "Access",
    "Guest access to the archive is allowed.",
    "Guest access to the archive is not allowed."
  )
  await said("Backup", "The backup pump Kestrel is enabled.", "The backup pump Kestrel is disabled.")
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
    for (const role of ["admin", "member"]) await call("listMembers", { role })
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
    await govern(ada, engine)
    await judge()
    await runLiveData()
    await runAgent()
    // Settings, the usual ones last.
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
