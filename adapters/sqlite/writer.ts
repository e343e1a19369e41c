import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Schedule from "effect/Schedule"
import { DataBusy } from "../../core/platform/kernel/index.js"
import { Unsynced } from "../sql/atomic.js"
import { sqlError } from "../sql/errors.js"
import { isBusy, type SqliteConnection } from "./connection.js"
import { writerQueueBeside } from "./writer-queue.js"

/** Maximum wait for other processes' writes before the error `busy`. */
const waitMaxMs = 30_000
/** Polling interval for the write lock; a poll takes about 15 microseconds. */
const lookMs = 2
/** A process that has held the write lock for this long in total joins the queue. */
const heldMaxMs = 80
/** A gap of this length resets the total. */
const gapMs = 4
/** The first in the queue may be a stopped process, so it is bypassed every this many polls. */
const looksPerPass = 50

const again = Schedule.spaced(lookMs)

/** Monotonic time in milliseconds. */
const nowMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1000n) / 1000)

/** Retries an attempt that failed because another connection was writing. */
const retryWhileBusy = <A>(attempt: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  // Attempts rarely fail, and a retry schedule costs more than the attempt itself.
  Effect.catchIf(attempt, isBusy, () => Effect.zipRight(Effect.sleep(lookMs), untilFree(attempt)))

const untilFree = <A>(attempt: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.flatMap(nowMs, (since) =>
    Effect.retry(attempt, {
      schedule: again,
      while: (error) => (isBusy(error) ? Effect.map(nowMs, (now) => now - since < waitMaxMs) : false)
    }).pipe(Effect.catchIf(isBusy, () => Effect.die(busy)))
  )

/**
 * Creates the writer of this thread's connection. Fibers take turns; waiting for other connections does not block the
 * event loop.
 */
export const makeWriter = (connection: SqliteConnection) =>
  Effect.gen(function* () {
    const localTurn = yield* Effect.makeSemaphore(1)
    const line = yield* Effect.acquireRelease(
      Effect.sync(() => writerQueueBeside(connection.database.name)),
      ({ close }) => Effect.sync(close)
    )
    const holdMeter = makeHoldMeter()
    /** Attempts in queue order. Only the holder of the local turn uses this process's place in the queue. */
    const attemptInQueueOrder = <A>(attempt: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
      Effect.suspend(() => {
        let [isFirst, looks] = [false, 0]
        const look = Effect.suspend(() => {
          isFirst ||= line.tryFirst()
          looks += 1
          return isFirst || looks % looksPerPass === 0 ? attempt : notFirstInQueue
        })
        return Effect.ensuring(
          untilFree(look),
          Effect.sync(() => line.leave())
        )
      })
    const beginImmediate = connection.execute("begin immediate", [], undefined)
    const begin = Effect.suspend(() =>
      holdMeter.isLong()
        ? attemptInQueueOrder(beginImmediate)
        : Effect.catchIf(beginImmediate, isBusy, () => attemptInQueueOrder(beginImmediate))
    )
    /** Rolls back an open transaction. SQLite itself ends a transaction after some disk errors. */
    const undo = (): Exit.Exit<unknown, SqlError> =>
      connection.database.inTransaction ? connection.run("rollback", []) : Exit.void
    const inTransaction: Connection = {
      execute: connection.execute,
      executeRaw: connection.executeRaw,
      executeValues: connection.executeValues,
      executeStream: connection.executeStream,
      executeUnprepared: (sql, values, transform) => {
        // The transaction began with the turn.
        if (sql === "begin") return Effect.succeed([])
        if (sql === "rollback") return Effect.suspend(() => Exit.as(undo(), []))
        return connection.execute(sql, values, transform)
      }
    }
    const level = syncLevel(connection)
    /** Restores the sync level; if that fails, the next writer does it or writes nothing. */
    const restoreSyncLevel = (unsynced: boolean) =>
      Effect.suspend(() => {
        if (unsynced) level.trySet("full")
        return localTurn.release(1)
      })
    /** Acquires the write lock and begins a transaction; returns the start time. Interruptible only while waiting. */
    const enter = (unsynced: boolean): Effect.Effect<number, SqlError> =>
      Effect.flatMap(Effect.interruptible(localTurn.take(1)), () =>
        Effect.matchCauseEffect(
          Effect.interruptible(
            Effect.suspend(() => {
              // The level cannot be changed within a transaction.
              level.set(unsynced ? "normal" : "full")
              return begin
            })
          ),
          {
            // An interruption after the begin would leave the transaction open.
            onFailure: (cause) =>
              Effect.suspend(() => {
                undo()
                return Effect.zipRight(restoreSyncLevel(unsynced), Effect.failCause(cause))
              }),
            onSuccess: () => nowMs
          }
        )
      )
    /** Ends the transaction, rolling back if it was not committed; returns the result. */
    const leave = (unsynced: boolean, startedAt: number): Effect.Effect<Exit.Exit<unknown, SqlError>> =>
      Effect.flatMap(nowMs, (endedAt) => {
        const undone = undo()
        holdMeter.add(startedAt, endedAt)
        return Effect.as(restoreSyncLevel(unsynced), undone)
      })
    return {
      patiently: retryWhileBusy,
      /** Runs a single statement as its own transaction. */
      single: <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
        localTurn.withPermits(1)(
          Effect.suspend(() => {
            level.set("full")
            return Effect.catchIf(statement, isBusy, () => attemptInQueueOrder(statement))
          })
        ),
      /** Acquires the write lock with a transaction for the lifetime of the scope. */
      transaction: Effect.uninterruptible(
        Effect.gen(function* () {
          const unsynced = yield* Unsynced
          const startedAt = yield* enter(unsynced)
          yield* Effect.addFinalizer(() => Effect.orDie(Effect.flatten(leave(unsynced, startedAt))))
          return inTransaction
        })
      ),
      /**
       * Runs work as a transaction with its own services. The client's `withTransaction` creates a scope and a span
       * and copies all services at least five times; this does it once. Not for nested transactions.
       */
      whole: <A, E, R>(
        work: Effect.Effect<A, E, R>,
        own: Context.Context<never>
      ): Effect.Effect<A, E | SqlError, R> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.withFiberRuntime((fiber) => {
            const outside = fiber.currentContext
            const inside = Context.merge(
              outside,
              Context.add(own, SqlClient.TransactionConnection, [inTransaction, 0])
            )
            const unsynced = Context.get(inside, Unsynced)
            const committed = Effect.flatMap(restore(work), (value) =>
              Effect.as(Effect.orDie(connection.run("commit", [])), value)
            )
            const ended = (startedAt: number) =>
              Effect.zipRight(FiberRef.set(FiberRef.currentContext, outside), leave(unsynced, startedAt))
            return Effect.flatMap(enter(unsynced), (startedAt) =>
              // Equivalent to `locally`, without a second bracket around the work.
              Effect.zipRight(FiberRef.set(FiberRef.currentContext, inside), committed).pipe(
                Effect.matchCauseEffect({
                  onFailure: (cause) =>
                    Effect.flatMap(ended(startedAt), (undone) =>
                      Effect.failCause(
                        Exit.isSuccess(undone)
                          ? cause
                          : Cause.sequential(cause, Cause.die(Cause.squash(undone.cause)))
                      )
                    ),
                  onSuccess: (value) => Effect.as(ended(startedAt), value)
                })
              )
            )
          })
        )
    }
  })

/** Tracks and changes the sync level of a connection. */
const syncLevel = (connection: SqliteConnection) => {
  let now: "full" | "normal" = "full"
  const set = (wanted: "full" | "normal"): void => {
    if (now === wanted) return
    // After a failure assume the weaker level.
    now = "normal"
    sync(connection, wanted)
    now = wanted
  }
  return {
    set,
    trySet: (wanted: "full" | "normal"): void => {
      try {
        set(wanted)
      } catch {
        // The error is reported where the level is needed.
      }
    }
  }
}

/**
 * Sets the sync level. With `full` a commit is durable when it returns. With `normal` it is in the WAL and becomes
 * durable, in order, with the next synced commit or checkpoint. Do not prepare: SQLite applies pragmas at compile
 * time.
 */
const sync = ({ database }: SqliteConnection, level: "full" | "normal"): void => {
  database.pragma(`synchronous = ${level}`)
  // Statement journals spill to a file from 64 KiB on, which writes each page once more. Not in memory for all units,
  // because sorts would be kept in memory too.
  database.pragma(`temp_store = ${level === "normal" ? "memory" : "default"}`)
}

export type Writer = Effect.Effect.Success<ReturnType<typeof makeWriter>>

const busy = new DataBusy({
  message: `Other processes have been writing to the data folder for ${waitMaxMs / 1000} s without a pause. Nothing was changed; try again.`,
  retryAfterSeconds: 1
})

/** Failure of an attempt that must wait for other processes. */
const notFirstInQueue = Effect.fail(
  sqlError(Object.assign(new Error(), { code: "SQLITE_BUSY" }), "Others wait for the writer's place.")
)

/** Measures how long the write lock was held without a gap. */
const makeHoldMeter = () => {
  let [heldMs, lastEndedAt] = [0, 0]
  return {
    add: (startedAt: number, endedAt: number): void => {
      if (startedAt - lastEndedAt >= gapMs) heldMs = 0
      heldMs += endedAt - startedAt
      lastEndedAt = endedAt
    },
    /** Returns true once each time the total exceeds the limit, and resets it. */
    isLong: (): boolean => {
      if (heldMs < heldMaxMs) return false
      heldMs = 0
      return true
    }
  }
}
