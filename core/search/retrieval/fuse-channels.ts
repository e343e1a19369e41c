import type { Settings } from "../../platform/workspace/index.js"
import type { LexicalResult } from "../lexical/index.js"
import type { VectorHits } from "../vectors/index.js"
import { type Fused, fuse } from "./fuse.js"
import type { Channel } from "./model.js"

/** Settings of one search; what is left out is the workspace's. */
export interface RetrievalTuning {
  /** Channels whose lists are fused; both when left out. */
  readonly channels?: ReadonlyArray<Channel>
  /** Weight of each channel; that of the vectors then holds for built-in vectors too. */
  readonly weights?: { readonly fts?: number; readonly vector?: number }
  readonly rrfK?: number
  /** False ranks without regard to the standing of documents. */
  readonly demotion?: boolean
}

/**
 * A fused list: the channels, the built-in vectors beside those of an embedder, which are of the same channel, and the
 * lexical hits that have no vector yet.
 */
export type List = Channel | "beside" | "pending"

/**
 * Fuses lexical and vector hits, and reports which vector hits are still live. A lexical hit without a vector, such as
 * a document that was just saved, counts in the vector list at its lexical rank: otherwise everything in both lists
 * would come before it until its vector is there.
 */
export const fuseChannels = (
  lexical: LexicalResult,
  vector: VectorHits,
  { ftsWeight, rrfK, vectorWeight: configured }: Settings["retrieval"],
  { channels, rrfK: k = rrfK, weights = {} }: RetrievalTuning = {}
) => {
  const isUsed = (channel: Channel): boolean => channels === undefined || channels.includes(channel)
  // The index of vectors may be late: what the lexical index no longer holds is gone.
  const liveOf = (hits: VectorHits["hits"]) =>
    isUsed("vector") ? hits.filter(({ label }) => lexical.isLive(label)) : []
  const live = liveOf(vector.hits)
  const besideLive = liveOf(vector.beside ?? [])
  const ofMain = weights.vector ?? weightOf(vector, lexical.saturation, configured, besideLive.length > 0)
  const ofBeside = Math.min(
    besideWeight(lexical.saturation, live.length === 0 ? 0 : (vector.trust ?? 1)),
    weights.vector ?? Number.POSITIVE_INFINITY
  )
  const words = isUsed("fts") ? lexical.hits : []
  const pending = new Set(live.length === 0 ? [] : vector.pending)
  const ranked = words.flatMap(({ label }, place) => (pending.has(label) ? [{ label, rank: place + 1 }] : []))
  const fused = fuse<List, number>(
    [
      { name: "fts", ids: words.map(({ label }) => label), weight: weights.fts ?? ftsWeight },
      { name: "vector", ids: live.map(({ label }) => label), weight: ofMain },
      { name: "beside", ids: besideLive.map(({ label }) => label), weight: ofBeside },
      {
        name: "pending",
        ids: ranked.map(({ label }) => label),
        ranks: ranked.map(({ rank }) => rank),
        weight: ofMain
      }
    ],
    { k, compare: lexical.compare }
  )
  const vectorWeight = live.length > 0 ? ofMain : besideLive.length > 0 ? ofBeside : 0
  return { fused, live, besideLive, vectorWeight }
}

/**
 * Returns the weight of the vector channel. Built-in vectors weigh less the closer one chunk matches the query's words
 * (saturation near 1); a configured embedding model has the weight from the settings, as far as it has earned it. One
 * that was not measured has the weight of the built-in vectors, and shares it with them where there are any.
 */
const weightOf = (
  { builtIn, trust }: VectorHits,
  saturation: number,
  configured: number,
  isBeside: boolean
): number => {
  if (builtIn) return builtInWeight(saturation)
  if (trust !== undefined) return configured * trust
  return Math.min(configured, builtInWeight(saturation) * (isBeside ? besideLoss : 1))
}

const builtInWeight = (saturation: number): number => Math.min(1, Math.max(0.2, 1.2 - saturation))

/** Share of their weight that built-in vectors lose beside an embedder that is fully trusted. */
const besideLoss = 0.5

const besideWeight = (saturation: number, trust: number): number =>
  builtInWeight(saturation) * (1 - besideLoss * trust)

/**
 * Returns the scores that governance multiplies, of the first `count` hits: the fused scores, except that hits which
 * all channels score alike get the score of the first of them. Their ranks differ only by tie-breaking, and governance
 * must be able to reorder them.
 */
export const tiedScores = (
  fused: ReadonlyArray<Fused<List, number>>,
  lexicalHits: LexicalResult["hits"],
  vectorHits: VectorHits["hits"],
  besideHits: VectorHits["hits"] = [],
  count = fused.length
): Float64Array => {
  const bases = new Float64Array(Math.min(count, fused.length))
  let [words, vectors, beside] = [Number.NaN, Number.NaN, Number.NaN]
  let place = 0
  for (const { ranks, score } of fused) {
    if (place === bases.length) break
    const own = lexicalHits[(ranks.fts ?? 0) - 1]?.score ?? -1
    const other = vectorHits[(ranks.vector ?? 0) - 1]?.score ?? -1
    const third = besideHits[(ranks.beside ?? 0) - 1]?.score ?? -1
    const isTied = own === words && other === vectors && third === beside
    bases[place] = isTied ? (bases[place - 1] ?? score) : score
    place += 1
    words = own
    vectors = other
    beside = third
  }
  return bases
}

/** Returns the ranks by channel: that among the built-in vectors where an embedder did not find the chunk. */
export const channelRanks = ({ beside, fts, vector = beside }: Fused<List, number>["ranks"]) => ({
  ...(fts === undefined ? {} : { fts }),
  ...(vector === undefined ? {} : { vector })
})
