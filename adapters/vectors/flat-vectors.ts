import type { ScoredLabel } from "../../core/search/vectors/index.js"
import { TopK } from "./top-k.js"

/** How far the squared length of a vector may be from one. */
const unitTolerance = 1e-3

/** Throws unless the vector is a finite unit vector of the given length. */
export const checkVector = (vector: Float32Array, dimensions: number): void => {
  if (vector.length !== dimensions) {
    throw new RangeError(`A vector of ${vector.length} numbers in an index of ${dimensions}.`)
  }
  let square = 0
  for (const value of vector) square += value * value
  if (!(Math.abs(square - 1) <= unitTolerance)) {
    throw new RangeError(`Expected a finite unit vector; its squared length is ${square}.`)
  }
}

/** Vectors per block. Growing by blocks copies nothing and wastes at most one block. */
const blockSize = 256

/** Vectors in typed arrays with exact brute-force search. */
export class FlatVectors {
  readonly dimensions: number
  readonly #labels: Array<number> = []
  readonly #blocks: Array<Float32Array> = []
  readonly #places = new Map<number, number>()

  constructor(dimensions: number) {
    this.dimensions = dimensions
  }

  get count(): number {
    return this.#labels.length
  }

  /** The vector of a label as a view that is valid until the next change; null when there is none. */
  get(label: number): Float32Array | null {
    const place = this.#places.get(label)
    if (place === undefined) return null
    const from = this.#offset(place)
    return this.#blockOf(place).subarray(from, from + this.dimensions)
  }

  /** Stores a checked vector, replacing an earlier one of the label. */
  put(label: number, vector: Float32Array): void {
    let place = this.#places.get(label)
    if (place === undefined) {
      place = this.#labels.length
      this.#labels.push(label)
      this.#places.set(label, place)
    }
    this.#blockOf(place).set(vector, this.#offset(place))
  }

  /** Removes a label; the last vector moves into its place. */
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

  /** Returns the nearest by inner product, of all labels or of the allowed ones. */
  search(query: Float32Array, limit: number, allow?: ReadonlySet<number>): ReadonlyArray<ScoredLabel> {
    const top = new TopK(limit)
    for (const _ of this.scan(top, query, this.count, allow)) {
      // One slice holds all vectors.
    }
    return top.sorted()
  }

  /** Adds scores to `top` and yields after each `slice` vectors. Changes made in between may be missed. */
  *scan(top: TopK, query: Float32Array, slice: number, allow?: ReadonlySet<number>): Generator<void> {
    let left = slice
    for (const label of allow !== undefined && allow.size < this.count ? allow : this.#places.keys()) {
      const place = this.#places.get(label)
      if (place === undefined || allow?.has(label) === false) continue
      const score = dotProduct(query, this.#blockOf(place), this.#offset(place))
      if (score >= top.bar) top.add(label, score)
      left -= 1
      if (left > 0) continue
      yield
      left = slice
    }
  }

  #offset(place: number): number {
    return (place % blockSize) * this.dimensions
  }

  #blockOf(place: number): Float32Array {
    return this.#blocks[Math.floor(place / blockSize)] ?? this.#addBlock()
  }

  #addBlock(): Float32Array {
    const block = new Float32Array(blockSize * this.dimensions)
    this.#blocks.push(block)
    return block
  }
}

/**
 * Returns the inner product of a query and the cells from an offset. Uses four sums, so that additions do not wait for
 * each other.
 */
export const dotProduct = (query: Float32Array, cells: Float32Array, from: number): number => {
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
