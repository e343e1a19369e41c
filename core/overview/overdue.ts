import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { atomically, Caller, now, traced } from "../kernel/index.js"
import { OverviewStore, overdueActions } from "./store.js"

/** Things that one unit of work tells of. */
const toldPerUnit = 200

/**
 * Leaves an event in the audit trail for each document and entity whose review has become due, once for each time
 * that it does: after a review the next moment is another one. Safe to repeat. Gives how many.
 */
export const noteOverdue = traced("overview.noteOverdue")(function* () {
  const [store, at, { workspace }] = [yield* OverviewStore, yield* now, yield* Caller]
  let count = 0
  for (let told = toldPerUnit; told === toldPerUnit; count += told)
    told = yield* atomically(
      Effect.gen(function* () {
        const overdue = yield* store.untoldOverdue(workspace, at, toldPerUnit)
        yield* record(
          overdue.map(({ dueAt, kind, subjectId }) => ({
            action: overdueActions[kind],
            subjectId,
            details: { dueAt }
          }))
        )
        return overdue.length
      })
    )
  return count
})
