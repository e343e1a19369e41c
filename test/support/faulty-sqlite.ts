import Sqlite from "better-sqlite3"

/** Ways in which the disk under the database says no. */
export const statementFaults = ["SQLITE_IOERR_READ", "SQLITE_FULL"] as const
export type StatementFault = (typeof statementFaults)[number]

/** Statements of all databases of this process, of which one fails, once. */
export interface FaultyStatements {
  /** Lets the statement at this place from now fail before it does anything; null lets all succeed. */
  readonly arm: (place: number | null, fault?: StatementFault) => void
  /** The texts since the last arming. */
  readonly texts: ReadonlyArray<string>
  readonly hasFailed: () => boolean
  /** The database that ran the last statement. */
  readonly database: () => Sqlite.Database
  /** Lets the driver be as it was. */
  readonly restore: () => void
}

/** SQLite's own word: it fails only where there is nothing to undo. */
const neverFails = /^rollback/

export const faultyStatements = (): FaultyStatements => {
  const texts: Array<string> = []
  let [failAt, fault, failed]: [number | null, StatementFault, boolean] = [null, "SQLITE_FULL", false]
  let seen: Sqlite.Database | undefined
  const statements = Object.getPrototypeOf(new Sqlite(":memory:").prepare("select 1"))
  const own = { all: statements.all, run: statements.run }
  const wrap = (name: keyof typeof own) =>
    function (this: Sqlite.Statement, ...values: ReadonlyArray<unknown>) {
      seen = this.database
      if (!neverFails.test(this.source)) {
        texts.push(this.source)
        if (failAt === texts.length - 1) {
          failed = true
          throw new Sqlite.SqliteError("injected", fault)
        }
      }
      return own[name].apply(this, values)
    }
  Object.assign(statements, { all: wrap("all"), run: wrap("run") })
  return {
    arm: (place, kind = "SQLITE_FULL") => {
      texts.length = 0
      failAt = place
      fault = kind
      failed = false
    },
    texts,
    hasFailed: () => failed,
    database: () => {
      if (seen === undefined) throw new RangeError("No statement was run.")
      return seen
    },
    restore: () => {
      Object.assign(statements, own)
    }
  }
}
