import type { HierarchicalNSW } from "hnswlib-node"
import type { ScoredLabel } from "../../core/vectors/index.js"
import { type Graph, LabelSet, searchBreadthFor } from "./graph.js"
import type { HnswLibrary } from "./hnsw-library.js"
import { dead, type Lookup, type Packed, withUnpacked } from "./packed-graph.js"
import { Sketch } from "./sketch.js"
import { SlimGraph } from "./slim-graph.js"
import { byScore } from "./top.js"

/** Links per node and breadth of the search while building: the library's defaults, which were measured. */
export const links = 16
export const buildBreadth = 200
export const seed = 100

/** Reads a file that was verified before: a damaged one is read without complaint. */
export const readGraph = async (
  library: HnswLibrary,
  dimensions: number,
  packed: Packed,
  lookup: Lookup
): Promise<Graph> =>
  (await SlimGraph.read(dimensions, packed, lookup)) ??
  (await HnswGraph.read(library, dimensions, packed, lookup))

/** A graph in the library that built it: where there is none in less memory. */
class HnswGraph implements Graph {
  readonly #graph: HierarchicalNSW
  readonly labels: Int32Array
  /** The library counts deleted nodes; these are the others. */
  readonly liveCount: number
  /** The library takes plain arrays; making one anew for each query costs more than filling it. */
  readonly #query: Array<number>
  readonly #known: LabelSet

  private constructor(graph: HierarchicalNSW, dimensions: number, labels: Int32Array) {
    this.#graph = graph
    this.labels = labels
    this.#known = new LabelSet(labels)
    this.liveCount = this.#known.size
    this.#query = new Array<number>(dimensions).fill(0)
  }

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

  search(query: Float32Array, limit: number): ReadonlyArray<ScoredLabel> {
    const wanted = Math.min(limit, this.liveCount)
    if (wanted === 0) return []
    // The library forgets the breadth when it reads a file, so it is said each time.
    this.#graph.setEf(searchBreadthFor(wanted))
    const { distances, neighbors } = this.#graph.searchKnn(fill(this.#query, query, 0), wanted)
    const hits: Array<ScoredLabel> = []
    for (let place = 0; place < neighbors.length; place += 1) {
      const label = this.labels[neighbors[place] ?? 0] ?? dead
      if (label !== dead) hits.push({ label, score: 1 - (distances[place] ?? 1) })
    }
    // The library orders equal ones as it meets them.
    return hits.sort(byScore)
  }

  has(label: number): boolean {
    return this.#known.has(label)
  }

  sketch(lookup: Lookup): Promise<Sketch> {
    return Sketch.of(this.labels, this.#query.length, lookup)
  }

  /** Gives the memory back at once: the collector does not know how much hangs on this small object. */
  release(): void {
    this.#graph.initIndex(1)
  }
}

/** Copies a vector into a plain array of its length. */
export const fill = (array: Array<number>, cells: Float32Array, from: number): Array<number> => {
  for (let i = 0; i < array.length; i += 1) array[i] = cells[from + i] ?? 0
  return array
}
