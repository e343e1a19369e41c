import * as Effect from "effect/Effect"
import { atomically, Caller, type Inspector, restoreAdvice, Storage } from "../../platform/kernel/index.js"

/** Kinds of findings about the database itself and about rows that no room can parse. */
export const databaseFindings = {
  database_damaged: "difference",
  second_wall_down: "remark",
  vectors_in_process: "remark",
  replica_left_out: "remark",
  row_unreadable: "difference"
} as const

type DatabaseInspector = Inspector<keyof typeof databaseFindings | "record_impossible">

/**
 * Runs the integrity check of the database and finds rows that cannot be parsed. A rebuild recreates the database's
 * indexes and empties unreadable derived columns, which later inspections refill.
 */
export const inspectDatabase = (inspector: DatabaseInspector) =>
  Effect.gen(function* () {
    const [storage, { workspace }] = [yield* Storage, yield* Caller]
    const problems = yield* storage.integrity
    for (const message of problems)
      yield* inspector.report("database_damaged", {
        subject: message,
        message: `The database is damaged. A rebuild makes its indexes again; if a table is damaged: ${restoreAdvice}`
      })
    if (inspector.rebuild && problems.length > 0)
      yield* Effect.catchAllDefect(storage.rebuildIndexes, () => Effect.void)
    for (const { code, message } of yield* storage.remarks)
      yield* inspector.report(code, { subject: "", message })
    const unreadable = yield* storage.unreadable(workspace)
    for (const { isDerived, subject } of unreadable)
      yield* inspector.report("row_unreadable", {
        subject,
        message: isDerived
          ? "A row of derived data cannot be parsed."
          : `A row of primary data cannot be parsed. ${restoreAdvice}`
      })
    if (inspector.rebuild && unreadable.some(({ isDerived }) => isDerived))
      yield* atomically(storage.emptyUnreadable(workspace))
    for (const { problem, subject } of yield* storage.unreadablePrincipals(workspace))
      yield* inspector.report("record_impossible", { subject, message: `${problem} ${restoreAdvice}` })
  })
