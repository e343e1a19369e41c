import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { z } from "zod"
import type { EngineCalls } from "../../../core/engine/engine/index.js"
import { operations } from "../../../core/operations.js"
import { createEngine } from "../../support/database.js"
import { labelsOf, openRightsWorld, type RightsWorld } from "../../support/rights-world.js"
import { runs } from "../../support/runs.js"

type Input = Readonly<Record<string, unknown>>
/** What inputs are made of: ids of the workspace at hand, by label. */
interface Known {
  readonly id: (label: string) => string
  /** Labels of all documents, passages and entities of the whole workspace, hidden ones included. */
  readonly documents: ReadonlyArray<string>
  readonly passages: ReadonlyArray<string>
  readonly entities: ReadonlyArray<string>
  readonly words: ReadonlyArray<string>
}
type Inputs = (known: Known) => ReadonlyArray<Input>

const once: Inputs = () => [{}]
const each =
  (of: "documents" | "passages" | "entities", field = "id", rest: Input = {}): Inputs =>
  (known) =>
    known[of].map((label) => ({ ...rest, [field]: known.id(label) }))

/** Calls of every operation that reads; changes, and reads of things that are not of documents, say why they have none. */
const calls: Readonly<Record<string, Inputs | string>> = {
  listDocuments: () => [
    { limit: 200 },
    { folder: "", limit: 200 },
    { q: "falcon" },
    { tag: "secret" },
    { sort: "title" }
  ],
  getDocument: (known) => [
    ...each("documents")(known),
    ...each("documents", "id", { render: "html" })(known)
  ],
  getDocumentByPath: ({ documents }) => documents.map((label) => ({ path: label.slice("document ".length) })),
  listDocumentVersions: (known) => [
    ...each("documents")(known),
    ...each("documents", "id", { version: 1 })(known)
  ],
  getDocumentLineage: each("documents"),
  getDocumentAccess: each("documents"),
  search: ({ words }) =>
    words.flatMap((q) => [
      { q, limit: 50 },
      { q, limit: 3, pathPrefix: "o" }
    ]),
  query: ({ words }) => words.slice(0, 4).map((word) => ({ question: `What is the flow of ${word}?` })),
  checkGrounding: ({ words }) =>
    words.slice(0, 3).map((word) => ({ text: `${word} has a flow of 9 litres.` })),
  listPolicyDecisions: once,
  getPolicyDecision: () => [],
  getPolicyStats: once,
  listContradictions: once,
  listProposals: once,
  getProposal: () => [],
  listEntities: () => [{ limit: 200 }, { q: "falcon" }, { sort: "name", limit: 3 }],
  getEntity: each("entities"),
  resolveEntities: ({ words }) => words.map((q) => ({ q })),
  getNeighborhood: each("entities", "id", { depth: 3 }),
  listRelations: (known) => [{ limit: 200 }, ...each("entities", "entityId")(known)],
  listMentions: (known) => [...each("entities", "entityId")(known), ...each("documents", "docId")(known)],
  listRevisions: each("entities"),
  listChangeRequests: once,
  getChangeRequest: () => [],
  getChunk: each("passages", "id", { context: 2 }),
  listTrash: () => [{}, { kind: "document" }, { kind: "entity" }],
  getManifest: once,
  listStewardship: () => [
    { view: "overdue" },
    { view: "never_reviewed" },
    { view: "ownerless" },
    { view: "documents_due" }
  ],
  listDuplicates: () => [{}, { minScore: 0.1 }],
  listReports: once,
  getReport: () => [],
  listQrels: () => [{ set: "proof" }],
  listEvals: once,
  getEval: () => [],
  compareEvals: () => [],
  poolQrels: () => [],
  judgeAgreement: () => [{ set: "proof" }],
  proposeQrels: () => [{ set: "proof" }],
  claimsToLabel: () => [],
  listJobs: () => [{ limit: 200 }],
  listRuns: once,
  getRun: () => [],
  streamRun: () => [],
  listRunSteps: () => [],
  listAuditEvents: () => [{ limit: 200 }],
  exportSkos: once,
  getWorkspace: once,
  getCacheStats: "counts of the cache are those of the workspace",
  listMembers: once,
  listKeys: once,
  listGroups: once,
  listAgents: once,
  getAgent: () => [],
  listDataConnectors: once,
  listDataQueries: once,
  getDataQuery: () => [],
  getDataCall: () => [],
  listDataCalls: once,
  runDataQuery: "asks a live database",
  listContentConnectors: once,
  getContentConnector: () => []
}

const every = Object.values(operations).flatMap((one) => ("run" in one ? [one] : []))

/** Fields that differ between two runs of the same work: times, durations, counters of the store. */
const volatile =
  /^(?:generatedAt|createdAt|updatedAt|decidedAt|startedAt|finishedAt|runAt|at|lastReviewedAt|nextReviewAt|lastSeenAt|firstSeenAt|durationMs|tookMs|revision|hash|prevHash|requestId|position|cursor|nextCursor|runId|runIds|usage|confidenceBin|since|month)$/

const normalize = (value: unknown, labels: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "string")
    return value
      .replaceAll(/\b[a-z]{2,4}_[0-9a-z]{26}\b/g, (id) => labels.get(id) ?? `${id.split("_")[0]} unnamed`)
      .replaceAll(/\burn:uuid:[0-9a-f-]{36}/g, (iri) => labels.get(iri) ?? "iri unnamed")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
  if (Array.isArray(value)) return value.map((item) => normalize(item, labels))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !volatile.test(name))
      .map(([name, item]) => [normalize(name, labels), normalize(item, labels)])
  )
}

/** Lists of the graph in one order: ranks of the whole graph order them elsewhere. */
const unordered = (name: string, value: unknown): unknown =>
  /^(?:listEntities|resolveEntities|listStewardship|listRelations|listMentions|listJobs|getNeighborhood|listDuplicates|getDocumentLineage|exportSkos|getManifest)$/.test(
    name
  )
    ? sorted(value)
    : value

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === "pagerank" ? null : sorted(item)])
  )
}

/**
 * What a caller from whom something is hidden does not get, whatever is hidden: ranks of the whole graph, what extraction
 * wrote into histories, the progress of jobs (of which there are as many as changes), details of audit events. The
 * audit trail names the end of its whole chain.
 */
const withheld = (name: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withheld(name, item))
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, item]) =>
      field === "pagerank" ||
      // Which pairs are found rests on the words of the whole workspace.
      (name === "listContradictions" && (field === "items" || field === "total")) ||
      // Reports of others are withheld.
      name === "listReports" ||
      (name === "listJobs" && field !== "limit") ||
      (name === "listAuditEvents" && (field === "head" || field === "details" || field === "total"))
        ? []
        : [
            [
              field,
              (name === "listRevisions" && field === "revisions") ||
              (name === "listAuditEvents" && field === "items")
                ? withheld(name, byPeople(item))
                : withheld(name, item)
            ]
          ]
    )
  )
}

const Revisions = z.array(z.looseObject({ activity: z.string() }))
const byPeople = (revisions: unknown) =>
  Revisions.parse(revisions).filter(({ activity }) => !activity.startsWith("extraction"))

const Failure = z.object({ code: z.string(), message: z.string() })

/** The answer of an operation or its refusal, in comparable form. */
const outcome = async (
  as: EngineCalls,
  operation: (typeof every)[number],
  input: Input,
  labels: ReadonlyMap<string, string>,
  shown: (name: string, value: unknown) => unknown = withheld
): Promise<unknown> => {
  try {
    // The types of an operation and its input are not known here.
    const call = as.call as unknown as (operation: unknown, input: unknown) => Promise<unknown>
    return unordered(operation.name, shown(operation.name, normalize(await call(operation, input), labels)))
  } catch (error) {
    const { code, message } = Failure.parse(error)
    return normalize({ code, message }, labels)
  }
}

const topics = ["Alder Pump", "Birch Valve", "Cedar Motor", "Dogwood Tank", "Elm Filter", "Fir Sensor"]
const slug = (title: string) => title.toLowerCase().replaceAll(" ", "-")
const folders = ["open", "one", "two"] as const

/** Documents: each is about a topic of its own, names others, and states a value; what has readers is full of secrets. */
const corpus = fc.record({
  places: fc.array(fc.constantFrom(...folders, "open" as const), { minLength: 6, maxLength: 6 }),
  links: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 4, maxLength: 10 }),
  flows: fc.array(fc.integer({ min: 2, max: 60 }), { minLength: 6, maxLength: 6 }),
  // Lists of their own, in the place of that of the folder; undefined for none.
  own: fc.array(fc.constantFrom(undefined, undefined, null, [], ["group:two"]), {
    minLength: 6,
    maxLength: 6
  }),
  groups: fc.subarray(["group:one", "group:two"])
})
type Corpus = typeof corpus extends fc.Arbitrary<infer Made> ? Made : never

/** Who reads a document: null for everybody. */
const readersAt = ({ own, places }: Corpus, place: number): ReadonlyArray<string> | null => {
  const [folder, list] = [places[place] ?? "open", own[place]]
  if (folder === "open") return null
  return list === undefined ? [`group:${folder}`] : list
}

/** Whether everybody who reads one document reads another one. */
const isNarrower = (one: ReadonlyArray<string> | null, other: ReadonlyArray<string> | null): boolean =>
  other === null || (one?.every((reader) => other.includes(reader)) ?? false)

const fileOf = (made: Corpus, place: number): readonly [string, string] => {
  const { flows, links, places } = made
  const folder = places[place] ?? "open"
  const own = topics[place] ?? ""
  // Documents name what all their readers may read: whether another name belongs to a page is told by its type, which
  // docs/rights.md excepts.
  const named = links
    .filter(
      ([from, to]) =>
        from === place && to !== place && isNarrower(readersAt(made, place), readersAt(made, to))
    )
    .map(([, to]) => topics[to] ?? "")
  const secret =
    folder === "open" ? "" : `Zirkon${folder}${place} is the code word of Falcon${place} Operation. `
  const head =
    folder === "open"
      ? ""
      : `---\ntags: [secret/${folder}${place}]\naliases: [Falcon${place} Operation]\n---\n`
  const rival =
    named[0] === undefined ? "" : `The ${named[0]} has a flow of ${(flows[place] ?? 0) + 61} litres.\n\n`
  return [
    `${folder}/${slug(own)}.md`,
    `${head}# ${own}\n\n${secret}The ${own} has a flow of ${flows[place]} litres.\n\n${rival}${named
      .map((other) => `See [[${slug(other)}]]; the ${own} feeds the ${other}.`)
      .join("\n\n")}\n`
  ]
}

const rules = [
  { path: "one/**", read: ["group:one"] },
  { path: "two", read: ["group:two"] }
]

const worlds: Array<RightsWorld> = []
const openWorld = async (
  files: Readonly<Record<string, string>>,
  readersOf: (path: string) => ReadonlyArray<string> | null
) => {
  const world = await openRightsWorld(createEngine, files)
  worlds.push(world)
  const { documents, engine } = world
  await engine.updateWorkspace({ name: "proof", access: { folders: rules } })
  for (const [path, id] of documents)
    if (!path.startsWith("open/"))
      await engine.call(operations.setDocumentAccess, { id, read: readersOf(path) })
  await engine.contradictions.find()
  // What people made: an entity, a relation, a request, a judgment of each document, and a document in the trash.
  const firm = await engine.entities.create({ name: "Nordwind", type: "company", aliases: ["NW"] })
  const { entities } = await engine.entities.list({ limit: 200 })
  // The document of one of them is deleted below: what then remains of it does not exist for a caller with a view.
  const lasting = entities
    .filter(({ name, type }) => type === "document" && name !== "Elm Filter")
    // Ranks order the list, and those of the whole graph are others.
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { id, type } of lasting) {
    await engine.call(operations.setEntityLifecycle, { id, lifecycleStatus: "published" })
    await engine.relations.create({ srcEntityId: firm.id, dstEntityId: id, type: "owns" })
    await engine.changeRequests.propose({
      kind: "update",
      entityId: id,
      payload: { description: `A ${type}.` }
    })
  }
  await engine.call(operations.putQrels, {
    judgments: [...documents].map(([path, docId]) => ({
      set: "proof",
      queryId: path.replaceAll(/\W/g, "-"),
      query: path,
      docId,
      grade: 2
    }))
  })
  await engine.call(operations.createReport, { title: "All", kind: "coverage" })
  for (const [path, id] of documents) if (/elm-filter/.test(path)) await engine.documents.remove(id)
  await engine.ingest({ wait: true })
  return world
}

describe("what a caller gets", () => {
  afterAll(() => Promise.all(worlds.map(({ close }) => close())))

  it("is known for every operation", () => {
    const reads = every.filter(({ effect }) => effect === "read").map(({ name }) => name)
    expect(Object.keys(calls).sort()).toEqual(reads.sort())
  })

  it("is what a workspace without the hidden documents gives, for every operation that reads", async () => {
    await fc.assert(
      fc.asyncProperty(corpus, async (made) => {
        const all = topics.map((_, place) => fileOf(made, place))
        const readersOf = (path: string) =>
          readersAt(
            made,
            all.findIndex(([one]) => one === path)
          )
        const isReadable = (path: string) =>
          readersOf(path)?.some((one) => made.groups.some((group) => group === one)) ?? true
        const whole = await openWorld(Object.fromEntries(all), readersOf)
        const rest = await openWorld(Object.fromEntries(all.filter(([path]) => isReadable(path))), readersOf)
        // What others ask about hidden documents is not to be seen either.
        for (const [path] of all.filter(([path]) => !isReadable(path)))
          await whole.engine.ask(`What is the code word of ${path}, ${path.split("/")[1]}?`)
        const [labels, others] = [await labelsOf(whole), await labelsOf(rest)]
        const byLabel = (of: ReadonlyMap<string, string>) =>
          new Map([...of].map(([id, label]) => [label, id]))
        const [ids, otherIds] = [byLabel(labels), byLabel(others)]
        const named = (prefix: string) => [...ids.keys()].filter((label) => label.startsWith(prefix))
        const known = (of: ReadonlyMap<string, string>): Known => ({
          id: (label) =>
            of.get(label) ?? `${(ids.get(label) ?? "doc").split("_")[0]}_00000000000000000000000000`,
          documents: named("document "),
          passages: named("passage "),
          entities: named("entity "),
          words: [...topics, "Falcon1", "Zirkonone2", "code word", "flow litres"]
        })
        const [as, asOther] = [
          whole.engine.as({ member: "caller", principals: made.groups }),
          rest.engine.as({ member: "caller", principals: made.groups })
        ]
        const differing: Array<{ operation: string; input: unknown; got: unknown; wanted: unknown }> = []
        const only = process.env["RIGHTS_ONLY"]
        for (const operation of every) {
          const inputs = calls[operation.name]
          if (
            inputs === undefined ||
            typeof inputs === "string" ||
            (only !== undefined && only !== operation.name)
          )
            continue
          const [mine, theirs] = [inputs(known(ids)), inputs(known(otherIds))]
          for (const [at, input] of mine.entries()) {
            const raw = await outcome(as, operation, input, labels, (_, value) => value)
            const got = withheld(operation.name, raw)
            const wanted = await outcome(asOther, operation, theirs[at] ?? {}, others)
            if (JSON.stringify(got) !== JSON.stringify(wanted))
              differing.push({ operation: operation.name, input: normalize(input, labels), got, wanted })
            // Secrets of documents that are hidden stand in nothing, whatever their names would match.
            for (const [path, text] of all.filter(([one]) => !isReadable(one))) {
              if (!JSON.stringify(normalize(input, labels)).includes(path))
                expect(JSON.stringify(raw)).not.toContain(path)
              for (const secret of text.match(/Zirkon\w+|Falcon\d/g) ?? [])
                if (!JSON.stringify(input).includes(secret))
                  expect(JSON.stringify(got), path).not.toContain(secret)
            }
          }
        }
        expect(
          differing.map(({ got, wanted, ...of }) => ({
            ...of,
            got: JSON.stringify(got),
            wanted: JSON.stringify(wanted)
          }))
        ).toEqual([])
      }),
      {
        numRuns: runs(8),
        ...(process.env["RIGHTS_SEED"] === undefined ? {} : { seed: Number(process.env["RIGHTS_SEED"]) }),
        endOnFailure: true
      }
    )
  }, 600_000)
})
