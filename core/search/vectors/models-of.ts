import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { crashPoint, now, type WorkspaceScope } from "../../platform/kernel/index.js"
import { indexKey } from "./index-feed.js"
import type { Lsa } from "./lsa.js"
import { readLsa } from "./lsa-artefact.js"
import { lsaPrefix } from "./lsa-corpus.js"
import { slotStates, VectorIndex, type VectorModel, type VectorSlot, VectorStore } from "./store.js"

/** Returns the models of a place. */
export const modelsOf = (workspace: WorkspaceScope, slot: VectorSlot = "main") =>
  Effect.gen(function* () {
    const models = yield* (yield* VectorStore).models(workspace)
    const states = slotStates[slot]
    return {
      active: models.find(({ state }) => state === states.active),
      building: models.find(({ state }) => state === states.building)
    }
  })

/** Returns a built-in model with its basis; undefined for others and for unreadable ones. */
export const readBuiltIn = (workspace: WorkspaceScope, model: VectorModel) =>
  Effect.gen(function* () {
    if (!model.id.startsWith(lsaPrefix)) return undefined
    const bytes = yield* (yield* VectorStore).artefact(workspace, model.id)
    const lsa: Lsa | null = Option.isSome(bytes) ? yield* readLsa(bytes.value) : null
    return lsa === null ? undefined : { model, lsa }
  })

export const noDrift = { chunks: 0, terms: 0, unknownTerms: 0 }

/** Adds a building model. */
export const begin = (
  workspace: WorkspaceScope,
  fitted: Pick<VectorModel, "id" | "dimensions" | "cursor" | "fittedChunks">,
  artefact: Uint8Array = new Uint8Array(),
  slot: VectorSlot = "main"
) =>
  Effect.gen(function* () {
    const model = { ...fitted, drift: noDrift, createdAt: yield* now }
    yield* (yield* VectorStore).begin(workspace, model, artefact, slot)
    yield* crashPoint("vector.model.afterBegin")
    return { ...model, state: slotStates[slot].building }
  })

/** Drops models with their vectors and indexes. */
export const dropModels = (workspace: WorkspaceScope, ...models: ReadonlyArray<VectorModel | undefined>) =>
  Effect.gen(function* () {
    for (const model of models) {
      if (model === undefined) continue
      yield* (yield* VectorStore).drop(workspace, model.id)
      yield* (yield* VectorIndex).drop(indexKey(workspace, model))
    }
  })
