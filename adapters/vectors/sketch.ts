import { vectorSteps } from "../../core/vectors/index.js"
import { dot } from "./flat.js"
import { dead, type HnswGraph } from "./hnsw-graph.js"
import { packedSteps } from "./packed-graph.js"
import type { Top } from "./top.js"

/** Vectors quantised or scored before others have their turn. */
const sliceVectors = 4096

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

  /** Reads the vectors of a graph from its file; from the graph itself, slowly, where the file is gone or not packed. */
  static async of(graph: HnswGraph, file: string, dimensions: number): Promise<Sketch> {
    const { labels } = graph
    const read = await packedSteps(file, { dimensions, nodes: labels.length }).catch(() => null)
    if (read !== null && agrees(graph, read, dimensions)) return new Sketch(labels, read, dimensions)
    const cells = new Int16Array(labels.length * dimensions)
    for (let slot = 0; slot < labels.length; slot += 1) {
      quantise(cells, slot * dimensions, graph.vector(slot))
      if (slot % 128 === 0) await new Promise((resolve) => setImmediate(resolve))
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
      const score = dot(query, this.#cells, slot * this.#dimensions) / vectorSteps
      if (score >= top.bar) top.add(this.#labels[slot] ?? 0, score)
      if (--left === 0) {
        yield
        left = sliceVectors
      }
    }
  }
}

const quantise = (cells: Int16Array, from: number, vector: ArrayLike<number>): void => {
  for (let i = 0; i < vector.length; i += 1) cells[from + i] = Math.round((vector[i] ?? 0) * vectorSteps)
}

/** Whether some vectors are those that the graph tells. */
const agrees = (graph: HnswGraph, cells: Int16Array, dimensions: number): boolean => {
  const last = graph.labels.length - 1
  return [0, last >> 1, last].every((slot) =>
    graph
      .vector(slot)
      .every(
        (value, i) => Math.abs(value - (cells[slot * dimensions + i] ?? 0) / vectorSteps) < 2 / vectorSteps
      )
  )
}
