import type { HierarchicalNSW } from "hnswlib-node"
import type { ScoredLabel } from "../../core/vectors/index.js"
import type { HnswLibrary } from "./hnsw-library.js"
import { dead, type Lookup, type Packed, withUnpacked } from "./packed-graph.js"

/** Links per node and breadth of the search while building: the library's defaults, which were measured. */
export const links = 16
export const buildBreadth = 200
export const seed = 100

/** Breadth of a search for 100: recall 0.98 or more on every size that was measured (see `crossover`). */
const searchBreadth = 300

/**
 * A graph as it was built, to be searched. The library knows slots, which are never used twice: a label that is
 * removed and added again gets a new one, since a deleted node cannot be put back with another vector.
 */
export class HnswGraph {
  readonly #graph: HierarchicalNSW
  /** Labels by slot, -1 where dead. */
  readonly labels: Int32Array
  /** The library counts deleted nodes; these are the others. */
  readonly liveCount: number
  /** The library takes plain arrays; making one anew for each query costs more than filling it. */
  readonly #query: Array<number>
  #known: Int32Array | null = null

  private constructor(graph: HierarchicalNSW, dimensions: number, labels: Int32Array) {
    this.#graph = graph
    this.labels = labels
    this.liveCount = labels.reduce((count, label) => (label === dead ? count : count + 1), 0)
    this.#query = new Array<number>(dimensions).fill(0)
  }

  /** Reads a file that was verified before: the library reads a damaged one without complaint. */
  static async read(
    library: HnswLibrary,
    dimensions: number,
    packed: Packed,
    lookup: Lookup
  ): Promise<HnswGraph> {
    const graph = new library.HierarchicalNSW("ip", dimensions)
    await withUnpacked(packed, lookup, (unpacked) => graph.readIndex(unpacked))
    if (graph.getCurrentCount() !== packed.labels.length)
      throw new Error("The graph has other nodes than its manifest.")
    return new HnswGraph(graph, dimensions, packed.labels)
  }

  /** About the nearest, best first; fewer than asked for where the graph does not reach enough. */
  search(query: Float32Array, limit: number): ReadonlyArray<ScoredLabel> {
    const wanted = Math.min(limit, this.liveCount)
    if (wanted === 0) return []
    // The library forgets the breadth when it reads a file, so it is said each time.
    this.#graph.setEf(Math.max(searchBreadth, 2 * wanted))
    const { distances, neighbors } = this.#graph.searchKnn(fill(this.#query, query, 0), wanted)
    const hits: Array<ScoredLabel> = []
    let ordered = true
    for (let place = 0; place < neighbors.length; place += 1) {
      const label = this.labels[neighbors[place] ?? 0] ?? dead
      if (label === dead) continue
      const hit = { label, score: 1 - (distances[place] ?? 1) }
      const last = hits[hits.length - 1]
      if (last !== undefined && byScore(last, hit) > 0) ordered = false
      hits.push(hit)
    }
    // The library orders equal ones as it meets them.
    return ordered ? hits : hits.sort(byScore)
  }

  /** Whether it holds a vector of the label. */
  has(label: number): boolean {
    this.#known ??= this.labels.filter((held) => held !== dead).sort()
    const known = this.#known
    let [low, high] = [0, known.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((known[middle] ?? 0) < label) low = middle + 1
      else high = middle
    }
    return known[low] === label
  }

  /** Gives the memory back at once: the collector does not know how much hangs on this small object. */
  release(): void {
    this.#graph.initIndex(1)
  }
}

/** Best first, equal scores by label. */
export const byScore = (a: ScoredLabel, b: ScoredLabel): number => b.score - a.score || a.label - b.label

/** Copies a vector into a plain array of its length. */
export const fill = (array: Array<number>, cells: Float32Array, from: number): Array<number> => {
  for (let i = 0; i < array.length; i += 1) array[i] = cells[from + i] ?? 0
  return array
}
