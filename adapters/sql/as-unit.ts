import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Joins the running unit of work, or starts one. The work must fail before its first write, if at all. */
export const asUnit = <A, E>(sql: SqlClient.SqlClient, work: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.orDie(
    Effect.withFiberRuntime<A, E | SqlError>((fiber) =>
      Option.isSome(Context.getOption(fiber.currentContext, SqlClient.TransactionConnection))
        ? work
        : sql.withTransaction(work)
    )
  )
