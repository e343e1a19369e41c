import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ScoredLabel, VectorBatch } from "../../core/retrieval/index.js"
import { FlatVectors } from "./flat.js"
import type { SavedIndex } from "./hnsw-files.js"
import { HnswGraph } from "./hnsw-graph.js"
import type { HnswLibrary } from "./hnsw-library.js"

interface Parts {
  readonly dimensions: number
  readonly graphFrom: number
  readonly background: boolean
  readonly library: Effect.Effect<HnswLibrary | null>
  readonly scope: Scope.Scope
  readonly saved: SavedIndex | null
}

/** The main loop is given back after so much work on a graph. */
const sliceMs = 6

/** Dead nodes that a graph may carry beside as many as it has live ones. */
const deadSlack = 1000

/** Where a filter lets less than this share through, looking at each allowed vector is quicker than over-fetching. */
const overfetchShare = 0.25

/**
 * The vectors of one key. A flat array holds them all and is always right; above a size a graph answers in its
 * place, as soon as nothing is pending for it.
 */
export class KeyIndex {
  readonly #parts: Parts
  readonly #flat: FlatVectors
  #graph: HnswGraph | null
  /** Labels whose present state the graph has yet to take over. */
  readonly #pending = new Set<number>()
  #position: number
  #savedPosition: number
  #closed = false
  readonly #changing: Effect.Semaphore
  readonly #settling: Effect.Semaphore

  private constructor(parts: Parts, changing: Effect.Semaphore, settling: Effect.Semaphore) {
    this.#parts = parts
    this.#flat = parts.saved?.flat ?? new FlatVectors(parts.dimensions)
    this.#graph = parts.saved?.graph ?? null
    this.#position = parts.saved?.position ?? 0
    this.#savedPosition = this.#position
    this.#changing = changing
    this.#settling = settling
  }

  static make(parts: Parts): Effect.Effect<KeyIndex> {
    return Effect.zipWith(
      Effect.makeSemaphore(1),
      Effect.makeSemaphore(1),
      (changing, settling) => new KeyIndex(parts, changing, settling)
    )
  }

  get position(): number {
    return this.#position
  }

  /** The position that the files on disk have; 0 when there are none. */
  get savedPosition(): number {
    return this.#savedPosition
  }

  noteSaved(position: number): void {
    this.#savedPosition = position
  }

  /** Ends what goes on in the background. */
  close(): void {
    this.#closed = true
  }

  apply({ after, changes, position }: VectorBatch): Effect.Effect<void> {
    return this.#changing.withPermits(1)(
      Effect.suspend(() => {
        if (after !== this.#position) return Effect.void
        for (const { label, vector } of changes) {
          if (vector === null) this.#flat.remove(label)
          else this.#flat.put(label, vector)
          if (this.#graph !== null) this.#pending.add(label)
        }
        this.#position = position
        return this.#parts.background
          ? Effect.asVoid(Effect.forkIn(this.#settle, this.#parts.scope))
          : this.#settle
      })
    )
  }

  /** Hands over a state in which flat array and graph agree, and holds it until the work is done. */
  settled<A>(work: (saved: SavedIndex | null) => Effect.Effect<A>): Effect.Effect<A> {
    return this.#changing.withPermits(1)(
      Effect.zipRight(
        this.#settle,
        this.#settling.withPermits(1)(
          Effect.suspend(() =>
            work(
              this.#graph === null || this.#pending.size > 0
                ? null
                : { position: this.#position, flat: this.#flat, graph: this.#graph }
            )
          )
        )
      )
    )
  }

  search(query: Float32Array, limit: number, allow?: ReadonlySet<number>): ReadonlyArray<ScoredLabel> {
    const share = allow === undefined ? 1 : Math.min(1, allow.size / Math.max(1, this.#flat.count))
    if (this.#graph === null || this.#pending.size > 0 || share < overfetchShare) {
      return this.#flat.search(query, limit, allow)
    }
    const wanted = Math.min(limit, this.#flat.count)
    const fetched = this.#graph.search(query, Math.ceil((wanted / share) * (allow === undefined ? 1 : 1.5)))
    const hits = fetched
      .filter((label) => allow === undefined || allow.has(label))
      .map((label) => ({ label, score: this.#flat.score(query, label) }))
      .sort((a, b) => b.score - a.score || a.label - b.label)
    // The graph may not reach enough of what is wanted; the array always does.
    return hits.length < wanted ? this.#flat.search(query, limit, allow) : hits.slice(0, limit)
  }

  /** Brings the graph up to the flat array, a slice of time after the other; one at a time. */
  get #settle(): Effect.Effect<void> {
    return this.#settling.withPermits(1)(
      Effect.gen(this, function* () {
        yield* this.#chooseGraph
        while (this.#graph !== null && this.#pending.size > 0 && !this.#closed) {
          this.#slice(this.#graph)
          yield* nextTurn
        }
      })
    )
  }

  /** Starts a graph where one is wanted, lets it go where not, and starts anew where it is mostly dead nodes. */
  get #chooseGraph(): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const { count } = this.#flat
      const { dimensions, graphFrom } = this.#parts
      const graph = this.#graph
      if (graph !== null && count < graphFrom / 2) {
        this.#graph = null
        this.#pending.clear()
        return
      }
      const worn = graph !== null && graph.deadCount > graph.liveCount + deadSlack
      if (graph === null ? count < graphFrom : !worn) return
      const library = yield* this.#parts.library
      if (library === null) return
      for (const label of this.#flat.labels()) this.#pending.add(label)
      this.#graph = HnswGraph.empty(library, dimensions, Math.ceil(count * 1.25))
    })
  }

  #slice(graph: HnswGraph): void {
    const end = performance.now() + sliceMs
    for (const label of this.#pending) {
      const vector = this.#flat.get(label)
      if (vector === undefined) graph.remove(label)
      else graph.put(label, vector)
      this.#pending.delete(label)
      if (performance.now() > end) return
    }
  }
}

/** Lets everything else that waits have its turn. */
const nextTurn: Effect.Effect<void> = Effect.async((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})
