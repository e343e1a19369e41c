export interface RankedChunk {
  readonly label: number
  readonly score: number
  readonly tieKey: number
  /** Segment index in the list of views, and ordinal in that segment. */
  readonly segment: number
  readonly ordinal: number
}

const buckets = 512
/** Histogram of scores, all zero between uses. */
const counts = new Int32Array(buckets)

/**
 * Returns a number that at least `limit` of the first `size` scores reach, close to the largest such number, by a
 * histogram. Scores of 0 do not count; 0 when there are too few.
 */
export const floorOf = (limit: number, scores: Float64Array, size: number): number => {
  if (size < limit) return 0
  let most = 0
  for (let i = 0; i < size; i++) {
    const score = scores[i] ?? 0
    if (score > most) most = score
  }
  if (most === 0) return 0
  counts.fill(0)
  const scale = (buckets - 1) / most
  for (let i = 0; i < size; i++) {
    const bucket = ((scores[i] ?? 0) * scale) | 0
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  let reached = 0
  for (let bucket = buckets - 1; bucket > 0; bucket--) {
    reached += counts[bucket] ?? 0
    // Slightly lowered, so that rounding cannot put the bound above a score of its bucket.
    if (reached >= limit) return (bucket / scale) * (1 - 1e-9)
  }
  return 0
}

/** Reused buffers: ranking is synchronous. */
const columns = {
  scores: new Float64Array(1024),
  tieKeys: new Uint32Array(1024),
  labels: new Int32Array(1024),
  segments: new Int32Array(1024),
  ordinals: new Int32Array(1024),
  order: new Int32Array(1024),
  spare: new Int32Array(1024)
}

/** Keeps the best rows: collects more than it needs and drops the worse ones from time to time. */
export class TopK {
  #size = 0
  /** Rows below this score need not be added. */
  least = 0

  constructor(readonly limit: number) {}

  add(score: number, tieKey: number, label: number, segment: number, ordinal: number): void {
    const row = this.#size
    if (row === columns.scores.length) enlarge()
    columns.scores[row] = score
    columns.tieKeys[row] = tieKey
    columns.labels[row] = label
    columns.segments[row] = segment
    columns.ordinals[row] = ordinal
    this.#size = row + 1
  }

  /** Drops rows that are not among the best, once there are many. */
  settle(): void {
    if (this.#size < 2 * this.limit) return
    const { labels, ordinals, scores, segments, tieKeys } = columns
    this.least = Math.max(this.least, floorOf(this.limit, scores, this.#size))
    let kept = 0
    for (let row = 0; row < this.#size; row++) {
      const score = scores[row] ?? 0
      if (score < this.least) continue
      scores[kept] = score
      tieKeys[kept] = tieKeys[row] ?? 0
      labels[kept] = labels[row] ?? 0
      segments[kept] = segments[row] ?? 0
      ordinals[kept] = ordinals[row] ?? 0
      kept += 1
    }
    this.#size = kept
  }

  /** Best first. */
  take(): ReadonlyArray<RankedChunk> {
    const rows = sortRows(this.#size)
    const { labels, ordinals, scores, segments, tieKeys } = columns
    const ranked: Array<RankedChunk> = []
    for (let i = 0; i < Math.min(this.limit, this.#size); i++) {
      const row = rows[i] ?? 0
      ranked.push({
        label: labels[row] ?? 0,
        score: scores[row] ?? 0,
        tieKey: tieKeys[row] ?? 0,
        segment: segments[row] ?? 0,
        ordinal: ordinals[row] ?? 0
      })
    }
    return ranked
  }
}

const enlarge = (): void => {
  const size = columns.scores.length * 2
  const larger = <Column extends { set: (from: Column) => void }>(before: Column, after: Column): Column => {
    after.set(before)
    return after
  }
  columns.scores = larger(columns.scores, new Float64Array(size))
  columns.tieKeys = larger(columns.tieKeys, new Uint32Array(size))
  columns.labels = larger(columns.labels, new Int32Array(size))
  columns.segments = larger(columns.segments, new Int32Array(size))
  columns.ordinals = larger(columns.ordinals, new Int32Array(size))
  columns.order = new Int32Array(size)
  columns.spare = new Int32Array(size)
}

/** Whether a row ranks before another. The order is total, because labels differ. */
const isBefore = (a: number, b: number): boolean => {
  const difference = (columns.scores[a] ?? 0) - (columns.scores[b] ?? 0)
  if (difference !== 0) return difference > 0
  const ties = (columns.tieKeys[a] ?? 0) - (columns.tieKeys[b] ?? 0)
  return ties !== 0 ? ties < 0 : (columns.labels[a] ?? 0) < (columns.labels[b] ?? 0)
}

/** Returns the rows in rank order: a merge sort without a call or an object per comparison. */
const sortRows = (size: number): Int32Array => {
  let from = columns.order
  let into = columns.spare
  for (let row = 0; row < size; row++) from[row] = row
  for (let width = 1; width < size; width *= 2) {
    for (let start = 0; start < size; start += 2 * width) {
      const middle = Math.min(start + width, size)
      const end = Math.min(start + 2 * width, size)
      let left = start
      let right = middle
      for (let at = start; at < end; at++) {
        const isLeft = left < middle && (right >= end || isBefore(from[left] ?? 0, from[right] ?? 0))
        into[at] = (isLeft ? from[left++] : from[right++]) ?? 0
      }
    }
    const swapped = from
    from = into
    into = swapped
  }
  return from
}
