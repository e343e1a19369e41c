import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import {
  type AnalysedQuery,
  probes as probeOf,
  type QueryTerm,
  type Token,
  widen
} from "../../language/tokenization/index.js"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import {
  isDead,
  type OpenIndex,
  type OpenSegment,
  ordinalOf,
  placesIn,
  type SegmentGone,
  SegmentReader,
  type SegmentView,
  type TermLists,
  viewsOf
} from "../segments/index.js"
import { idf, rankBm25 } from "./bm25.js"
import { addProximity, neighbours } from "./proximity.js"
import { substitutesFor } from "./substitutes.js"

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
  /** Best score without bonus divided by the highest possible score, from 0 to 1; 0 without hits. */
  readonly saturation: number
  /** Inverse document frequencies of the query's terms, in their order. */
  readonly weights: ReadonlyArray<number>
  /**
   * Weights by term: of the query's own terms, and of the expanded ones (other forms, compounds, parts, corrections).
   */
  readonly termWeights: ReadonlyMap<string, number>
  /** Whether the index holds a live chunk with this label, in the same snapshot as the hits. */
  readonly isLive: (label: number) => boolean
  /** Labels of the chunks that the caller may read; absent where that is all of them. */
  readonly visible?: ReadonlySet<number>
  /** Compares labels by the content of their chunks first, then by label. */
  readonly compare: (a: number, b: number) => number
}

/**
 * Returns the chunks that match the query's words best. Frequencies and lengths are those of the live chunks. With a
 * stamp, a cached index of the same stamp is used.
 */
export const lexicalSearch = (
  workspace: WorkspaceScope,
  query: AnalysedQuery,
  options: {
    readonly limit: number
    readonly allow?: ReadonlySet<number>
    readonly stamp?: string | null
  }
): Effect.Effect<LexicalResult, never, SegmentReader> =>
  retryOnSegmentGone(workspace, options.stamp ?? null, (reader, index) =>
    Effect.map(readLists(workspace, reader, index, query), (lists) =>
      rankLexical(index, query, lists, options)
    )
  )

/** Posting lists of the terms of a query. */
export interface LexicalLists {
  /** In the order of the query's terms. */
  readonly own: ReadonlyArray<TermLists>
  /** Expanded terms, which the query does not contain. */
  readonly wider: ReadonlyArray<{
    readonly term: QueryTerm
    readonly lists: TermLists
    readonly weight: number
  }>
}

/** Reads the posting lists for ranking. */
const readLists = (
  workspace: WorkspaceScope,
  reader: Context.Tag.Service<SegmentReader>,
  index: OpenIndex,
  query: AnalysedQuery
): Effect.Effect<LexicalLists, SegmentGone> =>
  Effect.flatMap(
    reader.lists(
      workspace,
      index,
      query.terms.map(({ term }) => term)
    ),
    (own): Effect.Effect<LexicalLists, SegmentGone> => {
      const isHeld = own.every(({ frequency }) => frequency > 0)
      if (query.languages.length === 0 && query.joined.length === 0 && !query.hasVariants && isHeld)
        return Effect.succeed({ own, wider: [] })
      return Effect.map(expandTerms(workspace, reader, index, query, own), (wider) => ({ own, wider }))
    }
  )

/** Returns the expanded terms: other forms, and substitutes for words that do not occur. */
const expandTerms = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  reader: Context.Tag.Service<SegmentReader>,
  index: OpenIndex,
  query: AnalysedQuery,
  own: ReadonlyArray<TermLists>
) {
  const { chunkCount } = index.statistics
  const wider = yield* widerLists(workspace, reader, index, query)
  const found = new Set(query.terms.flatMap(({ term }, i) => ((own[i]?.frequency ?? 0) > 0 ? [term] : [])))
  for (const { term } of wider) if (term.of !== null) found.add(term.of)
  const known = new Set([...query.terms.map(({ term }) => term), ...wider.map(({ term }) => term.term)])
  const substitutes = yield* substitutesFor({ workspace, reader, index }, query, found)
  return [
    ...wider,
    ...substitutes
      .filter(({ term }) => !known.has(term))
      .map(({ count, frequency, lists, term }) => ({
        term: { term, count },
        lists,
        weight: substituteWeight * idf(chunkCount, frequency)
      }))
  ]
})

/** Weight of a term that stands for a word which does not occur, compared with a word of the query. */
const substituteWeight = 0.7

/** Ranks the lists; pure. */
const rankLexical = (
  index: OpenIndex,
  query: AnalysedQuery,
  { own, wider }: LexicalLists,
  options: { readonly limit: number; readonly allow?: ReadonlySet<number> }
): LexicalResult => {
  const { segments, statistics } = index
  const terms = [...query.terms, ...wider.map(({ term }) => term)]
  const views = viewsOf(index, [...own, ...wider.map(({ lists }) => lists)])
  const weights = own.map(({ frequency }) => idf(statistics.chunkCount, frequency))
  const widerWeights = wider.map(({ weight }) => weight)
  const ranked = rankBm25(views, terms, [...weights, ...widerWeights], statistics, options)
  const most = query.terms.reduce((sum, { count }, i) => sum + count * (weights[i] ?? 0), 0)
  const pairs = neighbours(query.sequence, query.terms, weights)
  const hits = addProximity(ranked, views, pairs, statistics.averageLength)
  return {
    hits,
    saturation: ranked[0] === undefined || most === 0 ? 0 : Math.min(1, ranked[0].score / most),
    weights,
    termWeights: new Map([
      ...wider.map(({ term: { term }, weight }) => [term, weight] as const),
      ...query.terms.map(({ term }, i) => [term, weights[i] ?? 0] as const)
    ]),
    ...(index.visible === undefined ? {} : { visible: index.visible }),
    isLive: (label) => placeOf(segments, label) !== null,
    compare: (a, b) => tieKeyOf(segments, a) - tieKeyOf(segments, b) || a - b
  }
}

/**
 * Returns other forms and spellings of the query's terms, with their lists and weights; none for a query in English.
 */
const widerLists = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  reader: Context.Tag.Service<SegmentReader>,
  index: OpenIndex,
  query: AnalysedQuery
) {
  const probes = query.languages.map(({ language }) => probeOf[language])
  const { chunkCount } = index.statistics
  const probed = probes.length === 0 ? [] : yield* reader.lists(workspace, index, probes)
  const wider = widen(query, chunkCount, (probe) => probed[probes.indexOf(probe)]?.frequency ?? 0)
  if (wider === null) return []
  const wantedTerms = [...new Set([...wider.terms, ...query.terms.map(({ term }) => term)])]
  const lists = yield* reader.lists(workspace, index, wantedTerms)
  const listOf = new Map(wantedTerms.map((term, i) => [term, lists[i]]))
  return wider
    .choose((term) => listOf.get(term)?.frequency ?? 0)
    .flatMap((term) => {
      const found = listOf.get(term.term)
      return found === undefined
        ? []
        : [{ term, lists: found, weight: term.share * idf(chunkCount, found.frequency) }]
    })
})

/**
 * Returns the inverse document frequency of each term over the live chunks; a term that does not occur has the
 * largest.
 */
export const termWeights = (
  workspace: WorkspaceScope,
  terms: ReadonlyArray<string>
): Effect.Effect<
  { readonly chunkCount: number; readonly weights: ReadonlyMap<string, number> },
  never,
  SegmentReader
> =>
  withIndex(workspace, terms, null, ({ statistics: { chunkCount } }, found) => ({
    chunkCount,
    weights: new Map(terms.map((term, i) => [term, idf(chunkCount, found[i]?.frequency ?? 0)]))
  }))

/**
 * Returns the ascending labels of live chunks whose text, headings or title contain the tokens at the same distances
 * as here. Without tokens there are none. With a stamp, a cached index of the same stamp is used.
 */
export const phraseLabels = (
  workspace: WorkspaceScope,
  tokens: ReadonlyArray<Pick<Token, "term" | "position">>,
  stamp: string | null = null
): Effect.Effect<ReadonlyArray<number>, never, SegmentReader> =>
  withIndex(
    workspace,
    tokens.map(({ term }) => term),
    stamp,
    (index, terms) =>
      viewsOf(index, terms)
        .flatMap((view) => phraseIn(view, tokens))
        .sort((a, b) => a - b)
  )

/** Runs a function over the open index. */
const withIndex = <A>(
  workspace: WorkspaceScope,
  terms: ReadonlyArray<string>,
  stamp: string | null,
  use: (index: OpenIndex, lists: ReadonlyArray<TermLists>) => A
): Effect.Effect<A, never, SegmentReader> =>
  retryOnSegmentGone(workspace, stamp, (reader, index) =>
    Effect.map(reader.lists(workspace, index, terms), (lists) => use(index, lists))
  )

/** Retries when a segment was removed between listing and reading; its replacement exists by then. */
const retryOnSegmentGone = <A>(
  workspace: WorkspaceScope,
  stamp: string | null,
  look: (reader: Context.Tag.Service<SegmentReader>, index: OpenIndex) => Effect.Effect<A, SegmentGone>
): Effect.Effect<A, never, SegmentReader> =>
  Effect.flatMap(SegmentReader, (reader) => {
    const again = (asOf: string | null, looksLeft: number): Effect.Effect<A> =>
      Effect.flatMap(reader.open(workspace, asOf), (index) => look(reader, index)).pipe(
        Effect.catchAll((gone: SegmentGone) =>
          looksLeft === 0 ? Effect.die(gone) : again(null, looksLeft - 1)
        )
      )
    return again(stamp, looksMax)
  })

const looksMax = 20

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
  // The rarest term comes first, because only its chunks need to be checked.
  lists.sort((a, b) => a.list.ordinals.length - b.list.ordinals.length)
  const [rarest, ...others] = lists
  if (rarest === undefined) return []
  let ordinals = Array.from(rarest.list.ordinals).filter((ordinal) => !isDead(view.dead, ordinal))
  let starts = placesIn(rarest.list, ordinals).map((places) => places.map((place) => place - rarest.position))
  for (const { list, position } of others) {
    const places = placesIn(list, ordinals)
    const kept = starts.map((candidates, i) => {
      const here = new Set(places[i])
      return candidates.filter((start) => here.has(start + position))
    })
    ordinals = ordinals.filter((_, i) => kept[i]?.length !== 0)
    starts = kept.filter((candidates) => candidates.length > 0)
  }
  return ordinals.map((ordinal) => view.directory.labels[ordinal] ?? 0)
}
