import type { QueryTerm } from "../../language/tokenization/index.js"
import {
  type CorpusStatistics,
  isDead,
  lowerBound,
  type OpenList,
  type SegmentView
} from "../segments/index.js"
import { floorOf, type RankedChunk, TopK } from "./top-k.js"

/** Term saturation and length normalisation, with Lucene's values. */
const bm25Defaults: Bm25Parameters = { k1: 1.2, b: 0.75 }

export interface Bm25Parameters {
  readonly k1: number
  readonly b: number
}

/** Inverse document frequency: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative. */
export const idf = (chunkCount: number, holding: number): number =>
  Math.log(1 + (chunkCount - holding + 0.5) / (holding + 0.5))

/** Compares by score, best first; equal scores by tie key, then label. */
export const byScore = (
  a: Pick<RankedChunk, "label" | "score" | "tieKey">,
  b: Pick<RankedChunk, "label" | "score" | "tieKey">
): number => b.score - a.score || a.tieKey - b.tieKey || a.label - b.label

/**
 * Returns the `limit` live chunks with the highest BM25 score, best first, equal scores by tie key, then label; fewer
 * when fewer hold a term. The score is the sum over the query's terms of count * idf * tf / (tf + k1 (1 - b + b *
 * length / averageLength)). Sums run from the heaviest term to the lightest, terms of equal weight in query order, so
 * a score depends only on the live chunks, to the last bit, and not on the segments. With `allow`, other labels are
 * skipped, but frequencies still count them.
 * Exact without reading every posting: once `limit` chunks score more than the remaining terms could give to a chunk
 * with none of the others (maxscore: Turtle and Flood, 1995), those terms are only looked up for chunks that were
 * already scored and can still qualify.
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
  if (options.limit < 1) return []
  const { b, k1 } = options.parameters ?? bm25Defaults
  const base = k1 * (1 - b)
  const slope = statistics.averageLength > 0 ? (k1 * b) / statistics.averageLength : 0
  const ordered = terms
    .map(({ count }, term) => ({ term, weight: (weights[term] ?? 0) * count }))
    .filter(({ weight }) => weight > 0)
    .sort((x, y) => y.weight - x.weight || x.term - y.term)
  const best = new TopK(options.limit)
  views.forEach((view, segment) => {
    const scorer = new Scorer(view, ordered, base, slope, options.limit, options.allow)
    scorer.run(best.least)
    scorer.offer(best, segment)
  })
  return best.take()
}

interface Weighted {
  /** Index in the query's list of terms. */
  readonly term: number
  readonly weight: number
}

/** Buffers for the scores of one segment, zero between uses. Scoring is synchronous, so one set suffices. */
let room = { scores: new Float64Array(0), gathered: new Float64Array(0), touched: new Int32Array(0) }

const scratchFor = (size: number): typeof room => {
  if (room.scores.length < size) {
    const larger = Math.max(size, room.scores.length * 2, 1024)
    room = {
      scores: new Float64Array(larger),
      gathered: new Float64Array(larger),
      touched: new Int32Array(larger)
    }
  }
  return room
}

/** Tolerance of bounds, which are sums of rounded numbers. */
const slack = 1 + 1e-9
/** Cost of a look-up, in skipped postings. */
const lookupCost = 12

/** Scores the chunks of one segment. */
class Scorer {
  /** Number of scored chunks, which are the first entries of `touched`. */
  #met = 0
  readonly #scores: Float64Array
  readonly #touched: Int32Array

  constructor(
    readonly view: SegmentView,
    readonly terms: ReadonlyArray<Weighted>,
    readonly base: number,
    readonly slope: number,
    readonly limit: number,
    readonly allow: ReadonlySet<number> | undefined
  ) {
    const { scores, touched } = scratchFor(view.directory.labels.length)
    this.#scores = scores
    this.#touched = touched
  }

  /** Scores all chunks of this segment that can reach `least` and be among the best. */
  run(least: number): void {
    const lists = this.terms.flatMap(({ term, weight }) => {
      const list = this.view.lists[term] ?? null
      if (list === null) return []
      return [{ list, weight, bound: (weight * list.occurrencesMax) / (list.occurrencesMax + this.base) }]
    })
    let left = lists.reduce((sum, { bound }) => sum + bound, 0) * slack
    let floor = least
    let isClosed = false
    for (const { bound, list, weight } of lists) {
      const size = list.ordinals.length
      if (!isClosed && this.#met >= this.limit && size >= this.#met) floor = Math.max(floor, this.#floor())
      if (left < floor) {
        this.#drop(floor - left)
        isClosed = true
      }
      if (!isClosed) this.#addAll(list, weight)
      else if (this.#met * lookupCost < size) this.#lookUp(list, weight)
      else this.#addMet(list, weight)
      left -= bound
    }
  }

  /** Adds the scored chunks to `best` and clears the buffers. */
  offer(best: TopK, segment: number): void {
    const { labels, tieKeys } = this.view.directory
    const [scores, touched] = [this.#scores, this.#touched]
    const least = Math.max(best.least, this.#met > 2 * this.limit ? this.#floor() : 0)
    for (let i = 0; i < this.#met; i++) {
      const ordinal = touched[i] ?? 0
      const score = scores[ordinal] ?? 0
      scores[ordinal] = 0
      if (score < least || !this.#counts(ordinal)) continue
      best.add(score, tieKeys[ordinal] ?? 0, labels[ordinal] ?? 0, segment, ordinal)
    }
    best.settle()
  }

  /** Whether a chunk is live and allowed. */
  #counts(ordinal: number): boolean {
    const { dead, directory } = this.view
    if (dead.count > 0 && isDead(dead, ordinal)) return false
    return this.allow === undefined || this.allow.has(directory.labels[ordinal] ?? 0)
  }

  /** Returns a score that at least `limit` of the scored chunks reach, close to the largest such score. */
  #floor(): number {
    const [scores, touched] = [this.#scores, this.#touched]
    const isPlain = this.view.dead.count === 0 && this.allow === undefined
    for (let i = 0; i < this.#met; i++) {
      const ordinal = touched[i] ?? 0
      room.gathered[i] = isPlain || this.#counts(ordinal) ? (scores[ordinal] ?? 0) : 0
    }
    return floorOf(this.limit, room.gathered, this.#met)
  }

  /** Drops the chunks with a lower score. */
  #drop(least: number): void {
    const [scores, touched] = [this.#scores, this.#touched]
    let kept = 0
    for (let i = 0; i < this.#met; i++) {
      const ordinal = touched[i] ?? 0
      if ((scores[ordinal] ?? 0) * slack < least) scores[ordinal] = 0
      else touched[kept++] = ordinal
    }
    this.#met = kept
  }

  /** Adds one term's contribution to the scores of all chunks of its list. */
  #addAll({ occurrences, ordinals }: OpenList, weight: number): void {
    const [scores, touched, base, slope] = [this.#scores, this.#touched, this.base, this.slope]
    const { lengths } = this.view.directory
    let met = this.#met
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i] ?? 0
      const often = occurrences[i] ?? 0
      const score = scores[ordinal] ?? 0
      if (score === 0) touched[met++] = ordinal
      scores[ordinal] = score + (weight * often) / (often + base + slope * (lengths[ordinal] ?? 0))
    }
    this.#met = met
  }

  /** The same, for chunks that already have a score. */
  #addMet({ occurrences, ordinals }: OpenList, weight: number): void {
    const [scores, base, slope] = [this.#scores, this.base, this.slope]
    const { lengths } = this.view.directory
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i] ?? 0
      const score = scores[ordinal] ?? 0
      if (score === 0) continue
      const often = occurrences[i] ?? 0
      scores[ordinal] = score + (weight * often) / (often + base + slope * (lengths[ordinal] ?? 0))
    }
  }

  /** The same, by look-up: faster when these chunks are few compared with the list. */
  #lookUp({ occurrences, ordinals }: OpenList, weight: number): void {
    const [scores, touched, base, slope] = [this.#scores, this.#touched, this.base, this.slope]
    const { lengths } = this.view.directory
    for (let i = 0; i < this.#met; i++) {
      const ordinal = touched[i] ?? 0
      const place = lowerBound(ordinals, ordinal, 0, ordinals.length)
      if (ordinals[place] !== ordinal) continue
      const often = occurrences[place] ?? 0
      scores[ordinal] =
        (scores[ordinal] ?? 0) + (weight * often) / (often + base + slope * (lengths[ordinal] ?? 0))
    }
  }
}
