import * as Effect from "effect/Effect"
import { Caller, Ids, now } from "../kernel/index.js"
import { AuditLog } from "./store.js"

/** What a room says about one thing that was done. */
export interface Deed {
  readonly action: string
  readonly subjectId: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Records deeds of the caller in the running unit of work. */
export const record = (deeds: ReadonlyArray<Deed>): Effect.Effect<void, never, AuditLog | Ids | Caller> =>
  Effect.gen(function* () {
    if (deeds.length === 0) return
    const [log, ids, caller, at] = [yield* AuditLog, yield* Ids, yield* Caller, yield* now]
    yield* log.append(
      caller.workspace,
      deeds.map(({ action, details = {}, subjectId }) => ({
        id: ids.make("audit"),
        action,
        actor: caller.actor,
        activity: caller.activity,
        subjectId,
        at,
        details
      }))
    )
  })
