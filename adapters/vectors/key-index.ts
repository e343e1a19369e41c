import * as Effect from "effect/Effect"
import type { ScoredLabel, VectorBatch, VectorLookup } from "../../core/vectors/index.js"
import { FlatVectors } from "./flat.js"
import type { Graph } from "./graph.js"
import { lookupOf } from "./lookup.js"
import type { Sketch } from "./sketch.js"
import { byScore, Top } from "./top.js"

/** A complete graph, and the number of the feed up to which it is complete. */
export interface BaseGraph {
  readonly graph: Graph
  /** The vectors that the graph was made of. */
  readonly vectors: VectorLookup
  readonly generation: string
  readonly position: number
}

/** Where a filter lets less than this share through, looking at each allowed vector is quicker than over-fetching. */
const overfetchShare = 0.25

/** Numbers that are multiplied before others have their turn: about two milliseconds. */
const sliceCells = 8_000_000

/**
 * The vectors of one key: a graph that somebody built, and beside it what has changed since, which is searched
 * exactly. Changing it is putting a vector into an array; nothing here ever works on a graph.
 */
export class KeyIndex {
  readonly dimensions: number
  #base: BaseGraph | null = null
  #fresh: FlatVectors
  /** Labels whose vector in the graph no longer counts. */
  #hidden = new Set<number>()
  /** The number at which each label was changed last, of all changes after `#toldFrom`. */
  #changed = new Map<number, number>()
  #toldFrom = 0
  #position = 0
  #sketch: Promise<Sketch> | null = null

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

  /** Vectors that a search has to look at one by one. */
  get freshCount(): number {
    return this.#fresh.count
  }

  /** Stands on another graph (or on none), with what has changed since it was made, as far as that was told. */
  stand(base: BaseGraph | null): void {
    const [fresh, changed] = [this.#fresh, this.#changed]
    const goesOn = base !== null && base.position >= this.#toldFrom && base.position <= this.#position
    this.#base?.graph.release()
    this.#base = base
    this.#fresh = new FlatVectors(this.dimensions)
    this.#hidden = new Set()
    this.#changed = new Map()
    this.#toldFrom = base?.position ?? 0
    this.#sketch = null
    if (!goesOn) {
      this.#position = base?.position ?? 0
      return
    }
    for (const [label, seq] of changed) if (seq > base.position) this.#change(label, seq, fresh.get(label))
  }

  apply({ after, changes, position }: VectorBatch): void {
    if (after !== this.#position) return
    for (const { label, seq, vector } of changes) this.#change(label, seq, vector)
    this.#position = position
    // The first stretch does not tell what was removed before it was read.
    if (after === 0) this.#toldFrom = position
  }

  #change(label: number, seq: number, vector: Float32Array | null): void {
    this.#changed.set(label, seq)
    if (vector === null) this.#fresh.remove(label)
    else this.#fresh.put(label, vector)
    // What is new hides nothing: the graph need not be asked for more.
    if (this.#base?.graph.has(label) === true) this.#hidden.add(label)
  }

  search(
    query: Float32Array,
    limit: number,
    allow?: ReadonlySet<number>
  ): Effect.Effect<ReadonlyArray<ScoredLabel>> {
    const base = this.#base
    if (base !== null && allow === undefined && this.#hidden.size === 0 && this.#fresh.count === 0) {
      const hits = this.#searchGraph(base.graph, query, limit, 1, undefined)
      if (hits !== null) return Effect.succeed(hits)
    }
    const fresh = this.#scanFresh(query, limit, allow)
    if (base === null) return fresh
    const total = base.graph.liveCount + this.#fresh.count
    const share = allow === undefined ? 1 : Math.min(1, allow.size / Math.max(1, total))
    const inGraph = share < overfetchShare ? null : this.#searchGraph(base.graph, query, limit, share, allow)
    const settled = inGraph === null ? this.#scanSketch(base, query, limit, allow) : Effect.succeed(inGraph)
    return Effect.flatMap(settled, (old) =>
      // Null: the graph was replaced meanwhile.
      old === null
        ? this.search(query, limit, allow)
        : Effect.map(fresh, (young) => [...old, ...young].sort(byScore).slice(0, limit))
    )
  }

  /** From the graph, over-fetched for what is hidden or not allowed; null where it does not reach enough. */
  #searchGraph(
    graph: Graph,
    query: Float32Array,
    limit: number,
    share: number,
    allow: ReadonlySet<number> | undefined
  ): ReadonlyArray<ScoredLabel> | null {
    const wanted = Math.min(limit, graph.liveCount)
    const hiddenShare = Math.min(0.5, this.#hidden.size / Math.max(1, graph.liveCount))
    let fetched = Math.ceil(
      (wanted / share / (1 - hiddenShare)) * (share === 1 && hiddenShare === 0 ? 1 : 1.5)
    )
    while (true) {
      const hits = graph.search(query, fetched)
      const left =
        this.#hidden.size === 0 && allow === undefined
          ? hits
          : hits.filter(({ label }) => !this.#hidden.has(label) && allow?.has(label) !== false)
      if (left.length >= wanted) return left.length > limit ? left.slice(0, limit) : left
      if (hits.length >= graph.liveCount) return left
      if (fetched >= graph.liveCount || hits.length < fetched) return null
      fetched = Math.min(graph.liveCount, fetched * 4)
    }
  }

  #scanFresh(query: Float32Array, limit: number, allow: ReadonlySet<number> | undefined) {
    const slice = Math.max(1, Math.floor(sliceCells / this.dimensions))
    if (this.#fresh.count <= slice) return Effect.succeed(this.#fresh.search(query, limit, allow))
    const top = new Top(limit)
    return Effect.as(inTurns(this.#fresh.scan(top, query, slice, allow)), top).pipe(
      Effect.map((filled) => filled.sorted())
    )
  }

  #scanSketch(base: BaseGraph, query: Float32Array, limit: number, allow: ReadonlySet<number> | undefined) {
    return Effect.gen(this, function* () {
      const hidden = this.#hidden
      const lookup = yield* lookupOf(base.vectors)
      this.#sketch ??= base.graph.sketch(lookup)
      const making = this.#sketch
      const sketch = yield* Effect.promise(() => making).pipe(
        // The next search tries again.
        Effect.tapErrorCause(() =>
          Effect.sync(() => {
            if (this.#sketch === making) this.#sketch = null
          })
        )
      )
      if (this.#base !== base) return null
      const top = new Top(limit)
      yield* inTurns(sketch.scan(top, query, allow, hidden))
      // Then its vectors may be others.
      return this.#base === base ? sketch.sorted(top, query) : null
    })
  }
}

/** Runs work that stops for a moment now and then, and lets everything else that waits have its turn. */
const inTurns = (work: Iterator<void>): Effect.Effect<void> =>
  Effect.suspend(() => (work.next().done === true ? Effect.void : Effect.zipRight(nextTurn, inTurns(work))))

const nextTurn: Effect.Effect<void> = Effect.async((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})
