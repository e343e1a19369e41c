import { closeSync, mkdirSync, openSync } from "node:fs"

/** Mode of files that hold the data of workspaces: for this user alone. */
export const privateFileMode = 0o600
/** Mode of folders that hold them. */
export const privateFolderMode = 0o700

/** Makes a folder of data, with those above it; one that is there keeps its mode. */
export const makePrivateFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: privateFolderMode })
}

/** Makes an empty file before a library does that knows no mode. Where it fails, the library says why. */
export const makePrivateFile = (file: string): void => {
  try {
    closeSync(openSync(file, "ax", privateFileMode))
  } catch {
    // It is there, or the folder is missing or cannot be written.
  }
}
