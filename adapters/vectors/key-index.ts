import * as Effect from "effect/Effect"
import type { ScoredLabel, VectorBatch } from "../../core/search/vectors/index.js"
import { FlatVectors } from "./flat-vectors.js"
import type { SearchGraph } from "./graph.js"
import { NarrowCopies } from "./narrow-copies.js"
import { byScore, TopK } from "./top-k.js"

/** A complete graph, and the feed position up to which it is complete. */
export interface BaseGraph {
  readonly graph: SearchGraph
  readonly generation: string
  readonly position: number
}

/** Multiplications before other fibers have their turn: about two milliseconds. */
const sliceCells = 2_000_000

/** Vectors read from the graph before other fibers have their turn: about two milliseconds. */
const sliceReads = 200

/**
 * The vectors of one key: a base graph, and beside it the vectors that changed since it was built, which are searched
 * exactly. A change puts a vector into an array; no graph is ever changed here.
 */
export class KeyIndex {
  readonly dimensions: number
  #base: BaseGraph | null = null
  #fresh: FlatVectors
  /** Copies of vectors of the base graph. */
  readonly #copies = new NarrowCopies()
  /** Labels whose vector in the graph is out of date. */
  #hidden = new Set<number>()
  /** The feed number of the last change of each label, of all changes after `#knownFrom`. */
  #changed = new Map<number, number>()
  #knownFrom = 0
  #position = 0

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#fresh = new FlatVectors(dimensions)
  }

  get position(): number {
    return this.#position
  }

  get base(): BaseGraph | null {
    return this.#base
  }

  /** Vectors that a search has to compare one by one. */
  get freshCount(): number {
    return this.#fresh.count
  }

  /** Replaces the base graph (null: none) and keeps the changes since it was built, as far as they are known. */
  setBase(base: BaseGraph | null): void {
    const [fresh, changed] = [this.#fresh, this.#changed]
    const knowsRest = base !== null && base.position >= this.#knownFrom && base.position <= this.#position
    this.#base?.graph.release()
    this.#copies.clear()
    this.#base = base
    this.#fresh = new FlatVectors(this.dimensions)
    this.#hidden = new Set()
    this.#changed = new Map()
    this.#knownFrom = base?.position ?? 0
    if (!knowsRest) {
      this.#position = base?.position ?? 0
      return
    }
    for (const [label, seq] of changed) if (seq > base.position) this.#change(label, seq, fresh.get(label))
  }

  apply({ after, changes, position }: VectorBatch): void {
    if (after !== this.#position) return
    for (const { label, seq, vector } of changes) this.#change(label, seq, vector)
    this.#position = position
    // The first batch does not list what was removed before it was read.
    if (after === 0) this.#knownFrom = position
  }

  #change(label: number, seq: number, vector: Float32Array | null): void {
    this.#changed.set(label, seq)
    if (vector === null) this.#fresh.remove(label)
    else this.#fresh.put(label, vector)
    if (this.#base?.graph.has(label) === true) this.#hidden.add(label)
  }

  search(
    query: Float32Array,
    limit: number,
    allow?: ReadonlySet<number>
  ): Effect.Effect<ReadonlyArray<ScoredLabel>> {
    const base = this.#base
    const fresh = this.#scanFresh(query, limit, allow)
    if (base === null) return fresh
    // Fresh vectors first: a label that changes in between is then missed, and not found twice.
    return Effect.flatMap(fresh, (young) =>
      Effect.flatMap(this.#searchBase(base, query, limit, allow), (old) => {
        if (old === null) return this.search(query, limit, allow)
        return Effect.succeed(young.length === 0 ? old : [...old, ...young].sort(byScore).slice(0, limit))
      })
    )
  }

  /** Searches the graph; null when it was replaced meanwhile. */
  #searchBase(
    base: BaseGraph,
    query: Float32Array,
    limit: number,
    allow: ReadonlySet<number> | undefined
  ): Effect.Effect<ReadonlyArray<ScoredLabel> | null> {
    if (this.#base !== base) return Effect.succeed(null)
    const { graph } = base
    const hidden = this.#hidden
    if (allow !== undefined && this.#copies.isWorth(allow)) return this.#searchCopy(base, query, limit, allow)
    if (allow !== undefined && isScannedFaster(allow.size, graph.count))
      return this.#scanBase(base, query, limit, allow)
    const found =
      allow === undefined && hidden.size === 0
        ? graph.search(query, limit)
        : graph.search(query, limit, {
            has: (label) => !hidden.has(label) && allow?.has(label) !== false,
            share: Math.max(1, Math.min(allow?.size ?? graph.count, graph.count)) / graph.count
          })
    if (found.length >= limit || found.length >= this.#countSearchable(graph, allow))
      return Effect.succeed(found)
    // Links of removed nodes can leave others out of reach.
    return this.#scanBase(base, query, limit, allow ?? new Set(graph.labels()))
  }

  /** Compares copies of the allowed vectors of the graph; null when the graph was replaced meanwhile. */
  #searchCopy(base: BaseGraph, query: Float32Array, limit: number, allow: ReadonlySet<number>) {
    const known = this.#copies.get(allow)
    const copied = known === undefined ? this.#copy(base, allow) : Effect.succeed(known)
    return Effect.flatMap(copied, (copy) => {
      if (copy === null) return Effect.succeed(null)
      const found = copy.search(query, limit)
      if (!found.some(({ label }) => this.#hidden.has(label))) return Effect.succeed(found)
      // A vector has changed since it was copied.
      this.#copies.delete(allow)
      return this.#scanBase(base, query, limit, allow)
    })
  }

  #copy(base: BaseGraph, allow: ReadonlySet<number>): Effect.Effect<FlatVectors | null> {
    return Effect.suspend(() => {
      const copy = new FlatVectors(this.dimensions)
      const isReplaced = () => this.#base !== base
      const hidden = this.#hidden
      const fill = function* () {
        let left = sliceReads
        for (const label of allow) {
          const vector = hidden.has(label) ? null : base.graph.vector(label)
          if (vector === null) continue
          copy.put(label, vector)
          left -= 1
          if (left > 0) continue
          yield
          left = sliceReads
          if (isReplaced()) return
        }
      }
      return Effect.map(runInSlices(fill()), () => {
        if (isReplaced()) return null
        this.#copies.set(allow, copy)
        return copy
      })
    })
  }

  #countSearchable(graph: SearchGraph, allow: ReadonlySet<number> | undefined): number {
    if (allow === undefined) return graph.count - this.#hidden.size
    let count = 0
    for (const label of allow) if (graph.has(label) && !this.#hidden.has(label)) count += 1
    return count
  }

  /** Compares the allowed vectors of the graph one by one; null when the graph was replaced meanwhile. */
  #scanBase(base: BaseGraph, query: Float32Array, limit: number, allow: ReadonlySet<number>) {
    const top = new TopK(limit)
    const isReplaced = () => this.#base !== base
    const hidden = this.#hidden
    const scan = function* () {
      let left = sliceReads
      for (const label of allow) {
        const score = hidden.has(label) ? null : base.graph.score(query, label)
        if (score === null) continue
        top.add(label, score)
        left -= 1
        if (left > 0) continue
        yield
        left = sliceReads
        if (isReplaced()) return
      }
    }
    return Effect.map(runInSlices(scan()), () => (isReplaced() ? null : top.sorted()))
  }

  #scanFresh(query: Float32Array, limit: number, allow: ReadonlySet<number> | undefined) {
    return Effect.suspend(() => {
      const slice = Math.max(1, Math.floor(sliceCells / this.dimensions))
      if (this.#fresh.count <= slice) return Effect.succeed(this.#fresh.search(query, limit, allow))
      const top = new TopK(limit)
      return Effect.map(runInSlices(this.#fresh.scan(top, query, slice, allow)), () => top.sorted())
    })
  }
}

/**
 * Whether comparing the allowed vectors one by one is faster than a filtered search of the graph. Reading a vector from
 * the library costs about 40 visits of the graph, and a search visits about 300 nodes (its breadth) per allowed share.
 */
const isScannedFaster = (allowed: number, count: number): boolean =>
  40 * allowed < Math.min(count, (300 * count) / Math.max(1, allowed))

/** Runs work that yields now and then, and gives timers and sockets their turn in between. */
const runInSlices = (work: Iterator<void>): Effect.Effect<void> =>
  Effect.suspend(() =>
    work.next().done === true ? Effect.void : Effect.zipRight(Effect.sleep(0), runInSlices(work))
  )
