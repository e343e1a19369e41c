import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { HeldRun } from "./journal.js"
import type { RunError } from "./model.js"
import { RunStore } from "./store.js"
import { RunGuard } from "./toolbox.js"

/** Interval in ms at which a long call checks for cancellation when no signal arrives. */
const lookMs = 1_000
/** Calls that end before this look for nothing. */
const firstLookMs = 250

/** Ends once the run is to end: work that is raced with it is given up. */
export const untilCancelled = (held: HeldRun) =>
  Effect.gen(function* () {
    const changed = yield* (yield* RunStore).signals.watch(held.workspace, held.run.id)
    while ((yield* cancellationReason(held)) === null) yield* Effect.raceFirst(changed, Effect.sleep(lookMs))
  }).pipe(Effect.scoped, Effect.delay(firstLookMs))

/** Returns the reason why the run must end now; null to continue. */
export const cancellationReason = (held: HeldRun) => Effect.map(standingOf(held), ({ error }) => error)

/**
 * Returns why the run must end now, null to continue, and the run with the rights that its starter has now. A run may
 * wait for days, so the scopes that it was started with are the most that it may use, not what it may use.
 */
export const standingOf = (
  held: HeldRun
): Effect.Effect<{ readonly error: RunError | null; readonly held: HeldRun }, never, RunStore | RunGuard> =>
  Effect.gen(function* () {
    const { run, workspace } = held
    const ending = (error: RunError) => ({ error, held })
    if (yield* (yield* RunStore).isCancelRequested(workspace, run.id))
      return ending({ code: "cancelled", message: "The run was cancelled." })
    const rights = yield* (yield* RunGuard).rights(workspace, run)
    if (Option.isNone(rights))
      return ending({
        code: "key_revoked",
        message:
          run.apiKeyId === null
            ? "The member who started the run is no longer in the workspace."
            : "The key by which the run was started is no longer good."
      })
    const scopes = rights.value
    const caller = { ...held.caller, ...(scopes === null ? {} : { scopes }) }
    return {
      error: null,
      held: { ...held, run: { ...run, scopes }, caller: yield* (yield* RunGuard).reading(run, caller) }
    }
  })
