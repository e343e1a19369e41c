import type { HierarchicalNSW } from "hnswlib-node"
import type { ScoredLabel } from "../../core/search/vectors/index.js"
import type { HnswLibrary } from "./hnsw-library.js"
import { byScore } from "./top-k.js"

/** Links per node and search breadth while building: the library's defaults. */
export const links = 16
export const buildBreadth = 200
export const seed = 100

/** Candidates that a search keeps. With 300, recall at 100 is 0.98 or more at every size that was measured. */
const searchBreadth = 300

/** The label of a slot whose vector was removed or replaced. */
export const deadLabel = -1

/** A graph file, and the label of each of its slots. */
export interface GraphFile {
  readonly file: string
  readonly labels: Int32Array
}

/** Opens a graph file in the library. Throws when the file is damaged or holds another number of nodes. */
export const openGraph = async (
  library: HnswLibrary,
  dimensions: number,
  { file, labels }: GraphFile
): Promise<HierarchicalNSW> => {
  const graph = new library.HierarchicalNSW("ip", dimensions)
  await graph.readIndex(file)
  if (graph.getCurrentCount() !== labels.length)
    throw new Error("The graph has other nodes than its manifest.")
  return graph
}

/** Frees the library's memory at once: the garbage collector does not know how much this small object holds. */
export const releaseGraph = (graph: HierarchicalNSW): void => graph.initIndex(1)

/**
 * A graph that is searched and not changed. The library knows slots, which are never reused: a label that is removed
 * and added again gets a new slot, because a deleted node cannot take another vector.
 */
export class SearchGraph {
  readonly #graph: HierarchicalNSW
  readonly #labels: Int32Array
  /** Slots by label, without dead ones. */
  readonly #slots = new Map<number, number>()
  /** The library takes plain arrays; refilling one is cheaper than making one for each query. */
  readonly #query: Array<number>

  private constructor(graph: HierarchicalNSW, dimensions: number, labels: Int32Array) {
    this.#graph = graph
    this.#labels = labels
    labels.forEach((label, slot) => {
      if (label !== deadLabel) this.#slots.set(label, slot)
    })
    this.#query = new Array<number>(dimensions).fill(0)
  }

  static async read(library: HnswLibrary, dimensions: number, saved: GraphFile): Promise<SearchGraph> {
    return new SearchGraph(await openGraph(library, dimensions, saved), dimensions, saved.labels)
  }

  /** Number of labels. */
  get count(): number {
    return this.#slots.size
  }

  has(label: number): boolean {
    return this.#slots.has(label)
  }

  labels(): Iterable<number> {
    return this.#slots.keys()
  }

  /** Inner product of a query and the vector of a label; null when the graph does not hold the label. */
  score(query: Float32Array, label: number): number | null {
    const slot = this.#slots.get(label)
    if (slot === undefined) return null
    const point = this.#graph.getPoint(slot)
    return query.reduce((sum, value, place) => sum + value * (point[place] ?? 0), 0)
  }

  /**
   * Returns about the nearest labels, best first; with `isAllowed`, only those that it lets through. Returns fewer than
   * there are where the search does not reach enough nodes.
   */
  search(
    query: Float32Array,
    limit: number,
    isAllowed?: (label: number) => boolean
  ): ReadonlyArray<ScoredLabel> {
    const wanted = Math.min(limit, this.count)
    if (wanted === 0) return []
    // Reading a file resets the breadth, so it is set for each search.
    this.#graph.setEf(Math.max(searchBreadth, 2 * wanted))
    const labelOf = (slot: number) => this.#labels[slot] ?? deadLabel
    const { distances, neighbors } = this.#graph.searchKnn(
      fillArray(this.#query, query, 0),
      wanted,
      isAllowed === undefined ? undefined : (slot) => isAllowed(labelOf(slot))
    )
    // The library leaves the order of equal scores open.
    return neighbors
      .map((slot, place) => ({ label: labelOf(slot), score: 1 - (distances[place] ?? 1) }))
      .sort(byScore)
  }

  release(): void {
    releaseGraph(this.#graph)
    this.#slots.clear()
  }
}

/** Copies a vector into a plain array of its length. */
export const fillArray = (array: Array<number>, cells: Float32Array, from: number): Array<number> => {
  for (let i = 0; i < array.length; i += 1) array[i] = cells[from + i] ?? 0
  return array
}
