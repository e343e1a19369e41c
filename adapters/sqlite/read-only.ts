import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Whether the database is there and may not be written: by its own permissions, its folder's, or the disk's. */
export const isReadOnly = (filename: string): boolean =>
  existsSync(filename) && !(mayWrite(filename) && mayWrite(dirname(filename)))

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
  const copy = Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "kanon-read-"))
    const file = join(folder, basename(filename))
    copyFileSync(filename, file, constants.COPYFILE_FICLONE)
    if (existsSync(`${filename}-wal`)) copyFileSync(`${filename}-wal`, `${file}-wal`)
    return { file, folder, isCopy: true }
  })
  return Effect.acquireRelease(copy, ({ folder }) =>
    Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
}
