import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Usage } from "./model.js"
import { addUsd } from "./prices.js"
import { checkedUsage } from "./usage.js"

/** Usage of one call of an embedding model or a reranker, or of a chat model beside the answer itself. */
export interface ModelUse extends Usage {
  readonly role: "embedding" | "reranker" | "chat"
  readonly modelId: string
}

/**
 * Called by embedding models and rerankers with the usage of each call. Chat models and judges return usage with
 * their replies. Default: usage is ignored.
 */
export class ModelMeter extends Context.Reference<ModelMeter>()("kanon/ModelMeter", {
  defaultValue:
    () =>
    (_use: ModelUse): Effect.Effect<void> =>
      Effect.void
}) {}

/** Adds the usage of the work to the list, even if the work fails later. */
export const metered = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  uses: Array<ModelUse>
): Effect.Effect<A, E, Exclude<R, ModelMeter>> =>
  Effect.provideService(work, ModelMeter, (use) =>
    Effect.sync(() => void uses.push({ ...use, ...checkedUsage(use) }))
  )

/** Returns the total of several usages. */
export const sumOfUses = (uses: ReadonlyArray<Usage>): Usage => ({
  inputTokens: uses.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  outputTokens: uses.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  costUsd: addUsd(...uses.map(({ costUsd }) => costUsd)),
  estimated: uses.some(({ estimated }) => estimated)
})
