import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Atomic, Caller, serviceLayer, type UnitOptions } from "../../core/platform/kernel/index.js"
import { storeChanges, UnitChanges } from "./content-changes.js"
import { dialect } from "./dialect.js"
import { isSqlError } from "./errors.js"
import { WorkspaceLockHeld } from "./workspace-lock.js"

/**
 * The client's queue is unfair: a fiber that ends one transaction and immediately begins another would starve all
 * others, heartbeats included. The first yield wakes the waiting fibers, the second lets them proceed.
 */
const letOthersIn = Effect.zipRight(Effect.yieldNow(), Effect.yieldNow())

/** How long a unit of work of a caller may do nothing: beyond the lease of jobs and runs nobody is at work on it. */
const idleMs = 60_000

/** A client's own implementation of a unit of work with services, cheaper than both separately. */
export interface Units {
  readonly unit: <A, E, R>(
    work: Effect.Effect<A, E, R>,
    own: Context.Context<never>
  ) => Effect.Effect<A, E | SqlError, R>
}

/** Provides units of work as database transactions; a nested one joins the outer. */
export const sqlAtomic = serviceLayer(
  Atomic,
  Effect.gen(function* () {
    const sql: SqlClient.SqlClient & Partial<Units> = yield* SqlClient.SqlClient
    const { turn } = dialect(sql)
    const unit: Units["unit"] =
      sql.unit ?? ((work, own) => Effect.mapInputContext(sql.withTransaction(work), Context.merge(own)))
    const whole = <A, E, R>(
      work: Effect.Effect<A, E, R>,
      context: Context.Context<never>,
      unsynced: boolean
    ) =>
      Effect.uninterruptibleMask((restore) => {
        const signals = new Set<Effect.Effect<void>>()
        const undoing = new Set<() => void>()
        const changes: UnitChanges["Type"] = new Map()
        const caller = Option.getOrNull(Context.getOption(context, Caller))
        const own = Context.make(AfterCommit, signals).pipe(
          Context.add(OnRollback, undoing),
          Context.add(UnitChanges, changes),
          Context.add(Unsynced, unsynced),
          Context.add(WorkspaceLockHeld, caller?.workspace ?? null)
        )
        const changing = Effect.zipLeft(work, storeChanges(sql, changes))
        // A unit sees every document, so nothing of it may be cached as what the caller sees.
        const everything = caller === null ? own : Context.add(own, Caller, { ...caller, view: null })
        const inTurn = caller === null ? changing : Effect.zipRight(turn(caller.workspace, idleMs), changing)
        const after = Effect.suspend(() =>
          signals.size === 0
            ? letOthersIn
            : Effect.zipRight(Effect.all(signals, { discard: true }), letOthersIn)
        )
        return Effect.matchCauseEffect(restore(unit(inTurn, everything)), {
          onFailure: (cause) => {
            for (const undo of [...undoing].reverse()) undo()
            return Effect.zipRight(after, Effect.failCause(cause))
          },
          onSuccess: (value) => Effect.as(after, value)
        })
      })
    return {
      run: <A, E, R>(work: Effect.Effect<A, E, R>, { unsynced = false }: UnitOptions = {}) =>
        Effect.withFiberRuntime<A, E, R>((fiber) => {
          const context = fiber.currentContext
          if (Option.isSome(Context.getOption(context, SqlClient.TransactionConnection))) return work
          return Effect.catchAll(whole(work, context, unsynced), (error) =>
            // Application code never fails with an SQL error, so one is a defect.
            isSqlError(error) ? Effect.die(error) : Effect.fail(error as E)
          )
        })
    }
  })
)

/** Effects to run once after the unit of work has ended, however it ended. */
class AfterCommit extends Context.Tag("kanon/sql/AfterUnit")<AfterCommit, Set<Effect.Effect<void>>>() {}

/**
 * Runs a signal after the unit of work, so that receivers see its changes; at once outside of one. For signals that
 * may be sent without need.
 */
export const afterCommit = (signal: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(AfterCommit),
    Option.match({
      onNone: () => signal,
      onSome: (signals) => Effect.sync(() => void signals.add(signal))
    })
  )

/** Effects to run in reverse order when the unit of work is rolled back, to reset in-memory state. */
export class OnRollback extends Context.Tag("kanon/sql/IfUndone")<OnRollback, Set<() => void>>() {}

/** Whether the commit of the next unit of work may become durable later. Read by the client. */
export class Unsynced extends Context.Reference<Unsynced>()("kanon/sql/Unsynced", {
  defaultValue: () => false
}) {}

/** Joins the running unit of work, or starts one. The work must fail before its first write, if at all. */
export const asUnit = <A, E>(sql: SqlClient.SqlClient, work: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.orDie(
    Effect.withFiberRuntime<A, E | SqlError>((fiber) =>
      Option.isSome(Context.getOption(fiber.currentContext, SqlClient.TransactionConnection))
        ? work
        : sql.withTransaction(work)
    )
  )
