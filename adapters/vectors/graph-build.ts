import { rename, rm } from "node:fs/promises"
import type { HierarchicalNSW } from "hnswlib-node"
import { buildBreadth, fill, links, seed } from "./hnsw-graph.js"
import type { HnswLibrary } from "./hnsw-library.js"
import { dead, type Packed, packGraph } from "./packed-graph.js"

/** What a build begins with. */
export interface BuildStart {
  readonly dimensions: number
  /** Vectors that are expected, in all. */
  readonly capacity: number
  /** A file in the library's own form to go on from, read when the build begins; null for an empty graph. */
  readonly from: Packed | null
}

/** Changes of some labels, each of which occurs once. */
export interface PackedChanges {
  readonly labels: Int32Array
  /** The vectors of the labels, one after the other. */
  readonly cells: Float32Array
  readonly removed: Int32Array
}

/** A graph under construction, wherever that goes on. */
export interface BuildSession {
  readonly change: (changes: PackedChanges) => Promise<void>
  /** Writes the graph into a file; gives its labels by slot, -1 where dead. */
  readonly finish: (file: string) => Promise<Int32Array>
  readonly end: () => Promise<void>
}

/** Others have their turn after so much work. */
const sliceMs = 6

/** Builds where it is called, a slice of time after the other. */
export const buildInPlace = async (library: HnswLibrary, start: BuildStart): Promise<BuildSession> => {
  const build = await GraphBuild.begin(library, start)
  return {
    change: (changes) => build.change(changes),
    finish: (file) => build.write(file),
    end: async () => build.release()
  }
}

class GraphBuild {
  readonly #graph: HierarchicalNSW
  readonly #point: Array<number>
  readonly #labels: Array<number>
  readonly #slots = new Map<number, number>()

  private constructor(graph: HierarchicalNSW, dimensions: number, labels: Int32Array) {
    this.#graph = graph
    this.#point = new Array<number>(dimensions).fill(0)
    this.#labels = Array.from(labels)
    labels.forEach((label, slot) => {
      if (label !== dead) this.#slots.set(label, slot)
    })
  }

  static async begin(library: HnswLibrary, { capacity, dimensions, from }: BuildStart): Promise<GraphBuild> {
    const graph = new library.HierarchicalNSW("ip", dimensions)
    if (from === null) graph.initIndex(Math.max(64, capacity), links, buildBreadth, seed)
    else {
      await graph.readIndex(from.file)
      if (graph.getCurrentCount() !== from.labels.length)
        throw new Error("The graph has other nodes than its manifest.")
      graph.resizeIndex(Math.max(graph.getMaxElements(), from.labels.length + capacity))
    }
    return new GraphBuild(graph, dimensions, from?.labels ?? new Int32Array())
  }

  async change({ cells, labels, removed }: PackedChanges): Promise<void> {
    let end = performance.now() + sliceMs
    for (const label of removed) this.#remove(label)
    for (const [place, label] of labels.entries()) {
      this.#put(label, fill(this.#point, cells, place * this.#point.length))
      if (performance.now() > end) {
        await new Promise((resolve) => setImmediate(resolve))
        end = performance.now() + sliceMs
      }
    }
  }

  async write(file: string): Promise<Int32Array> {
    // Both end as temporary files do: a crash leaves them to the next build.
    const whole = `${file}.${process.pid}.tmp`
    try {
      await this.#graph.writeIndex(whole)
      if (!(await packGraph(whole, file))) await rename(whole, file)
    } finally {
      await rm(whole, { force: true })
    }
    return Int32Array.from(this.#labels)
  }

  /** Gives the memory back at once: the collector does not know how much hangs on this small object. */
  release(): void {
    this.#graph.initIndex(1)
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
    this.#labels[slot] = dead
    this.#slots.delete(label)
  }
}
