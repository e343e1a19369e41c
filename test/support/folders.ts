import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const made: Array<string> = []

/** Makes a folder that is removed after the tests of the file. */
export const temporaryFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `kanon-${name}-`))
  made.push(folder)
  return folder
}

/** Removes the folders of a file. Files share this module: its setup calls it after each of them. */
export const removeFolders = (): void => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
}
