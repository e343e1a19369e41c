import * as Cache from "effect/Cache"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { WorkspaceScope } from "../kernel/index.js"
import { type Embedder, Models } from "../models/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { unitOf } from "./embed-makers.js"
import { type Folded, lsaFolder } from "./lsa.js"
import { decodeLsa } from "./lsa-artefact.js"
import { lsaPrefix } from "./lsa-corpus.js"
import { termCounts } from "./lsa-terms.js"
import { VectorIndex, type VectorModel, VectorStore } from "./store.js"
import { VectorChannel, type VectorHits, type VectorQuery } from "./vector-channel.js"
import { catchUpIndex, indexKey } from "./vectors-index.js"
import { seededQuery, seedVector } from "./vectors-query.js"

/** Built-in models kept ready to embed queries: 4 to 30 MB each. */
const modelsHeld = 8

/** First lexical hits among which seeds are looked for; the first three nearly always have vectors. */
const seedCandidates = 12

/** Catch-ups at a time: one per workspace, and workspaces that share a lane wait for each other. */
const lanes = 64

/** The vector channel over the vectors of the active model: learned ones, or those of the configured embedder. */
export const vectorChannelLive = Layer.effect(
  VectorChannel,
  Effect.gen(function* () {
    const index = yield* VectorIndex
    const store = yield* VectorStore
    const queries = yield* queryVectors
    const locks = yield* Effect.all(Array.from({ length: lanes }, () => Effect.makeSemaphore(1)))

    const catchUp = (workspace: WorkspaceScope, model: VectorModel) =>
      Effect.gen(function* () {
        const key = indexKey(workspace, model)
        const { head } = yield* store.feed(workspace, model.id)
        if ((yield* index.position(key)) === head) return
        const lane = locks[laneOf(workspace)]
        yield* lane === undefined ? catchUpIndex(key) : lane.withPermits(1)(catchUpIndex(key))
      }).pipe(Effect.provideService(VectorIndex, index), Effect.provideService(VectorStore, store))

    return VectorChannel.of({
      search: (workspace, query) =>
        Effect.gen(function* () {
          const active = (yield* store.models(workspace)).find(({ state }) => state === "active")
          if (active === undefined) return nothing
          const { byWords, vector } = yield* queries(workspace, active, query)
          if (vector === null) return nothing
          yield* catchUp(workspace, active)
          const hits = yield* index.search(indexKey(workspace, active), vector, query.limit, query.allow)
          return { hits, builtIn: byWords }
        })
    })
  })
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
}

/** Makes the vectors of queries for the model that is active. */
const queryVectors = Effect.gen(function* () {
  const store = yield* VectorStore
  const { embedder } = yield* Models
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

  const seedsOf = (workspace: WorkspaceScope, model: string, { lexicalHits }: VectorQuery) =>
    Effect.gen(function* () {
      const candidates = lexicalHits.slice(0, seedCandidates)
      const found = yield* store.vectors(
        workspace,
        model,
        candidates.map(({ label }) => label)
      )
      return seedVector(candidates, new Map(found.map(({ label, vector }) => [label, vector])))
    })

  const builtIn = (workspace: WorkspaceScope, { id }: VectorModel, query: VectorQuery) =>
    Effect.gen(function* () {
      const fold = yield* folders.get(Data.struct({ workspace, model: id }))
      const { settings } = yield* workspaces.get(workspace)
      const seeds = yield* seedsOf(workspace, id, query)
      return seededQuery(fold(termCounts(query.text)).vector, seeds, settings.retrieval.seedShare)
    }).pipe(
      // Being replaced at this moment, or damaged: the next refresh fits it anew.
      Effect.catchAll(() =>
        Effect.as(
          Effect.logWarning("The built-in vectors could not be read; the search goes on without."),
          null
        )
      )
    )

  return (workspace: WorkspaceScope, active: VectorModel, query: VectorQuery) =>
    Effect.gen(function* (): Effect.fn.Return<QueryVector> {
      if (active.id.startsWith(lsaPrefix)) {
        return { vector: yield* builtIn(workspace, active, query), byWords: true }
      }
      if (Option.isSome(embedder) && embedder.value.modelId === active.id) {
        return { vector: yield* embed(embedder.value, active.dimensions, query.text), byWords: false }
      }
      // The model of these vectors is no longer at hand and the next one is not complete: the seeds still lead on.
      return { vector: yield* seedsOf(workspace, active.id, query), byWords: true }
    })
})

/** Embeds a question; null, told once per outage and not once per search, when the model gives nothing usable. */
const queryEmbedder = Effect.map(Ref.make(false), (down) => {
  const tellOnce = (message: string) =>
    Effect.flatMap(Ref.getAndSet(down, true), (told) =>
      told
        ? Effect.succeed(null)
        : Effect.as(
            Effect.logWarning(`The embedding model is down; searches go without vectors. ${message}`),
            null
          )
    )
  return (given: Context.Tag.Service<Embedder>, dimensions: number, text: string) =>
    Effect.matchEffect(given.embed([text], "query"), {
      onFailure: ({ message }) => tellOnce(message),
      onSuccess: ([vector]) => {
        const made = vector?.length === dimensions ? unitOf(vector) : undefined
        return made === undefined
          ? tellOnce(`It was to give a finite vector of ${dimensions} numbers and did not.`)
          : Effect.as(Ref.set(down, false), made)
      }
    })
})
