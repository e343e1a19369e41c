import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMarkGone, processMark } from "./process-owner.js"

/**
 * Creates a folder for temporary files, named for this process; the caller removes it. First removes folders of the
 * same kind left by killed processes, which may contain a copy of all data of a workspace.
 */
export const temporaryFolder = (kind: "export" | "import" | "read" | "vectors"): string => {
  const parent = tmpdir()
  const start = `kanon-${kind}-`
  for (const name of namesIn(parent)) {
    const [mark] =
      /^[0-9a-f]+-\d+-[0-9a-f]+(?=-)/.exec(name.startsWith(start) ? name.slice(start.length) : "") ?? []
    if (mark !== undefined && isMarkGone(mark)) removeOwn(join(parent, name))
  }
  return mkdtempSync(join(parent, `${start}${processMark}-`))
}

/** Returns nothing when the folder cannot be listed. */
const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Removes a folder only if it belongs to this user. */
const removeOwn = (folder: string): void => {
  try {
    const found = lstatSync(folder)
    if (found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid()))
      rmSync(folder, { recursive: true, force: true })
  } catch {
    // Another process may be removing it at the same time.
  }
}
