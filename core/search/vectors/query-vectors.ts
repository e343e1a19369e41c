import * as Cache from "effect/Cache"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { StampedValue } from "../../platform/caching/index.js"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { type Embedder, Models, modelsFor } from "../../platform/models/index.js"
import { type Settings, WorkspaceStore } from "../../platform/workspace/index.js"
import type { ScoredLabel, VectorQuery } from "./channel.js"
import { lsaFolder, unit } from "./lsa.js"
import { readLsa } from "./lsa-artefact.js"
import { lsaPrefix } from "./lsa-corpus.js"
import { termCounts } from "./lsa-terms.js"
import { type VectorModel, VectorStore } from "./store.js"
import { belongsToModel, unitOf } from "./vector-makers.js"

/** Number of built-in models cached to embed queries: 4 to 30 MB each. */
const cachedModelsMax = 8

/** Number of first lexical hits considered as seeds; the first five nearly always have vectors. */
const seedCandidates = 12

/**
 * A query's vector, null when there is none. `byWords`: it was made from words alone, which then decide its weight.
 */
interface QueryVector {
  readonly vector: Float32Array | null
  readonly byWords: boolean
  /** The configured model no longer returns vectors like the stored ones. */
  readonly isOutdated: boolean
  /** Those of the first lexical hits that have no vector, in their order. */
  readonly pending: ReadonlyArray<number>
}

/** The built-in model of these vectors is damaged or being replaced. */
export type Unreadable = "unreadable"
const unreadable: Unreadable = "unreadable"

/** Makes query vectors for a model. */
export const queryVectors = Effect.gen(function* () {
  const store = yield* VectorStore
  const given = yield* Models
  const workspaces = yield* WorkspaceStore
  const embed = yield* queryEmbedder

  const folders = yield* Cache.make({
    capacity: cachedModelsMax,
    timeToLive: Duration.infinity,
    lookup: ({ model, workspace }: { readonly workspace: WorkspaceScope; readonly model: string }) =>
      Effect.gen(function* () {
        const bytes = yield* store.artefact(workspace, model)
        const lsa = Option.isSome(bytes) ? yield* readLsa(bytes.value) : null
        return lsa === null ? yield* Effect.fail(unreadable) : lsaFolder(lsa)
      })
  })

  const kept = new StampedValue<Settings>()
  const settingsOf = (workspace: WorkspaceScope, stamp: string | null) => {
    const cached = kept.get(workspace, stamp)
    if (cached !== undefined) return Effect.succeed(cached)
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
    const vectors = new Map(found.map(({ label, vector }) => [label, vector]))
    const pending = candidates.flatMap(({ label }) => (vectors.has(label) ? [] : [label]))
    return { seeds: seedVector(candidates, vectors), pending }
  })

  const builtIn = Effect.fnUntraced(function* (
    workspace: WorkspaceScope,
    { id }: VectorModel,
    query: VectorQuery
  ) {
    const folderKey = Data.struct({ workspace, model: id })
    // A cache also keeps failures, at least for the rest of the millisecond.
    const fold = yield* Effect.tapError(folders.get(folderKey), () => folders.invalidate(folderKey))
    const settings = yield* settingsOf(workspace, query.stamp ?? null)
    const { pending, seeds } = yield* seedsOf(workspace, id, query)
    const vector = seededQuery(fold(termCounts(query.text)).vector, seeds, settings.retrieval.seedShare)
    return { vector, byWords: true, isOutdated: false, pending }
  })

  const bySeeds = (workspace: WorkspaceScope, { id }: VectorModel, query: VectorQuery, isOutdated: boolean) =>
    Effect.map(seedsOf(workspace, id, query), ({ pending, seeds }) => ({
      vector: seeds,
      byWords: true,
      isOutdated,
      pending
    }))

  const make = Effect.fnUntraced(function* (
    workspace: WorkspaceScope,
    active: VectorModel,
    query: VectorQuery
  ): Effect.fn.Return<QueryVector, Unreadable> {
    const { models, retrieval } = yield* settingsOf(workspace, query.stamp ?? null)
    const { builtIn: usesBuiltIn, embedder } = yield* Effect.provideService(
      modelsFor(workspace, models),
      Models,
      given
    )
    if (active.id.startsWith(lsaPrefix)) {
      if (!usesBuiltIn) return { vector: null, byWords: true, isOutdated: false, pending: [] }
      return yield* builtIn(workspace, active, query)
    }
    if (Option.isSome(embedder) && belongsToModel(active, embedder.value)) {
      const made = yield* embed(embedder.value, active.dimensions, query.text)
      if (made === "other dimensions") return yield* bySeeds(workspace, active, query, true)
      // An embedder that is down gives no vector, and the words have their own list.
      if (made === null) return { vector: null, byWords: false, isOutdated: false, pending: [] }
      const { pending, seeds } = yield* seedsOf(workspace, active.id, query)
      const vector = seededQuery(made, seeds, retrieval.seedShare)
      return { vector, byWords: false, isOutdated: false, pending }
    }
    // The model of these vectors is gone and the next one is not complete: the seeds still give a vector.
    return yield* bySeeds(workspace, active, query, false)
  })

  const forget = (workspace: WorkspaceScope, { id }: VectorModel) =>
    folders.invalidate(Data.struct({ workspace, model: id }))

  return { make, forget }
})

/** Embeds a question; null when the model fails, which is logged once per outage and not once per search. */
const queryEmbedder = Effect.map(Ref.make(false), (down) => {
  const warnOnce = (message: string) =>
    Effect.flatMap(Ref.getAndSet(down, true), (wasDown) =>
      wasDown
        ? Effect.void
        : Effect.logWarning(`The embedding model is unavailable; searches do not use its vectors. ${message}`)
    )
  return (given: Context.Tag.Service<Embedder>, dimensions: number, text: string) =>
    Effect.matchEffect(given.embed([text], "query"), {
      onFailure: ({ message }) => Effect.as(warnOnce(message), null),
      onSuccess: ([vector]) => {
        const made = vector === undefined ? undefined : unitOf(vector)
        if (made === undefined) return Effect.as(warnOnce("The model did not return a finite vector."), null)
        const fits = made === null || made.length === dimensions
        return Effect.as(Ref.set(down, false), fits ? made : ("other dimensions" as const))
      }
    })
})

/** Lexical hits that steer the query vector. Measured: docs/retrieval-quality.md. */
export const seedsMax = 5

/**
 * Exponent of the seed scores: a clearly best hit determines the vector nearly alone, and five close ones share it.
 */
const seedPower = 4

/** Returns the seed vector: the sum of (score / first score)⁴ * vector over the first five hits that have one. */
export const seedVector = (
  hits: ReadonlyArray<ScoredLabel>,
  vectors: ReadonlyMap<number, Float32Array>
): Float32Array | null => {
  const seeds = hits.filter(({ label, score }) => score > 0 && vectors.has(label)).slice(0, seedsMax)
  const first = hits[0]?.score ?? 0
  const sum = new Float64Array(vectors.get(seeds[0]?.label ?? 0)?.length ?? 0)
  for (const { label, score } of seeds) {
    const vector = vectors.get(label) ?? new Float32Array()
    const weight = (score / first) ** seedPower
    vector.forEach((value, place) => {
      sum[place] = (sum[place] ?? 0) + weight * value
    })
  }
  return unit(sum)
}

/**
 * Returns `unit((1 - share) q + share m)`. Without a known term it is the seed vector, without hits the query vector;
 * null when there is neither or when they cancel out.
 */
export const seededQuery = (
  query: Float32Array | null,
  seeds: Float32Array | null,
  share: number
): Float32Array | null => {
  if (seeds === null || share === 0) return query
  if (query === null) return seeds
  return unit(
    new Float64Array(query).map((value, place) => (1 - share) * value + share * (seeds[place] ?? 0))
  )
}
