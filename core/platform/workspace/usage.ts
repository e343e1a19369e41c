import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { atomically, countEvent, isCausedByReadOnlyData, now, type WorkspaceScope } from "../kernel/index.js"
import {
  checkedUsage,
  isNothing,
  ModelMeter,
  type ModelUse,
  type MonthlyUsage,
  metered,
  monthOf,
  sumOfUses,
  type Usage
} from "../models/index.js"
import { WorkspaceStore } from "./store.js"

/** Adds usage to the workspace's present month in the running unit of work. */
export const addUsage = (workspace: WorkspaceScope, at: string, added: MonthlyUsage) =>
  isNothing(added)
    ? Effect.void
    : Effect.flatMap(WorkspaceStore, ({ usage: store }) => store.add(workspace, monthOf(at), added)).pipe(
        Effect.zipRight(countEvent("kanon_model_input_tokens_total", {}, added.inputTokens)),
        Effect.zipRight(countEvent("kanon_model_output_tokens_total", {}, added.outputTokens)),
        Effect.zipRight(countEvent("kanon_model_cost_usd_total", {}, Number(added.costUsd)))
      )

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
