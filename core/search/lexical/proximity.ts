import { PlaceRoom, type SegmentView } from "../segments/index.js"
import { byScore } from "./bm25.js"
import type { RankedChunk } from "./top-k.js"

/** A ranked chunk with its score before and after the bonus. */
export interface ProximateChunk extends RankedChunk {
  readonly plainScore: number
}

/** Words further apart than this count as unrelated. */
const windowWords = 8
/** Chosen by experiment: docs/retrieval-quality.md. */
const share = 0.18
const saturation = 1.2

/**
 * Mean length of the chunks, in content words, from which on the bonus is whole. In texts of a sentence or two all words
 * are near each other, so nearness tells little: there the bonus shrinks with the length. It shrinks for all chunks
 * alike, because a bonus by the length of each would prefer long ones.
 */
const fullBonusLength = 40

/** Number of chunks considered, chosen so that chunk and rank fit into one sort key. */
const proximityMax = 100
const placeBase = 128
const ordinalBase = 2 ** 31

/**
 * Adds a proximity bonus to each of the first hundred chunks: for each two neighbouring terms (x, y) of the query that
 * it holds, x unlike y, 0.18 * min(idf x, idf y) * (2 o / (o + 1.2) + u / (u + 1.2)), where o counts the positions
 * where y directly follows x and u the pairs at most 8 words apart, in either order. Below a mean length of 40 words the
 * bonus is smaller in proportion. Sorts these chunks again; later ones keep their place.
 */
export const addProximity = (
  ranked: ReadonlyArray<RankedChunk>,
  views: ReadonlyArray<SegmentView>,
  pairs: ReadonlyArray<TermPair>,
  averageLength: number
): ReadonlyArray<ProximateChunk> => {
  const bonuses = new Float64Array(Math.min(ranked.length, proximityMax))
  if (pairs.length > 0) {
    const keys = bonuses.slice()
    for (let place = 0; place < keys.length; place++) {
      const { ordinal = 0, segment = 0 } = ranked[place] ?? {}
      keys[place] = (segment * ordinalBase + ordinal) * placeBase + place
    }
    addBonuses(bonuses, keys.sort(), views, pairs)
  }
  const whole = Math.min(1, averageLength / fullBonusLength)
  const hits = ranked.map((chunk, place) => {
    const { label, ordinal, score, segment, tieKey } = chunk
    const bonus = whole * (bonuses[place] ?? 0)
    return { label, score: score + bonus, tieKey, segment, ordinal, plainScore: score }
  })
  const head = hits.splice(0, bonuses.length).sort(byScore)
  return hits.length === 0 ? head : head.concat(hits)
}

/** Computed synchronously, so one buffer suffices. */
const room = new PlaceRoom()

/** Adds the bonuses of chunks, given by keys that ascend by segment and ordinal and contain the rank of each. */
const addBonuses = (
  bonuses: Float64Array,
  keys: Float64Array,
  views: ReadonlyArray<SegmentView>,
  pairs: ReadonlyArray<TermPair>
): void => {
  const wanted = new Set(pairs.flatMap(({ first, second }) => [first, second]))
  const starts: Array<number> = []
  for (let from = 0; from < keys.length; ) {
    const segment = Math.floor((keys[from] ?? 0) / (ordinalBase * placeBase))
    const places: Array<number> = []
    const ordinals: Array<number> = []
    for (; from < keys.length; from++) {
      const key = (keys[from] ?? 0) - segment * ordinalBase * placeBase
      if (key >= ordinalBase * placeBase) break
      places.push(key % placeBase)
      ordinals.push(Math.floor(key / placeBase))
    }
    const { lists } = views[segment] ?? { lists: [] }
    room.clear()
    for (const term of wanted) {
      const list = lists[term] ?? null
      starts[term] = list === null ? -1 : room.collect(list, ordinals)
    }
    for (const { first, second, times, weight } of pairs) {
      const [x, y] = [starts[first] ?? -1, starts[second] ?? -1]
      if (x < 0 || y < 0) continue
      for (let i = 0; i < places.length; i++) {
        const bonus = closeness(room, x + i, y + i)
        const place = places[i] ?? 0
        if (bonus > 0) bonuses[place] = (bonuses[place] ?? 0) + times * weight * bonus
      }
    }
  }
}

/** Two neighbouring terms, by their index in the query's list of terms. */
export interface TermPair {
  readonly first: number
  readonly second: number
  /** Number of occurrences in the query. */
  readonly times: number
  /** The smaller idf of the two. */
  readonly weight: number
}

/** Returns the distinct pairs of neighbours in a query. */
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

/** Returns the closeness of two terms in one chunk, whose positions start at these offsets. */
const closeness = ({ positions, starts }: PlaceRoom, x: number, y: number): number => {
  const xFrom = starts[x] ?? 0
  const xTo = starts[x + 1] ?? 0
  const yFrom = starts[y] ?? 0
  const yTo = starts[y + 1] ?? 0
  if (xFrom === xTo || yFrom === yTo) return 0
  let following = 0
  let near = 0
  let from = yFrom
  let to = yFrom
  // Positions ascend, so the window over y only moves forward.
  for (let i = xFrom; i < xTo; i++) {
    const place = positions[i] ?? 0
    while (from < yTo && (positions[from] ?? 0) < place - windowWords) from += 1
    if (to < from) to = from
    while (to < yTo && (positions[to] ?? 0) <= place + windowWords) to += 1
    near += to - from
    for (let j = from; j < to; j++) if (positions[j] === place + 1) following += 1
  }
  return near === 0 ? 0 : share * ((2 * following) / (following + saturation) + near / (near + saturation))
}
