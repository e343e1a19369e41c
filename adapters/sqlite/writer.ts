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
import type { AtOnce } from "../sql/light-statements.js"
import { Unsynced } from "../sql/unsynced.js"
import { isBusy, type SqliteConnection } from "./connection.js"

/** How long a write waits for those of other processes, before it gives up as `busy`. */
const waitMaxMs = 30_000
/** Between two looks whether the writer's place is free; a look costs about 15 microseconds. */
const lookMs = 2
/**
 * Who has held the writer's place for so long in all leaves it alone for a moment, or the others of a busy time
 * would never find it free: they look, nobody calls them. The moment is a twentieth of what was held: where the
 * machine is so busy that a unit of work takes seconds, the others come to look as seldom.
 */
const heldMaxMs = 80
const heldPerPause = 20
/** What is left free for so long is free to all. */
const pauseMinMs = heldMaxMs / heldPerPause

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
      // Hardly any is refused, and what counts the tries takes longer than one of them.
      Effect.catchIf(attempt, isBusy, () =>
        Effect.zipRight(Effect.sleep(lookMs), attempt).pipe(
          Effect.retry({ schedule: again, while: isBusy }),
          Effect.catchIf(isBusy, () => Effect.die(busy))
        )
      )
    const begin = patiently(connection.execute("begin immediate", [], undefined))
    /** Undoes what nobody has committed. SQLite itself ends a transaction that the disk has failed. */
    const undo = (): Exit.Exit<unknown, SqlError> =>
      connection.database.inTransaction ? connection.atOnce("rollback", []) : Exit.void
    const inTransaction: Connection & AtOnce = {
      atOnce: connection.atOnce,
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
    const giveBack = (unsynced: boolean) =>
      Effect.suspend(() => {
        if (unsynced) sync(connection, "full")
        return turn.release(1)
      })
    /** Takes the writer's place and begins a transaction; tells when. Only to be interrupted where it waits. */
    const enter = (unsynced: boolean): Effect.Effect<number, SqlError> =>
      Effect.flatMap(Effect.interruptible(turn.take(1)), () =>
        Effect.matchCauseEffect(
          Effect.interruptible(
            Effect.flatMap(rest.pause, () => {
              // In a transaction it could not be changed any more.
              if (unsynced) sync(connection, "normal")
              return begin
            })
          ),
          {
            onFailure: (cause) => Effect.zipRight(giveBack(unsynced), Effect.failCause(cause)),
            onSuccess: () => Clock.currentTimeMillis
          }
        )
      )
    /** Ends what was begun, undone where nobody has committed it; tells how that went. */
    const leave = (unsynced: boolean, startedAt: number): Effect.Effect<Exit.Exit<unknown, SqlError>> =>
      Effect.flatMap(Clock.currentTimeMillis, (endedAt) => {
        const undone = undo()
        rest.worked(startedAt, endedAt)
        return Effect.as(giveBack(unsynced), undone)
      })
    return {
      patiently,
      /** Runs one statement of its own. */
      single: <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
        turn.withPermits(1)(patiently(statement)),
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
              Effect.as(Effect.orDie(connection.atOnce("commit", [])), value)
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
  const owedMs = () => Math.max(pauseMinMs, heldMs / heldPerPause)
  return {
    worked: (startedAt: number, endedAt: number): void => {
      if (startedAt - lastEndedAt >= owedMs()) heldMs = 0
      heldMs += endedAt - startedAt
      lastEndedAt = endedAt
    },
    pause: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const leftMs = owedMs() - (now - lastEndedAt)
      if (leftMs <= 0 || heldMs < heldMaxMs) return Effect.void
      heldMs = 0
      return Effect.sleep(leftMs)
    })
  }
}
