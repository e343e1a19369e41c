import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toNumber } from "../codec.js"
import { dialect } from "../dialect.js"

/** The clocks of the machine, in milliseconds: the one that people set, and one that only goes on. */
export interface MachineClocks {
  readonly wallMs: () => number
  readonly steadyMs: () => number
}

const ownClocks: MachineClocks = { wallMs: () => Date.now(), steadyMs: () => performance.now() }

/** Of a row that tells the time of the database. */
export interface ClockRow {
  readonly clock_ms: unknown
}

/** By what processes that share a queue agree on the time, whatever the clock of each says. */
export interface QueueClock {
  /** Now, as the database would have it, by what was last read of its clock. */
  readonly nowMs: Effect.Effect<number>
  /** The same, read anew where that is long ago. */
  readonly freshMs: Effect.Effect<number, SqlError>
  /** Takes note of the clock of the database, which the rows of this statement tell. */
  readonly noting: <Row extends ClockRow>(
    read: Effect.Effect<ReadonlyArray<Row>, SqlError>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  readonly read: Effect.Effect<void, SqlError>
  /** False for a while after somebody set the clock of the database: leases were written by the one before. */
  readonly isSettled: () => boolean
}

/** Less than this is no difference: the clocks of machines are never quite equal, and leases are much longer. */
const toleratedMs = 2_000
/** As long as who holds a lease takes at most to prolong it. */
const unsettledMs = 30_000
const freshForMs = 30_000

/**
 * The clock of the database as the one of a queue: of two processes whose clocks lie an hour apart none takes the leases
 * of the other for over. The clock service stays what tells the time, so that tests can set it; it is put right by
 * as much as the machine's clock differs from the database's.
 */
export const makeQueueClock = (sql: SqlClient.SqlClient, clocks: MachineClocks = ownClocks): QueueClock => {
  let aheadMs = 0
  let last: { readonly steadyMs: number; readonly databaseMs: number } | null = null
  let settledAtMs = Number.NEGATIVE_INFINITY
  const noting: QueueClock["noting"] = (read) =>
    Effect.suspend(() => {
      const [wallMs, steadyMs] = [clocks.wallMs(), clocks.steadyMs()]
      return Effect.tap(read, ([row]) =>
        Effect.sync(() => {
          const databaseMs = row === undefined ? Number.NaN : toNumber(row.clock_ms)
          // A clock that was set while it was being read tells nothing: the next time it does.
          const tookMs = clocks.steadyMs() - steadyMs
          const isOdd = Math.abs(clocks.wallMs() - wallMs - tookMs) > toleratedMs
          if (!Number.isFinite(databaseMs) || isOdd) return
          aheadMs = outside(databaseMs, wallMs, wallMs + tookMs)
          if (last !== null) {
            const expectedMs = last.databaseMs + steadyMs - last.steadyMs
            if (outside(databaseMs, expectedMs, expectedMs + tookMs) !== 0)
              settledAtMs = steadyMs + tookMs + unsettledMs
          }
          last = { steadyMs, databaseMs }
        })
      )
    })
  const read = Effect.asVoid(noting(sql<ClockRow>`select ${dialect(sql).clockMs} as clock_ms`))
  const nowMs = Effect.map(Clock.currentTimeMillis, (ownMs) => ownMs + aheadMs)
  return {
    nowMs,
    freshMs: Effect.suspend(() =>
      last !== null && clocks.steadyMs() - last.steadyMs < freshForMs ? nowMs : Effect.zipRight(read, nowMs)
    ),
    noting,
    read,
    isSettled: () => clocks.steadyMs() >= settledAtMs
  }
}

/** How far a moment lies beyond a span of time; 0 for next to nothing. */
const outside = (moment: number, from: number, to: number): number => {
  const beyond = moment < from ? moment - from : moment > to ? moment - to : 0
  return Math.abs(beyond) > toleratedMs ? beyond : 0
}
