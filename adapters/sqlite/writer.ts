import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { DataBusy } from "../../core/kernel/index.js"
import { Unsynced } from "../sql/unsynced.js"
import { isBusy, type SqliteConnection } from "./connection.js"

/** How long a write waits for those of other processes, before it gives up as `busy`. */
const waitMaxMs = 30_000
/** Between two looks whether the writer's place is free; a look costs about 15 microseconds. */
const lookMs = 2
/**
 * Who has held the writer's place for so long in all leaves it alone for a moment, or the others of a busy time
 * would never find it free: they look, nobody calls them. Costs a long job a twentieth at most.
 */
const heldMaxMs = 80
const pauseMs = 4

const again = Schedule.spaced(lookMs).pipe(
  Schedule.jitteredWith({ min: 0.5, max: 1.5 }),
  Schedule.upTo(waitMaxMs)
)

/**
 * The one connection of this thread that writes. Fibers take turns; other connections to the same file, of this
 * process or another, are waited for without holding up the event loop.
 */
export const makeWriter = (connection: SqliteConnection) =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    const rest = restsAfterWork()
    /** Repeats what the database refused, since another connection writes. */
    const patiently = <A>(attempt: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
      attempt.pipe(
        Effect.retry({ schedule: again, while: isBusy }),
        Effect.catchIf(isBusy, () => Effect.die(busy))
      )
    const begin = Effect.interruptible(patiently(connection.execute("begin immediate", [], undefined)))
    const end = Effect.suspend(() =>
      // SQLite itself ends a transaction that the disk has failed.
      connection.database.inTransaction ? connection.execute("rollback", [], undefined) : Effect.void
    )
    const inTransaction: Connection = {
      execute: connection.execute,
      executeRaw: connection.executeRaw,
      executeValues: connection.executeValues,
      executeStream: connection.executeStream,
      executeUnprepared: (sql, values, transform) => {
        // Begun with the turn, and interruptible only there.
        if (sql === "begin") return Effect.succeed([])
        if (sql === "rollback") return Effect.as(end, [])
        return connection.execute(sql, values, transform)
      }
    }
    /** Takes the writer's place and begins a transaction; gives what ends it, undone where nobody has committed it. */
    const enter = Effect.uninterruptible(
      Effect.gen(function* () {
        const unsynced = yield* Unsynced
        yield* Effect.interruptible(turn.take(1))
        const leave = Effect.suspend(() => {
          if (unsynced) sync(connection, "full")
          return turn.release(1)
        })
        yield* Effect.onError(
          Effect.gen(function* () {
            yield* Effect.interruptible(rest.pause)
            // In a transaction it could not be changed any more.
            if (unsynced) sync(connection, "normal")
            yield* begin
          }),
          () => leave
        )
        const startedAt = yield* Clock.currentTimeMillis
        return Effect.gen(function* () {
          yield* Effect.orDie(end)
          rest.worked(startedAt, yield* Clock.currentTimeMillis)
        }).pipe(Effect.ensuring(leave))
      })
    )
    const commit = Effect.orDie(connection.execute("COMMIT", [], undefined))
    return {
      patiently,
      /** Runs one statement of its own. */
      single: <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
        turn.withPermits(1)(patiently(statement)),
      /** The writer's place for the length of the scope, with a transaction begun. */
      transaction: Effect.uninterruptible(
        Effect.flatMap(enter, (leave) =>
          Effect.as(
            Effect.addFinalizer(() => leave),
            inTransaction
          )
        )
      ),
      /**
       * Runs the work as a transaction, as the client's own `withTransaction` does, which makes a scope and a span and
       * so copies all services five times and more; this does it once. Not for one in another.
       */
      whole: <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(enter, (leave) =>
            Effect.mapInputContext(restore(work), (context: Context.Context<R>) =>
              Context.add(context, SqlClient.TransactionConnection, [inTransaction, 0])
            ).pipe(Effect.zipLeft(commit), Effect.ensuring(leave))
          )
        )
    }
  })

/**
 * With `full` a commit is on the disk when it returns. With `normal` it is in the log, which the next one that is
 * synced, or a checkpoint, brings to the disk in the same order. Never a kept statement: SQLite obeys when it
 * compiles this one, not when it runs it.
 */
const sync = ({ database }: SqliteConnection, level: "full" | "normal"): void => {
  database.pragma(`synchronous = ${level}`)
}

export type Writer = Effect.Effect.Success<ReturnType<typeof makeWriter>>

const busy = new DataBusy({
  message: `Other processes have been writing to the data folder for ${waitMaxMs / 1000} s without a pause. Nothing was changed; try again.`,
  retryAfterSeconds: 1
})

/** Counts how long the writer's place was held; a pause that came by itself counts as one. */
const restsAfterWork = () => {
  let heldMs = 0
  let lastEndedAt = 0
  return {
    worked: (startedAt: number, endedAt: number): void => {
      if (startedAt - lastEndedAt >= pauseMs) heldMs = 0
      heldMs += endedAt - startedAt
      lastEndedAt = endedAt
    },
    pause: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - lastEndedAt >= pauseMs || heldMs < heldMaxMs) return Effect.void
      heldMs = 0
      return Effect.sleep(pauseMs)
    })
  }
}
