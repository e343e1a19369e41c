import { randomUUID } from "node:crypto"
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ImportUnfinished, KanonError } from "../../core/platform/kernel/index.js"
import { privateFileMode } from "../host/private-files.js"
import { isOfThisHost, isOwnerGone, processOwner } from "../host/process-owner.js"

/** File in the data folder that exists from before an import opens the database until its records are committed. */
const markFile = "import-under-way"

/**
 * Returns the mark of an import that started in a data folder and has not committed; null if there is none. If the
 * database holds a workspace, the mark is meaningless: the import has completed or will be refused.
 */
export const unfinishedImport = (data: string): ImportUnfinished | null => {
  const owner = ownerIn(data)
  if (owner === null) return null
  const state = isOwnerGone(owner) ? "cut_short" : isOfThisHost(owner) ? "under_way" : "unknown"
  return new ImportUnfinished({ folder: data, state })
}

/**
 * Marks a data folder as the target of this process's import, replacing the mark of a dead process; returns a
 * function that removes the mark. Throws a KanonError `import_unfinished` while another import is running.
 */
export const beginImport = (data: string): (() => void) => {
  const unfinished = unfinishedImport(data)
  if (unfinished?.state === "under_way") throw new KanonError(unfinished)
  const owner = processOwner(`import-${randomUUID()}`)
  const temporaryFile = join(data, `${markFile}.${randomUUID()}`)
  try {
    const file = openSync(temporaryFile, "wx", privateFileMode)
    try {
      writeFileSync(file, owner)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporaryFile, join(data, markFile))
  } catch {
    // If this file cannot be written, neither can the database, whose error says why.
    rmSync(temporaryFile, { force: true })
  }
  return () => {
    // If two imports start at once, the database admits only one.
    if (ownerIn(data) === owner) forgetImport(data)
  }
}

/** Removes the mark of any process, because there is a workspace. */
export const forgetImport = (data: string): void => {
  try {
    rmSync(join(data, markFile), { force: true })
  } catch {
    // A read-only folder keeps the mark.
  }
}

const ownerIn = (data: string): string | null => {
  try {
    return readFileSync(join(data, markFile), "utf8")
  } catch {
    return null
  }
}
