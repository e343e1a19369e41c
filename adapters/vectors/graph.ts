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

/** How many times as many as its share needs a filtered search looks for, and how many more. */
const [widening, spare] = [1.3, 20]
/** A filtered search looks for at most so many; beyond, it asks about each node. */
const widerMax = 700

/** The labels that a search may return. */
export interface Allowed {
  readonly has: (label: number) => boolean
  /** About which part of all labels they are, above 0. */
  readonly share: number
}

/**
 * The labels of each slot of a graph. Equal vectors share a slot: as nodes of their own they would spend their links on
 * each other, and a search that enters such a clump does not leave it (docs/decisions/0014-vector-index.md).
 */
export interface SlotLabels {
  /** Where the labels of each slot begin, and the end of the last. A slot without labels is dead. */
  readonly starts: Int32Array
  /** The labels slot by slot, ascending within a slot. */
  readonly labels: Int32Array
}

/** A graph file, and the labels of its slots. */
export interface GraphFile extends SlotLabels {
  readonly file: string
}

/** Number of slots, dead ones included. */
export const slotCount = ({ starts }: SlotLabels): number => Math.max(0, starts.length - 1)

/** Returns the labels of a slot as a view. */
export const labelsAt = ({ labels, starts }: SlotLabels, slot: number): Int32Array =>
  labels.subarray(starts[slot] ?? 0, starts[slot + 1] ?? 0)

/** Returns the number of slots that have labels. */
export const usedSlots = ({ starts }: SlotLabels): number => {
  let used = 0
  for (let slot = 1; slot < starts.length; slot += 1)
    if ((starts[slot] ?? 0) > (starts[slot - 1] ?? 0)) used += 1
  return used
}

/** Opens a graph file in the library. Throws when the file is damaged or holds another number of nodes. */
export const openGraph = async (
  library: HnswLibrary,
  dimensions: number,
  { file, ...slots }: GraphFile
): Promise<HierarchicalNSW> => {
  const graph = new library.HierarchicalNSW("ip", dimensions)
  await graph.readIndex(file)
  if (graph.getCurrentCount() !== slotCount(slots))
    throw new Error("The graph has other nodes than its manifest.")
  return graph
}

/** Frees the library's memory at once: the garbage collector does not know how much this small object holds. */
export const releaseGraph = (graph: HierarchicalNSW): void => graph.initIndex(1)

/**
 * A graph that is searched and not changed. The library knows slots; a slot without labels is never used again, because
 * a deleted node cannot take another vector.
 */
export class SearchGraph {
  readonly #graph: HierarchicalNSW
  readonly #lists: SlotLabels
  readonly #usedSlots: number
  /** Slots by label. */
  readonly #slots = new Map<number, number>()
  /** The library takes plain arrays; refilling one is cheaper than making one for each query. */
  readonly #query: Array<number>

  private constructor(graph: HierarchicalNSW, dimensions: number, lists: SlotLabels) {
    this.#graph = graph
    this.#lists = lists
    this.#usedSlots = usedSlots(lists)
    for (let slot = 0; slot < slotCount(lists); slot += 1)
      for (const label of labelsAt(lists, slot)) this.#slots.set(label, slot)
    this.#query = new Array<number>(dimensions).fill(0)
  }

  static async read(library: HnswLibrary, dimensions: number, saved: GraphFile): Promise<SearchGraph> {
    return new SearchGraph(await openGraph(library, dimensions, saved), dimensions, saved)
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

  /** Returns the vector of a label; null when the graph does not hold the label. */
  vector(label: number): Float32Array | null {
    const slot = this.#slots.get(label)
    return slot === undefined ? null : Float32Array.from(this.#graph.getPoint(slot))
  }

  /** Inner product of a query and the vector of a label; null when the graph does not hold the label. */
  score(query: Float32Array, label: number): number | null {
    const slot = this.#slots.get(label)
    if (slot === undefined) return null
    const point = this.#graph.getPoint(slot)
    return query.reduce((sum, value, place) => sum + value * (point[place] ?? 0), 0)
  }

  /** Returns the vectors of some slots, taken evenly from all that have labels. */
  sample(count: number): ReadonlyArray<Float32Array> {
    const step = Math.max(1, this.#usedSlots / count)
    const found: Array<Float32Array> = []
    let used = 0
    for (let slot = 0; slot < slotCount(this.#lists) && found.length < count; slot += 1) {
      if (labelsAt(this.#lists, slot).length === 0) continue
      if (used >= found.length * step) found.push(Float32Array.from(this.#graph.getPoint(slot)))
      used += 1
    }
    return found
  }

  /** Returns each vector with its labels. */
  *points(): Generator<{ readonly point: ReadonlyArray<number>; readonly labels: Int32Array }> {
    for (let slot = 0; slot < slotCount(this.#lists); slot += 1) {
      const labels = labelsAt(this.#lists, slot)
      if (labels.length > 0) yield { point: this.#graph.getPoint(slot), labels }
    }
  }

  /**
   * Returns about the nearest labels, best first; with `allowed`, only those that it lets through. Returns fewer than
   * there are where the search does not reach enough nodes.
   */
  search(query: Float32Array, limit: number, allowed?: Allowed): ReadonlyArray<ScoredLabel> {
    // Each slot has at least one label, so as many slots as labels are enough.
    const wanted = Math.min(limit, this.#usedSlots)
    if (wanted === 0) return []
    if (allowed === undefined) return this.#nearest(query, limit, wanted, 2 * wanted)
    // The library asks about each node that it visits, which costs more than visiting it. Mostly enough of the nearest
    // are allowed when so many more are looked for.
    const wider = Math.min(this.#usedSlots, Math.ceil((wanted / allowed.share) * widening) + spare)
    if (wider <= widerMax) {
      const found = this.#nearest(query, limit, wider, wider, allowed.has)
      if (found.length >= limit) return found
    }
    const isAllowed = (slot: number) => labelsAt(this.#lists, slot).some(allowed.has)
    return this.#nearest(query, limit, wanted, 2 * wanted, allowed.has, isAllowed)
  }

  #nearest(
    query: Float32Array,
    limit: number,
    wanted: number,
    breadth: number,
    isAllowed?: (label: number) => boolean,
    isSlotAllowed?: (slot: number) => boolean
  ): ReadonlyArray<ScoredLabel> {
    // Reading a file resets the breadth, so it is set for each search.
    this.#graph.setEf(Math.max(searchBreadth, breadth))
    const { distances, neighbors } = this.#graph.searchKnn(
      fillArray(this.#query, query, 0),
      wanted,
      isSlotAllowed
    )
    // The library leaves the order of equal scores open.
    return neighbors
      .flatMap((slot, place) => {
        const score = 1 - (distances[place] ?? 1)
        return firstAllowed(labelsAt(this.#lists, slot), limit, isAllowed).map((label) => ({ label, score }))
      })
      .sort(byScore)
      .slice(0, limit)
  }

  release(): void {
    releaseGraph(this.#graph)
    this.#slots.clear()
  }
}

/** Returns the first allowed labels of a slot: no search wants more than `limit` of them. */
const firstAllowed = (
  labels: Int32Array,
  limit: number,
  isAllowed: ((label: number) => boolean) | undefined
): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (const label of labels) {
    if (found.length >= limit) break
    if (isAllowed === undefined || isAllowed(label)) found.push(label)
  }
  return found
}

/** Copies a vector into a plain array of its length. */
export const fillArray = (array: Array<number>, cells: Float32Array, from: number): Array<number> => {
  for (let i = 0; i < array.length; i += 1) array[i] = cells[from + i] ?? 0
  return array
}
