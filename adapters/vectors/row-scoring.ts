import { compile, newMemory, over, pageBytes, type Score } from "./assembler.js"
import { rowsModule } from "./scoring-module.js"

/** Numbers that are multiplied at a time: each vector has room for a multiple of them. */
const atATime = 8
const floatBytes = 4
/** Numbers that are copied over and multiplied with one call: 64 KB are near when they are needed. */
const copiedMax = 16_384
/** How far a sum of two floats may be from the true one, for one of about 1. */
const rounding = 2 ** -24

/** Numbers between the beginnings of two vectors that stand side by side to be scored. */
export const strideFor = (dimensions: number): number => Math.ceil(dimensions / atATime) * atATime

/**
 * Inner products of a query and vectors that stand side by side, by the vector instructions of the processor: a third of
 * the time that JavaScript needs, the copying into the memory of the instructions included.
 */
export class RowScoring {
  /**
   * How far the score of two unit vectors may be from the true one: each sum that a number goes through adds an error of
   * rounding (Higham, Accuracy and Stability of Numerical Algorithms, 3.1), with room for vectors that are longer by a
   * thousandth.
   */
  readonly tolerance: number
  readonly #stride: number
  readonly #rowsMax: number
  readonly #query: Float32Array
  readonly #rows: Float32Array
  readonly #score: Score

  private constructor(stride: number, { buffer, score }: Place) {
    this.tolerance = (stride / atATime + 8) * rounding
    this.#stride = stride
    this.#rowsMax = rowsMaxFor(stride)
    this.#query = new Float32Array(buffer, 0, stride)
    this.#rows = new Float32Array(buffer, stride * floatBytes)
    this.#score = score
  }

  /** For vectors that are so far apart; null where this machine has no such memory or no such instructions. */
  static of(stride: number): RowScoring | null {
    const place = placeFor((stride + rowsMaxFor(stride) * (stride + 1)) * floatBytes)
    return place === null ? null : new RowScoring(stride, place)
  }

  /** What the next scores are of, until others have had their turn: all share one memory. */
  ask(query: Float32Array): void {
    this.#query.set(query)
    this.#query.fill(0, query.length)
  }

  /** Scores the first `count` vectors in some cells into `scores`, from a place on. */
  score(cells: Float32Array, count: number, scores: Float32Array, from: number): void {
    const stride = this.#stride
    for (let first = 0; first < count; first += this.#rowsMax) {
      const rows = Math.min(this.#rowsMax, count - first)
      this.#rows.set(cells.subarray(first * stride, (first + rows) * stride))
      this.#score(stride * floatBytes, (rows + 1) * stride * floatBytes)
      scores.set(this.#rows.subarray(rows * stride, rows * (stride + 1)), from + first)
    }
  }
}

const rowsMaxFor = (stride: number): number => Math.max(1, Math.floor(copiedMax / stride))

interface Place {
  readonly buffer: ArrayBuffer
  readonly score: Score
}

/** One for all, as V8 gives a process some thirty memories; null where there is none. */
let place: Place | null | undefined

const placeFor = (bytes: number): Place | null => {
  if (place === null || (place !== undefined && place.buffer.byteLength >= bytes)) return place
  try {
    const memory = newMemory(Math.ceil(bytes / pageBytes))
    place = { buffer: memory.buffer, score: over(compile(rowsModule(atATime * floatBytes)), memory) }
  } catch {
    place = null
  }
  return place
}
