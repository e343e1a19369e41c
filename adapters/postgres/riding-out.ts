import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { PgClient } from "@effect/sql-pg"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { DataUnavailable } from "../../core/kernel/index.js"
import { lightStatements } from "../sql/light-statements.js"
import { endedAway, endedInClash, isAway, isClash, isUnsent } from "./away.js"

/** How long work waits for a database that is away; then whoever asked is told. */
const patience = Schedule.exponential(50).pipe(
  Schedule.union(Schedule.spaced(500)),
  Schedule.jittered,
  Schedule.upTo(6_000)
)
const clashes = Schedule.exponential(10).pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(5)))
const retryAfterSeconds = 2

/** A try that left no trace, and is worth another. */
class Undone extends Data.TaggedError("Undone")<{ readonly away: boolean }> {}

/**
 * The client, over restarts and failovers of the server. What is safe is tried again for some seconds: a statement that
 * was never sent, a statement that only reads, one that met another transaction and was undone, and a unit of work of
 * which nothing can have been committed, since it had not come to its commit. What was sent and may have been done is never repeated. In the end it dies with
 * `DataUnavailable`, which says whether anything may have changed.
 */
export const ridingOut = (inner: SqlClient.SqlClient): Effect.Effect<SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const alone = aloneOver(inner)
    const made = yield* SqlClient.make({
      acquirer: Effect.succeed(alone),
      transactionAcquirer: inner.reserve,
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    const withTransaction: typeof inner.withTransaction = (work) =>
      Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (outer) =>
        Option.isSome(outer) ? inner.withTransaction(work) : asWhole(inner, work)
      )
    return new Proxy(lightStatements(made, alone), {
      get: (target, name) => (name === "withTransaction" ? withTransaction : Reflect.get(target, name))
    })
  }).pipe(Effect.provide(Reactivity.layer))

/** A transaction that is repeated as long as it surely left nothing. */
const asWhole = <A, E, R>(inner: SqlClient.SqlClient, work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let isCommitting = false
    const noted = Effect.tap(work, () => {
      isCommitting = true
    })
    return inner.withTransaction(noted).pipe(
      Effect.catchAllCause((cause): Effect.Effect<A, E | SqlError | Undone> => {
        if (endedInClash(cause)) return Effect.fail(new Undone({ away: false }))
        if (!endedAway(cause)) return Effect.failCause(cause)
        return isCommitting ? gone("unknown") : Effect.fail(new Undone({ away: true }))
      })
    )
  }).pipe(retried)

/** Statements outside of transactions. */
const aloneOver = (inner: SqlClient.SqlClient): Connection => {
  const send = <A>(text: string, sent: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    // The statement around it has the span.
    Effect.withTracerEnabled(sent, false).pipe(
      Effect.catchAll((error): Effect.Effect<A, SqlError | Undone> => {
        // A statement is undone as a whole: another transaction may hold rows that a trigger of it wants.
        if (isClash(error)) return Effect.fail(new Undone({ away: false }))
        if (!isAway(error)) return Effect.fail(error)
        return isUnsent(error) || onlyReads(text) ? Effect.fail(new Undone({ away: true })) : gone("unknown")
      }),
      retried
    )
  return {
    execute: (text, values, transform) =>
      Effect.map(send(text, inner.unsafe<object>(text, values)), (rows) =>
        transform === undefined ? rows : transform(rows)
      ),
    executeRaw: (text, values) => send(text, inner.unsafe(text, values).raw),
    executeValues: (text, values) => send(text, inner.unsafe(text, values).values),
    executeUnprepared: (text, values, transform) =>
      Effect.map(send(text, inner.unsafe<object>(text, values).unprepared), (rows) =>
        transform === undefined ? rows : transform(rows)
      ),
    executeStream: (text, values) => inner.unsafe(text, values).stream
  }
}

/** Whether a statement of ours changes nothing and tells nobody: values are bound, so its text is ours alone. */
const onlyReads = (text: string): boolean =>
  /^\s*(select|with|explain)\b/i.test(text) &&
  !/\b(insert|update|delete|pg_notify|nextval|setval|pg_advisory\w*)\b/i.test(text)

const retried = <A, E, R>(tried: Effect.Effect<A, E | Undone, R>): Effect.Effect<A, Exclude<E, Undone>, R> =>
  tried.pipe(
    Effect.retry({ schedule: patience, while: (error) => error instanceof Undone && error.away }),
    Effect.retry({ schedule: clashes, while: (error) => error instanceof Undone && !error.away }),
    Effect.catchAll(
      (error): Effect.Effect<never, Exclude<E, Undone>> =>
        error instanceof Undone ? gone("unchanged") : Effect.fail(error as Exclude<E, Undone>)
    )
  )

const gone = (outcome: DataUnavailable["outcome"]) =>
  Effect.die(new DataUnavailable({ outcome, retryAfterSeconds }))

/** That no first connection came about. The driver's own words say why, and hold no password. */
export const unopened = (reason: string): DataUnavailable =>
  new DataUnavailable({ outcome: "unchanged", retryAfterSeconds, reason })
