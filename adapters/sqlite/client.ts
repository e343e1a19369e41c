import { rmSync } from "node:fs"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isTraced } from "../../core/platform/kernel/index.js"
import { makePrivateFile } from "../host/private-files.js"
import { temporaryFolder } from "../host/temporary-folder.js"
import type { Units } from "../sql/atomic.js"
import { lightStatements } from "../sql/light-statements.js"
import { withReaderView } from "../sql/reader-view.js"
import { SqliteConnection } from "./connection.js"
import { readableFile } from "./read-only.js"
import { prepareSchema, refuseForeign } from "./schema.js"
import { makeWriter, type Writer } from "./writer.js"

const inMemory = ":memory:"

/** Image of a migrated in-memory database; later ones in the process are copies instead of being migrated. */
let newInMemory: Buffer | undefined

/** The WAL is truncated to this size after a period in which no checkpoint could finish. */
const walMaxBytes = 64 * 1024 * 1024

/**
 * Page cache of the read-only connection: a quarter of the driver's default. It is used only during writes and is
 * invalidated by each commit.
 */
const readerPagesKib = 4096

/**
 * Opens the database in one file (or `:memory:`) with the newest schema. Durable: WAL with `synchronous=FULL`, so an
 * acknowledged commit survives a power failure.
 *
 * There are two connections. A unit of work uses the writing one, one fiber at a time. Meanwhile, reads outside of it
 * use the read-only one: each sees everything committed before it, and reads and units of work never wait for each
 * other. Without a unit of work the writing connection reads too, because SQLite drops a connection's page cache
 * after commits of others but keeps it after its own. An in-memory database has a single connection for everything.
 *
 * Dies with `DataUnreadable`, `DataTooNew` or `DataReadOnly` before anything is changed.
 */
export const sqliteClient = (options: {
  readonly filename: string
  readonly readonly?: boolean
}): Layer.Layer<SqlClient.SqlClient> =>
  Layer.scoped(
    SqlClient.SqlClient,
    options.readonly === true ? readOnly(options.filename) : readWrite(options.filename)
  ).pipe(Layer.provide(Reactivity.layer))

const readWrite = (filename: string) =>
  Effect.gen(function* () {
    const image = filename === inMemory ? newInMemory : undefined
    // The files of the WAL take the mode of the database.
    if (filename !== inMemory) makePrivateFile(filename)
    const connection = yield* SqliteConnection.open(filename, { readonly: false, image })
    const writer = yield* makeWriter(connection)
    yield* refuseForeign(connection, writer)
    // Changing the journal mode and a few other operations need exclusive access.
    yield* writer.single(connection.execute("pragma journal_mode = wal", [], undefined))
    for (const setting of ["synchronous = full", "foreign_keys = on", `journal_size_limit = ${walMaxBytes}`])
      yield* connection.execute(`pragma ${setting}`, [], undefined)
    const alone = routed(connection, connection, writer)
    yield* Effect.provideService(prepareSchema, SqlClient.SqlClient, yield* clientOf(alone, writer))
    if (filename === inMemory) {
      newInMemory ??= connection.database.serialize()
      return yield* clientOf(alone, writer)
    }
    const reader = yield* SqliteConnection.open(filename, { readonly: true })
    yield* reader.execute(`pragma cache_size = -${readerPagesKib}`, [], undefined)
    return yield* clientOf(routed(reader, connection, writer), writer)
  }).pipe(Effect.orDie)

const readOnly = (filename: string) =>
  Effect.gen(function* () {
    const { file, isCopy } = yield* readableFile(filename)
    const connection = yield* SqliteConnection.open(file, { readonly: !isCopy })
    yield* connection.execute("pragma query_only = on", [], undefined)
    const writer = yield* makeWriter(connection)
    yield* refuseForeign(connection, writer)
    return yield* clientOf(routed(connection, connection, writer), writer)
  }).pipe(Effect.orDie)

const clientOf = (routedConnection: Connection, writer: Writer) => {
  const connection = withReaderView(routedConnection, "sqlite")
  return Effect.map(
    SqlClient.make({
      acquirer: Effect.succeed(connection),
      transactionAcquirer: writer.transaction,
      compiler,
      beginTransaction: "begin",
      rollback: "rollback",
      spanAttributes: [["db.system.name", "sqlite"]]
    }),
    (client) => {
      const unit: Units["unit"] = (work, own) =>
        Effect.withFiberRuntime((fiber) =>
          isTraced(fiber) ? Effect.provide(client.withTransaction(work), own) : writer.whole(work, own)
        )
      const withTransaction: SqlClient.SqlClient["withTransaction"] = (work) =>
        Effect.withFiberRuntime((fiber) =>
          Option.isSome(Context.getOption(fiber.currentContext, SqlClient.TransactionConnection))
            ? client.withTransaction(work)
            : unit(work, Context.empty())
        )
      return Object.assign(lightStatements(client, connection), { withTransaction, unit })
    }
  )
}

const compiler = Statement.makeCompiler({
  dialect: "sqlite",
  placeholder: () => "?",
  onIdentifier: Statement.defaultEscape('"'),
  onCustom: () => ["", []],
  onRecordUpdate: () => ["", []]
})

/** Must run on the writing connection, at any time: it counts commits of other connections. */
const ownVersion = "pragma data_version"

/** Routes statements outside of transactions to a connection. */
const routed = (reader: SqliteConnection, connection: SqliteConnection, writer: Writer): Connection => {
  const isAlone = reader === connection
  /** Returns the connection for reads; the writing one may see uncommitted data during a unit of work. */
  const forReads = () => (connection.database.inTransaction ? reader : connection)
  /** Returns whether a statement can run without waiting for the writer. */
  const isFree = (sql: string) => !isAlone && sql !== ownVersion && forReads().isRead(sql)
  // Chooses the connection and executes the statement in one step: if the fiber yielded in between, another might
  // begin to write.
  const send = (
    sql: string,
    values: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<object>, SqlError> => {
    const there = Effect.suspend(() => connection.run(sql, values))
    if (sql === ownVersion) return there
    // Reads wait only in rare cases: another process recovers the WAL, or is the last to close it.
    return isFree(sql)
      ? writer.patiently(Effect.suspend(() => forReads().run(sql, values)))
      : writer.single(there)
  }
  const execute: Connection["execute"] = (sql, values, transform) => {
    const rows = Effect.suspend(() => send(sql, values))
    return transform === undefined ? rows : Effect.map(rows, transform)
  }
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, values) => execute(sql, values, undefined),
    executeValues: connection.executeValues,
    executeStream: connection.executeStream
  }
}

/**
 * Opens a snapshot reader: its own connection with an open transaction, which sees one moment, does not wait for
 * writers and does not block them. An in-memory database is copied to a temporary file instead.
 */
export const snapshotOf = (filename: string) => (sql: SqlClient.SqlClient) =>
  filename === ":memory:" ? Effect.flatMap(copyOf(sql), momentOf) : momentOf(filename)

const momentOf = (filename: string) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(sqliteClient({ filename, readonly: true }))
    const sql = Context.get(context, SqlClient.SqlClient)
    yield* sql`begin`
    // The snapshot begins with the first read.
    yield* sql`select count(*) from workspace`
    return sql
  }).pipe(Effect.orDie)

const copyOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => temporaryFolder("export")),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const file = join(folder, "copy.sqlite")
    yield* Effect.orDie(sql`vacuum into ${file}`)
    return file
  })
