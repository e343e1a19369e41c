import * as nodePath from "node:path"
import ignore, { type Ignore } from "ignore"
import type { FileCalls } from "./files.js"

/** Which ignore files a vault honours, beside `.kanonignore`. */
export interface IgnoreOptions {
  readonly gitignore: boolean
}

/** The rules that hold in a folder, outermost first. */
export type IgnoreRules = ReadonlyArray<{ readonly folder: string; readonly rules: Ignore }>

/** `.kanonignore` comes last, so that it can take in what `.gitignore` leaves out. */
const fileNames = [".gitignore", ".kanonignore"] as const
/** Larger files are not read. */
const bytesMax = 1024 * 1024

/** Adds the rules of the ignore files in a folder, given as its vault path, to those of the folders above. */
export const rulesWithin = async (
  above: IgnoreRules,
  root: string,
  folder: string,
  files: FileCalls,
  { gitignore }: IgnoreOptions
): Promise<IgnoreRules> => {
  let found = above
  for (const name of fileNames) {
    if (name === ".gitignore" && !gitignore) continue
    const path = nodePath.join(root, ...folder.split("/"), name)
    if ((await stateOf(path, files))?.isFile() !== true) continue
    // A file that cannot be read is as none: the vault stays usable.
    const bytes = await files.read(path, bytesMax).then(
      (file) => file.bytes,
      () => null
    )
    if (bytes === null) continue
    const rules = ignore({ ignorecase: false }).add(Buffer.from(bytes).toString())
    found = [...found, { folder, rules }]
  }
  return found
}

/** Whether the rules exclude a vault path; of several rules the innermost and last one decides, as in Git. */
export const isExcluded = (found: IgnoreRules, path: string, isFolder: boolean): boolean => {
  let excluded = false
  for (const { folder, rules } of found) {
    const own = folder === "" ? path : path.slice(folder.length + 1)
    const { ignored, unignored } = rules.test(isFolder ? `${own}/` : own)
    if (ignored) excluded = true
    else if (unignored) excluded = false
  }
  return excluded
}

/** Whether a name in a folder is that of an ignore file. */
export const isIgnoreFile = (name: string): boolean => fileNames.some((one) => one === name)

/** Returns the rules of all folders above a path; null if they exclude the path or a folder above it. */
export const rulesAbove = async (
  root: string,
  path: string,
  files: FileCalls,
  options: IgnoreOptions
): Promise<IgnoreRules | null> => {
  const segments = path === "" ? [] : path.split("/")
  let rules: IgnoreRules = []
  for (let depth = 1; depth <= segments.length; depth++) {
    rules = await rulesWithin(rules, root, segments.slice(0, depth - 1).join("/"), files, options)
    if (rules.length === 0) continue
    const here = segments.slice(0, depth).join("/")
    const isFolder =
      depth < segments.length || (await stateOf(nodePath.join(root, here), files))?.isDirectory() === true
    if (isExcluded(rules, here, isFolder)) return null
  }
  return rules
}

/** What cannot be looked at is as missing: reading it tells why. */
const stateOf = (path: string, files: FileCalls) => files.statThere(path).catch(() => undefined)
