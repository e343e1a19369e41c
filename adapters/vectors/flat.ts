import type { ScoredLabel } from "../../core/retrieval/index.js"
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

/** Vectors side by side in one array, searched from end to end: exact, and the oracle for what is not. */
export class FlatVectors {
  readonly dimensions: number
  #labels: Int32Array
  #cells: Float32Array
  #count = 0
  readonly #places = new Map<number, number>()

  constructor(dimensions: number, capacity = 64) {
    this.dimensions = dimensions
    this.#labels = new Int32Array(capacity)
    this.#cells = new Float32Array(capacity * dimensions)
  }

  get count(): number {
    return this.#count
  }

  labels(): Int32Array {
    return this.#labels.subarray(0, this.#count)
  }

  cells(): Float32Array {
    return this.#cells.subarray(0, this.#count * this.dimensions)
  }

  /** The vector of a label, valid until the next change. */
  get(label: number): Float32Array | undefined {
    const place = this.#places.get(label)
    return place === undefined ? undefined : this.#at(place)
  }

  /** Stores a checked vector, in the place of an earlier one of the label. */
  put(label: number, vector: Float32Array): void {
    let place = this.#places.get(label)
    if (place === undefined) {
      place = this.#count
      if (place === this.#labels.length) this.#grow()
      this.#labels[place] = label
      this.#places.set(label, place)
      this.#count += 1
    }
    this.#cells.set(vector, place * this.dimensions)
  }

  /** Removes a label; the last one takes its place. */
  remove(label: number): void {
    const place = this.#places.get(label)
    if (place === undefined) return
    const last = this.#count - 1
    if (place !== last) {
      const moved = this.#labels[last] ?? 0
      this.#cells.copyWithin(place * this.dimensions, last * this.dimensions, (last + 1) * this.dimensions)
      this.#labels[place] = moved
      this.#places.set(moved, place)
    }
    this.#places.delete(label)
    this.#count = last
  }

  /** The nearest by inner product: all of them, or the allowed ones. */
  search(query: Float32Array, limit: number, allow?: ReadonlySet<number>): ReadonlyArray<ScoredLabel> {
    const top = new Top(limit)
    if (allow !== undefined && allow.size < this.#count) {
      for (const label of allow) {
        const place = this.#places.get(label)
        if (place !== undefined) this.#score(top, query, place)
      }
    } else {
      for (let place = 0; place < this.#count; place += 1) {
        if (allow === undefined || allow.has(this.#labels[place] ?? 0)) this.#score(top, query, place)
      }
    }
    return top.sorted()
  }

  /** The inner product with the vector of a label; 0 when it is not there. */
  score(query: Float32Array, label: number): number {
    const place = this.#places.get(label)
    return place === undefined ? 0 : this.#dot(query, place * this.dimensions)
  }

  #score(top: Top, query: Float32Array, place: number): void {
    const score = this.#dot(query, place * this.dimensions)
    if (score >= top.bar) top.add(this.#labels[place] ?? 0, score)
  }

  /** Four sums at a time: the processor need not wait for each addition. */
  #dot(query: Float32Array, from: number): number {
    const cells = this.#cells
    const whole = this.dimensions - (this.dimensions % 4)
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
    for (let i = whole; i < this.dimensions; i += 1) a += (query[i] ?? 0) * (cells[from + i] ?? 0)
    return a + b + (c + d)
  }

  #at(place: number): Float32Array {
    return this.#cells.subarray(place * this.dimensions, (place + 1) * this.dimensions)
  }

  #grow(): void {
    const capacity = Math.ceil(this.#labels.length * 1.5)
    const labels = new Int32Array(capacity)
    labels.set(this.#labels)
    const cells = new Float32Array(capacity * this.dimensions)
    cells.set(this.#cells)
    this.#labels = labels
    this.#cells = cells
  }
}
