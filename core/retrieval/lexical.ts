import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Token } from "./analyse.js"
import type { AnalysedQuery } from "./analyse-query.js"
import { type CorpusStatistics, idf, liveFrequencies, rankBm25, type SegmentView } from "./bm25.js"
import { isDead } from "./dead-set.js"
import { ordinalsIn, positionsIn } from "./positions.js"
import { addProximity, neighbours } from "./proximity.js"
import { ordinalOf } from "./segment-read.js"
import { type OpenSegment, SegmentReader, viewsOf } from "./segment-reader.js"
import type { SegmentGone } from "./store.js"

export interface LexicalHit {
  readonly label: number
  /** BM25 with the proximity bonus. */
  readonly score: number
  /** BM25 alone. */
  readonly plainScore: number
}

export interface LexicalResult {
  /** Best first. */
  readonly hits: ReadonlyArray<LexicalHit>
  /** Best score without bonus over the most that any chunk could reach, from 0 to 1; 0 without hits. */
  readonly saturation: number
  /** Inverse document frequencies of the query's terms, in their order. */
  readonly weights: ReadonlyArray<number>
  /** Whether the index holds a live chunk with this label: as of the same moment as the hits. */
  readonly isLive: (label: number) => boolean
  /** An order of labels that depends on the content of the chunks before it depends on the labels. */
  readonly compare: (a: number, b: number) => number
}

/** The chunks that match the query's words best. Frequencies and lengths are those of the live chunks. */
export const lexicalSearch = (
  workspace: WorkspaceScope,
  query: AnalysedQuery,
  options: { readonly limit: number; readonly allow?: ReadonlySet<number> }
): Effect.Effect<LexicalResult, never, SegmentReader> =>
  steadily(
    Effect.gen(function* () {
      const segments = yield* (yield* SegmentReader).open(workspace)
      const views = yield* viewsOf(
        workspace,
        segments,
        query.terms.map(({ term }) => term)
      )
      const statistics = statisticsOf(segments)
      const frequencies = liveFrequencies(views, query.terms.length)
      const weights = frequencies.map((holding) => idf(statistics.chunkCount, holding))
      const ranked = rankBm25(views, query.terms, weights, statistics, options)
      const most = query.terms.reduce((sum, { count }, i) => sum + count * (weights[i] ?? 0), 0)
      return {
        hits: addProximity(ranked, views, neighbours(query.sequence, query.terms, weights)),
        saturation: ranked[0] === undefined || most === 0 ? 0 : Math.min(1, ranked[0].score / most),
        weights,
        isLive: (label: number) => placeOf(segments, label) !== null,
        compare: (a: number, b: number) => tieKeyOf(segments, a) - tieKeyOf(segments, b) || a - b
      }
    })
  )

/** Inverse document frequency of each term over the live chunks; a term that none holds has the largest. */
export const termWeights = (
  workspace: WorkspaceScope,
  terms: ReadonlyArray<string>
): Effect.Effect<
  { readonly chunkCount: number; readonly weights: ReadonlyMap<string, number> },
  never,
  SegmentReader
> =>
  steadily(
    Effect.gen(function* () {
      const segments = yield* (yield* SegmentReader).open(workspace)
      const { chunkCount } = statisticsOf(segments)
      const frequencies = liveFrequencies(yield* viewsOf(workspace, segments, terms), terms.length)
      return {
        chunkCount,
        weights: new Map(terms.map((term, i) => [term, idf(chunkCount, frequencies[i] ?? 0)]))
      }
    })
  )

/**
 * Labels, ascending, of the live chunks in whose text, headings or title the tokens stand as far from each other
 * as they do here. Without tokens there are none.
 */
export const phraseLabels = (
  workspace: WorkspaceScope,
  tokens: ReadonlyArray<Pick<Token, "term" | "position">>
): Effect.Effect<ReadonlyArray<number>, never, SegmentReader> =>
  steadily(
    Effect.gen(function* () {
      const segments = yield* (yield* SegmentReader).open(workspace)
      const views = yield* viewsOf(
        workspace,
        segments,
        tokens.map(({ term }) => term)
      )
      return views.flatMap((view) => phraseIn(view, tokens)).sort((a, b) => a - b)
    })
  )

/** Searches again when a segment went away between listing and reading: what replaced it is there already. */
const steadily = <A>(
  search: Effect.Effect<A, SegmentGone, SegmentReader>
): Effect.Effect<A, never, SegmentReader> => search.pipe(Effect.retry({ times: 20 }), Effect.orDie)

const statisticsOf = (segments: ReadonlyArray<OpenSegment>): CorpusStatistics => {
  let chunkCount = 0
  let length = 0
  for (const { info } of segments) {
    chunkCount += info.chunkCount - info.deadCount
    length += info.liveLength
  }
  return { chunkCount, averageLength: chunkCount === 0 ? 0 : length / chunkCount }
}

const placeOf = (segments: ReadonlyArray<OpenSegment>, label: number) => {
  for (const segment of segments) {
    if (label < segment.info.firstLabel || label > segment.info.lastLabel) continue
    const ordinal = ordinalOf(segment.directory, label)
    if (ordinal >= 0 && !isDead(segment.dead, ordinal)) return { segment, ordinal }
  }
  return null
}

const tieKeyOf = (segments: ReadonlyArray<OpenSegment>, label: number): number => {
  const place = placeOf(segments, label)
  return place === null ? 0 : (place.segment.directory.tieKeys[place.ordinal] ?? 0)
}

const phraseIn = (
  view: SegmentView,
  tokens: ReadonlyArray<Pick<Token, "term" | "position">>
): ReadonlyArray<number> => {
  const lists = tokens.flatMap(({ position }, i) => {
    const list = view.lists[i] ?? null
    return list === null ? [] : [{ list, position }]
  })
  if (lists.length < tokens.length) return []
  // The rarest first: its chunks are all that need to be looked at.
  lists.sort((a, b) => a.list.chunkCount - b.list.chunkCount)
  const [rarest, ...others] = lists
  if (rarest === undefined) return []
  let ordinals = ordinalsIn(rarest.list).filter((ordinal) => !isDead(view.dead, ordinal))
  let starts = positionsIn(rarest.list, ordinals).map((places = []) =>
    places.map((place) => place - rarest.position)
  )
  for (const { list, position } of others) {
    const places = positionsIn(list, ordinals)
    const kept = starts.map((candidates, i) => {
      const here = new Set(places[i])
      return candidates.filter((start) => here.has(start + position))
    })
    ordinals = ordinals.filter((_, i) => kept[i]?.length !== 0)
    starts = kept.filter((candidates) => candidates.length > 0)
  }
  return ordinals.map((ordinal) => view.directory.labels[ordinal] ?? 0)
}
