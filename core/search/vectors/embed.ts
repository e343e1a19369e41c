import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore } from "../../files/documents/index.js"
import { crashPoint, nextTurn, traced, type WorkspaceScope } from "../../platform/kernel/index.js"
import type { Embedder } from "../../platform/models/index.js"
import { modelsIn } from "../../platform/workspace/index.js"
import { fillModel, followDocuments, type VectorProgress } from "./follow-documents.js"
import { buildIndex, indexKey } from "./index-feed.js"
import { chunksMin } from "./lsa.js"
import { readLsa } from "./lsa-artefact.js"
import { lsaCorpus, lsaPrefix } from "./lsa-corpus.js"
import { LsaFitter, needsFit } from "./lsa-fitter.js"
import { begin, dropModels, modelsOf, noDrift, readBuiltIn } from "./models-of.js"
import { measureTrust } from "./self-test.js"
import { VectorIndex, type VectorModel, type VectorSlot, VectorStore } from "./store.js"
import {
  belongsToModel,
  builtInMaker,
  dimensionsOf,
  embedderMaker,
  storedModelId,
  type VectorMaker
} from "./vector-makers.js"

/** Options of a vector refresh. */
export interface RefreshOptions {
  readonly onProgress?: VectorProgress
  /** Fits the built-in model again when the passages have changed at all, not only after drift. */
  readonly relearn?: boolean
}

/**
 * Updates the vectors of a workspace to its documents: the background job of the vector channel. Safe to repeat and to
 * interrupt; it continues where it stopped. Searches use the old set until a new model is complete. Fails when a
 * configured model fails; stored vectors stay.
 */
export const refreshVectors = traced("retrieval.refreshVectors")(function* (
  workspace: WorkspaceScope,
  { onProgress = () => Effect.void, relearn = false }: RefreshOptions = {}
) {
  // Before the feed grows: after a database restore, an index from a later time can be recognized only by its
  // position.
  yield* persistVectors(workspace)
  const { builtIn, embedder } = yield* modelsIn(workspace)
  const work = Option.match(embedder, {
    onNone: () =>
      Effect.zipRight(
        dropBeside(workspace),
        builtIn ? refreshBuiltIn(workspace, "main", onProgress, relearn) : Effect.void
      ),
    onSome: (given) =>
      Effect.gen(function* () {
        // First, so that an outage of the embedder does not hold it up.
        const refreshOther = refreshBeside(workspace, builtIn, relearn)
        const isKept = yield* refreshOther
        yield* refreshEmbedded(workspace, given, onProgress)
        if (!isKept) yield* refreshOther
        yield* measureTrust(workspace, given, relearn)
      })
  })
  // The process that dropped the model is doing the same work.
  yield* Effect.catchTag(work, "ModelDropped", () => Effect.void)
  yield* sweep(workspace)
})

/**
 * Whether the vectors are behind: documents changed, another model is configured, or a model is incomplete. Reads a
 * few rows and calls no model, so that every start can check it.
 */
export const vectorsAreBehind = traced("retrieval.vectorsAreBehind")(function* (workspace: WorkspaceScope) {
  const documents = yield* DocumentStore
  const { builtIn, embedder } = yield* modelsIn(workspace)
  if (!builtIn && Option.isNone(embedder)) return false
  const { active, building } = yield* modelsOf(workspace)
  if (building !== undefined) return true
  const { chunks } = yield* documents.counts(workspace)
  if (active === undefined) return chunks >= (Option.isSome(embedder) ? 1 : chunksMin)
  const isConfigured = Option.match(embedder, {
    onNone: () => active.id.startsWith(lsaPrefix),
    onSome: (given) => belongsToModel(active, given)
  })
  if (!isConfigured && chunks > 0) return true
  const isBehind = ({ cursor }: VectorModel) =>
    Effect.map(documents.changesSince(workspace, cursor, 1), (changes) => changes.length > 0)
  if (builtIn && Option.isSome(embedder)) {
    const besideModels = yield* modelsOf(workspace, "beside")
    if (besideModels.building !== undefined || (besideModels.active === undefined && chunks >= chunksMin))
      return true
    if (besideModels.active !== undefined && (yield* isBehind(besideModels.active))) return true
  }
  return yield* isBehind(active)
})

/** Builds the index of the active model on disk, if searches at this size need one and enough has changed. */
export const persistVectors = traced("retrieval.persistVectors")(function* (workspace: WorkspaceScope) {
  const models = yield* Effect.forEach(["main", "beside"] as const, (slot) => modelsOf(workspace, slot))
  for (const { active } of models) if (active !== undefined) yield* buildIndex(indexKey(workspace, active))
})

type Given = Context.Tag.Service<Embedder>

/**
 * Updates the built-in vectors beside those of an embedder. Does nothing, and returns false, while built-in vectors
 * are the main ones.
 */
const refreshBeside = (workspace: WorkspaceScope, builtIn: boolean, relearn: boolean) =>
  Effect.gen(function* () {
    if (!builtIn) {
      yield* dropBeside(workspace)
      return true
    }
    const { active } = yield* modelsOf(workspace)
    if (active === undefined || active.id.startsWith(lsaPrefix)) return false
    yield* refreshBuiltIn(workspace, "beside", () => Effect.void, relearn)
    return true
  })

const dropBeside = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const { active, building } = yield* modelsOf(workspace, "beside")
    yield* dropModels(workspace, active, building)
  })

/**
 * Follows the documents with the configured model. When it now returns another vector length, it counts as another
 * model: everything is embedded again beside the old set, which serves searches until then.
 */
const refreshEmbedded = (workspace: WorkspaceScope, embedder: Given, onProgress: VectorProgress) =>
  Effect.gen(function* () {
    const { active, building } = yield* modelsOf(workspace)
    if (active === undefined || !belongsToModel(active, embedder)) {
      return yield* replaceEmbedded(workspace, embedder, onProgress)
    }
    // Document changes may not reveal a new length, so the model is asked. If it is unavailable, the first embedding
    // reports it.
    const given = yield* Effect.option(dimensionsOf(embedder))
    if (Option.isSome(given) && given.value !== active.dimensions) {
      return yield* replaceEmbedded(workspace, embedder, onProgress)
    }
    yield* dropModels(workspace, building)
    yield* followDocuments(workspace, active, embedderMaker(embedder, active.dimensions), onProgress)
  })

/** Embeds everything with the configured model and activates it. */
const replaceEmbedded = (workspace: WorkspaceScope, embedder: Given, onProgress: VectorProgress) =>
  Effect.gen(function* () {
    const { active, building } = yield* modelsOf(workspace)
    const { chunks } = yield* (yield* DocumentStore).counts(workspace)
    if (chunks === 0) return
    const dimensions = yield* dimensionsOf(embedder)
    const goesOn =
      building !== undefined && belongsToModel(building, embedder) && building.dimensions === dimensions
    const fresh = Effect.gen(function* () {
      const cursor = yield* feedEnd(workspace, active?.cursor ?? 0)
      return yield* begin(workspace, {
        id: storedModelId(embedder, dimensions, active),
        dimensions,
        cursor,
        fittedChunks: 0
      })
    })
    const model = goesOn ? building : yield* fresh
    yield* complete(workspace, "main", model, embedderMaker(embedder, dimensions), onProgress)
  })

const refreshBuiltIn = (
  workspace: WorkspaceScope,
  slot: VectorSlot,
  onProgress: VectorProgress,
  relearn: boolean
) =>
  Effect.gen(function* () {
    for (let round = 0; round < roundsMax; round += 1) {
      if (yield* settleBuiltIn(workspace, slot, onProgress, relearn && round === 0)) return
    }
  })

/** Maximum number of fits in one run; after each, changes made meanwhile are checked. */
const roundsMax = 3

/** Checks once and fits at most once; true when nothing is left to do. */
const settleBuiltIn = (
  workspace: WorkspaceScope,
  slot: VectorSlot,
  onProgress: VectorProgress,
  relearn: boolean
) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const vectors = yield* VectorStore
    const models = yield* modelsOf(workspace, slot)
    const building = models.building && (yield* readBuiltIn(workspace, models.building))
    const active = models.active && (yield* readBuiltIn(workspace, models.active))
    const { chunks } = yield* documents.counts(workspace)
    if (chunks < chunksMin) {
      yield* dropModels(workspace, models.active, models.building)
      return true
    }
    // When any newer model will do, vectors of this one would be wasted work, and each search would compare them one
    // by one until the next model is ready.
    const isOutdated = (model: VectorModel) => needsFit(model, chunks) === "roughly"
    const followed =
      active &&
      (yield* followDocuments(workspace, active.model, builtInMaker(active.lsa), onProgress, isOutdated))
    const need = relearn ? "exactly" : needsFit(followed, chunks)
    if (need === "no") {
      yield* dropModels(workspace, models.building)
      return true
    }
    if (need === "roughly" && building) {
      yield* complete(workspace, slot, building.model, builtInMaker(building.lsa), onProgress)
      return false
    }
    const cursor = yield* feedEnd(workspace, followed?.cursor ?? 0)
    const corpus = yield* lsaCorpus(workspace)
    if (followed?.id === corpus.modelId) {
      yield* vectors.advance(workspace, followed.id, { cursor: followed.cursor, drift: noDrift })
      yield* dropModels(workspace, models.building)
      return followed.cursor === cursor
    }
    if (building && building.model.id === corpus.modelId) {
      yield* complete(workspace, slot, building.model, builtInMaker(building.lsa), onProgress)
      return false
    }
    const artefact = yield* (yield* LsaFitter).fit(corpus.texts)
    const lsa = artefact === null ? null : yield* readLsa(artefact)
    if (artefact === null || lsa === null) {
      yield* dropModels(workspace, models.active, models.building)
      return true
    }
    const fitted = { id: corpus.modelId, dimensions: lsa.dimensions, cursor, fittedChunks: corpus.chunkCount }
    const newModel = yield* begin(workspace, fitted, artefact, slot)
    yield* complete(workspace, slot, newModel, builtInMaker(lsa), onProgress)
    return false
  })

/** Fills a building model, builds its index and activates it. */
const complete = (
  workspace: WorkspaceScope,
  slot: VectorSlot,
  model: VectorModel,
  maker: VectorMaker,
  onProgress: VectorProgress
) =>
  Effect.gen(function* () {
    const vectors = yield* VectorStore
    const index = yield* VectorIndex
    const { chunks } = yield* (yield* DocumentStore).counts(workspace)
    yield* fillModel(workspace, model.id, maker, chunks, onProgress)
    yield* followDocuments(workspace, model, maker, () => Effect.void)
    const { active } = yield* modelsOf(workspace, slot)
    yield* buildIndex(indexKey(workspace, model))
    yield* crashPoint("vector.model.beforeActivate")
    const won = yield* vectors.activate(workspace, model.id)
    yield* crashPoint("vector.model.afterActivate")
    if (won && active !== undefined) yield* index.drop(indexKey(workspace, active))
  })

/** Returns the present end of the feed of document changes. */
const feedEnd = (workspace: WorkspaceScope, from: number) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    let end = from
    while (true) {
      const page = yield* documents.changesSince(workspace, end, 500)
      const last = page[page.length - 1]
      if (last === undefined) return end
      end = last.seq
      yield* nextTurn
    }
  })

/** Vectors freed in one statement: a few milliseconds of the database. */
const sweepSize = 500

const sweep = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const vectors = yield* VectorStore
    while ((yield* vectors.sweep(workspace, sweepSize)) > 0)
      yield* Effect.zipRight(crashPoint("vector.sweep.afterBatch"), nextTurn)
  })
