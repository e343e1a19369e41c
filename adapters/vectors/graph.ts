import type { ScoredLabel } from "../../core/vectors/index.js"
import { dead, type Lookup } from "./packed-graph.js"
import type { Sketch } from "./sketch.js"

/**
 * A graph as it was built, to be searched. It knows slots, which are never used twice: a label that is removed and added
 * again gets a new one, since a deleted node cannot be put back with another vector.
 */
export interface Graph {
  /** Labels by slot, -1 where dead. */
  readonly labels: Int32Array
  readonly liveCount: number
  /** About the nearest, best first; fewer than asked for where the graph does not reach enough. */
  readonly search: (query: Float32Array, limit: number) => ReadonlyArray<ScoredLabel>
  /** Whether it holds a vector of the label. */
  readonly has: (label: number) => boolean
  /** All of its vectors, for searches that look at many of them; looked up where it does not hold them so. */
  readonly sketch: (lookup: Lookup) => Promise<Sketch>
  /** It is not searched any more. */
  readonly release: () => void
}

/** Breadth of a search for 100: recall 0.98 or more on every size that was measured (see `crossover`). */
const searchBreadth = 300

/** Nodes that a search for so many keeps in view. */
export const searchBreadthFor = (wanted: number): number => Math.max(searchBreadth, 2 * wanted)

/** The labels of a graph that are not dead. */
export class LabelSet {
  readonly #labels: Int32Array
  readonly size: number
  #sorted: Int32Array | null = null

  constructor(labels: Int32Array) {
    this.#labels = labels
    this.size = labels.reduce((count, label) => (label === dead ? count : count + 1), 0)
  }

  has(label: number): boolean {
    this.#sorted ??= this.#labels.filter((held) => held !== dead).sort()
    const sorted = this.#sorted
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sorted[middle] ?? 0) < label) low = middle + 1
      else high = middle
    }
    return sorted[low] === label
  }
}
