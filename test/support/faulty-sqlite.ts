import Sqlite from "better-sqlite3"
import { type FaultyStatements, failingOnce } from "./faulty-statements.js"

/** Ways in which the disk under the database says no. */
const faults = ["SQLITE_IOERR_READ", "SQLITE_FULL"] as const

/** Statements of all databases of this process, which tell of the one that ran the last. */
export const faultySqlite = (): FaultyStatements & { readonly database: () => Sqlite.Database } => {
  const { arm, hasFailed, next, texts } = failingOnce(faults)
  let seen: Sqlite.Database | undefined
  const statements = Object.getPrototypeOf(new Sqlite(":memory:").prepare("select 1"))
  const own = { all: statements.all, run: statements.run }
  const wrap = (name: keyof typeof own) =>
    function (this: Sqlite.Statement, ...values: ReadonlyArray<unknown>) {
      seen = this.database
      const fault = next(this.source)
      if (fault !== null) throw new Sqlite.SqliteError("injected", fault)
      return own[name].apply(this, values)
    }
  Object.assign(statements, { all: wrap("all"), run: wrap("run") })
  const database = () => {
    if (seen === undefined) throw new RangeError("No statement was run.")
    return seen
  }
  return {
    arm,
    texts,
    hasFailed,
    database,
    beside: async (text) => own.all.call(database().prepare(text)),
    restore: () => {
      Object.assign(statements, own)
    }
  }
}
