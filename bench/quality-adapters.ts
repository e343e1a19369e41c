import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { queryOperations } from "../core/answers/answering/index.js"
import { documentOperations } from "../core/files/documents/index.js"
import { syncVault } from "../core/files/vault-sync/index.js"
import { type DocumentId, runOperation } from "../core/platform/kernel/index.js"
import { retrievalOperations } from "../core/search/retrieval/index.js"
import { type CorpusDocument, dataFolder, type JudgedCorpus, readCorpus, readQueries } from "./data.js"
import { type Kind, openServer } from "./database.js"
import { type Cost, compare, costOf, interleaved } from "./measure.js"
import { corporaFor, depth, type JudgedCollection, reportQuality, searchAll, subjectOf } from "./quality.js"
import { searched, systemBy } from "./quality-systems.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { statementsOf } from "./statements.js"
import { quantile } from "./statistics.js"
import {
  addAsVault,
  type BenchWorkspace,
  type Filled,
  learnVectors,
  openWorkspace,
  withFolder,
  writeVault
} from "./workspace.js"

const names: Readonly<Record<Kind, string>> = { sqlite: "SQLite", postgres: "Postgres" }
const documentsMax: Readonly<Record<Size, number>> = { small: 30, default: 400, full: 949 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 30 }
const queriesPerWindow = 40

/** The same collections on both databases in one process: what is found, then what it costs. */
export const qualityAdapters: RunBench = async (context) => {
  const close = await openServer()
  try {
    await rankings(context)
    await costs(context)
  } finally {
    await close()
  }
}

const rankings = async (context: BenchContext): Promise<void> => {
  const judged: Array<JudgedCollection> = []
  for (const { name, read } of corporaFor(context)) {
    const { found, same } = await onBoth(read())
    judged.push(...found)
    context.report({
      metric: `${name}: queries with the very same ranking and scores`,
      ours: same.alike,
      floor: same.queries,
      n: same.queries,
      unit: "queries",
      peer: "all queries",
      target: ">= 1"
    })
    context.say(`${name}: ${same.alike} of ${same.queries} rankings are the same`)
  }
  reportQuality(context, "passages", judged, {
    ours: names.postgres,
    peers: [names.sqlite],
    target: (metric) => (metric === "nDCG@10" ? ">= 0.99" : undefined)
  })
}

/** One corpus, words and built-in vectors, on each database in turn. */
const onBoth = async (corpus: JudgedCorpus) => {
  const lists = new Map<Kind, ReadonlyMap<string, ReadonlyArray<unknown>>>()
  const figures: Array<ReadonlyArray<JudgedCollection>> = []
  for (const kind of ["sqlite", "postgres"] as const) {
    const seen = new Map<string, ReadonlyArray<unknown>>()
    lists.set(kind, seen)
    const system = systemBy(names[kind], async (workspace, query) => {
      const passages = await searched(workspace, query, depth)
      seen.set(query, passages)
      return passages
    })
    await withFolder(async (vault) => {
      const filled = await addAsVault(corpus.documents, vault, undefined, kind)
      await learnVectors(filled.workspace)
      figures.push(await searchAll(await subjectOf(filled), corpus, [system]))
      await filled.workspace.close()
    })
  }
  const [first = [], second = []] = figures
  const [sqlite, postgres] = [lists.get("sqlite") ?? new Map(), lists.get("postgres") ?? new Map()]
  const alike = [...sqlite].filter(([query, list]) => isDeepStrictEqual(postgres.get(query), list)).length
  return {
    same: { alike, queries: sqlite.size },
    found: first.map(({ figures: own, name }, place) => ({
      name,
      figures: new Map([...own, ...(second[place]?.figures ?? [])])
    }))
  }
}

/** Window by window in turn: Postgres, then SQLite, then the other way round. */
const costs = async (context: BenchContext): Promise<void> => {
  const documents = readCorpus("eips")?.slice(0, documentsMax[context.size])
  if (documents === undefined) return context.skip(`no eips in ${dataFolder}`)
  await withFolder(async (folder) => {
    const fill = (kind: Kind) => addAsVault(documents, join(folder, kind), join(folder, `${kind}-data`), kind)
    const both = { postgres: await fill("postgres"), sqlite: await fill("sqlite") }
    const workspaces = { postgres: both.postgres.workspace, sqlite: both.sqlite.workspace }
    for (const workspace of Object.values(workspaces)) await learnVectors(workspace)
    await reads(context, both)
    await writes(context, workspaces)
    for (const workspace of Object.values(workspaces)) await workspace.close()
  })
  await ingests(context, documents)
}

const reads = async (context: BenchContext, both: Readonly<Record<Kind, Filled>>): Promise<void> => {
  const queries = readQueries("eips").map(({ text }) => text)
  const part = (window: number) =>
    Array.from(
      { length: queriesPerWindow },
      (_, i) => queries[(window * queriesPerWindow + i) % queries.length] ?? ""
    )
  const search = (q: string) => runOperation(retrievalOperations.search, { q, limit: 10 })
  await inTurns(context, "search with vectors", (kind, window) =>
    eachOf(part(window), (q) => both[kind].workspace.run(search(q)))
  )
  const counts = {
    postgres: await statementsOf(both.postgres.workspace, search(queries[0] ?? "")),
    sqlite: await statementsOf(both.sqlite.workspace, search(queries[0] ?? ""))
  }
  const [ours, floor] = [counts.postgres["SQL statements"], counts.sqlite["SQL statements"]]
  context.report({
    metric: "SQL statements of a search",
    ours,
    floor,
    n: 1,
    unit: "a search",
    peer: names.sqlite,
    target: "<= 1"
  })
  await inTurns(context, "question to the built-in model", (kind, window) =>
    eachOf(part(window).slice(0, queriesPerWindow / 4), (question) =>
      both[kind].workspace.run(runOperation(queryOperations.query, { question }))
    )
  )
  await inTurns(context, "list of 50 documents", (kind) =>
    eachOf(part(0).slice(0, queriesPerWindow / 4), () =>
      both[kind].workspace.run(runOperation(documentOperations.listDocuments, { limit: 50 }))
    )
  )
}

const writes = async (
  context: BenchContext,
  workspaces: Readonly<Record<Kind, BenchWorkspace>>
): Promise<void> => {
  const places = Array.from({ length: queriesPerWindow / 4 }, (_, i) => i)
  const made: Record<Kind, Array<DocumentId>> = { postgres: [], sqlite: [] }
  const text = (place: number) =>
    `# Note ${place}\n\n${"What was decided, by whom, and why it holds. ".repeat(20)}\n`
  await inTurns(context, "document created", (kind, window) =>
    eachOf(places, async (place) => {
      const input = { path: `bench/${window}-${place}.md`, content: text(window * 100 + place) }
      const { docId } = await workspaces[kind].run(runOperation(documentOperations.createDocument, input))
      made[kind].push(docId)
    })
  )
  await inTurns(context, "document replaced", (kind, window) =>
    eachOf(places, async (place) => {
      const id = made[kind][place]
      if (id === undefined) return
      const input = { id, content: text(10_000 + window * 100 + place) }
      await workspaces[kind].run(runOperation(documentOperations.replaceDocument, input))
    })
  )
}

const ingests = async (context: BenchContext, documents: ReadonlyArray<CorpusDocument>): Promise<void> => {
  await withFolder(async (folder) => {
    const vault = join(folder, "vault")
    writeVault(documents, vault)
    let next = 0
    const ingest = async (kind: Kind): Promise<ReadonlyArray<Cost>> => {
      next += 1
      const workspace = await openWorkspace({ vault, data: join(folder, `${kind}-${next}`), database: kind })
      const cost = await costOf(() => workspace.run(syncVault()))
      await workspace.close()
      return [cost]
    }
    const pairs = context.size === "full" ? 7 : 2
    await inTurns(context, `ingest of ${documents.length} documents`, ingest, pairs)
  })
}

const eachOf = async <A>(given: ReadonlyArray<A>, work: (one: A) => Promise<unknown>) => {
  const costs: Array<Cost> = []
  for (const one of given) costs.push(await costOf(() => work(one)))
  return costs
}

/** Reports Postgres against SQLite. CPU time is that of this process alone: the server's stands in wall time. */
const inTurns = async (
  { report, say, size }: BenchContext,
  what: string,
  window: (kind: Kind, window: number) => Promise<ReadonlyArray<Cost>>,
  pairs = pairsWanted[size]
): Promise<void> => {
  const taken = await interleaved(
    pairs,
    (number) => window("postgres", number),
    (number) => window("sqlite", number)
  )
  const of = (cost: keyof Cost, share: number) =>
    compare(taken, (costs) =>
      quantile(
        costs.map((one) => one[cost]),
        share
      )
    )
  const alone = taken.every(({ ours }) => ours.length === 1)
  for (const [name, share] of alone
    ? ([["", 0.5]] as const)
    : ([
        [" p50", 0.5],
        [" p95", 0.95]
      ] as const)) {
    report({
      metric: `${what}${name} CPU of this process`,
      ...of("cpuMs", share),
      unit: "ms",
      peer: names.sqlite
    })
    report({ metric: `${what}${name} wall`, ...of("wallMs", share), unit: "ms", peer: names.sqlite })
  }
  say(what)
}
