import { compile, type Memory, newMemory, over, pageBytes, pagesMax, type Score } from "./assembler.js"
import { dot } from "./flat.js"
import { scoringModule } from "./scoring-module.js"

/** Numbers that are multiplied at a time, of two bytes each: each vector has room for a multiple of them. */
const atATime = 16
const cellBytes = 2
/** Of the place of a vector, and of the sum that comes in its stead. */
const placeBytes = 4
/** Vectors that are scored with one call: they are near together, when the first is multiplied. */
const scoredMax = 64
/** Of a line of memory, as processors fetch it. */
const lineBytes = 64
/**
 * Steps between 0 and the largest number of a vector. Vectors as they are stored have a sixteenth of them
 * (`stored-vector.ts`), and so are held as they are.
 */
const steps = 2047 * 16
/** Those of a query: the sum of four products of such numbers is within what four bytes hold. */
const querySteps = 16_383

/**
 * Vectors in one piece of memory, two bytes a number, and their inner products with a query, by the vector instructions
 * of the processor: JavaScript reaches them through WebAssembly alone.
 */
export class Scoring {
  readonly #rows: Int16Array
  readonly #rowBytes: number
  readonly #firstRow: number
  /** The length of a step, by slot. */
  readonly #stepOf: Float32Array
  readonly #query: Int16Array
  #queryStep = 0
  /** Where the vectors to be scored stand; afterwards, in their places, the sums. */
  readonly #places: Uint32Array
  readonly #sums: Float32Array
  readonly #score: Score
  /** Null once it was released: who still scores then writes nothing into what is another's memory by now. */
  #memory: Memory | null

  private constructor(memory: Memory, score: Score, count: number, rowBytes: number) {
    this.#memory = memory
    const { buffer } = memory
    const firstRow = firstRowOf(rowBytes)
    this.#query = new Int16Array(buffer, 0, rowBytes / cellBytes)
    this.#places = new Uint32Array(buffer, rowBytes, scoredMax)
    this.#sums = new Float32Array(buffer, rowBytes, scoredMax)
    this.#rows = new Int16Array(buffer, firstRow, (count * rowBytes) / cellBytes)
    this.#stepOf = new Float32Array(count)
    this.#firstRow = firstRow
    this.#rowBytes = rowBytes
    this.#score = score
  }

  /** Room for so many vectors, all zero; null where this machine has no such memory or no such instructions. */
  static room(count: number, dimensions: number): Scoring | null {
    const rowBytes = Math.ceil(dimensions / atATime) * atATime * cellBytes
    const pages = Math.ceil((firstRowOf(rowBytes) + count * rowBytes) / pageBytes)
    if (pages > pagesMax) return null
    try {
      const memory = memoryOf(pages)
      compiled ??= compile(scoringModule(atATime * cellBytes, lineBytes))
      return new Scoring(memory, over(compiled, memory), count, rowBytes)
    } catch {
      return null
    }
  }

  put(slot: number, vector: Float32Array): void {
    this.#stepOf[slot] = quantise(this.#rows, this.#cellOf(slot), vector, steps)
  }

  /** What the next scores are of. */
  ask(query: Float32Array): void {
    if (this.#memory === null) return
    this.#queryStep = quantise(this.#query, 0, query, querySteps)
  }

  /** Scores the first `count` of some slots, in their order, into `scores`: within a ten-thousandth of the true ones. */
  score(slots: Int32Array, count: number, scores: Float64Array): void {
    if (this.#memory === null) {
      scores.fill(0, 0, count)
      return
    }
    const [places, sums, steps] = [this.#places, this.#sums, this.#stepOf]
    for (let from = 0; from < count; from += scoredMax) {
      const size = Math.min(scoredMax, count - from)
      for (let i = 0; i < size; i += 1) places[i] = this.#firstRow + (slots[from + i] ?? 0) * this.#rowBytes
      this.#score(this.#rowBytes, this.#rowBytes + size * placeBytes)
      for (let i = 0; i < size; i += 1)
        scores[from + i] = (sums[i] ?? 0) * (steps[slots[from + i] ?? 0] ?? 0) * this.#queryStep
    }
  }

  /** The score of a slot as exact search has it. */
  exact(query: Float32Array, slot: number): number {
    return dot(query, this.#rows, this.#cellOf(slot)) * (this.#stepOf[slot] ?? 0)
  }

  /** What is scored from now on counts for nothing: the next one may have the room. */
  release(): void {
    if (this.#memory !== null) spare = new WeakRef(this.#memory)
    this.#memory = null
  }

  #cellOf(slot: number): number {
    return (slot * this.#rowBytes) / cellBytes
  }
}

/** Vectors begin where a line of memory does, behind the query and the places. */
const firstRowOf = (rowBytes: number): number =>
  Math.ceil((rowBytes + scoredMax * placeBytes) / lineBytes) * lineBytes

/** Writes a vector down in steps; gives the length of a step. Thrice as quick as with `Math.round` and `Math.max`. */
const quantise = (cells: Int16Array, from: number, vector: Float32Array, steps: number): number => {
  let largest = 0
  for (let i = 0; i < vector.length; i += 1) {
    const size = Math.abs(vector[i] ?? 0)
    if (size > largest) largest = size
  }
  const perNumber = largest > 0 ? steps / largest : 0
  for (let i = 0; i < vector.length; i += 1) cells[from + i] = Math.floor((vector[i] ?? 0) * perNumber + 0.5)
  return largest / steps
}

let compiled: object | undefined

/**
 * What was released last, until the collector takes it. It does so late: where graphs follow on each other and little
 * else is made, five of them were in memory at once.
 */
let spare: WeakRef<Memory> | null = null

/** Memory of so many pages, all zero. */
const memoryOf = (pages: number): Memory => {
  const memory = spare?.deref()
  spare = null
  const there = memory === undefined ? 0 : memory.buffer.byteLength / pageBytes
  // One that is much larger would be held for nothing.
  if (memory === undefined || there > 2 * pages) return newMemory(pages)
  new Uint8Array(memory.buffer).fill(0)
  if (there < pages) memory.grow(pages - there)
  return memory
}
