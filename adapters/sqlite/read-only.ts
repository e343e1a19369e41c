import { accessSync, constants, copyFileSync, existsSync, rmSync, statfsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DataFull } from "../../core/kernel/index.js"
import { temporaryFolder } from "../host/temporary-folder.js"

/**
 * Whether the database is there and may not be written: by its own permissions, its folder's, or the disk's, or because
 * there is no room for the files that SQLite needs beside it.
 */
export const isReadOnly = (filename: string): boolean =>
  existsSync(filename) && !(mayWrite(filename) && mayWrite(dirname(filename)) && hasRoom(filename))

/** What SQLite takes at once beside a database that it opens: shared memory, and the head of a log. */
const roomBytes = 48 * 1024

/** True also where somebody has made those files already, and where the system cannot tell. */
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
 * The file under which a database that may not be written can be read. SQLite reads a WAL through a file of shared
 * memory beside the database: while a writer has it open that is there, and its commits are seen. Where it is not,
 * nobody writes, and a copy in a folder for temporary files is read, which goes with the scope.
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
