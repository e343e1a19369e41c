import type { RerankingModelV3 } from "@ai-sdk/provider"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Reranker } from "../../core/platform/models/index.js"
import { requireSpecification } from "./ai-sdk-call.js"
import { type NextRerankingModel, presentRerankingModel } from "./ai-sdk-next.js"
import { unusable } from "./failure.js"
import { type AdapterOptions, type Counted, callWith, meterFor } from "./metered-call.js"
import { modelFailed } from "./resilience.js"

/** Makes a reranker from any reranking model of the AI SDK. A passage without a score comes last. */
export const fromRerankingModel = (
  model: RerankingModelV3 | NextRerankingModel,
  options: AdapterOptions = {}
): Context.Tag.Service<Reranker> => {
  requireSpecification(model)
  return rerankerOver(
    model.modelId,
    async (query, passages, signal) => {
      const { rerank } = await import("ai")
      const { ranking } = await rerank({
        model: presentRerankingModel(model),
        query,
        documents: [...passages],
        maxRetries: 0,
        abortSignal: signal
      })
      return { ranking: ranking.map(({ originalIndex, score }) => ({ index: originalIndex, score })) }
    },
    options
  )
}

/** Passages with their scores, and the usage. */
export interface Ranking extends Counted {
  readonly ranking: ReadonlyArray<{ readonly index: number; readonly score: number }>
}

/** Makes a reranker from a single-call function. A passage without a score comes last. */
export const rerankerOver = (
  modelId: string,
  ask: (query: string, passages: ReadonlyArray<string>, signal: AbortSignal) => Promise<Ranking>,
  options: AdapterOptions
): Context.Tag.Service<Reranker> => {
  const call = callWith(options)
  const meter = meterFor("reranker", modelId, options.price)
  return Reranker.of({
    modelId,
    rerank: (query, passages) => {
      if (passages.length === 0) return Effect.succeed([])
      return call((signal) => ask(query, passages, signal)).pipe(
        Effect.tap((made) => meter(made, () => passages.map((passage) => query + passage).join(""))),
        Effect.map(({ ranking }) => {
          const scores = new Map(ranking.map(({ index, score }) => [index, score]))
          const lowest = ranking.reduce((least, { score }) => Math.min(least, score), 0)
          return passages.map((_, index) => scores.get(index) ?? lowest - 1)
        }),
        Effect.filterOrFail(
          (scores) => scores.every(Number.isFinite),
          () => unusable("The model gave a score that is not a number")
        ),
        Effect.mapError(modelFailed(modelId))
      )
    }
  })
}
