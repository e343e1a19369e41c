import * as Effect from "effect/Effect"
import type { HeldRun } from "./journal.js"
import type { RunError } from "./model.js"
import { RunSignals, RunStore } from "./store.js"
import { RunGuard } from "./toolbox.js"

/** Interval in ms at which a long call checks for cancellation when no signal arrives. */
const lookMs = 1_000
/** Calls that end before this look for nothing. */
const firstLookMs = 250

/** Ends once the run is to end: work that is raced with it is given up. */
export const untilCancelled = (held: HeldRun) =>
  Effect.gen(function* () {
    const changed = yield* (yield* RunSignals).watch(held.workspace, held.run.id)
    while ((yield* cancellationReason(held)) === null) yield* Effect.raceFirst(changed, Effect.sleep(lookMs))
  }).pipe(Effect.scoped, Effect.delay(firstLookMs))

/** Returns the reason why the run must end now; null to continue. */
export const cancellationReason = (
  held: HeldRun
): Effect.Effect<RunError | null, never, RunStore | RunGuard> =>
  Effect.gen(function* () {
    const { apiKeyId, id } = held.run
    if (yield* (yield* RunStore).isCancelRequested(held.workspace, id))
      return { code: "cancelled", message: "The run was cancelled." }
    if (apiKeyId !== null && !(yield* (yield* RunGuard).isAdmitted(held.workspace, apiKeyId)))
      return { code: "key_revoked", message: "The key by which the run was started is no longer good." }
    return null
  })
