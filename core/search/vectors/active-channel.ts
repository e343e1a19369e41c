import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import { StampedValue } from "../../platform/caching/index.js"
import { enqueue, JobStore, jobKinds } from "../../platform/jobs/index.js"
import {
  Atomic,
  Caller,
  isCausedByReadOnlyData,
  serviceLayer,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { VectorChannel, type VectorHits, type VectorQuery } from "./channel.js"
import { catchUpIndex, indexKey } from "./index-feed.js"
import { queryVectors, type Unreadable } from "./query-vectors.js"
import {
  slotStates,
  type VectorFeed,
  VectorIndex,
  type VectorModel,
  type VectorSlot,
  VectorStore
} from "./store.js"

/** Number of attempts when the active model is replaced during a search. */
const replacedMax = 3

/** Number of catch-up locks. Workspaces are hashed to them; those that share one wait for each other. */
const lanes = 64

/** The vector channel over the vectors of the active model, built-in or of the configured embedder. */
export const vectorChannelLive = serviceLayer(
  VectorChannel,
  Effect.gen(function* () {
    const index = yield* VectorIndex
    const store = yield* VectorStore
    const queries = yield* queryVectors
    const owe = yield* requestEmbedding
    const last = new Map<string, VectorModel>()
    const locks = yield* Effect.all(Array.from({ length: lanes }, () => Effect.makeSemaphore(1)))

    const models = new StampedValue<Readonly<Record<VectorSlot, VectorModel | null>>>()
    const feeds = new StampedValue<{ readonly model: string; readonly feed: VectorFeed }>()

    const activeOf = (workspace: WorkspaceScope, stamp: string | null) => {
      const cached = models.get(workspace, stamp)
      if (cached !== undefined) return Effect.succeed(cached)
      return Effect.map(store.models(workspace), (found) => {
        const activeIn = (slot: VectorSlot) =>
          found.find(({ state }) => state === slotStates[slot].active) ?? null
        const active = { main: activeIn("main"), beside: activeIn("beside") }
        models.set(workspace, stamp, active)
        return active
      })
    }

    const feedOf = (workspace: WorkspaceScope, { id }: VectorModel, stamp: string | null) => {
      const cached = feeds.get(workspace, stamp)
      if (cached?.model === id) return Effect.succeed(cached.feed)
      return Effect.tap(store.feed(workspace, id), (feed) => feeds.set(workspace, stamp, { model: id, feed }))
    }

    const catchUp = Effect.fnUntraced(
      function* (workspace: WorkspaceScope, model: VectorModel, stamp: string | null) {
        const key = indexKey(workspace, model)
        const feed = yield* feedOf(workspace, model, stamp)
        if ((yield* index.position(key, feed)) !== feed.head) {
          const lane = locks[laneOf(workspace)]
          yield* lane === undefined ? catchUpIndex(key) : lane.withPermits(1)(catchUpIndex(key))
        }
        if (yield* index.isBuildDue(key)) yield* owe(workspace)
      },
      Effect.provideService(VectorIndex, index),
      Effect.provideService(VectorStore, store)
    )

    /** Drops cached data of the previous model. */
    const follow = Effect.fnUntraced(function* (workspace: WorkspaceScope, active: VectorModel) {
      const place = `${workspace} ${active.state}`
      const former = last.get(place)
      last.set(place, active)
      if (former === undefined || former.id === active.id) return
      yield* index.forget(indexKey(workspace, former))
      yield* queries.forget(workspace, former)
    })

    const searchModel = Effect.fnUntraced(
      function* (
        workspace: WorkspaceScope,
        active: VectorModel,
        query: VectorQuery,
        stamp: string | null
      ): Effect.fn.Return<VectorHits, Unreadable> {
        yield* follow(workspace, active)
        const { byWords, isOutdated, pending, vector } = yield* queries.make(workspace, active, query)
        if (isOutdated) yield* owe(workspace)
        if (vector === null) return nothing
        yield* catchUp(workspace, active, stamp)
        const hits = yield* index.search(indexKey(workspace, active), vector, query.limit, query.allow)
        const { trust } = active
        return { hits, builtIn: byWords, pending, ...(trust === undefined ? {} : { trust }) }
      },
      // The index rejects invalid vectors as a defect; the search continues with words alone.
      Effect.catchSomeDefect((defect) =>
        defect instanceof RangeError ? Option.some(withoutVectors(defect)) : Option.none()
      )
    )

    /**
     * Searches the active model. When it was replaced meanwhile, searches its successor: a replaced built-in model can
     * no longer be read, or has no vectors any more.
     */
    const search = Effect.fnUntraced(function* (
      workspace: WorkspaceScope,
      query: VectorQuery,
      stamp: string | null
    ) {
      let active = (yield* activeOf(workspace, stamp)).main
      for (let replaced = 0; active !== null; replaced += 1) {
        const found = yield* Effect.option(searchModel(workspace, active, query, stamp))
        // `nothing` means a query without a vector under any model.
        if (Option.isSome(found) && (found.value === nothing || found.value.hits.length > 0))
          return found.value
        const now: VectorModel | null = (yield* activeOf(workspace, null)).main
        if (now?.id === active.id || replaced === replacedMax)
          return Option.isSome(found) ? found.value : yield* withoutBuiltIn
        active = now
      }
      return nothing
    })

    /** Searches both places. A built-in model that was replaced meanwhile is left out of this search. */
    const searchBoth = Effect.fnUntraced(function* (
      workspace: WorkspaceScope,
      query: VectorQuery,
      stamp: string | null
    ) {
      const main = yield* search(workspace, query, stamp)
      const { beside } = yield* activeOf(workspace, stamp)
      if (beside === null) return main
      const found = yield* Effect.option(searchModel(workspace, beside, query, stamp))
      return Option.isSome(found) && found.value.hits.length > 0
        ? { ...main, beside: found.value.hits }
        : main
    })

    return VectorChannel.of({
      search: (workspace, query) => {
        const stamp = query.stamp ?? null
        // A workspace without vectors is recognized from the cache, without any read.
        return models.get(workspace, stamp)?.main === null
          ? Effect.succeed(nothing)
          : searchBoth(workspace, query, stamp)
      }
    })
  })
)

const withoutVectors = ({ message }: RangeError) =>
  Effect.as(
    Effect.logWarning(
      `The vectors are damaged, so the search does not use them; run 'kanon doctor --repair' to rebuild them. ${message}`
    ),
    nothing
  )

/** The next refresh fits it again. */
const withoutBuiltIn = Effect.suspend(() =>
  Effect.as(Effect.logWarning("The built-in vectors could not be read; the search goes on without."), nothing)
)

const nothing: VectorHits = { hits: [], builtIn: true }

const laneOf = (workspace: string): number => {
  let sum = 0
  for (let i = 0; i < workspace.length; i += 1) sum = (sum * 31 + workspace.charCodeAt(i)) % lanes
  return sum
}

/** Minimum interval between requests for background work by searches. */
const requestIntervalMs = 30_000

/**
 * Enqueues the embedding job when searches find pending work; does nothing without a job queue. The search does not
 * wait, because a write may have to wait for other writers. Closing the engine waits until the job is enqueued.
 */
const requestEmbedding = Effect.gen(function* () {
  const jobs = yield* Effect.serviceOption(JobStore)
  const atomic = yield* Effect.serviceOption(Atomic)
  const noting = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(noting))
  // Runs in the layer's scope: a search may be inside a unit of work that ends earlier.
  const start = yield* FiberSet.runtime(noting)<never>()
  const requestedAt = new Map<WorkspaceScope, number>()
  return (workspace: WorkspaceScope): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (Option.isNone(jobs) || Option.isNone(atomic)) return
      const time = yield* Clock.currentTimeMillis
      if (time - (requestedAt.get(workspace) ?? Number.NEGATIVE_INFINITY) < requestIntervalMs) return
      requestedAt.set(workspace, time)
      const note = enqueue([{ kind: jobKinds.embedding, dedupeKey: jobKinds.embedding }]).pipe(
        Effect.provideService(JobStore, jobs.value),
        Effect.provideService(Atomic, atomic.value),
        Effect.provideService(Caller, { workspace, actor: "system", activity: "search" }),
        // A search must not fail because the job cannot be written, for example on read-only data or a full disk.
        Effect.catchAllCause((cause) =>
          isCausedByReadOnlyData(cause)
            ? Effect.void
            : Effect.logWarning("The embedding job could not be enqueued.", cause)
        )
      )
      start(note)
    })
})
