import Sqlite from "better-sqlite3"
import { makePrivateFile } from "../host/private-files.js"

/**
 * The queue of processes that wait for the write lock. SQLite neither wakes waiting processes nor keeps an order:
 * without a queue the lock goes to whoever polls at the right moment, and a process that writes without a pause
 * always wins. A process joins the queue when it finds the lock taken or has held it for long; the first in the queue
 * gets the lock next.
 */
export interface WriterQueue {
  /** Returns true if this process is first, until it leaves, or if there can be no queue. Does not wait. */
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
        makePrivateFile(`${filename}-line`)
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
