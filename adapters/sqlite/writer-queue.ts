import Sqlite from "better-sqlite3"

/**
 * The line in which those stand who wait for the writer's place, of whatever process. SQLite wakes nobody who waits
 * and keeps no order: without a line the place falls to whoever looks at the right moment, and one that writes without
 * a pause is always the first to look. In the line waits whoever found the place taken or has held it for long; who
 * is first in it gets the place next.
 */
export interface WriterQueue {
  /** True when we are first, until we leave, and where there can be no line. Waits for nothing. */
  readonly tryFirst: () => boolean
  /** Lets the next one be first. */
  readonly leave: () => void
  readonly close: () => void
}

/**
 * First in the line is who holds the lock of an empty database beside the data. The lock goes with its process, so
 * nobody who died is waited for. It is opened when it is first needed; without it (a folder that takes no more files)
 * everybody is first.
 */
export const writerQueueBeside = (filename: string): WriterQueue => {
  // What lies in memory has one writer.
  let database: Sqlite.Database | null | undefined = filename === ":memory:" ? null : undefined
  const opened = (): Sqlite.Database | null => {
    if (database === undefined)
      try {
        database = new Sqlite(`${filename}-line`, { timeout: 0 })
      } catch {
        database = null
      }
    return database
  }
  return {
    tryFirst: () => {
      try {
        opened()?.exec("begin exclusive")
        return true
      } catch (error) {
        return !(error instanceof Error && "code" in error && error.code === "SQLITE_BUSY")
      }
    },
    leave: () => {
      if (database?.inTransaction === true) database.exec("rollback")
    },
    close: () => {
      database?.close()
    }
  }
}
