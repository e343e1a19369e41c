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
  /** Releases the first place. */
  readonly leave: () => void
  readonly close: () => void
}

/**
 * Implements the queue with a lock on an empty database beside the data; the lock holder is first. The lock ends with
 * its process. The file is opened on first use; if that fails, every process counts as first.
 */
export const writerQueueBeside = (filename: string): WriterQueue => {
  // An in-memory database has a single writer.
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
