import { closeSync, openSync, readSync } from "node:fs"
import { basename } from "node:path"

/**
 * Says why a file cannot be opened. One in WAL mode is read with the help of two files beside it, which SQLite has to
 * make where they are missing; in a folder without write permission it cannot.
 */
export const unreadable = (path: string, code: string): string =>
  /^SQLITE_(?:READONLY|CANTOPEN)/u.test(code) && isInWalMode(path)
    ? `The file is a SQLite database in WAL mode, and its folder cannot be written (${code}): SQLite needs to make ${basename(path)}-wal and ${basename(path)}-shm beside it. Let the server write the folder, or read a copy in which "pragma journal_mode = delete" was run.`
    : `The file cannot be read as a SQLite database (${code}).`

/** Bytes 18 and 19 of the header are 2 in WAL mode. */
const isInWalMode = (path: string): boolean => {
  let file: number | null = null
  try {
    file = openSync(path, "r")
    const header = Buffer.alloc(20)
    return (
      readSync(file, header, 0, 20, 0) === 20 &&
      header.toString("latin1", 0, 15) === "SQLite format 3" &&
      header[18] === 2
    )
  } catch {
    return false
  } finally {
    if (file !== null) closeSync(file)
  }
}
