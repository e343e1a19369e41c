import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { PgClient } from "@effect/sql-pg"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller } from "../../core/platform/kernel/index.js"
import { hostReach, type Reach, WorkspaceInForce } from "../sql/workspace-in-force.js"
import { readersSetting } from "./reader-policies.js"
import { Reached } from "./scoped-query.js"

/** Returns whether row-level security applies to this role; it does not for owners and superusers. */
export const isRowLevelSecurityActive = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql<{ active: boolean }>`select row_security_active('document') as active`,
    ([row]) => row?.active === true
  )

interface Options {
  /** The reach of statements outside of port methods. */
  readonly usual?: Reach | undefined
  /** Whether the caller begins and ends the transactions of the only connection itself. */
  readonly isWithin?: boolean
}

/**
 * Wraps the client for a role under row-level security: every statement is sent with the reach of its port method.
 * Both share one round trip and one transaction (that of the unit of work, else their own), so the connection keeps
 * no state and a pooler may be in between.
 */
export const rowLevelSecurityClient = (
  client: SqlClient.SqlClient,
  { isWithin = false, usual = hostReach }: Options = {}
): Effect.Effect<SqlClient.SqlClient> =>
  Effect.gen(function* () {
    // Uninterruptible, because an interruption while waiting would leak the connection.
    const reserve = Effect.uninterruptible(client.reserve)
    const alone = connectionOver((use) => Effect.scoped(Effect.flatMap(reserve, use)), usual, {
      isAlone: !isWithin,
      isViewed: true
    })
    const made = yield* SqlClient.make({
      acquirer: Effect.succeed(alone),
      transactionAcquirer: Effect.map(reserve, (connection) => behindWall(connection, usual)),
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    const withTransaction = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      client.withTransaction(
        Effect.mapInputContext(work, (context: Context.Context<R>) => {
          const [connection, depth] = Context.unsafeGet(context, SqlClient.TransactionConnection)
          return Context.add(context, SqlClient.TransactionConnection, [behindWall(connection, usual), depth])
        })
      )
    return new Proxy(made, {
      get: (target, name) => (name === "withTransaction" ? withTransaction : Reflect.get(target, name))
    })
  }).pipe(Effect.provide(Reactivity.layer))

/** Statements that only read; others of a caller with a view reach the rows that they would without. */
const isReading = /^\s*(?:select|with)\b/i

const built = new WeakSet<Connection>()

const behindWall = (connection: Connection, usual: Reach): Connection =>
  built.has(connection)
    ? connection
    : connectionOver((use) => use(connection), usual, { isAlone: false, isViewed: false })

interface Statements {
  /** Whether each statement is a transaction of its own. */
  readonly isAlone: boolean
  /** Whether a caller with a view reads its rows alone. A unit of work sees everything (`adapters/sql/reader-view.ts`). */
  readonly isViewed: boolean
}

const connectionOver = (
  withConnection: <A>(
    use: (connection: Connection) => Effect.Effect<A, SqlError>
  ) => Effect.Effect<A, SqlError>,
  usual: Reach,
  { isAlone, isViewed }: Statements
): Connection => {
  /** The reach and the readers that the running transaction has set; unknown after a savepoint. */
  let set: (Reach & { readonly readers: string }) | null = null
  const send = <A>(
    sql: string,
    values: ReadonlyArray<unknown>,
    run: (connection: Connection, values: ReadonlyArray<unknown>) => Effect.Effect<A, SqlError>
  ) =>
    Effect.withFiberRuntime<A, SqlError>(({ currentContext }) => {
      const reach = Option.getOrElse(Context.getOption(currentContext, WorkspaceInForce), () => usual)
      const caller = Context.getOption(currentContext, Caller)
      const view = isViewed && Option.isSome(caller) ? caller.value.view : null
      const readers = view != null && isReading.test(sql) ? readersSetting(view.lists) : ""
      // A begin must be the first statement of its transaction.
      const isBound = /^\s*(begin|commit|rollback)\b/i.test(sql)
      const isSet =
        set?.workspace === reach.workspace && set.isHost === reach.isHost && set.readers === readers
      set = isBound || isAlone ? null : { ...reach, readers }
      const scopedValues = isBound || isSet ? values : [new Reached(reach, isAlone, readers), ...values]
      return withConnection((connection) =>
        isAlone
          ? Effect.onError(run(connection, scopedValues), () => rolledBack(connection))
          : run(connection, scopedValues)
      )
    })
  const connection: Connection = {
    execute: (sql, values, transform) =>
      send(sql, values, (inner, told) => inner.execute(sql, told, transform)),
    executeRaw: (sql, values) => send(sql, values, (inner, told) => inner.executeRaw(sql, told)),
    executeValues: (sql, values) =>
      Effect.map(
        send(sql, values, (inner, told) => inner.execute(sql, told, undefined)),
        (rows) => rows.map((row) => Object.values(row))
      ),
    // Transaction begin and end are sent this way.
    executeUnprepared: (sql, values, transform) => {
      set = null
      return withConnection((inner) => inner.executeUnprepared(sql, values, transform))
    },
    executeStream: () => {
      throw new Error("Rows are read in pages, not as a stream.")
    }
  }
  built.add(connection)
  return connection
}

/** Ends the transaction that a failed or interrupted statement has begun, before anybody else uses the connection. */
const rolledBack = (connection: Connection) =>
  connection
    .executeUnprepared("rollback", [], undefined)
    .pipe(Effect.interruptible, Effect.timeoutOption(rollbackMaxMs), Effect.ignore)

/** Longest time to wait for a server that may be gone. */
const rollbackMaxMs = 5000
