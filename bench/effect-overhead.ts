import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import type { Passage } from "../core/files/documents/index.js"
import { analyseQuery } from "../core/language/tokenization/index.js"
import { type DocumentId, runOperation } from "../core/platform/kernel/index.js"
import { Settings } from "../core/platform/workspace/index.js"
import { mergeSegments, PostingStore, SegmentReader } from "../core/search/lexical/index.js"
import { rankLexical, readLists } from "../core/search/lexical/search.js"
import { fuseChannels, tiedScores } from "../core/search/retrieval/fuse-channels.js"
import { retrievalOperations, type SearchResponse } from "../core/search/retrieval/index.js"
import { describe, type Governed, govern, verifiedIn, wordsLimit } from "../core/search/retrieval/retrieve.js"
import { SearchCache } from "../core/search/retrieval/search-cache.js"
import { showFound } from "../core/search/retrieval/service.js"
import type { TermLists } from "../core/search/segments/segment-reader.js"
import { type Bare, openBare } from "./bare.js"
import { dataFolder } from "./data.js"
import { compare, costOf, interleaved } from "./measure.js"
import { notesOf } from "./notes.js"
import type { RunBench, Size } from "./result.js"
import { statementsOf } from "./statements.js"
import { quantile } from "./statistics.js"
import { addTo, type BenchWorkspace, openWorkspace, passagesOf, withFolder } from "./workspace.js"

const notesWanted: Readonly<Record<Size, number>> = { small: 60, default: 10_000, full: 100_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 30, full: 30 }
/** Windows of each side before any is measured: the compiler of JavaScript is at work for some thousand searches. */
const warmUp: Readonly<Record<Size, number>> = { small: 1, default: 60, full: 60 }
const queriesMax = 120
const rowsPerCommit = 1000
const limit = 10

export const effectOverhead: RunBench = async (context) => {
  const notes = notesOf(context.seed)
  if (notes === null) return context.skip(`no eips in ${dataFolder}`)
  const { report, size } = context
  await withFolder(async (folder) => {
    const data = join(folder, "data")
    mkdirSync(data)
    const workspace = await openWorkspace({ data })
    for (let at = 0; at < notesWanted[size]; at += rowsPerCommit) {
      const count = Math.min(rowsPerCommit, notesWanted[size] - at)
      await addTo(
        workspace,
        Array.from({ length: count }, (_, i) => notes.at(at + i)),
        at,
        rowsPerCommit
      )
    }
    await workspace.run(mergeSegments(workspace.scope))
    const queries = notes.queries.slice(0, queriesMax)
    const ours = (q: string) => workspace.run(runOperation(retrievalOperations.search, { q, limit }))
    const database = await openBare(data)
    const bare = await bareSearch(workspace, queries, database)
    for (const query of queries)
      if (!isDeepStrictEqual(await ours(query), await bare(query)))
        throw new Error(`The bare search finds something else for ${query}.`)
    const window = async (work: (query: string) => unknown) => {
      const costs: Array<number> = []
      for (const query of queries) costs.push((await costOf(() => work(query))).cpuMs)
      return costs
    }
    for (let count = 0; count < warmUp[size]; count++) {
      await window(ours)
      await window(bare)
    }
    const pairs = await interleaved(
      pairsWanted[size],
      () => window(ours),
      () => window(bare)
    )
    const peer = "the same functions and the same statement on the same rows, called bare"
    const of = (share: number) => compare(pairs, (costs) => quantile(costs, share))
    report({ metric: "search p50 CPU", ...of(0.5), unit: "ms", peer, target: "<= 1.15" })
    report({ metric: "search p95 CPU", ...of(0.95), unit: "ms", peer })
    const counts = await statementsOf(
      workspace,
      runOperation(retrievalOperations.search, { q: queries[0] ?? "", limit })
    )
    const exact = { n: 1, unit: "a search", peer: "exact count" }
    report({ ...exact, metric: "SQL statements", ours: counts["SQL statements"] })
    report({ ...exact, metric: "commits", ours: counts.commits })
    const spans = counts.spans
    report({ ...exact, metric: "spans", ours: spans, floor: 3, target: "<= 1" })
    await database.close()
    await workspace.close()
  })
}

/**
 * The search as plain calls: the same input check, statement, look-ups in maps of what searches hold, ranking, fusion,
 * governance and snippets, without the runtime between them.
 */
const bareSearch = async (workspace: BenchWorkspace, queries: ReadonlyArray<string>, database: Bare) => {
  const { run, scope } = workspace
  const passages = new Map((await passagesOf(workspace)).map((passage) => [passage.label, passage]))
  const { line } = await run(SearchCache)
  const { index, settings, termLists } = await run(
    Effect.gen(function* () {
      const reader = yield* SegmentReader
      const stamp = yield* (yield* PostingStore).stamp(scope)
      const open = yield* reader.open(scope, stamp)
      const held = new Map<string, TermLists>()
      for (const query of queries) {
        const { terms } = analyseQuery(query)
        const lists = yield* readLists(scope, reader, open, analyseQuery(query))
        terms.forEach(({ term }, i) => {
          const own = lists.own[i]
          if (own !== undefined) held.set(term, own)
        })
      }
      const { retrieval } = yield* (yield* SearchCache).settings(scope, stamp)
      return { index: open, termLists: held, settings: retrieval }
    })
  )
  return async (asked: string): Promise<SearchResponse> => {
    const { limit: wanted, q } = retrievalOperations.search.input.parse({ q: asked, limit })
    await database.all("select changes from content_change where workspace_id = ?", [scope])
    const query = analyseQuery(q)
    const own = query.terms.map(({ term }) => termLists.get(term) ?? { lists: [], frequency: 0 })
    const lexical = rankLexical(index, query, { own, wider: [] }, { limit: wordsLimit })
    const { fused, live, vectorWeight } = fuseChannels(lexical, { hits: [], builtIn: true }, settings)
    const bases = tiedScores(fused, lexical.hits, live)
    const governed = bareGovernance(fused, bases, passages, wanted)
    const found = {
      passages: describe(governed, lexical, live),
      total: fused.length,
      query,
      termWeights: lexical.termWeights,
      saturation: lexical.saturation,
      embedded: false,
      vectorWeight,
      seedLabels: [],
      reranked: false,
      stamp: null
    }
    return showFound(q, found, line)
  }
}

const nobody: ReadonlySet<DocumentId> = new Set()
const weights = Settings.parse({}).retrieval.governance

const bareGovernance = (
  fused: ReturnType<typeof fuseChannels>["fused"],
  bases: Float64Array,
  passages: ReadonlyMap<number, Passage>,
  wanted: number
): ReadonlyArray<Governed> => {
  const governed: Array<Governed> = []
  for (let from = 0, size = wanted * 2; from < fused.length; from += size) {
    const batch = fused.slice(from, from + size)
    const here = new Map<number, Passage>()
    for (const { id } of batch) {
      const passage = passages.get(id)
      if (passage !== undefined) here.set(id, passage)
    }
    if (verifiedIn(here).size > 0) throw new Error("Nothing in this workspace is verified.")
    if (govern(governed, batch, here, nobody, { wanted, next: fused[from + size], weights, bases, from }))
      break
  }
  return governed.slice(0, wanted)
}
