import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import { PgClient } from "@effect/sql-pg"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DataUnreadable, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { markDistributed } from "../sql/dialect.js"
import { WorkspaceInForce } from "../sql/workspace-in-force.js"
import { isStatementPooling } from "./connection-loss.js"
import { isAtWorker, isDistributedLayout, readLayout } from "./distribution.js"
import { openPool, openSingleConnection } from "./pool.js"
import type { Replicas } from "./replicas.js"
import { retryOnDisconnect, unopened } from "./retry-on-disconnect.js"
import { isRowLevelSecurityActive, rowLevelSecurityClient } from "./row-level-security-client.js"
import { prepareSchema } from "./schema.js"
import { viewedClient } from "./viewed-client.js"

/** Maximum number of connections of one process. */
const poolMax = 10
/** Pools of at least this size reserve one connection for urgent statements. */
const divisible = 3

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and the like as in libpq. */
  readonly url: string
  /** Maximum number of connections of this process; default 10. */
  readonly connectionsMax?: number
  /** Standbys that serve reads; default: none. */
  readonly replicas?: Replicas
}

/**
 * Opens the database at a URL with the newest schema. Statements use any pooled connection and no session state, so a
 * pooler in transaction mode may be in between. Job heartbeats and health checks have a connection of their own.
 *
 * Dies with `DataUnavailable`, `DataUnreadable` or `DataTooNew` before anything is changed.
 */
export const postgresClient = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient> => {
  const { connectionsMax = poolMax } = options
  const reservedCount = connectionsMax < divisible ? 0 : 1
  return Layer.scopedContext(
    Effect.gen(function* () {
      const client = yield* SqlClient.SqlClient
      yield* requireTransactions(client)
      yield* prepareSchema
      const ahead =
        reservedCount === 0
          ? client
          : yield* PgClient.fromPool({ acquire: openSingleConnection(options.url) })
      const isBehindWall = yield* isRowLevelSecurityActive(client)
      const made = isBehindWall
        ? yield* Effect.all([rowLevelSecurityClient(client), rowLevelSecurityClient(ahead)])
        : ([client, ahead] as const)
      yield* options.replicas?.open(client, isBehindWall) ?? Effect.void
      const lasting = yield* retryOnDisconnect(...made)
      if (yield* requireWholeLayout(client)) markDistributed(lasting)
      return Context.make(SqlClient.SqlClient, lasting)
    })
  ).pipe(
    Layer.provide(pooled({ ...options, connectionsMax: connectionsMax - reservedCount })),
    Layer.provide(Reactivity.layer),
    Layer.orDie
  )
}

/** Begins a transaction, which a pooler may refuse. By itself, because the rollback after a refusal would hide it. */
const requireTransactions = (sql: SqlClient.SqlClient) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* sql.reserve
      yield* connection.executeUnprepared("begin", [], undefined)
      yield* connection.executeUnprepared("rollback", [], undefined)
    })
  ).pipe(
    Effect.catchAll((error) =>
      isStatementPooling(error) ? Effect.die(unopened(statementPooling)) : Effect.fail(error)
    )
  )

const statementPooling =
  "the pooler in front of it gives each statement a connection (pool_mode = statement), and Kanon writes in transactions. Use transaction or session pooling, or name the server itself."

/** Returns whether the database is distributed, which is logged; refuses one that is so in part, or not on this node. */
const requireWholeLayout = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const layout = yield* readLayout(sql)
    if (!isDistributedLayout(layout)) return false
    if (layout.pending.length > 0) return yield* Effect.die(new DataUnreadable({ message: halfDistributed }))
    const [setting] = yield* sql<{ passed: string }>`
      select current_setting('citus.propagate_set_commands') as passed`
    if (setting?.passed !== "local") return yield* Effect.die(new DataUnreadable({ message: unpreparedNode }))
    const entrance = (yield* isAtWorker(sql)) ? workerEntrance : ""
    yield* Effect.logInfo(`Database: distributed by Citus ${layout.citus}${entrance}.`)
    return true
  })

const unpreparedNode =
  "This node has not been prepared for servers: run 'kanon database distribute' with the owner's URL of the coordinator, which makes the setting of the database that is missing here."
const workerEntrance =
  ", connected to a worker; notifications are heard at the coordinator, which KANON_DATABASE_LISTEN_URL names"
const halfDistributed =
  "The database is distributed in part: run 'kanon database distribute' with the owner's URL, which goes on where it ended."

/** Creates the pool. Pending units of work never occupy all of it, so that reads find a connection. */
export const pooled = ({ connectionsMax = poolMax, url }: PostgresOptions) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const client = yield* SqlClient.SqlClient
      const places = yield* Effect.makeSemaphore(Math.max(1, Math.floor(connectionsMax / 2)))
      const inPlace: typeof client.withTransaction = (work) =>
        Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (outer) =>
          Option.isSome(outer)
            ? client.withTransaction(work)
            : places.withPermits(1)(client.withTransaction(work))
        )
      return new Proxy(client, {
        get: (target, name) => (name === "withTransaction" ? inPlace : Reflect.get(target, name))
      })
    })
  ).pipe(
    Layer.provide(PgClient.layerFromPool({ acquire: openPool(url, connectionsMax) })),
    Layer.catchAll((error) => Layer.die(unopened(reasonOf(error))))
  )

const reasonOf = ({ cause, message }: { readonly cause?: unknown; readonly message: string }): string => {
  if (!(cause instanceof Error) || cause.message === "") return message
  if (unsaid.test(cause.message)) return "the server asks for a password, and the URL names none"
  const isUntrusted = "code" in cause && untrusted.test(String(cause.code))
  return isUntrusted ? `${cause.message} (sslrootcert of the URL names whom to trust)` : cause.message
}

/** Matches the driver's error without a password. */
const unsaid = /client password must be a (?:non-empty )?string/
/** Matches Node's errors for untrusted certificates. */
const untrusted = /^(DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_SIGNATURE)/

/**
 * Opens a snapshot reader: its own connection with an open transaction, which sees the moment of its first read, does
 * not wait for writers and does not block them. Under row-level security it sees the workspace it was created for.
 */
export const snapshotOf = (url: string) => (_sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const client = Context.get(yield* Layer.build(pooled({ url, connectionsMax: 1 })), SqlClient.SqlClient)
    const inForce = Option.getOrUndefined(yield* Effect.serviceOption(WorkspaceInForce))
    const sql = (yield* isRowLevelSecurityActive(client))
      ? yield* rowLevelSecurityClient(client, { usual: inForce, isWithin: true })
      : client
    yield* sql`begin isolation level repeatable read read only`
    // The snapshot of a distributed database begins where the rows of the workspace are.
    yield* sql`select changes from content_change where workspace_id = ${workspace}`
    yield* sql`select count(*) from workspace`
    return yield* viewedClient(sql)
  }).pipe(Effect.orDie)
