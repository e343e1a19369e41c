import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import Sqlite from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DataReadOnly, DataUnreadable } from "../../core/kernel/index.js"
import { isSqlError, sqlError } from "../sql/errors.js"

/** Prepared statements that a connection keeps, twice: when so many were used, those that none of them is are let go. */
const statementsMax = 200

/** One connection of SQLite, with its statements. Everything is synchronous, and nothing here waits. */
export class SqliteConnection implements Connection {
  readonly database: Sqlite.Database
  #recent = new Map<string, Sqlite.Statement>()
  #older: ReadonlyMap<string, Sqlite.Statement> = new Map()

  private constructor(database: Sqlite.Database) {
    this.database = database
  }

  /** Opened for the length of the scope. A file that is locked is an error at once: who waits decides how. */
  static open(
    filename: string,
    options: { readonly readonly: boolean }
  ): Effect.Effect<SqliteConnection, never, Scope.Scope> {
    return Effect.map(
      Effect.acquireRelease(
        attempt(() => new Sqlite(filename, { ...options, timeout: 0 })).pipe(
          Effect.catchAll((error) => Effect.die(error))
        ),
        (database) => Effect.sync(() => database.close())
      ),
      (database) => new SqliteConnection(database)
    )
  }

  /** Whether the statement is known to only read, so that any connection may run it. */
  isRead(sql: string): boolean {
    try {
      const { reader, readonly } = this.#prepare(sql)
      return reader && readonly
    } catch {
      // It is wrong, or the tables cannot be looked at right now: whoever runs it finds out.
      return false
    }
  }

  execute: Connection["execute"] = (sql, values, transform) => {
    const rows = this.#all(sql, values)
    return transform === undefined ? rows : Effect.map(rows, transform)
  }

  executeRaw: Connection["executeRaw"] = (sql, values) => this.#all(sql, values)

  executeValues: Connection["executeValues"] = (sql, values) =>
    attempt(() => {
      const statement = this.#prepare(sql)
      if (!statement.reader) {
        statement.run(...values)
        return []
      }
      try {
        return statement.raw(true).all(...values) as ReadonlyArray<ReadonlyArray<unknown>>
      } finally {
        statement.raw(false)
      }
    })

  executeUnprepared: Connection["executeUnprepared"] = (sql, values, transform) =>
    this.execute(sql, values, transform)

  executeStream: Connection["executeStream"] = () => {
    throw new Error("Rows are read in pages, not as a stream.")
  }

  #all(sql: string, values: ReadonlyArray<unknown>) {
    return Effect.withFiberRuntime<ReadonlyArray<object>, SqlError>((fiber) =>
      attempt(() => {
        const statement = this.#prepare(sql)
        if (Context.get(fiber.currentContext, SqlClient.SafeIntegers)) statement.safeIntegers(true)
        if (statement.reader) return statement.all(...values) as ReadonlyArray<object>
        statement.run(...values)
        return []
      })
    )
  }

  #prepare(sql: string): Sqlite.Statement {
    const recent = this.#recent.get(sql)
    if (recent !== undefined) return recent
    const statement = this.#older.get(sql) ?? this.database.prepare(withoutPeeking(sql))
    this.#recent.set(sql, statement)
    if (this.#recent.size > statementsMax) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    return statement
  }
}

/**
 * A limit or offset that is bound, as a sum. One that is bound as it is SQLite looks at while it compiles, and so
 * compiles the statement anew whenever it is bound again: some twenty microseconds a call, for a plan that is the same.
 */
const withoutPeeking = (sql: string): string => sql.replaceAll(/\b(limit|offset) \?/gi, "$1 (? + 0)")

/** Whether somebody else holds what a statement needed; it has done nothing then. */
export const isBusy = (error: unknown): boolean =>
  isSqlError(error) && /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error.cause))

/** Runs a call of the driver. What only its owner can mend (damage, permissions) dies as the fault that tells it. */
const attempt = <A>(call: () => A): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(call())
    } catch (cause) {
      const fault = faultOf(cause)
      return fault === null
        ? Effect.fail(sqlError(cause, cause instanceof Error ? cause.message : String(cause)))
        : Effect.die(fault)
    }
  })

const faultOf = (cause: unknown): DataReadOnly | DataUnreadable | null => {
  const code = codeOf(cause)
  if (/^SQLITE_(READONLY|PERM)/.test(code)) return new DataReadOnly()
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    const what = code.startsWith("SQLITE_NOTADB") ? "it is no SQLite database" : "the file is damaged"
    return new DataUnreadable({ message: `The database cannot be read: ${what}.` })
  }
  return null
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : ""
