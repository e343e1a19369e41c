import type { ScoredLabel } from "../../core/vectors/index.js"
import { RowScoring, strideFor } from "./row-scoring.js"
import { Top } from "./top.js"

/** How far the squared length of a vector may be from one. */
const unitTolerance = 1e-3

/** Refuses what is not a finite unit vector of the given length. */
export const checkVector = (vector: Float32Array, dimensions: number): void => {
  if (vector.length !== dimensions) {
    throw new RangeError(`A vector of ${vector.length} numbers in an index of ${dimensions}.`)
  }
  let square = 0
  for (const value of vector) square += value * value
  if (!(Math.abs(square - 1) <= unitTolerance)) {
    throw new RangeError(`An index takes finite unit vectors; the squared length of this one is ${square}.`)
  }
}

/** Vectors of one block: growing by blocks never copies what is there, and wastes a block at most. */
const blockSize = 256

/** Where a filter lets less than this share through, scoring each allowed vector by itself is quicker than scoring all. */
const singlyShare = 1 / 4

/** Vectors side by side, searched from end to end: exact, and the oracle for what is not. */
export class FlatVectors {
  readonly dimensions: number
  readonly #stride: number
  readonly #labels: Array<number> = []
  readonly #blocks: Array<Float32Array> = []
  readonly #places = new Map<number, number>()

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#stride = strideFor(dimensions)
  }

  get count(): number {
    return this.#labels.length
  }

  has(label: number): boolean {
    return this.#places.has(label)
  }

  /** The vector of a label, where it stands until the next change; null when there is none. */
  get(label: number): Float32Array | null {
    const place = this.#places.get(label)
    if (place === undefined) return null
    const from = this.#offset(place)
    return this.#blockOf(place).subarray(from, from + this.dimensions)
  }

  /** Stores a checked vector, in the place of an earlier one of the label. */
  put(label: number, vector: Float32Array): void {
    let place = this.#places.get(label)
    if (place === undefined) {
      place = this.#labels.length
      this.#labels.push(label)
      this.#places.set(label, place)
      if (place === this.#blocks.length * blockSize) this.#addBlock()
    }
    this.#blockOf(place).set(vector, this.#offset(place))
  }

  /** Removes a label; the last one takes its place. */
  remove(label: number): void {
    const place = this.#places.get(label)
    if (place === undefined) return
    const last = this.#labels.length - 1
    if (place !== last) {
      const moved = this.#labels[last] ?? 0
      const from = this.#offset(last)
      const vector = this.#blockOf(last).subarray(from, from + this.dimensions)
      this.#blockOf(place).set(vector, this.#offset(place))
      this.#labels[place] = moved
      this.#places.set(moved, place)
    }
    this.#labels.length = last
    this.#places.delete(label)
    if (last <= (this.#blocks.length - 2) * blockSize) this.#blocks.length -= 1
  }

  /** The nearest by inner product: all of them, or the allowed ones. */
  search(query: Float32Array, limit: number, allow?: ReadonlySet<number>): ReadonlyArray<ScoredLabel> {
    const top = new Top(limit)
    for (const _ of this.scan(top, query, this.count, allow)) {
      // In one go.
    }
    return top.sorted()
  }

  /** Fills `top`, and stops for a moment after each `slice` vectors. What changes meanwhile may be missed. */
  *scan(top: Top, query: Float32Array, slice: number, allow?: ReadonlySet<number>): Generator<void> {
    const scoring =
      allow !== undefined && allow.size < this.count * singlyShare ? null : RowScoring.of(this.#stride)
    if (scoring === null) yield* this.#scanSingly(top, query, slice, allow)
    else yield* this.#scanRows(scoring, top, query, slice, allow)
  }

  *#scanSingly(
    top: Top,
    query: Float32Array,
    slice: number,
    allow: ReadonlySet<number> | undefined
  ): Generator<void> {
    let left = slice
    for (const label of allow !== undefined && allow.size < this.count ? allow : this.#places.keys()) {
      const place = this.#places.get(label)
      if (place === undefined || allow?.has(label) === false) continue
      this.#score(top, query, place)
      left -= 1
      if (left > 0) continue
      yield
      left = slice
    }
  }

  /** Scores all nearly, and those that may be among the best exactly. */
  *#scanRows(
    scoring: RowScoring,
    top: Top,
    query: Float32Array,
    slice: number,
    allow: ReadonlySet<number> | undefined
  ): Generator<void> {
    const nearly = new Float32Array(this.count)
    const best = new Top(top.limit)
    let left = slice
    let bar = best.bar
    scoring.ask(query)
    for (let first = 0; first < Math.min(nearly.length, this.count); first += blockSize) {
      const end = Math.min(first + blockSize, nearly.length, this.count)
      scoring.score(this.#blockOf(first), end - first, nearly, first)
      for (let place = first; place < end; place += 1) {
        const score = nearly[place] ?? 0
        if (score < bar || !this.#isAllowed(place, allow)) continue
        best.add(place, score)
        bar = best.bar
      }
      left -= blockSize
      if (left > 0) continue
      yield
      left = slice
      scoring.ask(query)
    }
    bar -= 2 * scoring.tolerance
    const end = Math.min(nearly.length, this.count)
    for (let place = 0; place < end; place += 1)
      if ((nearly[place] ?? 0) >= bar && this.#isAllowed(place, allow)) this.#score(top, query, place)
  }

  #isAllowed(place: number, allow: ReadonlySet<number> | undefined): boolean {
    return allow === undefined || allow.has(this.#labels[place] ?? 0)
  }

  #score(top: Top, query: Float32Array, place: number): void {
    const score = dot(query, this.#blockOf(place), this.#offset(place))
    if (score >= top.bar) top.add(this.#labels[place] ?? 0, score)
  }

  #offset(place: number): number {
    return (place % blockSize) * this.#stride
  }

  #blockOf(place: number): Float32Array {
    return this.#blocks[Math.floor(place / blockSize)] ?? this.#addBlock()
  }

  #addBlock(): Float32Array {
    const block = new Float32Array(blockSize * this.#stride)
    this.#blocks.push(block)
    return block
  }
}

/** Inner product of a query and what stands at an offset. Four sums at a time: no addition waits for the one before. */
export const dot = (query: Float32Array, cells: Float32Array | Int16Array, from: number): number => {
  const whole = query.length - (query.length % 4)
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let i = 0; i < whole; i += 4) {
    a += (query[i] ?? 0) * (cells[from + i] ?? 0)
    b += (query[i + 1] ?? 0) * (cells[from + i + 1] ?? 0)
    c += (query[i + 2] ?? 0) * (cells[from + i + 2] ?? 0)
    d += (query[i + 3] ?? 0) * (cells[from + i + 3] ?? 0)
  }
  for (let i = whole; i < query.length; i += 1) a += (query[i] ?? 0) * (cells[from + i] ?? 0)
  return a + b + (c + d)
}
