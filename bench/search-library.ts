import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { analyseQuery } from "../core/language/tokenization/index.js"
import { runOperation } from "../core/platform/kernel/index.js"
import { segmentReader } from "../core/search/lexical/index.js"
import { lexicalSearch } from "../core/search/lexical/search.js"
import { retrievalOperations, type SearchResponse, searchCache } from "../core/search/retrieval/index.js"
import { type CorpusDocument, dataFolder, readCorpus, readQueries } from "./data.js"
import { compare, costOf, interleaved, type Pair } from "./measure.js"
import { type Fts5, fts5 } from "./peers/fts5.js"
import type { FoundRow } from "./peers/peer.js"
import { plainBm25 } from "./peers/plain-bm25.js"
import { shuffled } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { statementsOf } from "./statements.js"
import { mean, quantile } from "./statistics.js"
import { variations } from "./vary.js"
import { vaultAtSize } from "./vault-at-size.js"
import { addAsVault, type BenchWorkspace, passagesOf, withFolder } from "./workspace.js"

const limit = 10
const chunksWanted: Readonly<Record<Size, number>> = { small: 40, default: 10_000, full: 100_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 20, full: 20 }
/**
 * Windows of each side before the figures of a program that runs: the compiler of JavaScript, whose threads are counted
 * with the time of the process, comes to rest after some 1,500 searches.
 */
const warmUp: Readonly<Record<Size, number>> = { small: 1, default: 30, full: 10 }
const queriesPerWindow = 40

/** All that is searched, and what is asked. */
interface Material {
  readonly documents: ReadonlyArray<CorpusDocument>
  readonly queries: ReadonlyArray<string>
}

/** The vault at the wanted size, and its queries in the words of each of its copies. */
const materialOf = ({ seed, size }: BenchContext): Material | null => {
  const [base, documents] = [readCorpus("eips"), vaultAtSize(chunksWanted[size], seed)]
  if (base === null || documents === null) return null
  const queries = readQueries("eips").map(({ text }) => text)
  const vary = variations(
    base.map(({ text }) => text),
    seed
  )
  const copies = 1 + Number(documents.at(-1)?.id.split("/")[0])
  const asked = Array.from({ length: copies }, (_, copy) => queries.map((query) => vary(query, copy))).flat()
  return { documents, queries: shuffled(asked, seed) }
}

type Search = (query: string) => unknown

const searchOf =
  (workspace: BenchWorkspace) =>
  (q: string): Promise<SearchResponse> =>
    workspace.run(runOperation(retrievalOperations.search, { q, limit }))

/** Costs of one window: those of each query. */
const windowOf = async (search: Search, queries: ReadonlyArray<string>) => {
  const costs = []
  for (const query of queries) costs.push(await costOf(() => search(query)))
  return costs
}
type Window = Awaited<ReturnType<typeof windowOf>>

const measure = (queries: ReadonlyArray<string>, pairs: number, ours: Search, floor: Search) => {
  const part = (window: number) =>
    Array.from(
      { length: queriesPerWindow },
      (_, i) => queries[(window * queriesPerWindow + i) % queries.length] ?? ""
    )
  return interleaved(
    pairs,
    (window) => windowOf(ours, part(window)),
    (window) => windowOf(floor, part(window))
  )
}

const reportSearch = (
  { report }: BenchContext,
  what: string,
  peer: string,
  pairs: ReadonlyArray<Pair<Window>>,
  targets: { readonly p50?: string; readonly p95?: string } = {}
): void => {
  const of = (cost: "cpuMs" | "wallMs", share: number) =>
    compare(pairs, (window) =>
      quantile(
        window.map((one) => one[cost]),
        share
      )
    )
  const wanted = (target: string | undefined) => (target === undefined ? {} : { target })
  report({ metric: `${what} p50 CPU`, ...of("cpuMs", 0.5), unit: "ms", peer, ...wanted(targets.p50) })
  report({ metric: `${what} p95 CPU`, ...of("cpuMs", 0.95), unit: "ms", peer, ...wanted(targets.p95) })
  report({ metric: `${what} p50 wall`, ...of("wallMs", 0.5), unit: "ms", peer })
  report({ metric: `${what} p95 wall`, ...of("wallMs", 0.95), unit: "ms", peer })
}

/** How many of the ten results are the same passages, on average: floors are to give about the same answer. */
const overlap = async (
  queries: ReadonlyArray<string>,
  ours: (query: string) => Promise<SearchResponse>,
  floor: (query: string) => ReadonlyArray<FoundRow>,
  chunkIds: ReadonlyArray<string>
): Promise<number> => {
  const shares: Array<number> = []
  for (const query of queries) {
    const found = new Set((await ours(query)).results.map(({ chunkId }) => chunkId as string))
    const same = floor(query).filter(({ row }) => found.has(chunkIds[row] ?? ""))
    if (found.size > 0) shares.push(same.length / found.size)
  }
  return mean(shares)
}

export const searchLibrary: RunBench = async (context) => {
  const material = materialOf(context)
  if (material === null) return context.skip(`no eips in ${dataFolder}`)
  await withFolder(async (folder) => {
    const { workspace } = await addAsVault(material.documents, join(folder, "vault"), join(folder, "data"))
    const passages = await passagesOf(workspace)
    const rows = passages.map(({ docTitle, headingPath, text }) => ({
      title: docTitle,
      text: [...headingPath, text].join("\n")
    }))
    context.say(
      `${passages.length} passages of ${material.documents.length} documents, ${material.queries.length} queries`
    )
    const floors = { fts5: fts5(rows, join(folder, "floor.sqlite")), bm25: plainBm25(rows) }
    await lexicalFigures(
      context,
      workspace,
      material.queries,
      floors,
      passages.map(({ id }) => id)
    )
    floors.fts5.close()
    await workspace.close()
  })
}

const lexicalFigures = async (
  context: BenchContext,
  workspace: BenchWorkspace,
  queries: ReadonlyArray<string>,
  floors: { readonly fts5: Fts5; readonly bm25: ReturnType<typeof plainBm25> },
  chunkIds: ReadonlyArray<string>
): Promise<void> => {
  const { report, size } = context
  const ours = searchOf(workspace)
  const asked = queries.slice(0, 2 * queriesPerWindow)
  const answers = {
    "FTS5, OR": (query: string) => floors.fts5.search(query, limit),
    "40-line BM25": (query: string) => floors.bm25(query, limit)
  }
  for (const [peer, floor] of Object.entries(answers)) {
    const same = await overlap(asked, ours, floor, chunkIds)
    report({
      metric: "same passages in the first ten",
      ours: same,
      n: asked.length,
      unit: "share",
      peer
    })
  }
  const counts = await statementsOf(
    workspace,
    runOperation(retrievalOperations.search, { q: queries[0] ?? "", limit })
  )
  for (const [what, count] of Object.entries(counts)) {
    report({
      metric: `search ${what}`,
      ours: count,
      n: 1,
      unit: "a search",
      peer: "exact count"
    })
  }
  const withRows = (query: string) => floors.fts5.read(floors.fts5.search(query, limit).map(({ row }) => row))
  const pairs = pairsWanted[size]
  const early = await measure(queries, pairs, ours, withRows)
  reportSearch(context, "search, while the compiler is at work,", "FTS5, OR, and the ten rows read", early)
  await measure(queries, warmUp[size], ours, withRows)
  reportSearch(
    context,
    "search",
    "FTS5, OR, and the ten rows read",
    await measure(queries, pairs, ours, withRows),
    {
      p50: "<= 0.3",
      p95: "<= 0.3"
    }
  )
  const cold = await measureCold(workspace, queries, size, withRows)
  reportSearch(context, "search, each query the first of its kind,", "FTS5, OR, and the ten rows read", cold)
  const rank = (query: string) =>
    workspace.run(lexicalSearch(workspace.scope, analyseQuery(query), { limit }))
  const match = (query: string) => floors.fts5.search(query, limit)
  reportSearch(context, "ranking alone", "FTS5, OR", await measure(queries, pairs, rank, match))
  const bare = (query: string) => floors.bm25(query, limit)
  reportSearch(context, "search", "40-line BM25 in memory", await measure(queries, pairs, ours, bare), {
    p50: "<= 6"
  })
}

/**
 * The same with memories that hold nothing but what the window has asked before, no query twice: words, rows and plain
 * texts are read and made. The other figures are of memories that have met most of them. Pages of the database are in
 * the memory of the machine on both sides.
 */
const measureCold = (
  workspace: BenchWorkspace,
  queries: ReadonlyArray<string>,
  size: Size,
  floor: Search
) => {
  const distinct = [...new Set(queries)]
  const part = (window: number) =>
    Array.from(
      { length: Math.min(queriesPerWindow, distinct.length) },
      (_, i) => distinct[(window * queriesPerWindow + i) % distinct.length] ?? ""
    )
  return interleaved(
    pairsWanted[size],
    async (window) => {
      const fresh = await workspace.run(
        Effect.scoped(Layer.build(Layer.fresh(Layer.merge(segmentReader(), searchCache()))))
      )
      const ours = (q: string) =>
        workspace.run(Effect.provide(runOperation(retrievalOperations.search, { q, limit }), fresh))
      // The list of segments and their directories: what opening the workspace costs, not a search.
      await ours("the")
      return windowOf(ours, part(window))
    },
    (window) => windowOf(floor, part(window))
  )
}
