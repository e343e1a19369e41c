import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { nextTurn } from "../../platform/kernel/index.js"
import { type Embedder, ModelFailed } from "../../platform/models/index.js"
import { type Folded, type Lsa, lsaFolder } from "./lsa.js"
import { termCounts } from "./lsa-terms.js"
import type { VectorModel } from "./store.js"
import { storedVector } from "./stored-vector.js"

/** Makes the vectors of one model, rounded as they are stored: one result per text, in order. */
export interface VectorMaker {
  /** Maximum number of texts in one call, which are also written in one unit of work. */
  readonly batchMax: number
  readonly make: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Folded>, ModelFailed>
}

/** Number of texts embedded before yielding: a few milliseconds. */
const sliceSize = 16

export const builtInMaker = (model: Lsa): VectorMaker => {
  const fold = lsaFolder(model)
  return {
    batchMax: 128,
    make: (texts) =>
      Effect.gen(function* () {
        const made: Array<Folded> = []
        for (const [place, text] of texts.entries()) {
          if (place % sliceSize === 0) yield* nextTurn
          const folded = fold(termCounts(text))
          made.push({ ...folded, vector: folded.vector && storedVector(folded.vector) })
        }
        return made
      })
  }
}

type Given = Context.Tag.Service<Embedder>

/**
 * Whether stored vectors belong to this model. When a model starts to return another vector length, its new vectors
 * are stored under a separate name, because two sets cannot share one.
 */
export const belongsToModel = (
  { dimensions, id }: Pick<VectorModel, "dimensions" | "id">,
  { modelId }: Given
): boolean => id === modelId || id === `${modelId}#${dimensions}`

/** Returns the name under which a model's vectors are stored beside the active ones. */
export const storedModelId = (
  { modelId }: Given,
  dimensions: number,
  active: Pick<VectorModel, "id"> | undefined
): string => (active?.id === modelId ? `${modelId}#${dimensions}` : modelId)

/** Returns the present vector length of the model, by embedding one text. */
export const dimensionsOf = (embedder: Given): Effect.Effect<number, ModelFailed> =>
  Effect.flatMap(embedder.embed(["dimensions"], "query"), ([vector]) =>
    vector === undefined || vector.length === 0
      ? Effect.fail(
          new ModelFailed({
            modelId: embedder.modelId,
            message: "The model returned no vector for a text.",
            retryable: false
          })
        )
      : Effect.succeed(vector.length)
  )

/** Makes vectors with a configured model. Fails unless each text gives one finite vector of the model's length. */
export const embedderMaker = (embedder: Given, dimensions: number): VectorMaker => ({
  batchMax: Math.max(1, embedder.batchMax),
  make: (texts) =>
    Effect.flatMap(embedder.embed(texts, "passage"), (vectors) =>
      vectors.length === texts.length && vectors.every((vector) => vector.length === dimensions)
        ? Effect.forEach(vectors, (vector) => checked(embedder.modelId, vector))
        : Effect.fail(
            new ModelFailed({
              modelId: embedder.modelId,
              message: `The model did not return ${texts.length} vectors of ${dimensions} numbers.`,
              retryable: false
            })
          )
    )
})

/** A zero vector carries no information and is omitted, like that of a text without known words. */
const checked = (modelId: string, vector: Float32Array): Effect.Effect<Folded, ModelFailed> => {
  const unitVector = unitOf(vector)
  return unitVector === undefined
    ? Effect.fail(
        new ModelFailed({ modelId, message: "A vector held a number that is not finite.", retryable: false })
      )
    : Effect.succeed({ vector: unitVector && storedVector(unitVector), knownCount: 0, unknownCount: 0 })
}

/** Normalizes a vector; null when it is zero, undefined when a number is not finite. */
export const unitOf = (vector: Float32Array): Float32Array | null | undefined => {
  let square = 0
  for (const value of vector) square += value * value
  if (!Number.isFinite(square)) return undefined
  const length = Math.sqrt(square)
  return length === 0 ? null : vector.map((value) => value / length)
}
