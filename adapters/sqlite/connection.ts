import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { type DataFault, DataFull, DataReadOnly, DataUnreadable } from "../../core/kernel/index.js"
import { isSqlError, sqlError } from "../sql/errors.js"

/** Prepared statements that a connection keeps, twice: when so many were used, those that none of them is are let go. */
const statementsMax = 200

/** A statement as it is kept, with what would else be asked of the driver at every call. */
interface Prepared {
  readonly statement: Sqlite.Statement
  /** Whether it gives rows. */
  readonly isReader: boolean
  /** Whether it gives rows and changes nothing. */
  readonly isRead: boolean
}

/** One connection of SQLite, with its statements. Everything is synchronous, and nothing here waits. */
export class SqliteConnection implements Connection {
  readonly database: Sqlite.Database
  #recent = new Map<string, Prepared>()
  #older: ReadonlyMap<string, Prepared> = new Map()

  private constructor(database: Sqlite.Database) {
    this.database = database
  }

  /**
   * Opened for the length of the scope: a file, or in memory what `image` holds. A file that is locked is an error at
   * once: who waits decides how.
   */
  static open(
    filename: string,
    { image, ...options }: { readonly readonly: boolean; readonly image?: Buffer | undefined }
  ): Effect.Effect<SqliteConnection, never, Scope.Scope> {
    return Effect.map(
      Effect.acquireRelease(
        Effect.orDie(
          Effect.suspend(() => attempt(() => new Sqlite(image ?? filename, { ...options, timeout: 0 })))
        ),
        (database) => Effect.sync(() => database.close())
      ),
      (database) => new SqliteConnection(database)
    )
  }

  /** Whether the statement is known to only read, so that any connection may run it. */
  isRead(sql: string): boolean {
    try {
      return this.#prepare(sql).isRead
    } catch {
      // It is wrong, or the tables cannot be looked at right now: whoever runs it finds out.
      return false
    }
  }

  /** Runs a statement synchronously. */
  run = (sql: string, values: ReadonlyArray<unknown>): Exit.Exit<ReadonlyArray<object>, SqlError> =>
    attempt(() => {
      const { isReader, statement } = this.#prepare(sql)
      if (isReader) return statement.all(...values) as ReadonlyArray<object>
      statement.run(...values)
      return []
    })

  execute: Connection["execute"] = (sql, values, transform) => {
    const rows = Effect.suspend(() => this.run(sql, values))
    return transform === undefined ? rows : Effect.map(rows, transform)
  }

  executeRaw: Connection["executeRaw"] = (sql, values) => this.execute(sql, values, undefined)

  executeValues: Connection["executeValues"] = () => {
    throw new Error("Rows are read as objects, not as arrays.")
  }

  executeUnprepared: Connection["executeUnprepared"] = (sql, values, transform) =>
    this.execute(sql, values, transform)

  executeStream: Connection["executeStream"] = () => {
    throw new Error("Rows are read in pages, not as a stream.")
  }

  #prepare(sql: string): Prepared {
    const recent = this.#recent.get(sql)
    if (recent !== undefined) return recent
    const prepared = this.#older.get(sql) ?? preparedOf(this.database.prepare(withoutPeeking(sql)))
    this.#recent.set(sql, prepared)
    if (this.#recent.size > statementsMax) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    return prepared
  }
}

const preparedOf = (statement: Sqlite.Statement): Prepared => ({
  statement,
  isReader: statement.reader,
  isRead: statement.reader && statement.readonly
})

/**
 * A limit or offset that is bound, as a sum. One that is bound as it is SQLite looks at while it compiles, and so
 * compiles the statement anew whenever it is bound again: some twenty microseconds a call, for a plan that is the same.
 */
const withoutPeeking = (sql: string): string => sql.replaceAll(/\b(limit|offset) \?/gi, "$1 (? + 0)")

/** Whether somebody else holds what a statement needed; it has done nothing then. */
export const isBusy = (error: unknown): boolean =>
  isSqlError(error) && /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error.cause))

/** Does a call of the driver. What only its owner can mend (damage, permissions, room) dies as the fault that tells it. */
const attempt = <A>(call: () => A): Exit.Exit<A, SqlError> => {
  try {
    return Exit.succeed(call())
  } catch (cause) {
    const fault = faultOf(cause)
    return fault === null
      ? Exit.fail(sqlError(cause, cause instanceof Error ? cause.message : String(cause)))
      : Exit.die(fault)
  }
}

const faultOf = (cause: unknown): DataFault | null => {
  const code = codeOf(cause)
  if (/^SQLITE_(READONLY|PERM)/.test(code)) return new DataReadOnly()
  // A quota and a limit of file sizes are told as failed writes, not as a full disk.
  if (/^SQLITE_(FULL|IOERR_(WRITE|SHMSIZE|TRUNCATE))/.test(code)) return new DataFull({})
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    const what = code.startsWith("SQLITE_NOTADB") ? "it is no SQLite database" : "the file is damaged"
    return new DataUnreadable({ message: `The database cannot be read: ${what}.` })
  }
  return null
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : ""
