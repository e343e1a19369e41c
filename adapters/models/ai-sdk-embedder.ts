import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Embedder } from "../../core/platform/models/index.js"
import {
  type EmbeddingModel,
  type Lazily,
  requireSpecification,
  resolveEmbeddingModel
} from "./ai-sdk-call.js"
import { unusable } from "./failure.js"
import { type AdapterOptions, type Counted, callWith, meterFor } from "./metered-call.js"
import { modelFailed } from "./resilience.js"

/** Options of an embedding model of the AI SDK. */
export interface EmbeddingOptions extends AdapterOptions {
  /**
   * Prepended to each text, for models trained with prefixes ("query: ", "passage: "). Part of the id, because other
   * prefixes give other vectors.
   */
  readonly prefixes?: { readonly query: string; readonly passage: string }
  /** Maximum number of texts per call; the model's own limit if known, else 96. */
  readonly batchMax?: number
}

/** Makes an embedder from any embedding model of the AI SDK. Vectors are normalized to length 1. */
export const fromEmbeddingModel = (
  model: EmbeddingModel,
  options: EmbeddingOptions = {}
): Context.Tag.Service<Embedder> => {
  requireSpecification(model)
  return embedder(model.modelId, model, options)
}

const defaultBatchMax = 96

/** The same for a model that is made on first use. */
export const embedder = (
  modelId: string,
  model: Lazily<EmbeddingModel>,
  options: EmbeddingOptions
): Context.Tag.Service<Embedder> =>
  embedderOver(
    modelId,
    async (values, signal) => {
      const { embedMany } = await import("ai")
      const { embeddings, usage } = await embedMany({
        model: await resolveEmbeddingModel(model),
        values: [...values],
        maxRetries: 0,
        abortSignal: signal
      })
      return { embeddings, tokens: usage.tokens }
    },
    options
  )

/** One vector per text, with the usage. */
export interface Embeddings extends Counted {
  readonly embeddings: ReadonlyArray<ReadonlyArray<number>>
}

/** Makes an embedder from a single-call function. Vectors are normalized to length 1. */
export const embedderOver = (
  modelId: string,
  ask: (values: ReadonlyArray<string>, signal: AbortSignal) => Promise<Embeddings>,
  options: EmbeddingOptions
): Context.Tag.Service<Embedder> => {
  const call = callWith(options)
  const meter = meterFor("embedding", modelId, options.price)
  const { prefixes } = options
  return Embedder.of({
    modelId:
      prefixes === undefined ? modelId : `${modelId} ${JSON.stringify([prefixes.query, prefixes.passage])}`,
    batchMax: options.batchMax ?? defaultBatchMax,
    embed: (texts, purpose) => {
      if (texts.length === 0) return Effect.succeed([])
      const prefix = prefixes?.[purpose] ?? ""
      const values = texts.map((text) => prefix + text)
      return call((signal) => ask(values, signal), purpose === "passage").pipe(
        Effect.tap((made) => meter(made, () => values.join(""))),
        Effect.flatMap(({ embeddings }) => unitVectors(embeddings, texts.length)),
        Effect.mapError(modelFailed(modelId))
      )
    }
  })
}

const unitVectors = (embeddings: ReadonlyArray<ReadonlyArray<number>>, count: number) => {
  const dimensions = embeddings[0]?.length ?? 0
  if (embeddings.length !== count)
    return Effect.fail(unusable(`The model gave ${embeddings.length} vectors for ${count} texts`))
  const vectors = embeddings.map(unitVector)
  const usable = vectors.every((vector) => vector !== null && vector.length === dimensions && dimensions > 0)
  return usable
    ? Effect.succeed(vectors.flatMap((vector) => (vector === null ? [] : [vector])))
    : Effect.fail(unusable("The model gave a vector that is empty, zero, not finite or of another length"))
}

const unitVector = (values: ReadonlyArray<number>): Float32Array | null => {
  const norm = Math.hypot(...values)
  if (!Number.isFinite(norm) || norm === 0) return null
  return Float32Array.from(values, (value) => value / norm)
}
