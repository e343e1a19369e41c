import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Atomic, Caller, type UnitOptions } from "../../core/kernel/index.js"
import { AfterUnit } from "./after-unit.js"
import { dialect } from "./dialect.js"
import { isSqlError } from "./errors.js"
import { Unsynced } from "./unsynced.js"

/**
 * The client's queue is not fair: who ends one transaction and begins the next at once keeps everybody else waiting
 * for ever, heartbeats included. In the first turn the others are woken, in the second they take theirs.
 */
const letOthersIn = Effect.zipRight(Effect.yieldNow(), Effect.yieldNow())

/** Units of work as database transactions; a nested one joins the outer. */
export const sqlAtomic = Layer.effect(
  Atomic,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ownTurn = Effect.flatMap(
      Effect.serviceOption(Caller),
      Option.match({ onNone: () => Effect.void, onSome: ({ workspace }) => dialect(sql).turn(workspace) })
    )
    return {
      run: <A, E, R>(work: Effect.Effect<A, E, R>, { unsynced = false }: UnitOptions = {}) =>
        Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (outer) =>
          Option.isSome(outer)
            ? work
            : Effect.suspend(() => {
                const signals = new Set<Effect.Effect<void>>()
                const own = Context.add(Context.make(AfterUnit, signals), Unsynced, unsynced)
                return Effect.zipRight(ownTurn, work).pipe(
                  sql.withTransaction,
                  // Both at once: each time all services are copied.
                  Effect.provide(own),
                  Effect.ensuring(Effect.suspend(() => Effect.all(signals, { discard: true }))),
                  Effect.ensuring(letOthersIn),
                  Effect.catchAll((error) =>
                    // Our work never fails with the client's own error: a broken database is a defect.
                    isSqlError(error) ? Effect.die(error) : Effect.fail(error as E)
                  )
                )
              })
        )
    }
  })
)
