import type { ScoredLabel } from "../../core/vectors/index.js"
import { type Graph, LabelSet, searchBreadthFor } from "./graph.js"
import { dead, degreeOf, type Lookup, type Packed, type PackedReader, readPacked } from "./packed-graph.js"
import { Scoring } from "./scoring.js"
import { Sketch } from "./sketch.js"
import { SlotHeap } from "./slot-heap.js"
import { byScore } from "./top.js"

/**
 * A packed graph, searched as the library that built it searches (hierarchical navigable small worlds), in half of its
 * memory: a number of a vector takes two bytes and not four, links that no node has take no room, and nothing is there
 * that is needed for building alone.
 */
export class SlimGraph implements Graph {
  readonly labels: Int32Array
  readonly liveCount: number
  readonly #known: LabelSet
  readonly #scoring: Scoring
  readonly #links: Links
  /** The search in which a slot was last seen, counted to 255 and anew. */
  readonly #seen: Uint8Array
  #searches = 0
  /** Links of a node that are looked at, and their scores. */
  #slots = new Int32Array(64)
  #scores = new Float64Array(64)
  readonly #best = new SlotHeap()
  readonly #open = new SlotHeap()

  private constructor(labels: Int32Array, scoring: Scoring, links: Links) {
    this.labels = labels
    this.#known = new LabelSet(labels)
    this.liveCount = this.#known.size
    this.#scoring = scoring
    this.#links = links
    this.#seen = new Uint8Array(labels.length)
  }

  /** Reads a file that was verified before; null where it was never packed, or this machine has no means (`Scoring`). */
  static read(dimensions: number, packed: Packed, lookup: Lookup): Promise<SlimGraph | null> {
    return readPacked(packed, lookup, async (reader) => {
      if (reader.layout.dimensions !== dimensions) throw new Error("The graph is of other vectors.")
      const scoring = Scoring.room(packed.labels.length, dimensions)
      return scoring === null
        ? null
        : new SlimGraph(
            packed.labels,
            scoring,
            await linksOf(reader, (slot, vector) => scoring.put(slot, vector))
          )
    })
  }

  search(query: Float32Array, limit: number): ReadonlyArray<ScoredLabel> {
    const wanted = Math.min(limit, this.liveCount)
    if (wanted === 0) return []
    this.#scoring.ask(query)
    this.#spread(this.#descend(), searchBreadthFor(wanted))
    const best = this.#best
    while (best.size > wanted) best.removeLeast()
    const hits: Array<ScoredLabel> = []
    for (; best.size > 0; best.removeLeast()) {
      const slot = best.leastSlot
      hits.push({ label: this.labels[slot] ?? dead, score: this.#scoring.exact(query, slot) })
    }
    return hits.sort(byScore)
  }

  /** The nearest node that is found on the levels above the ground, going to whichever neighbour is nearer. */
  #descend(): number {
    const { entry, topLevel } = this.#links
    let [nearest, score] = [entry, this.#scoreOf(entry)]
    for (let level = topLevel; level > 0; level -= 1) {
      for (let moved = true; moved; ) {
        moved = false
        const count = this.#take(upperLinks(this.#links, nearest, level))
        for (let i = 0; i < count; i += 1) {
          const found = this.#scores[i] ?? 0
          if (found <= score) continue
          nearest = this.#slots[i] ?? 0
          score = found
          moved = true
        }
      }
    }
    return nearest
  }

  /** Fills `#best` with live nodes around one on the ground, until what is open is worse than so many. */
  #spread(from: number, breadth: number): void {
    const [best, open, labels] = [this.#best, this.#open, this.labels]
    const { ground, starts } = this.#links
    const visit = this.#visit()
    const seen = this.#seen
    best.clear()
    open.clear()
    const first = this.#scoreOf(from)
    seen[from] = visit
    // The best on top: it has the least of what is opposite to the score.
    open.add(from, -first)
    if (labels[from] !== dead) best.add(from, first)
    while (open.size > 0) {
      if (best.size === breadth && -open.leastScore < best.leastScore) return
      const node = open.leastSlot
      open.removeLeast()
      const [begin, end] = [starts[node] ?? 0, starts[node + 1] ?? 0]
      this.#makeRoom(end - begin)
      const slots = this.#slots
      let count = 0
      for (let i = begin; i < end; i += 1) {
        const slot = ground[i] ?? 0
        if (seen[slot] === visit) continue
        seen[slot] = visit
        slots[count] = slot
        count += 1
      }
      this.#scoring.score(slots, count, this.#scores)
      const scores = this.#scores
      for (let i = 0; i < count; i += 1) {
        const [slot, score] = [slots[i] ?? 0, scores[i] ?? 0]
        if (best.size === breadth && score <= best.leastScore) continue
        open.add(slot, -score)
        if (labels[slot] === dead) continue
        if (best.size < breadth) best.add(slot, score)
        else best.replaceLeast(slot, score)
      }
    }
  }

  #visit(): number {
    if (this.#searches === 255) {
      this.#searches = 0
      this.#seen.fill(0)
    }
    this.#searches += 1
    return this.#searches
  }

  #scoreOf(slot: number): number {
    this.#slots[0] = slot
    this.#scoring.score(this.#slots, 1, this.#scores)
    return this.#scores[0] ?? 0
  }

  /** Takes some slots up and scores them; gives how many they are. */
  #take(slots: Int32Array): number {
    this.#makeRoom(slots.length)
    this.#slots.set(slots)
    this.#scoring.score(this.#slots, slots.length, this.#scores)
    return slots.length
  }

  #makeRoom(count: number): void {
    if (count <= this.#slots.length) return
    this.#slots = new Int32Array(2 * count)
    this.#scores = new Float64Array(2 * count)
  }

  has(label: number): boolean {
    return this.#known.has(label)
  }

  /** The vectors are here. */
  async sketch(): Promise<Sketch> {
    return new Sketch(this.labels, this.#scoring)
  }

  release(): void {
    this.#scoring.release()
  }
}

interface Links {
  /** On the ground: those of all nodes one behind the other, and where those of each begin. */
  readonly ground: Int32Array
  readonly starts: Int32Array
  /** Those above as the library writes them: on each level a number of links, and room for as many as there can be. */
  readonly upper: Int32Array
  readonly upperRoom: number
  /** Where those of a node begin, on the first level above the ground. */
  readonly upperStarts: ReadonlyMap<number, number>
  readonly topLevel: number
  readonly entry: number
}

const upperLinks = ({ upper, upperRoom, upperStarts }: Links, node: number, level: number): Int32Array => {
  const start = (upperStarts.get(node) ?? 0) + (level - 1) * upperRoom
  return upper.subarray(start + 1, start + 1 + degreeOf(upper[start]))
}

const linksOf = async (
  reader: PackedReader,
  put: (slot: number, vector: Float32Array) => void
): Promise<Links> => {
  const { entry, nodes, topLevel, upperBytes } = reader.layout
  // Memory that nothing was written into is none, as long as systems have pages.
  const ground = new Int32Array(reader.linksBound)
  const starts = new Int32Array(nodes + 1)
  let used = 0
  for await (const { first, heads, links, vectors } of reader.pieces()) {
    ground.set(links, used)
    heads.forEach((head, node) => {
      starts[first + node] = used
      used += degreeOf(head)
    })
    for (const [node, vector] of vectors) put(first + node, vector)
  }
  starts[nodes] = used
  const rest: Array<Uint8Array> = []
  for await (const piece of reader.rest()) rest.push(piece.slice())
  const cells = new Int32Array(new Uint8Array(Buffer.concat(rest)).buffer)
  const upper = new Int32Array(cells.length - nodes)
  const upperStarts = new Map<number, number>()
  for (let node = 0, at = 0, to = 0; node < nodes; node += 1) {
    const size = (cells[at] ?? 0) / 4
    at += 1
    if (size === 0) continue
    upper.set(cells.subarray(at, at + size), to)
    upperStarts.set(node, to)
    at += size
    to += size
  }
  return { ground, starts, upper, upperRoom: upperBytes / 4, upperStarts, topLevel, entry }
}
