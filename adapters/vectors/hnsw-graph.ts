import type { HierarchicalNSW } from "hnswlib-node"
import type { HnswLibrary } from "./hnsw-library.js"

/** Links per node and breadth of the search while building: the library's defaults, which were measured. */
const links = 16
const buildBreadth = 200
const seed = 100

/** Breadth of a search for 100: recall 0.98 or more on every size that was measured (see `crossover`). */
const searchBreadth = 300

/** A dead slot: its vector was removed or replaced. */
const dead = -1

/**
 * One graph of the library. The library knows slots, which are never used twice: a label that is removed and added
 * again gets a new one, since a deleted node cannot be put back with another vector.
 */
export class HnswGraph {
  readonly #graph: HierarchicalNSW
  readonly #labels: Array<number>
  readonly #slots = new Map<number, number>()

  private constructor(graph: HierarchicalNSW, labels: ReadonlyArray<number>) {
    this.#graph = graph
    this.#labels = [...labels]
    labels.forEach((label, slot) => {
      if (label !== dead) this.#slots.set(label, slot)
    })
  }

  static empty(library: HnswLibrary, dimensions: number, capacity: number): HnswGraph {
    const graph = new library.HierarchicalNSW("ip", dimensions)
    graph.initIndex(Math.max(64, capacity), links, buildBreadth, seed)
    return new HnswGraph(graph, [])
  }

  /** Reads a file that was verified before: the library reads a damaged one without complaint. */
  static async read(
    library: HnswLibrary,
    dimensions: number,
    file: string,
    labels: ReadonlyArray<number>
  ): Promise<HnswGraph> {
    const graph = new library.HierarchicalNSW("ip", dimensions)
    await graph.readIndex(file)
    if (graph.getCurrentCount() !== labels.length)
      throw new Error("The graph has other nodes than its manifest.")
    return new HnswGraph(graph, labels)
  }

  /** Labels by slot, -1 where dead. */
  get labels(): ReadonlyArray<number> {
    return this.#labels
  }

  /** The library counts deleted nodes; these are the others. */
  get liveCount(): number {
    return this.#slots.size
  }

  get deadCount(): number {
    return this.#labels.length - this.#slots.size
  }

  put(label: number, vector: Float32Array): void {
    this.remove(label)
    const slot = this.#labels.length
    if (slot >= this.#graph.getMaxElements()) this.#graph.resizeIndex(Math.ceil(slot * 1.5) + 1)
    this.#graph.addPoint(Array.from(vector), slot)
    this.#labels.push(label)
    this.#slots.set(label, slot)
  }

  remove(label: number): void {
    const slot = this.#slots.get(label)
    if (slot === undefined) return
    this.#graph.markDelete(slot)
    this.#labels[slot] = dead
    this.#slots.delete(label)
  }

  /** About the nearest labels, in no promised order. */
  search(query: Float32Array, limit: number): ReadonlyArray<number> {
    const wanted = Math.min(limit, this.liveCount)
    if (wanted === 0) return []
    // The library forgets the breadth when it reads a file, so it is said each time.
    this.#graph.setEf(Math.max(searchBreadth, 2 * wanted))
    const { neighbors } = this.#graph.searchKnn(Array.from(query), wanted)
    return neighbors.map((slot) => this.#labels[slot] ?? dead).filter((label) => label !== dead)
  }

  write(file: string): Promise<boolean> {
    return this.#graph.writeIndex(file)
  }
}
