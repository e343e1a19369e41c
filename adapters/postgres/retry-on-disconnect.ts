import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { PgClient } from "@effect/sql-pg"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { DataReadOnly, DataUnavailable } from "../../core/platform/kernel/index.js"
import { lightStatements } from "../sql/light-statements.js"
import { withReaderView } from "../sql/reader-view.js"
import { ReservedConnection } from "../sql/reserved-connection.js"
import {
  endedAway,
  endedInClash,
  endedReadOnly,
  isAway,
  isClash,
  isReadOnly,
  isRefused,
  isUnsent
} from "./connection-loss.js"
import { readAtReplica } from "./replicas.js"

/** Retry schedule while the database is unavailable; after it the caller gets an error. */
const patience = Schedule.exponential(50).pipe(
  Schedule.union(Schedule.spaced(500)),
  Schedule.jittered,
  Schedule.upTo(6_000)
)
const clashes = Schedule.exponential(10).pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(5)))
const retryAfterSeconds = 2

/** A failed attempt without effects that can be retried. */
class Undone extends Data.TaggedError("Undone")<{ readonly why: "away" | "clash" | "read-only" }> {}

/**
 * Wraps the client to survive restarts and failovers of the server. Safe work is retried for some seconds: a
 * statement that was never sent, a read, a statement rolled back by a conflict, and a unit of work that had not
 * reached its commit. Work that may have been committed is never repeated. Finally it dies with `DataUnavailable`,
 * which states whether anything may have changed, or with `DataReadOnly`. A server that was writable at the start may
 * become so again, so it is retried; one that was read-only is not.
 *
 * Reads of an operation that may read at a replica are sent there first.
 *
 * @param ahead Runs work on the reserved connection.
 */
export const retryOnDisconnect = (
  inner: SqlClient.SqlClient,
  ahead: SqlClient.SqlClient
): Effect.Effect<SqlClient.SqlClient, SqlError> =>
  Effect.gen(function* () {
    const [state] = yield* inner.unsafe<{ written: boolean }>(
      "select current_setting('transaction_read_only') = 'off' as written"
    )
    const retried = retriedOver(state?.written === true)
    const chosen = Effect.map(Effect.serviceOption(ReservedConnection), (isAhead) =>
      Option.isSome(isAhead) ? ahead : inner
    )
    const alone = withReaderView(aloneOver(chosen, retried), "pg")
    const made = yield* SqlClient.make({
      acquirer: Effect.succeed(alone),
      transactionAcquirer: Effect.flatMap(chosen, ({ reserve }) => reserve),
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    const withTransaction: typeof inner.withTransaction = (work) =>
      Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (outer) =>
        Option.isSome(outer)
          ? inner.withTransaction(work)
          : Effect.flatMap(chosen, (client) => retried(retryTransaction(client, work)))
      )
    return new Proxy(lightStatements(made, alone), {
      get: (target, name) => (name === "withTransaction" ? withTransaction : Reflect.get(target, name))
    })
  }).pipe(Effect.provide(Reactivity.layer))

/** Runs a transaction and retries it as long as it surely had no effect. */
const retryTransaction = <A, E, R>(inner: SqlClient.SqlClient, work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let isCommitting = false
    const noted = Effect.tap(work, () => {
      isCommitting = true
    })
    return inner.withTransaction(noted).pipe(
      Effect.catchAllCause((cause): Effect.Effect<A, E | SqlError | Undone> => {
        if (endedInClash(cause)) return Effect.fail(new Undone({ why: "clash" }))
        if (endedReadOnly(cause)) return Effect.fail(new Undone({ why: "read-only" }))
        if (!endedAway(cause)) return Effect.failCause(cause)
        return isCommitting ? unavailable("unknown") : Effect.fail(new Undone({ why: "away" }))
      })
    )
  })

/** Executes statements outside of transactions. */
const aloneOver = (
  chosen: Effect.Effect<SqlClient.SqlClient>,
  retried: ReturnType<typeof retriedOver>
): Connection => {
  const send = <A>(
    text: string,
    ask: (client: SqlClient.SqlClient) => Effect.Effect<A, SqlError>
  ): Effect.Effect<A, SqlError> => readAtReplica(text, ask, atPrimary(text, ask))
  const atPrimary = <A>(
    text: string,
    ask: (client: SqlClient.SqlClient) => Effect.Effect<A, SqlError>
  ): Effect.Effect<A, SqlError> =>
    // The surrounding statement has the span.
    Effect.withTracerEnabled(Effect.flatMap(chosen, ask), false).pipe(
      Effect.catchAll((error): Effect.Effect<A, SqlError | Undone> => {
        // A single statement is rolled back as a whole, for example in a deadlock.
        if (isClash(error)) return Effect.fail(new Undone({ why: "clash" }))
        if (!isAway(error)) return Effect.fail(error)
        if (isReadOnly(error)) return Effect.fail(new Undone({ why: "read-only" }))
        const leftNothing = isUnsent(error) || isRefused(error) || onlyReads(text)
        return leftNothing ? Effect.fail(new Undone({ why: "away" })) : unavailable("unknown")
      }),
      retried
    )
  return {
    execute: (text, values, transform) =>
      Effect.map(
        send(text, (client) => client.unsafe<object>(text, values)),
        (rows) => (transform === undefined ? rows : transform(rows))
      ),
    executeRaw: (text, values) => send(text, (client) => client.unsafe(text, values).raw),
    executeValues: (text, values) => send(text, (client) => client.unsafe(text, values).values),
    executeUnprepared: (text, values, transform) =>
      Effect.map(
        send(text, (client) => client.unsafe<object>(text, values).unprepared),
        (rows) => (transform === undefined ? rows : transform(rows))
      ),
    executeStream: (text, values) =>
      Stream.unwrap(Effect.map(chosen, (client) => client.unsafe(text, values).stream))
  }
}

/** Returns whether a statement only reads and notifies nobody. Values are bound, so the text is entirely ours. */
const onlyReads = (text: string): boolean =>
  /^\s*(select|with|explain)\b/i.test(text) &&
  !/\b(insert|update|delete|pg_notify|nextval|setval|pg_advisory\w*)\b/i.test(text)

const retriedOver =
  (wasWritten: boolean) =>
  <A, E, R>(tried: Effect.Effect<A, E | Undone, R>): Effect.Effect<A, Exclude<E, Undone>, R> => {
    const waits = (error: E | Undone) =>
      error instanceof Undone && (error.why === "away" || (error.why === "read-only" && wasWritten))
    return tried.pipe(
      Effect.retry({ schedule: patience, while: waits }),
      Effect.retry({ schedule: clashes, while: (error) => error instanceof Undone && error.why === "clash" }),
      Effect.catchAll((error): Effect.Effect<never, Exclude<E, Undone>> => {
        if (!(error instanceof Undone)) return Effect.fail(error as Exclude<E, Undone>)
        return error.why === "read-only" ? Effect.die(new DataReadOnly()) : unavailable("unchanged")
      })
    )
  }

const unavailable = (outcome: DataUnavailable["outcome"]) =>
  Effect.die(new DataUnavailable({ outcome, retryAfterSeconds }))

/** Returns the error of a failed first connection with the driver's message, which contains no password. */
export const unopened = (reason: string): DataUnavailable =>
  new DataUnavailable({ outcome: "unchanged", retryAfterSeconds, reason })
