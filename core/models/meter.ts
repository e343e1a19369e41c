import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { atomically, isCausedByReadOnlyData, now, type WorkspaceScope } from "../kernel/index.js"
import type { Usage } from "./model.js"
import { addUsd } from "./money.js"
import { addUsage, isNothing } from "./usage.js"

/** What one call of an embedding model or a reranker used. */
export interface ModelUse extends Usage {
  readonly role: "embedding" | "reranker"
  readonly modelId: string
}

/**
 * Told by embedding models and rerankers what each of their calls used; whoever began the work counts it. Chat models
 * and judges tell it with their replies. By default nobody listens.
 */
export class ModelMeter extends Context.Reference<ModelMeter>()("kanon/ModelMeter", {
  defaultValue:
    () =>
    (_use: ModelUse): Effect.Effect<void> =>
      Effect.void
}) {}

/** Has what the work uses put into the list, also of work that fails later. */
export const metered = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  uses: Array<ModelUse>
): Effect.Effect<A, E, Exclude<R, ModelMeter>> =>
  Effect.provideService(work, ModelMeter, (use) => Effect.sync(() => void uses.push(use)))

/** What several calls used together. */
export const sumOfUses = (uses: ReadonlyArray<Usage>): Usage => ({
  inputTokens: uses.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  outputTokens: uses.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  costUsd: addUsd(...uses.map(({ costUsd }) => costUsd)),
  estimated: uses.some(({ estimated }) => estimated)
})

/** A count does not hold up whoever searches for longer: somebody else may hold the database. */
const patience = "2 seconds"

/**
 * Adds what was used to the month of the workspace, in a unit of work of its own; none where nothing was. Never
 * fails: what cannot be counted is told in the log, and what was done with the models stays done.
 */
export const countUses = (workspace: WorkspaceScope, uses: ReadonlyArray<Usage>) =>
  Effect.gen(function* () {
    const { costUsd, inputTokens, outputTokens } = sumOfUses(uses)
    if (isNothing({ costUsd, inputTokens, outputTokens })) return
    const add = addUsage(workspace, yield* now, { costUsd, inputTokens, outputTokens })
    yield* atomically(add, { unsynced: true }).pipe(
      Effect.timeoutFail({ duration: patience, onTimeout: () => "the database is held by somebody else" }),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : notCounted(cause)
      ),
      Effect.catchAll(() => Effect.void)
    )
  })

/** Data that may not be written count nothing: no news. */
const notCounted = (cause: Cause.Cause<unknown>) =>
  isCausedByReadOnlyData(cause)
    ? Effect.void
    : Effect.logWarning("What models used could not be counted.", cause)

/** Work whose calls of embedding models and rerankers are counted when it is over, whether or not it went well. */
export const counted = <A, E, R>(workspace: WorkspaceScope, work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const uses: Array<ModelUse> = []
    return Effect.ensuring(
      metered(work, uses),
      Effect.suspend(() => countUses(workspace, uses))
    )
  })

/** The same for long work: each call is counted when it is over. */
export const countedAtOnce = <A, E, R>(workspace: WorkspaceScope, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.context<Effect.Effect.Context<ReturnType<typeof countUses>>>(), (context) =>
    Effect.provideService(work, ModelMeter, (use) => Effect.provide(countUses(workspace, [use]), context))
  )
