import type { HierarchicalNSW } from "hnswlib-node"
import {
  buildBreadth,
  deadLabel,
  fillArray,
  type GraphFile,
  links,
  openGraph,
  releaseGraph,
  seed
} from "./graph.js"
import type { HnswLibrary } from "./hnsw-library.js"

export interface BuildStart {
  readonly dimensions: number
  /** Vectors that are expected to be added. */
  readonly capacity: number
  /** The graph to extend, read when the build begins; null for an empty graph. */
  readonly from: GraphFile | null
}

/** Changes of some labels, each of which occurs once. */
export interface PackedChanges {
  readonly labels: Int32Array
  /** The vectors of the labels, one after the other. */
  readonly cells: Float32Array
  readonly removed: Int32Array
}

/** A graph under construction, in this thread or in another. */
export interface BuildSession {
  readonly change: (changes: PackedChanges) => Promise<void>
  /** Writes the graph into a file; returns its labels by slot, -1 where dead. */
  readonly finish: (file: string) => Promise<Int32Array>
  readonly end: () => Promise<void>
}

/** Work before timers and sockets have their turn. */
const sliceMs = 6

/** Begins a build in this thread, which works in slices of time. */
export const buildInPlace = (library: HnswLibrary, start: BuildStart): Promise<BuildSession> =>
  GraphBuild.begin(library, start)

class GraphBuild implements BuildSession {
  readonly #library: HnswLibrary
  readonly #graph: HierarchicalNSW
  readonly #point: Array<number>
  readonly #labels: Array<number>
  readonly #slots = new Map<number, number>()

  private constructor(library: HnswLibrary, graph: HierarchicalNSW, dimensions: number, labels: Int32Array) {
    this.#library = library
    this.#graph = graph
    this.#point = new Array<number>(dimensions).fill(0)
    this.#labels = Array.from(labels)
    labels.forEach((label, slot) => {
      if (label !== deadLabel) this.#slots.set(label, slot)
    })
  }

  static async begin(library: HnswLibrary, { capacity, dimensions, from }: BuildStart): Promise<GraphBuild> {
    if (from !== null) {
      const graph = await openGraph(library, dimensions, from)
      graph.resizeIndex(Math.max(graph.getMaxElements(), from.labels.length + capacity))
      return new GraphBuild(library, graph, dimensions, from.labels)
    }
    const graph = new library.HierarchicalNSW("ip", dimensions)
    graph.initIndex(Math.max(64, capacity), links, buildBreadth, seed)
    return new GraphBuild(library, graph, dimensions, new Int32Array())
  }

  async change({ cells, labels, removed }: PackedChanges): Promise<void> {
    let end = performance.now() + sliceMs
    for (const label of removed) this.#remove(label)
    for (const [place, label] of labels.entries()) {
      this.#put(label, fillArray(this.#point, cells, place * this.#point.length))
      if (performance.now() > end) {
        await new Promise((resolve) => setImmediate(resolve))
        end = performance.now() + sliceMs
      }
    }
  }

  async finish(file: string): Promise<Int32Array> {
    const labels = Int32Array.from(this.#labels)
    await this.#graph.writeIndex(file)
    releaseGraph(this.#graph)
    // The library does not report a write that came up short, as on a full disk; it notices when it reads the file.
    releaseGraph(
      await openGraph(this.#library, this.#point.length, { file, labels }).catch((cause: unknown) => {
        throw new Error("The graph is cut off.", { cause })
      })
    )
    return labels
  }

  async end(): Promise<void> {
    releaseGraph(this.#graph)
  }

  #put(label: number, point: Array<number>): void {
    this.#remove(label)
    const slot = this.#labels.length
    if (slot >= this.#graph.getMaxElements()) this.#graph.resizeIndex(Math.ceil(slot * 1.5) + 1)
    this.#graph.addPoint(point, slot)
    this.#labels.push(label)
    this.#slots.set(label, slot)
  }

  #remove(label: number): void {
    const slot = this.#slots.get(label)
    if (slot === undefined) return
    this.#graph.markDelete(slot)
    this.#labels[slot] = deadLabel
    this.#slots.delete(label)
  }
}
