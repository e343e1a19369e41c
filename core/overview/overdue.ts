import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { atomically, Caller, now, traced } from "../kernel/index.js"
import { OverviewStore, overdueActions } from "./store.js"

/** Events recorded per unit of work. */
const eventsPerUnit = 200

/**
 * Records an audit event for each document and entity whose review has become due, once per due date. Idempotent.
 * Returns the number of events.
 */
export const noteOverdue = traced("overview.noteOverdue")(function* () {
  const [store, at, { workspace }] = [yield* OverviewStore, yield* now, yield* Caller]
  let count = 0
  for (let batchSize = eventsPerUnit; batchSize === eventsPerUnit; count += batchSize)
    batchSize = yield* atomically(
      Effect.gen(function* () {
        const overdue = yield* store.untoldOverdue(workspace, at, eventsPerUnit)
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
