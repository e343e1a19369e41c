import { randomUUID } from "node:crypto"
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ImportUnfinished, KanonError } from "../../core/kernel/index.js"
import { isOfThisHost, isOwnerGone, processOwner } from "../host/process-owner.js"

/** In the data folder from before an import opens the database until its records are committed. */
const markFile = "import-under-way"

/**
 * What says that an import into a data folder has begun and has committed nothing yet; null where there is none. Where
 * the database holds a workspace it means nothing: the import came to its end, or it is to be refused.
 */
export const unfinishedImport = (data: string): ImportUnfinished | null => {
  const owner = ownerIn(data)
  if (owner === null) return null
  const state = isOwnerGone(owner) ? "cut_short" : isOfThisHost(owner) ? "under_way" : "unknown"
  return new ImportUnfinished({ folder: data, state })
}

/**
 * Notes in a data folder that this process imports into it, in place of one that was killed; gives what takes the note
 * away. Throws a KanonError `import_unfinished` where another one is under way.
 */
export const beginImport = (data: string): (() => void) => {
  const unfinished = unfinishedImport(data)
  if (unfinished?.state === "under_way") throw new KanonError(unfinished)
  const owner = processOwner(`import-${randomUUID()}`)
  const written = join(data, `${markFile}.${randomUUID()}`)
  try {
    const file = openSync(written, "wx")
    try {
      writeFileSync(file, owner)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(written, join(data, markFile))
  } catch {
    // Where this cannot be written the database cannot, which says why.
    rmSync(written, { force: true })
  }
  return () => {
    // Of two that began at the same moment the database lets one in.
    if (ownerIn(data) === owner) forgetImport(data)
  }
}

/** Takes the note away, whosever it is: there is a workspace. */
export const forgetImport = (data: string): void => {
  try {
    rmSync(join(data, markFile), { force: true })
  } catch {
    // A folder that may not be written keeps it.
  }
}

const ownerIn = (data: string): string | null => {
  try {
    return readFileSync(join(data, markFile), "utf8")
  } catch {
    return null
  }
}
