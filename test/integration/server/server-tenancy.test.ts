import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { apiDocument, operationsOf } from "../../../tools/api-document.js"
import { idPrefixOf, type Request, requestOf } from "../../support/api-requests.js"
import { tenantRows } from "../../support/database.js"
import { temporaryFolder } from "../../support/folders.js"
import { startServer, type TestServer } from "../../support/server.js"
import { type Seed, seedWorkspace } from "../../support/workspace-seed.js"

const data = temporaryFolder("tenancy")
let server: TestServer
let key: string
let [home, other]: [Seed | undefined, Seed | undefined] = [undefined, undefined]

beforeAll(async () => {
  server = await startServer({ data })
  home = await seedWorkspace(server, "home")
  other = await seedWorkspace(server, "other")
  key = home.key
  // That files are in their places is noted a moment later.
  const { workspace } = other
  await vi.waitFor(async () => expect((await tenantRows(data, workspace))["file_intent"]).toEqual([]))
})
afterAll(() => server.close())

/** Fields of which no schema says that they carry an id, and the kind that they carry. */
const untyped: Readonly<Record<string, string>> = {
  "listJobs.subjectId": "doc",
  "listAuditEvents.subjectId": "doc"
}
/** Any word of the caller's, by which its own questions complete each other. */
const freeWords = ["query.conversationId"]
/** Ids of people: the host's, not ours, and not looked up. */
const ofPeople = ["listEntities.ownerId", "setOwner.ownerId", "setOwner.stewardIds"]
/** Lists that a filter leaves empty, rather than refuse an id that nothing has. */
const filters = [
  "listQrels.docId",
  "listJobs.subjectId",
  "listRuns.conversationId",
  "listAuditEvents.subjectId",
  "listPolicyDecisions.docId"
]

/** Reads of a run that nobody has worked on yet: its own id is refused for its state alone. */
const unfinished = ["compareEvals.id", "compareEvals.baseline"]

/** Places in a list: one that is not there is a wrong parameter. */
const places = ["listAuditEvents.cursor"]

const document = apiDocument()
const cases = operationsOf(document)
  .filter(({ operationId }) => operationId !== "getOpenApi")
  .flatMap((operation) => {
    const { fields } = requestOf(document, operation, {})
    return fields.flatMap(({ name, schema }) => {
      const label = `${operation.operationId}.${name}`
      const prefix = untyped[label] ?? idPrefixOf(document, schema)
      return prefix === undefined ? [] : [{ label, operation, name, prefix }]
    })
  })

/** Every row of every table that belongs to a workspace. */
const rowsOf = (workspace: string) => tenantRows(data, workspace)

const answerTo = async ({ body, method, path }: Request) => {
  const { headers, status, ...rest } = await server.call(method, path, {
    key,
    ...(body === undefined ? {} : { body })
  })
  const shown = [...headers].filter(([name]) => name !== "x-request-id")
  return { status, body: JSON.stringify(rest.body), headers: shown }
}

describe("another workspace's ids", () => {
  it("are tried in every field that carries one", () => {
    expect(cases.map(({ label }) => label)).toEqual(
      expect.arrayContaining([
        "getDocument.id",
        "mergeEntity.intoId",
        "createRelation.srcEntityId",
        "listRelations.entityId",
        "listMentions.docId",
        "mintKey.replaces",
        "startJob.subjectIds",
        "getChunk.id"
      ])
    )
    // Every other field whose name ends in id is an id too.
    const all = operationsOf(document).flatMap((operation) =>
      requestOf(document, operation, {}).fields.flatMap(({ name }) =>
        /(^i|I)ds?$/.test(name) ? [`${operation.operationId}.${name}`] : []
      )
    )
    expect(all.filter((label) => !cases.some((one) => one.label === label))).toEqual([
      ...freeWords,
      ...ofPeople
    ])
  })

  it.each(cases.map((one) => [one.label, one] as const))(
    "%s answers them like an id that nothing has",
    async (label, { name, operation, prefix }) => {
      if (home === undefined || other === undefined) throw new RangeError("There are no workspaces.")
      const foreign = other.ids[prefix]
      const own = home.ids[prefix]
      expect([typeof foreign, typeof own]).toEqual(["string", "string"])
      const unknown = `${prefix}_00000000000000000000000000`
      const before = await rowsOf(other.workspace)
      expect(Object.values(before).flat().length).toBeGreaterThan(10)
      const ids = home.ids
      const send = (value: string | undefined) =>
        answerTo(requestOf(document, operation, ids, { [name]: value ?? "" }).request)
      const answers = [await send(unknown), await send(foreign)]
      expect(answers[1]).toEqual(answers[0])
      expect(answers[0]?.status).toBe(filters.includes(label) ? 200 : places.includes(label) ? 400 : 404)
      if (answers[0]?.status === 404) {
        expect(answers[0].body).toBe(
          '{"error":"not_found","message":"It does not exist here, was deleted, or belongs to another workspace."}'
        )
        // Nothing has an id of another form either.
        expect(await send("nonsense")).toEqual(answers[0])
      }
      expect(await rowsOf(other.workspace)).toEqual(before)
      // The request is refused for the id alone: with one of the workspace's own it is not.
      const good = unfinished.includes(label) ? 409 : 200
      // A stream of its own run stays open; test/integration/work/agents has it.
      if (operation["x-effect"] === "read" && label !== "streamRun.id")
        expect((await send(own)).status).toBe(good)
    }
  )

  it("lead nowhere by the header either", async () => {
    if (home === undefined || other === undefined) throw new RangeError("There are no workspaces.")
    const before = await rowsOf(other.workspace)
    for (const operation of operationsOf(document).filter(
      ({ operationId }) => operationId !== "getOpenApi"
    )) {
      const { body, method, path } = requestOf(document, operation, other.ids).request
      const { status } = await server.call(method, path, {
        key,
        headers: { "x-workspace-id": other.workspace },
        ...(body === undefined ? {} : { body })
      })
      expect([operation.operationId, status]).toEqual([operation.operationId, 403])
    }
    expect(await rowsOf(other.workspace)).toEqual(before)
  })

  it("find nothing by words that only the other workspace holds", async () => {
    const found = async (path: string) => JSON.stringify((await server.call("GET", path, { key })).body)
    for (const path of [
      "/api/v1/search?q=other",
      "/api/v1/entities/resolve?q=Person+of+other",
      "/api/v1/documents?limit=200",
      "/api/v1/entities?limit=200",
      "/api/v1/manifest",
      "/api/v1/jobs?limit=200",
      "/api/v1/keys"
    ])
      for (const id of Object.values(other?.ids ?? {})) expect(await found(path)).not.toContain(id)
    const { body } = await server.call("POST", "/api/v1/query", {
      key,
      body: { question: "What is the secret of other?" }
    })
    expect(JSON.stringify(body)).not.toContain(other?.ids["doc"])
  })
})
