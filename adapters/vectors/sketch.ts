import { dot } from "./flat.js"
import { dead, type Lookup } from "./packed-graph.js"
import type { Top } from "./top.js"

/** Steps between 0 and 1 of a number: as many as two bytes with a sign have. */
const steps = 32_767

/** Vectors scored before others have their turn. */
const sliceVectors = 4096

/** Vectors looked up at a time. */
const lookedUp = 1024

/**
 * The vectors of a graph, two bytes a number, for searches that a filter leaves few of: a graph can only over-fetch
 * for them. Scores are within a hundred-thousandth of the true ones. Made when the first such search comes.
 */
export class Sketch {
  readonly #labels: Int32Array
  readonly #cells: Int16Array
  readonly #dimensions: number
  /** Slots by label; dead ones are left out. */
  readonly #slots: ReadonlyMap<number, number>

  private constructor(labels: Int32Array, cells: Int16Array, dimensions: number) {
    this.#labels = labels
    this.#cells = cells
    this.#dimensions = dimensions
    const slots = new Map<number, number>()
    labels.forEach((label, slot) => {
      if (label !== dead) slots.set(label, slot)
    })
    this.#slots = slots
  }

  /** Looks up the vectors of a graph. One that is gone scores nothing: the feed tells that it no longer counts. */
  static async of(labels: Int32Array, dimensions: number, lookup: Lookup): Promise<Sketch> {
    const cells = new Int16Array(labels.length * dimensions)
    for (let first = 0; first < labels.length; first += lookedUp) {
      const slots = labels.subarray(first, first + lookedUp)
      const vectors = await lookup(Array.from(slots).filter((label) => label !== dead))
      slots.forEach((label, place) => {
        quantise(cells, (first + place) * dimensions, vectors.get(label))
      })
    }
    return new Sketch(labels, cells, dimensions)
  }

  /** Fills `top` with the allowed labels that are not hidden; stops for a moment after each slice. */
  *scan(
    top: Top,
    query: Float32Array,
    allow: ReadonlySet<number> | undefined,
    hidden: ReadonlySet<number>
  ): Generator<void> {
    let left = sliceVectors
    const wanted = allow !== undefined && allow.size < this.#slots.size ? allow : this.#slots.keys()
    for (const label of wanted) {
      const slot = this.#slots.get(label)
      if (slot === undefined || hidden.has(label) || allow?.has(label) === false) continue
      const score = dot(query, this.#cells, slot * this.#dimensions) / steps
      if (score >= top.bar) top.add(this.#labels[slot] ?? 0, score)
      if (--left === 0) {
        yield
        left = sliceVectors
      }
    }
  }
}

const quantise = (cells: Int16Array, from: number, vector: Float32Array = new Float32Array()): void => {
  for (let i = 0; i < vector.length; i += 1) cells[from + i] = Math.round((vector[i] ?? 0) * steps)
}
