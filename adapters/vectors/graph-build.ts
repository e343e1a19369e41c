import { createHash } from "node:crypto"
import type { HierarchicalNSW } from "hnswlib-node"
import {
  buildBreadth,
  fillArray,
  type GraphFile,
  labelsAt,
  links,
  openGraph,
  releaseGraph,
  type SlotLabels,
  seed,
  slotCount
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
  /** Writes the graph into a file; returns the labels of its slots. */
  readonly finish: (file: string) => Promise<SlotLabels>
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
  /** The labels of each slot; an empty slot is marked deleted. */
  readonly #lists: Array<Set<number>> = []
  /** Slots by label. */
  readonly #slots = new Map<number, number>()
  /** Slots by the digest of their vector; those that died within this build too. */
  readonly #slotOf = new Map<string, number>()

  private constructor(library: HnswLibrary, graph: HierarchicalNSW, dimensions: number) {
    this.#library = library
    this.#graph = graph
    this.#point = new Array<number>(dimensions).fill(0)
  }

  static async begin(library: HnswLibrary, { capacity, dimensions, from }: BuildStart): Promise<GraphBuild> {
    if (from !== null) {
      const graph = await openGraph(library, dimensions, from)
      graph.resizeIndex(Math.max(graph.getMaxElements(), slotCount(from) + capacity))
      const build = new GraphBuild(library, graph, dimensions)
      await build.#takeOver(from)
      return build
    }
    const graph = new library.HierarchicalNSW("ip", dimensions)
    graph.initIndex(Math.max(64, capacity), links, buildBreadth, seed)
    return new GraphBuild(library, graph, dimensions)
  }

  /** Reads the labels and vectors of a graph that is extended. Vectors of dead slots cannot be read. */
  async #takeOver(from: SlotLabels): Promise<void> {
    const pause = slicer()
    for (let slot = 0; slot < slotCount(from); slot += 1) {
      const labels = new Set(labelsAt(from, slot))
      this.#lists.push(labels)
      for (const label of labels) this.#slots.set(label, slot)
      if (labels.size > 0) this.#slotOf.set(digestOf(this.#graph.getPoint(slot)), slot)
      await pause()
    }
  }

  async change({ cells, labels, removed }: PackedChanges): Promise<void> {
    const pause = slicer()
    for (const label of removed) this.#remove(label)
    const { length } = this.#point
    for (const [place, label] of labels.entries()) {
      this.#put(label, cells.subarray(place * length, (place + 1) * length))
      await pause()
    }
  }

  async finish(file: string): Promise<SlotLabels> {
    const starts = new Int32Array(this.#lists.length + 1)
    const labels = new Int32Array(this.#slots.size)
    for (const [slot, own] of this.#lists.entries()) {
      const start = starts[slot] ?? 0
      labels.set(Int32Array.from(own).sort(), start)
      starts[slot + 1] = start + own.size
    }
    await this.#graph.writeIndex(file)
    releaseGraph(this.#graph)
    // The library does not report a write that came up short, as on a full disk; it notices when it reads the file.
    releaseGraph(
      await openGraph(this.#library, this.#point.length, { file, starts, labels }).catch((cause: unknown) => {
        throw new Error("The graph is cut off.", { cause })
      })
    )
    return { starts, labels }
  }

  async end(): Promise<void> {
    releaseGraph(this.#graph)
  }

  #put(label: number, vector: Float32Array): void {
    const digest = digestOf(vector)
    const known = this.#slotOf.get(digest)
    if (known !== undefined && this.#slots.get(label) === known) return
    this.#remove(label)
    const slot = known ?? this.#add(vector, digest)
    const own = this.#lists[slot]
    // A vector that comes back within a build takes its slot again.
    if (own?.size === 0 && known !== undefined) this.#graph.unmarkDelete(slot)
    own?.add(label)
    this.#slots.set(label, slot)
  }

  #add(vector: Float32Array, digest: string): number {
    const slot = this.#lists.length
    if (slot >= this.#graph.getMaxElements()) this.#graph.resizeIndex(Math.ceil(slot * 1.5) + 1)
    this.#graph.addPoint(fillArray(this.#point, vector, 0), slot)
    this.#lists.push(new Set())
    this.#slotOf.set(digest, slot)
    return slot
  }

  #remove(label: number): void {
    const slot = this.#slots.get(label)
    if (slot === undefined) return
    this.#slots.delete(label)
    const own = this.#lists[slot]
    own?.delete(label)
    if (own?.size === 0) this.#graph.markDelete(slot)
  }
}

/** Lets timers and sockets have their turn whenever a slice of time is used up. */
const slicer = () => {
  let end = performance.now() + sliceMs
  return async (): Promise<void> => {
    if (performance.now() <= end) return
    await new Promise((resolve) => setImmediate(resolve))
    end = performance.now() + sliceMs
  }
}

/** Returns a digest by which equal vectors are recognised; 0 and -0 are equal. */
const digestOf = (vector: ArrayLike<number>): string => {
  const cells = Float32Array.from(vector, (value) => value + 0)
  return createHash("sha1").update(new Uint8Array(cells.buffer)).digest("base64")
}
