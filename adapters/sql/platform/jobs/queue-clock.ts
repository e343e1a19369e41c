import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toNumber } from "../../codec.js"
import { dialect } from "../../dialect.js"

/** The clocks of the machine in milliseconds: wall clock and monotonic clock. */
export interface MachineClocks {
  readonly wallMs: () => number
  readonly steadyMs: () => number
}

const ownClocks: MachineClocks = { wallMs: () => Date.now(), steadyMs: () => performance.now() }

/** A row with the database's time. */
export interface ClockRow {
  readonly clock_ms: unknown
}

/** Time shared by all processes of a queue, independent of their own clocks. */
export interface QueueClock {
  /** The database's time, estimated from its last reading. */
  readonly nowMs: Effect.Effect<number>
  /** The same with a fresh reading if the last one is old. */
  readonly freshMs: Effect.Effect<number, SqlError>
  /** Records the database's time from the rows of a statement. */
  readonly noting: <Row extends ClockRow>(
    read: Effect.Effect<ReadonlyArray<Row>, SqlError>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  readonly read: Effect.Effect<void, SqlError>
  /** False for a while after the database's clock was changed, because leases were written with the old one. */
  readonly isSettled: () => boolean
}

/** Smaller differences are ignored: machine clocks always differ slightly, and leases are much longer. */
const toleratedMs = 2_000
/** Longest time until a holder extends its lease. */
const unsettledMs = 30_000
const freshForMs = 30_000

/**
 * Uses the database's clock for the queue, so that processes with clocks an hour apart do not take over each other's
 * leases. The clock service stays the source of time, so that tests can set it; it is corrected by the difference
 * between the machine's and the database's clock.
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
          // Discard a reading during which the machine's clock was changed.
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

/** Returns how far a moment is outside of a period; 0 within the tolerance. */
const outside = (moment: number, from: number, to: number): number => {
  const beyond = moment < from ? moment - from : moment > to ? moment - to : 0
  return Math.abs(beyond) > toleratedMs ? beyond : 0
}
