import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Embedder, ModelFailed, Reranker } from "../../core/models/index.js"

/** An embedding model of the host. Its function may return a promise or an effect. */
export interface GivenEmbedder {
  /** Identity of the vectors: with another id all vectors are computed again. */
  readonly modelId: string
  /** Maximum number of texts per call; default 96. */
  readonly batchMax?: number
  /** Returns one vector per text, in order, all of one length. The signal is aborted when nobody waits any more. */
  readonly embed: (
    texts: ReadonlyArray<string>,
    purpose: "passage" | "query",
    signal: AbortSignal
  ) =>
    | Effect.Effect<ReadonlyArray<Float32Array>, ModelFailed>
    | Promise<ReadonlyArray<ReadonlyArray<number> | Float32Array>>
}

/** A reranking model of the host. Its function may return a promise or an effect. */
export interface GivenReranker {
  readonly modelId: string
  /** Returns one score per passage, in order; higher is better. */
  readonly rerank: (
    query: string,
    passages: ReadonlyArray<string>,
    signal: AbortSignal
  ) => Effect.Effect<ReadonlyArray<number>, ModelFailed> | Promise<ReadonlyArray<number>>
}

const batchMax = 96

/** Returns an embedder; its functions may return effects or promises. */
export const embedderOf = (given: GivenEmbedder): Context.Tag.Service<Embedder> =>
  Embedder.of({
    modelId: given.modelId,
    batchMax: given.batchMax ?? batchMax,
    embed: (texts, purpose) =>
      Effect.map(
        either<ReadonlyArray<ReadonlyArray<number> | Float32Array>>(given.modelId, (signal) =>
          given.embed(texts, purpose, signal)
        ),
        (vectors) =>
          vectors.map((vector) => (vector instanceof Float32Array ? vector : Float32Array.from(vector)))
      )
  })

/** Returns a reranker; its function may return an effect or a promise. */
export const rerankerOf = (given: GivenReranker): Context.Tag.Service<Reranker> =>
  Reranker.of({
    modelId: given.modelId,
    rerank: (query, passages) => either(given.modelId, (signal) => given.rerank(query, passages, signal))
  })

/** Runs a function that returns an effect or a promise. What it throws is a failure of the model, with its message. */
const either = <A>(
  modelId: string,
  call: (signal: AbortSignal) => Effect.Effect<A, ModelFailed> | Promise<A>
): Effect.Effect<A, ModelFailed> =>
  Effect.suspend(() => {
    const control = new AbortController()
    const made = call(control.signal)
    return Effect.isEffect(made)
      ? made
      : Effect.onInterrupt(
          Effect.tryPromise({ try: () => made, catch: (thrown) => failureOf(modelId, thrown) }),
          () => Effect.sync(() => control.abort())
        )
  }).pipe(Effect.catchAllDefect((thrown) => Effect.fail(failureOf(modelId, thrown))))

const failureOf = (modelId: string, thrown: unknown): ModelFailed =>
  thrown instanceof ModelFailed
    ? thrown
    : new ModelFailed({
        modelId,
        message: thrown instanceof Error ? thrown.message : String(thrown),
        retryable: true
      })
