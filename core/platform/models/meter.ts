import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { atomically, isCausedByReadOnlyData, now, type WorkspaceScope } from "../kernel/index.js"
import type { Usage } from "./model.js"
import { addUsd } from "./prices.js"
import { addUsage, checkedUsage, isNothing } from "./usage.js"

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

/** Timeout for storing usage, so that a locked database does not delay a search. */
const patience = "2 seconds"

/**
 * Adds usage to the workspace's month in a unit of work of its own. Never fails: errors are logged, and the work
 * itself is not affected.
 */
export const countUses = (workspace: WorkspaceScope, uses: ReadonlyArray<Usage>) =>
  Effect.gen(function* () {
    const { costUsd, inputTokens, outputTokens } = sumOfUses(uses)
    if (isNothing({ costUsd, inputTokens, outputTokens })) return
    const add = addUsage(workspace, yield* now, { costUsd, inputTokens, outputTokens })
    yield* atomically(add, { unsynced: true }).pipe(
      Effect.timeoutFail({ duration: patience, onTimeout: () => "the database is locked" }),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : logUncounted(cause)
      ),
      Effect.catchAll(() => Effect.void)
    )
  })

/** Logs a failure; read-only data is expected and not logged. */
const logUncounted = (cause: Cause.Cause<unknown>) =>
  isCausedByReadOnlyData(cause) ? Effect.void : Effect.logWarning("Model usage could not be stored.", cause)

/** Runs work and then counts the usage of its embedding and reranking calls, whether or not it succeeded. */
export const counted = <A, E, R>(workspace: WorkspaceScope, work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const uses: Array<ModelUse> = []
    return Effect.ensuring(
      metered(work, uses),
      Effect.suspend(() => countUses(workspace, uses))
    )
  })

/** Runs long work and counts each call when it completes. */
export const countedAtOnce = <A, E, R>(workspace: WorkspaceScope, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.context<Effect.Effect.Context<ReturnType<typeof countUses>>>(), (context) =>
    Effect.provideService(work, ModelMeter, (use) =>
      Effect.provide(countUses(workspace, [checkedUsage(use)]), context)
    )
  )
