import { byScore, type RankedChunk, type SegmentView } from "./bm25.js"
import { positionsIn } from "./positions.js"

/** A ranked chunk with its score before and after the bonus. */
export interface ProximateChunk extends RankedChunk {
  readonly plainScore: number
}

/** Words further apart than this have nothing to do with each other. */
const windowWords = 8
/** 0.2 / 2.2: chosen by experiment for a term part with the factor k1 + 1, which ours lacks. */
const share = 0.09
const saturation = 1.2

/**
 * Adds to each chunk, for each two neighbouring terms (x, y) of the query that it holds both, x unlike y:
 * 0.09 * min(idf x, idf y) * (2 o / (o + 1.2) + u / (u + 1.2)), where o counts the places where y follows x
 * directly and u the pairs of places at most 8 words apart, in either order. Sorts again.
 */
export const addProximity = (
  ranked: ReadonlyArray<RankedChunk>,
  views: ReadonlyArray<SegmentView>,
  pairs: ReadonlyArray<TermPair>
): ReadonlyArray<ProximateChunk> => {
  const scored: Array<ProximateChunk> = []
  const wanted = new Set(pairs.flatMap(({ first, second }) => [first, second]))
  views.forEach(({ lists }, segment) => {
    const here = ranked.filter((chunk) => chunk.segment === segment).sort((a, b) => a.ordinal - b.ordinal)
    if (here.length === 0) return
    const ordinals = here.map(({ ordinal }) => ordinal)
    const places = new Map<number, ReadonlyArray<ReadonlyArray<number> | undefined>>()
    for (const term of wanted) {
      const list = lists[term] ?? null
      if (list !== null) places.set(term, positionsIn(list, ordinals))
    }
    const bonuses = new Float64Array(here.length)
    for (const { first, second, times, weight } of pairs) {
      const [xs, ys] = [places.get(first), places.get(second)]
      if (xs === undefined || ys === undefined) continue
      for (let i = 0; i < here.length; i++) {
        const [x, y] = [xs[i], ys[i]]
        if (x !== undefined && y !== undefined)
          bonuses[i] = (bonuses[i] ?? 0) + times * weight * closeness(x, y)
      }
    }
    here.forEach((chunk, i) => {
      scored.push({ ...chunk, plainScore: chunk.score, score: chunk.score + (bonuses[i] ?? 0) })
    })
  })
  return scored.sort(byScore)
}

/** Two neighbouring terms, by their index in the query's list of terms. */
export interface TermPair {
  readonly first: number
  readonly second: number
  /** How often the query says them so. */
  readonly times: number
  /** The smaller idf of the two. */
  readonly weight: number
}

/** The distinct pairs of neighbours in a query. */
export const neighbours = (
  sequence: ReadonlyArray<string>,
  terms: ReadonlyArray<{ readonly term: string }>,
  weights: ReadonlyArray<number>
): ReadonlyArray<TermPair> => {
  const index = new Map(terms.map(({ term }, i) => [term, i]))
  const pairs = new Map<string, TermPair>()
  for (let i = 1; i < sequence.length; i++) {
    const first = index.get(sequence[i - 1] ?? "")
    const second = index.get(sequence[i] ?? "")
    if (first === undefined || second === undefined || first === second) continue
    const key = `${first} ${second}`
    const weight = Math.min(weights[first] ?? 0, weights[second] ?? 0)
    pairs.set(key, { first, second, weight, times: (pairs.get(key)?.times ?? 0) + 1 })
  }
  return [...pairs.values()]
}

const closeness = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number => {
  if (x.length === 1 && y.length === 1) return closenessOfTwo((y[0] ?? 0) - (x[0] ?? 0))
  let following = 0
  let near = 0
  let from = 0
  let to = 0
  // Positions ascend, so the window over y only moves forward.
  for (const place of x) {
    while (from < y.length && (y[from] ?? 0) < place - windowWords) from += 1
    if (to < from) to = from
    while (to < y.length && (y[to] ?? 0) <= place + windowWords) to += 1
    near += to - from
    for (let i = from; i < to; i++) if (y[i] === place + 1) following += 1
  }
  return share * ((2 * following) / (following + saturation) + near / (near + saturation))
}

/** The same for one place each, which is the common case. */
const closenessOfTwo = (distance: number): number =>
  Math.abs(distance) > windowWords ? 0 : distance === 1 ? bothOnce : nearOnce

const nearOnce = share * (1 / (1 + saturation))
const bothOnce = share * (2 / (1 + saturation) + 1 / (1 + saturation))
