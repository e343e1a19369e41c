import * as nodePath from "node:path"
import { type FileCalls, ignoreMissing } from "./files.js"

/** What a symbolic link says; undefined where there is none. */
export const linkText = async (files: FileCalls, path: string): Promise<string | undefined> => {
  const there = await files.lstatThere(path).catch(ignoreMissing)
  return there?.isSymbolicLink() === true ? await files.readlink(path).catch(ignoreMissing) : undefined
}

/** A relative symbolic link with the absolute path that it means; null for all else, and where it leads to no folder. */
export const relativeLink = async (
  files: FileCalls,
  path: string
): Promise<{ readonly text: string; readonly target: string } | null> => {
  const text = await linkText(files, path)
  if (text === undefined || nodePath.isAbsolute(text)) return null
  // As the file system reads it: `..` behind a link to a folder is the parent of where that leads.
  const folder = nodePath.dirname(path) + nodePath.sep + nodePath.dirname(text)
  const real = await files.realpath(folder).catch(ignoreMissing)
  return real === undefined ? null : { text, target: nodePath.join(real, nodePath.basename(text)) }
}
