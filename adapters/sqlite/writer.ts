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
import { DataBusy } from "../../core/kernel/index.js"
import { sqlError } from "../sql/errors.js"
import { Unsynced } from "../sql/unsynced.js"
import { isBusy, type SqliteConnection } from "./connection.js"
import { writerQueueBeside } from "./writer-queue.js"

/** How long a write waits for those of other processes, before it gives up as `busy`. */
const waitMaxMs = 30_000
/** Between two looks whether the writer's place is free; a look costs about 15 microseconds. */
const lookMs = 2
/** Who has held the writer's place for so long in all gets into the line of those who wait for it. */
const heldMaxMs = 80
/** What is left free for so long is free to all. */
const gapMs = 4
/** Whoever is first in the line may be asleep for good (a stopped process): at each so many looks it is passed. */
const looksPerPass = 50

const again = Schedule.spaced(lookMs)

/** Moments that lie as far apart as time has passed, whatever is done to the clock. */
const nowMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1000n) / 1000)

/** Repeats what the database refused, since another connection writes. */
const patiently = <A>(attempt: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  // Hardly any is refused, and what counts the tries takes longer than one of them.
  Effect.catchIf(attempt, isBusy, () => Effect.zipRight(Effect.sleep(lookMs), untilFree(attempt)))

const untilFree = <A>(attempt: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.flatMap(nowMs, (since) =>
    Effect.retry(attempt, {
      schedule: again,
      while: (error) => (isBusy(error) ? Effect.map(nowMs, (now) => now - since < waitMaxMs) : false)
    }).pipe(Effect.catchIf(isBusy, () => Effect.die(busy)))
  )

/**
 * The one connection of this thread that writes. Fibers take turns; other connections to the same file, of this
 * process or another, are waited for without holding up the event loop.
 */
export const makeWriter = (connection: SqliteConnection) =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)
    const line = yield* Effect.acquireRelease(
      Effect.sync(() => writerQueueBeside(connection.database.name)),
      ({ close }) => Effect.sync(close)
    )
    const held = heldInAll()
    /** Tries in the order of those who wait. Nobody else shares our place in the line: we have the turn. */
    const inLine = <A>(attempt: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
      Effect.suspend(() => {
        let [isFirst, looks] = [false, 0]
        const look = Effect.suspend(() => {
          isFirst ||= line.tryFirst()
          looks += 1
          return isFirst || looks % looksPerPass === 0 ? attempt : behindOthers
        })
        return Effect.ensuring(
          untilFree(look),
          Effect.sync(() => line.leave())
        )
      })
    const begun = connection.execute("begin immediate", [], undefined)
    const begin = Effect.suspend(() =>
      held.isLong() ? inLine(begun) : Effect.catchIf(begun, isBusy, () => inLine(begun))
    )
    /** Undoes what nobody has committed. SQLite itself ends a transaction that the disk has failed. */
    const undo = (): Exit.Exit<unknown, SqlError> =>
      connection.database.inTransaction ? connection.run("rollback", []) : Exit.void
    const inTransaction: Connection = {
      execute: connection.execute,
      executeRaw: connection.executeRaw,
      executeValues: connection.executeValues,
      executeStream: connection.executeStream,
      executeUnprepared: (sql, values, transform) => {
        // Begun with the turn, and interruptible only there.
        if (sql === "begin") return Effect.succeed([])
        if (sql === "rollback") return Effect.suspend(() => Exit.as(undo(), []))
        return connection.execute(sql, values, transform)
      }
    }
    const level = syncLevel(connection)
    /** Where the level cannot be set back, the next one who has the place does it, or writes nothing. */
    const giveBack = (unsynced: boolean) =>
      Effect.suspend(() => {
        if (unsynced) level.trySet("full")
        return turn.release(1)
      })
    /** Takes the writer's place and begins a transaction; tells when. Only to be interrupted where it waits. */
    const enter = (unsynced: boolean): Effect.Effect<number, SqlError> =>
      Effect.flatMap(Effect.interruptible(turn.take(1)), () =>
        Effect.matchCauseEffect(
          Effect.interruptible(
            Effect.suspend(() => {
              // In a transaction it could not be changed any more.
              level.set(unsynced ? "normal" : "full")
              return begin
            })
          ),
          {
            // Interrupted when it had just begun, it would stay so.
            onFailure: (cause) =>
              Effect.suspend(() => {
                undo()
                return Effect.zipRight(giveBack(unsynced), Effect.failCause(cause))
              }),
            onSuccess: () => nowMs
          }
        )
      )
    /** Ends what was begun, undone where nobody has committed it; tells how that went. */
    const leave = (unsynced: boolean, startedAt: number): Effect.Effect<Exit.Exit<unknown, SqlError>> =>
      Effect.flatMap(nowMs, (endedAt) => {
        const undone = undo()
        held.add(startedAt, endedAt)
        return Effect.as(giveBack(unsynced), undone)
      })
    return {
      patiently,
      /** Runs one statement of its own. */
      single: <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
        turn.withPermits(1)(
          Effect.suspend(() => {
            level.set("full")
            return Effect.catchIf(statement, isBusy, () => inLine(statement))
          })
        ),
      /** The writer's place for the length of the scope, with a transaction begun. */
      transaction: Effect.uninterruptible(
        Effect.gen(function* () {
          const unsynced = yield* Unsynced
          const startedAt = yield* enter(unsynced)
          yield* Effect.addFinalizer(() => Effect.orDie(Effect.flatten(leave(unsynced, startedAt))))
          return inTransaction
        })
      ),
      /**
       * Runs the work as a transaction that knows services of its own, as the client's own `withTransaction` does, which
       * makes a scope and a span and so copies all services five times and more; this does it once. Not for one in
       * another.
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
              // As `locally` does it, whose bracket would be a second one around the work.
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

/** Knows how commits of a connection are synced, and changes it where it has to. */
const syncLevel = (connection: SqliteConnection) => {
  let now: "full" | "normal" = "full"
  const set = (wanted: "full" | "normal"): void => {
    if (now === wanted) return
    // Of what fails half-way nobody may rely on more.
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
        // Whoever needs it is told.
      }
    }
  }
}

/**
 * With `full` a commit is on the disk when it returns. With `normal` it is in the log, which the next one that is
 * synced, or a checkpoint, brings to the disk in the same order. Never a kept statement: SQLite obeys when it
 * compiles this one, not when it runs it.
 */
const sync = ({ database }: SqliteConnection, level: "full" | "normal"): void => {
  database.pragma(`synchronous = ${level}`)
  // What a statement needs to undo itself alone goes to a file from 64 KiB on: with many rows, each page once more than
  // to the log. Not for all units, since sorts would be kept in memory too.
  database.pragma(`temp_store = ${level === "normal" ? "memory" : "default"}`)
}

export type Writer = Effect.Effect.Success<ReturnType<typeof makeWriter>>

const busy = new DataBusy({
  message: `Other processes have been writing to the data folder for ${waitMaxMs / 1000} s without a pause. Nothing was changed; try again.`,
  retryAfterSeconds: 1
})

/** What a look gives that is not ours yet. */
const behindOthers = Effect.fail(
  sqlError(Object.assign(new Error(), { code: "SQLITE_BUSY" }), "Others wait for the writer's place.")
)

/** Counts how long the writer's place was held without leaving a gap. */
const heldInAll = () => {
  let [heldMs, lastEndedAt] = [0, 0]
  return {
    add: (startedAt: number, endedAt: number): void => {
      if (startedAt - lastEndedAt >= gapMs) heldMs = 0
      heldMs += endedAt - startedAt
      lastEndedAt = endedAt
    },
    /** True once each time that it is long, which is counted from there on anew. */
    isLong: (): boolean => {
      if (heldMs < heldMaxMs) return false
      heldMs = 0
      return true
    }
  }
}
