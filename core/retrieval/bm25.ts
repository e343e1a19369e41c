import type { QueryTerm } from "./analyse-query.js"
import { ByteReader } from "./bytes.js"
import { type DeadSet, isDead } from "./dead-set.js"
import type { PostingList, SegmentDirectory } from "./segment.js"

/** Saturation of repeated terms and share of length normalisation, as Lucene has them. */
const bm25Defaults: Bm25Parameters = { k1: 1.2, b: 0.75 }

export interface Bm25Parameters {
  readonly k1: number
  readonly b: number
}

/** What is counted over all live chunks of a workspace. */
export interface CorpusStatistics {
  readonly chunkCount: number
  /** Mean length of a chunk in analysed words. */
  readonly averageLength: number
}

/** A segment with the posting lists of the query's terms, in their order; null where it has none. */
export interface SegmentView {
  readonly directory: SegmentDirectory
  readonly dead: DeadSet
  readonly lists: ReadonlyArray<PostingList | null>
}

export interface RankedChunk {
  readonly label: number
  readonly score: number
  readonly tieKey: number
  /** Where it was found: index of its segment in the list of views, and its number in it. */
  readonly segment: number
  readonly ordinal: number
}

/** Inverse document frequency: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative. */
export const idf = (chunkCount: number, holding: number): number =>
  Math.log(1 + (chunkCount - holding + 0.5) / (holding + 0.5))

/** Best first; equal scores by tie key, then label. */
export const byScore = (
  a: Pick<RankedChunk, "label" | "score" | "tieKey">,
  b: Pick<RankedChunk, "label" | "score" | "tieKey">
): number => b.score - a.score || a.tieKey - b.tieKey || a.label - b.label

/** In how many live chunks each term stands. */
export const liveFrequencies = (views: ReadonlyArray<SegmentView>, terms: number): ReadonlyArray<number> =>
  Array.from({ length: terms }, (_, term) =>
    views.reduce((sum, { dead, lists }) => {
      const list = lists[term] ?? null
      if (list === null) return sum
      return sum + list.chunkCount - (dead.count === 0 ? 0 : deadIn(list, dead))
    }, 0)
  )

/**
 * The chunks that score highest by BM25 (Robertson and Zaragoza 2009, without the constant factor k1 + 1): the
 * sum over the query's terms of count * idf * tf / (tf + k1 (1 - b + b * length / averageLength)). Sums run in the
 * order of the terms, so a score depends on the live chunks alone, to the last bit, not on how segments lie.
 * With `allow`, other labels are passed over, but frequencies still count them.
 */
export const rankBm25 = (
  views: ReadonlyArray<SegmentView>,
  terms: ReadonlyArray<QueryTerm>,
  weights: ReadonlyArray<number>,
  statistics: CorpusStatistics,
  options: {
    readonly limit: number
    readonly allow?: ReadonlySet<number>
    readonly parameters?: Bm25Parameters
  }
): ReadonlyArray<RankedChunk> => {
  const best = new Best(options.limit)
  const { b, k1 } = options.parameters ?? bm25Defaults
  const base = k1 * (1 - b)
  const slope = statistics.averageLength > 0 ? (k1 * b) / statistics.averageLength : 0
  views.forEach(({ dead, directory, lists }, segment) => {
    const { labels, lengths, tieKeys } = directory
    const { scores, touched } = scratchFor(labels.length)
    let met = 0
    for (let i = 0; i < terms.length; i++) {
      const list = lists[i] ?? null
      const weight = (weights[i] ?? 0) * (terms[i]?.count ?? 0)
      if (list !== null && weight > 0) met = addTerm(list, lengths, weight, base, slope, scores, touched, met)
    }
    for (let i = 0; i < met; i++) {
      const ordinal = touched[i] ?? 0
      const score = scores[ordinal] ?? 0
      scores[ordinal] = 0
      if (score < best.least || (dead.count > 0 && isDead(dead, ordinal))) continue
      const label = labels[ordinal] ?? 0
      if (options.allow !== undefined && !options.allow.has(label)) continue
      best.offer({ label, score, tieKey: tieKeys[ordinal] ?? 0, segment, ordinal })
    }
  })
  return best.take()
}

/** Adds one term's part to the scores of all chunks of its list; gives how many chunks have been met so far. */
const addTerm = (
  list: PostingList,
  lengths: Int32Array,
  weight: number,
  base: number,
  slope: number,
  scores: Float64Array,
  touched: Int32Array,
  before: number
): number => {
  const { positions: end, source } = list
  let met = before
  let at = list.postings
  let ordinal = 0
  while (at < end) {
    let byte = source[at++] ?? 0
    let step = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = source[at++] ?? 0
      step |= (byte & 127) << shift
    }
    ordinal += step >>> 1
    let occurrences = 1
    if ((step & 1) === 0) {
      byte = source[at++] ?? 0
      occurrences = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = source[at++] ?? 0
        occurrences |= (byte & 127) << shift
      }
    }
    const score = scores[ordinal] ?? 0
    if (score === 0) touched[met++] = ordinal
    scores[ordinal] = score + (weight * occurrences) / (occurrences + base + slope * (lengths[ordinal] ?? 0))
  }
  return met
}

const deadIn = (list: PostingList, dead: DeadSet): number => {
  const reader = new ByteReader(list.source, list.postings)
  let ordinal = 0
  let count = 0
  while (reader.at < list.positions) {
    const step = reader.varint()
    ordinal += step >>> 1
    if ((step & 1) === 0) reader.varint()
    if (isDead(dead, ordinal)) count += 1
  }
  return count
}

/** Room for the scores of one segment, zero between uses. Scoring never waits, so one is enough for all. */
let room = { scores: new Float64Array(0), touched: new Int32Array(0) }

const scratchFor = (size: number): typeof room => {
  if (room.scores.length < size) {
    const larger = Math.max(size, room.scores.length * 2, 1024)
    room = { scores: new Float64Array(larger), touched: new Int32Array(larger) }
  }
  return room
}

/** Keeps the best of what it is offered: a binary heap whose root is the worst kept. */
class Best {
  readonly #heap: Array<RankedChunk> = []
  /** What is worse than this need not be offered. */
  least = 0

  constructor(readonly limit: number) {}

  offer(chunk: RankedChunk): void {
    const heap = this.#heap
    if (heap.length < this.limit) {
      heap.push(chunk)
      this.#up(heap.length - 1)
    } else {
      const worst = heap[0]
      if (worst === undefined || byScore(chunk, worst) >= 0) return
      heap[0] = chunk
      this.#down()
    }
    if (heap.length === this.limit) this.least = heap[0]?.score ?? 0
  }

  take(): ReadonlyArray<RankedChunk> {
    return this.#heap.sort(byScore)
  }

  #worse(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    return x !== undefined && y !== undefined && byScore(x, y) > 0
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    if (x === undefined || y === undefined) return
    this.#heap[a] = y
    this.#heap[b] = x
  }

  #up(from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#worse(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #down(): void {
    let at = 0
    for (;;) {
      let worst = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.#heap.length && this.#worse(child, worst)) worst = child
      if (worst === at) return
      this.#swap(at, worst)
      at = worst
    }
  }
}
