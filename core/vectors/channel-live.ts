import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { enqueue, JobStore } from "../jobs/index.js"
import { Atomic, Caller, isOfReadOnlyData, serviceLayer, type WorkspaceScope } from "../kernel/index.js"
import { Kept } from "../memory/index.js"
import { type Embedder, Models, modelsFor } from "../models/index.js"
import { type Settings, WorkspaceStore } from "../workspace/index.js"
import { VectorChannel, type VectorHits, type VectorQuery } from "./channel.js"
import { isOf, unitOf } from "./embed-makers.js"
import { catchUpIndex, indexKey, sourceOf } from "./index-feed.js"
import { type Folded, lsaFolder } from "./lsa.js"
import { decodeLsa } from "./lsa-artefact.js"
import { lsaPrefix } from "./lsa-corpus.js"
import { termCounts } from "./lsa-terms.js"
import { seededQuery, seedVector } from "./query.js"
import { type VectorFeed, VectorIndex, type VectorModel, VectorStore } from "./store.js"

/** The kind of background work that makes vectors and their index. */
export const embeddingJob = "embedding"

/** Built-in models kept ready to embed queries: 4 to 30 MB each. */
const modelsHeld = 8

/** First lexical hits among which seeds are looked for; the first five nearly always have vectors. */
const seedCandidates = 12

/** Catch-ups at a time: one per workspace, and workspaces that share a lane wait for each other. */
const lanes = 64

/** The vector channel over the vectors of the active model: learned ones, or those of the configured embedder. */
export const vectorChannelLive = serviceLayer(
  VectorChannel,
  Effect.gen(function* () {
    const index = yield* VectorIndex
    const store = yield* VectorStore
    const queries = yield* queryVectors
    const owe = yield* oweEmbedding
    const last = new Map<WorkspaceScope, VectorModel>()
    const locks = yield* Effect.all(Array.from({ length: lanes }, () => Effect.makeSemaphore(1)))

    const models = new Kept<VectorModel | null>()
    const feeds = new Kept<{ readonly model: string; readonly feed: VectorFeed }>()

    const activeOf = (workspace: WorkspaceScope, stamp: string | null) => {
      const held = models.get(workspace, stamp)
      if (held !== undefined) return Effect.succeed(held)
      return Effect.map(store.models(workspace), (found) => {
        const active = found.find(({ state }) => state === "active") ?? null
        models.set(workspace, stamp, active)
        return active
      })
    }

    const feedOf = (workspace: WorkspaceScope, { id }: VectorModel, stamp: string | null) => {
      const held = feeds.get(workspace, stamp)
      if (held?.model === id) return Effect.succeed(held.feed)
      return Effect.tap(store.feed(workspace, id), (feed) => feeds.set(workspace, stamp, { model: id, feed }))
    }

    const catchUp = Effect.fnUntraced(
      function* (workspace: WorkspaceScope, model: VectorModel, stamp: string | null) {
        const key = indexKey(workspace, model)
        const feed = yield* feedOf(workspace, model, stamp)
        if ((yield* index.position(key, sourceOf(store, key, feed))) !== feed.head) {
          const lane = locks[laneOf(workspace)]
          yield* lane === undefined ? catchUpIndex(key) : lane.withPermits(1)(catchUpIndex(key))
        }
        if (yield* index.owes(key)) yield* owe(workspace)
      },
      Effect.provideService(VectorIndex, index),
      Effect.provideService(VectorStore, store)
    )

    /** What was held of the model before is let go: nobody asks for it again. */
    const follow = Effect.fnUntraced(function* (workspace: WorkspaceScope, active: VectorModel) {
      const former = last.get(workspace)
      last.set(workspace, active)
      if (former === undefined || former.id === active.id) return
      yield* index.forget(indexKey(workspace, former))
      yield* queries.forget(workspace, former)
    })

    const search = Effect.fnUntraced(
      function* (workspace: WorkspaceScope, query: VectorQuery, stamp: string | null) {
        const active = yield* activeOf(workspace, stamp)
        if (active === null) return nothing
        yield* follow(workspace, active)
        const { byWords, isOutdated, vector } = yield* queries.make(workspace, active, query)
        if (isOutdated) yield* owe(workspace)
        if (vector === null) return nothing
        yield* catchUp(workspace, active, stamp)
        const hits = yield* index.search(indexKey(workspace, active), vector, query.limit, query.allow)
        return { hits, builtIn: byWords }
      },
      // No index takes in a vector that is none. The words still answer.
      Effect.catchSomeDefect((defect) =>
        defect instanceof RangeError ? Option.some(withoutVectors(defect)) : Option.none()
      )
    )

    return VectorChannel.of({
      search: (workspace, query) => {
        const stamp = query.stamp ?? null
        // A workspace without vectors is told from others without any work.
        return models.get(workspace, stamp) === null
          ? Effect.succeed(nothing)
          : search(workspace, query, stamp)
      }
    })
  })
)

const withoutVectors = ({ message }: RangeError) =>
  Effect.as(
    Effect.logWarning(
      `The vectors are damaged, so the search goes without; 'kanon doctor --repair' makes them whole. ${message}`
    ),
    nothing
  )

/**
 * The order of the vectors alone. The seeded list agrees with the lexical one by construction, so whatever asks
 * how far the two channels agree must ask this one.
 */
export const unseededSearch = (
  workspace: WorkspaceScope,
  query: Omit<VectorQuery, "lexicalHits">
): Effect.Effect<VectorHits, never, VectorChannel> =>
  Effect.flatMap(VectorChannel, (channel) => channel.search(workspace, { ...query, lexicalHits: [] }))

const nothing: VectorHits = { hits: [], builtIn: true }

const laneOf = (workspace: string): number => {
  let sum = 0
  for (let i = 0; i < workspace.length; i += 1) sum = (sum * 31 + workspace.charCodeAt(i)) % lanes
  return sum
}

type Fold = (counts: ReadonlyMap<string, number>) => Folded

/** A query's vector, null where there is none. `byWords`: words alone made it, so they decide what it weighs. */
interface QueryVector {
  readonly vector: Float32Array | null
  readonly byWords: boolean
  /** The configured model no longer gives vectors like those that are kept. */
  readonly isOutdated: boolean
}

/** Makes the vectors of queries for the model that is active. */
const queryVectors = Effect.gen(function* () {
  const store = yield* VectorStore
  const given = yield* Models
  const workspaces = yield* WorkspaceStore
  const embed = yield* queryEmbedder

  const folders = yield* Cache.makeWith({
    capacity: modelsHeld,
    timeToLive: (exit: Exit.Exit<Fold, "unreadable">) =>
      Exit.isSuccess(exit) ? Duration.infinity : Duration.zero,
    lookup: ({ model, workspace }: { readonly workspace: WorkspaceScope; readonly model: string }) =>
      Effect.flatMap(store.artefact(workspace, model), (bytes) => {
        const lsa = Option.isSome(bytes) ? decodeLsa(bytes.value) : null
        return lsa === null ? Effect.fail("unreadable" as const) : Effect.succeed(lsaFolder(lsa))
      })
  })

  const kept = new Kept<Settings>()
  const settingsOf = (workspace: WorkspaceScope, stamp: string | null) => {
    const held = kept.get(workspace, stamp)
    if (held !== undefined) return Effect.succeed(held)
    return Effect.map(workspaces.get(workspace), ({ settings }) => {
      kept.set(workspace, stamp, settings)
      return settings
    })
  }

  const seedsOf = Effect.fnUntraced(function* (
    workspace: WorkspaceScope,
    model: string,
    { lexicalHits }: VectorQuery
  ) {
    const candidates = lexicalHits.slice(0, seedCandidates)
    const found = yield* store.vectors(
      workspace,
      model,
      candidates.map(({ label }) => label)
    )
    return seedVector(candidates, new Map(found.map(({ label, vector }) => [label, vector])))
  })

  const builtIn = Effect.fnUntraced(
    function* (workspace: WorkspaceScope, { id }: VectorModel, query: VectorQuery) {
      const fold = yield* folders.get(Data.struct({ workspace, model: id }))
      const settings = yield* settingsOf(workspace, query.stamp ?? null)
      const seeds = yield* seedsOf(workspace, id, query)
      return seededQuery(fold(termCounts(query.text)).vector, seeds, settings.retrieval.seedShare)
    },
    (made) =>
      // Being replaced at this moment, or damaged: the next refresh fits it anew.
      Effect.catchAll(made, () =>
        Effect.as(
          Effect.logWarning("The built-in vectors could not be read; the search goes on without."),
          null
        )
      )
  )

  const bySeeds = (workspace: WorkspaceScope, { id }: VectorModel, query: VectorQuery, isOutdated: boolean) =>
    Effect.map(seedsOf(workspace, id, query), (vector) => ({ vector, byWords: true, isOutdated }))

  const make = Effect.fnUntraced(function* (
    workspace: WorkspaceScope,
    active: VectorModel,
    query: VectorQuery
  ): Effect.fn.Return<QueryVector> {
    const { models } = yield* settingsOf(workspace, query.stamp ?? null)
    const { builtIn: usesBuiltIn, embedder } = yield* Effect.provideService(
      modelsFor(workspace, models),
      Models,
      given
    )
    if (active.id.startsWith(lsaPrefix)) {
      if (!usesBuiltIn) return { vector: null, byWords: true, isOutdated: false }
      return { vector: yield* builtIn(workspace, active, query), byWords: true, isOutdated: false }
    }
    if (Option.isSome(embedder) && isOf(active, embedder.value)) {
      const made = yield* embed(embedder.value, active.dimensions, query.text)
      if (made !== "other dimensions") return { vector: made, byWords: false, isOutdated: false }
      return yield* bySeeds(workspace, active, query, true)
    }
    // The model of these vectors is no longer at hand and the next one is not complete: the seeds still lead on.
    return yield* bySeeds(workspace, active, query, false)
  })

  const forget = (workspace: WorkspaceScope, { id }: VectorModel) =>
    folders.invalidate(Data.struct({ workspace, model: id }))

  return { make, forget }
})

/** Embeds a question; null, told once per outage and not once per search, when the model gives nothing usable. */
const queryEmbedder = Effect.map(Ref.make(false), (down) => {
  const tellOnce = (message: string) =>
    Effect.flatMap(Ref.getAndSet(down, true), (told) =>
      told
        ? Effect.void
        : Effect.logWarning(`The embedding model is down; searches go without vectors. ${message}`)
    )
  return (given: Context.Tag.Service<Embedder>, dimensions: number, text: string) =>
    Effect.matchEffect(given.embed([text], "query"), {
      onFailure: ({ message }) => Effect.as(tellOnce(message), null),
      onSuccess: ([vector]) => {
        const made = vector === undefined ? undefined : unitOf(vector)
        if (made === undefined)
          return Effect.as(tellOnce("It was to give a finite vector and did not."), null)
        const fits = made === null || made.length === dimensions
        return Effect.as(Ref.set(down, false), fits ? made : ("other dimensions" as const))
      }
    })
})

/** A search may ask for background work so often. */
const oweEveryMs = 30_000

/**
 * Asks for the background work of vectors where searches find that it is owed; nothing where nobody keeps jobs. The
 * search does not wait: who writes may have to wait for others who write. Who closes waits until it is noted.
 */
const oweEmbedding = Effect.gen(function* () {
  const jobs = yield* Effect.serviceOption(JobStore)
  const atomic = yield* Effect.serviceOption(Atomic)
  const noting = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(noting))
  // Of the layer, not of a search: that may stand in a unit of work, which ends before.
  const start = yield* FiberSet.runtime(noting)<never>()
  const asked = new Map<WorkspaceScope, number>()
  return (workspace: WorkspaceScope): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (Option.isNone(jobs) || Option.isNone(atomic)) return
      const time = yield* Clock.currentTimeMillis
      if (time - (asked.get(workspace) ?? Number.NEGATIVE_INFINITY) < oweEveryMs) return
      asked.set(workspace, time)
      const note = enqueue([{ kind: embeddingJob, dedupeKey: embeddingJob }]).pipe(
        Effect.provideService(JobStore, jobs.value),
        Effect.provideService(Atomic, atomic.value),
        Effect.provideService(Caller, { workspace, actor: "system", activity: "search" }),
        // Nobody who only reads fails since nothing can be noted: the data may be read-only, or their disk full.
        Effect.catchAllCause((cause) =>
          isOfReadOnlyData(cause)
            ? Effect.void
            : Effect.logWarning("The work that the vectors owe could not be noted.", cause)
        )
      )
      start(note)
    })
})
