import * as nodePath from "node:path"
import { type FileCalls, ignoreMissing } from "./files.js"

/** Returns the target of a symbolic link; undefined when there is none. */
export const linkText = async (files: FileCalls, path: string): Promise<string | undefined> => {
  const there = await files.lstatThere(path).catch(ignoreMissing)
  return there?.isSymbolicLink() === true ? await files.readlink(path).catch(ignoreMissing) : undefined
}

/**
 * Returns a relative symbolic link with its absolute target; null for anything else, and when its folder does not
 * exist.
 */
export const relativeLink = async (
  files: FileCalls,
  path: string
): Promise<{ readonly text: string; readonly target: string } | null> => {
  const text = await linkText(files, path)
  if (text === undefined || nodePath.isAbsolute(text)) return null
  // Not normalized, because the file system resolves `..` after a linked folder to the parent of its target.
  const folder = nodePath.dirname(path) + nodePath.sep + nodePath.dirname(text)
  const real = await files.realpath(folder).catch(ignoreMissing)
  return real === undefined ? null : { text, target: nodePath.join(real, nodePath.basename(text)) }
}
