import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Embedder, ModelFailed } from "../models/index.js"
import { type Folded, type Lsa, lsaFolder } from "./lsa.js"
import { breathe } from "./lsa-corpus.js"
import { termCounts } from "./lsa-terms.js"
import type { VectorModel } from "./store.js"
import { storedVector } from "./stored-vector.js"

/** Makes the vectors of one model, rounded as they are stored: one result per text, in their order. */
export interface VectorMaker {
  /** Most texts of one call, which are also written in one unit of work. */
  readonly batchMax: number
  readonly make: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Folded>, ModelFailed>
}

/** Texts that are folded in before others may run: a few milliseconds. */
const sliceSize = 16

export const builtInMaker = (model: Lsa): VectorMaker => {
  const fold = lsaFolder(model)
  return {
    batchMax: 128,
    make: (texts) =>
      Effect.gen(function* () {
        const made: Array<Folded> = []
        for (const [place, text] of texts.entries()) {
          if (place % sliceSize === 0) yield* breathe
          const folded = fold(termCounts(text))
          made.push({ ...folded, vector: folded.vector && storedVector(folded.vector) })
        }
        return made
      })
  }
}

type Given = Context.Tag.Service<Embedder>

/**
 * Whether vectors are of this model. Those of a model that came to give another length than before are kept under
 * a name of their own, for two sets of one name cannot stand beside each other.
 */
export const isOf = (
  { dimensions, id }: Pick<VectorModel, "dimensions" | "id">,
  { modelId }: Given
): boolean => id === modelId || id === `${modelId}#${dimensions}`

/** The name under which vectors of a model are kept beside the active ones. */
export const keptAs = (
  { modelId }: Given,
  dimensions: number,
  active: Pick<VectorModel, "id"> | undefined
): string => (active?.id === modelId ? `${modelId}#${dimensions}` : modelId)

/** How many numbers a vector of the model has at present: it is asked for one. */
export const dimensionsOf = (embedder: Given): Effect.Effect<number, ModelFailed> =>
  Effect.flatMap(embedder.embed(["dimensions"], "query"), ([vector]) =>
    vector === undefined || vector.length === 0
      ? Effect.fail(
          new ModelFailed({
            modelId: embedder.modelId,
            message: "It gave no vector for a text.",
            retryable: false
          })
        )
      : Effect.succeed(vector.length)
  )

/** Vectors of a configured model. What is not one finite vector of the model's length per text is a failure. */
export const embedderMaker = (embedder: Given, dimensions: number): VectorMaker => ({
  batchMax: Math.max(1, embedder.batchMax),
  make: (texts) =>
    Effect.flatMap(embedder.embed(texts, "passage"), (vectors) =>
      vectors.length === texts.length && vectors.every((vector) => vector.length === dimensions)
        ? Effect.forEach(vectors, (vector) => checked(embedder.modelId, vector))
        : Effect.fail(
            new ModelFailed({
              modelId: embedder.modelId,
              message: `The model was to give ${texts.length} vectors of ${dimensions} numbers and did not.`,
              retryable: false
            })
          )
    )
})

/** A zero vector says nothing about a text: it is left out, as a text without known words is. */
const checked = (modelId: string, vector: Float32Array): Effect.Effect<Folded, ModelFailed> => {
  const unitVector = unitOf(vector)
  return unitVector === undefined
    ? Effect.fail(
        new ModelFailed({ modelId, message: "A vector held a number that is not finite.", retryable: false })
      )
    : Effect.succeed({ vector: unitVector && storedVector(unitVector), knownCount: 0, unknownCount: 0 })
}

/** The vector made unit; null when it is zero, undefined when a number is not finite. */
export const unitOf = (vector: Float32Array): Float32Array | null | undefined => {
  let square = 0
  for (const value of vector) square += value * value
  if (!Number.isFinite(square)) return undefined
  const length = Math.sqrt(square)
  return length === 0 ? null : vector.map((value) => value / length)
}
