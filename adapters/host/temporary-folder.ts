import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMarkGone, processMark } from "./process-owner.js"

/**
 * Makes a folder for temporary files, named for this process, whose maker removes it. What processes that were killed
 * have left of the kind goes first: it may be a copy of everything that a workspace holds.
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

/** None where they may not be listed. */
const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Removes a folder of this user: what somebody else has put there is theirs. */
const removeOwn = (folder: string): void => {
  try {
    const found = lstatSync(folder)
    if (found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid()))
      rmSync(folder, { recursive: true, force: true })
  } catch {
    // Another process may be removing it, too.
  }
}
