import type { ScoredLabel } from "../../core/vectors/index.js"
import { dot } from "./flat.js"
import { dead, type Lookup } from "./packed-graph.js"
import { byScore, type Top } from "./top.js"

/** Steps between 0 and 1 of a number: as many as two bytes with a sign have. */
const steps = 32_767

/** Vectors scored before others have their turn. */
const sliceVectors = 4096

/** Vectors looked up at a time. */
const lookedUp = 1024

/** Scores the vectors of slots. */
interface Scorer {
  /** What the next scores are of. */
  readonly ask: (query: Float32Array) => void
  /** Scores the first `count` of some slots, in their order, into `scores`. */
  readonly score: (slots: Int32Array, count: number, scores: Float64Array) => void
  /** The score of a slot as exact search has it, or as near as it can be known. */
  readonly exact: (query: Float32Array, slot: number) => number
}

/** The vectors of a graph, for searches that a filter leaves few of: a graph can only over-fetch for them. */
export class Sketch {
  readonly #labels: Int32Array
  readonly #scorer: Scorer
  /** Slots by label; dead ones are left out. */
  readonly #slots = new Map<number, number>()

  constructor(labels: Int32Array, scorer: Scorer) {
    this.#labels = labels
    this.#scorer = scorer
    labels.forEach((label, slot) => {
      if (label !== dead) this.#slots.set(label, slot)
    })
  }

  /**
   * Looks up the vectors of a graph and holds them with two bytes a number: scores are within a hundred-thousandth of
   * the true ones. One that is gone scores nothing: the feed tells that it no longer counts.
   */
  static async of(labels: Int32Array, dimensions: number, lookup: Lookup): Promise<Sketch> {
    const cells = new Int16Array(labels.length * dimensions)
    for (let first = 0; first < labels.length; first += lookedUp) {
      const slots = labels.subarray(first, first + lookedUp)
      const vectors = await lookup(Array.from(slots).filter((label) => label !== dead))
      slots.forEach((label, place) => {
        quantise(cells, (first + place) * dimensions, vectors.get(label))
      })
    }
    const exact = (query: Float32Array, slot: number) => dot(query, cells, slot * dimensions) / steps
    let asked = new Float32Array()
    return new Sketch(labels, {
      exact,
      ask: (query) => {
        asked = new Float32Array(query)
      },
      score: (slots, count, scores) => {
        for (let i = 0; i < count; i += 1) scores[i] = exact(asked, slots[i] ?? 0)
      }
    })
  }

  /** Fills `top` with the allowed labels that are not hidden; stops for a moment after each slice. */
  *scan(
    top: Top,
    query: Float32Array,
    allow: ReadonlySet<number> | undefined,
    hidden: ReadonlySet<number>
  ): Generator<void> {
    const slots = new Int32Array(sliceVectors)
    const scores = new Float64Array(sliceVectors)
    const settle = (count: number) => {
      // Others may have asked meanwhile.
      this.#scorer.ask(query)
      this.#scorer.score(slots, count, scores)
      for (let i = 0; i < count; i += 1) {
        const score = scores[i] ?? 0
        if (score >= top.bar) top.add(this.#labels[slots[i] ?? 0] ?? 0, score)
      }
    }
    let count = 0
    const wanted = allow !== undefined && allow.size < this.#slots.size ? allow : this.#slots.keys()
    for (const label of wanted) {
      const slot = this.#slots.get(label)
      if (slot === undefined || hidden.has(label) || allow?.has(label) === false) continue
      slots[count] = slot
      count += 1
      if (count < sliceVectors) continue
      settle(count)
      count = 0
      yield
    }
    settle(count)
  }

  /** What a scan has kept, best first. */
  sorted(top: Top, query: Float32Array): ReadonlyArray<ScoredLabel> {
    return top
      .sorted()
      .map(({ label }) => ({ label, score: this.#scorer.exact(query, this.#slots.get(label) ?? 0) }))
      .sort(byScore)
  }
}

const quantise = (cells: Int16Array, from: number, vector: Float32Array = new Float32Array()): void => {
  for (let i = 0; i < vector.length; i += 1) cells[from + i] = Math.round((vector[i] ?? 0) * steps)
}
