import { accessSync, constants, copyFileSync, existsSync, rmSync, statfsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DataFull } from "../../core/platform/kernel/index.js"
import { temporaryFolder } from "../host/temporary-folder.js"

/**
 * Returns whether an existing database is read-only: by its own permissions, its folder's, or the disk's, or because
 * there is no space for SQLite's side files.
 */
export const isReadOnly = (filename: string): boolean =>
  existsSync(filename) && !(mayWrite(filename) && mayWrite(dirname(filename)) && hasRoom(filename))

/** Space that SQLite needs beside a database that it opens: shared memory and the WAL header. */
const roomBytes = 48 * 1024

/** Returns whether there is space; also true if these files exist or the free space is unknown. */
const hasRoom = (filename: string): boolean => {
  if (existsSync(`${filename}-shm`)) return true
  try {
    const { bavail, blocks, bsize } = statfsSync(dirname(filename))
    return blocks === 0 || bavail * bsize >= roomBytes
  } catch {
    return true
  }
}

const mayWrite = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Returns a path at which a read-only database can be read. SQLite reads a WAL through a shared-memory file beside
 * the database. While a writer is connected, that file exists and its commits are visible. Otherwise there is no
 * writer, and a temporary copy is read, which is deleted with the scope.
 */
export const readableFile = (
  filename: string
): Effect.Effect<{ readonly file: string; readonly isCopy: boolean }, never, Scope.Scope> => {
  if (existsSync(`${filename}-shm`)) return Effect.succeed({ file: filename, isCopy: false })
  const copy = Effect.suspend(() => {
    const folder = temporaryFolder("read")
    const file = join(folder, basename(filename))
    try {
      copyFileSync(filename, file, constants.COPYFILE_FICLONE)
      if (existsSync(`${filename}-wal`)) copyFileSync(`${filename}-wal`, `${file}-wal`)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      return Effect.die(hasNoRoom(error) ? new DataFull({}) : error)
    }
    return Effect.succeed({ file, folder, isCopy: true })
  })
  return Effect.acquireRelease(copy, ({ folder }) =>
    Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
}

const hasNoRoom = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")
