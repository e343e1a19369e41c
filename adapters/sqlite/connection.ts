import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import {
  type DataFault,
  DataFull,
  DataReadOnly,
  DataUnreadable,
  ModuleMissing
} from "../../core/platform/kernel/index.js"
import { isSqlError, sqlError } from "../sql/errors.js"

/**
 * Size of the statement cache, which has two generations: when the present one is full, statements unused since the
 * last switch are dropped.
 */
const statementsMax = 200

/** A cached statement with its properties. */
interface Prepared {
  readonly statement: Sqlite.Statement
  /** Whether it returns rows. */
  readonly isReader: boolean
  /** Whether it returns rows and changes nothing. */
  readonly isRead: boolean
}

/** A SQLite connection with its prepared statements. Everything is synchronous; nothing waits. */
export class SqliteConnection implements Connection {
  readonly database: Sqlite.Database
  #recent = new Map<string, Prepared>()
  #older: ReadonlyMap<string, Prepared> = new Map()

  private constructor(database: Sqlite.Database) {
    this.database = database
  }

  /**
   * Opens a file, or an in-memory copy of `image`, for the lifetime of the scope. A locked file fails at once; the
   * caller decides how to wait.
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

  /** Returns whether the statement is known to be read-only, so that any connection may run it. */
  isRead(sql: string): boolean {
    try {
      return this.#prepare(sql).isRead
    } catch {
      // The statement is wrong or the schema is locked; running it reports the error.
      return false
    }
  }

  /** Runs a statement synchronously. */
  run = (sql: string, values: ReadonlyArray<unknown>): Exit.Exit<ReadonlyArray<object>, SqlError> =>
    attempt(
      () => {
        const { isReader, statement } = this.#prepare(sql)
        if (isReader) return statement.all(...values) as ReadonlyArray<object>
        statement.run(...values)
        return []
      },
      () => `${sql} with ${values.map(kindOf).join(", ")}`
    )

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
 * Wraps bound limits and offsets in a sum. SQLite peeks at bare bound limits during compilation and recompiles the
 * statement when they change, which costs twenty microseconds per call for the same plan.
 */
const withoutPeeking = (sql: string): string => sql.replaceAll(/\b(limit|offset) \?/gi, "$1 (? + 0)")

/** Returns whether another connection holds a needed lock; the statement then had no effect. */
export const isBusy = (error: unknown): boolean =>
  isSqlError(error) && /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error.cause))

/** A bound value without what it says: numbers as they are, of the others the type. */
const kindOf = (value: unknown): string => (typeof value === "number" ? String(value) : typeof value)

/**
 * Calls the driver. Errors that only the owner can correct (damage, permissions, disk space) die as typed faults.
 *
 * @param described The statement, for the one error whose message alone tells nothing: a value of the wrong type.
 */
const attempt = <A>(call: () => A, described = () => ""): Exit.Exit<A, SqlError> => {
  try {
    return Exit.succeed(call())
  } catch (cause) {
    const fault = faultOf(cause)
    if (fault !== null) return Exit.die(fault)
    const isMismatch = codeOf(cause) === "SQLITE_MISMATCH"
    return Exit.fail(sqlError(cause, isMismatch ? `${messageOf(cause)}: ${described()}` : messageOf(cause)))
  }
}

const faultOf = (cause: unknown): DataFault | null => {
  const code = codeOf(cause)
  if (/^SQLITE_(READONLY|PERM)/.test(code)) return new DataReadOnly()
  // Quotas and file size limits appear as failed writes, not as a full disk.
  if (/^SQLITE_(FULL|IOERR_(WRITE|SHMSIZE|TRUNCATE))/.test(code)) return new DataFull({})
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    const what = code.startsWith("SQLITE_NOTADB") ? "it is no SQLite database" : "the file is damaged"
    return new DataUnreadable({ message: `The database cannot be read: ${what}.` })
  }
  if (/^(?:ERR_DLOPEN_FAILED|MODULE_NOT_FOUND)$/.test(code) || /bindings file/.test(messageOf(cause)))
    return new ModuleMissing({
      module: "better-sqlite3",
      remedy: "npm rebuild better-sqlite3",
      reason: messageOf(cause).split("\n", 1)[0] ?? ""
    })
  return null
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : ""
