import * as nodePath from "node:path"
import { compileGlob, type Glob } from "../host/glob.js"
import type { FileCalls } from "./files.js"

/** Ignore files that a vault honours beside `.kanonignore`. */
export interface IgnoreOptions {
  readonly gitignore: boolean
}

/** The rules that hold in a folder, outermost first. */
export type IgnoreRules = ReadonlyArray<{
  readonly folder: string
  readonly rules: ReadonlyArray<IgnoreRule>
}>

/** A line of an ignore file. */
export interface IgnoreRule {
  readonly excludes: boolean
  readonly foldersOnly: boolean
  readonly matches: Glob
}

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
    found = [...found, { folder, rules: readIgnoreFile(Buffer.from(bytes).toString()) }]
  }
  return found
}

/** Reads the lines of an ignore file as `gitignore(5)` describes them. */
export const readIgnoreFile = (text: string): ReadonlyArray<IgnoreRule> =>
  text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .flatMap((line) => {
      if (line.startsWith("#")) return []
      const excludes = !line.startsWith("!")
      const pattern = withoutBlanksAtEnd(excludes ? line : line.slice(1))
      const foldersOnly = pattern.endsWith("/")
      const bare = foldersOnly ? pattern.slice(0, -1) : pattern
      if (bare === "") return []
      const matches = compileGlob(bare.includes("/") ? bare : `**/${bare}`)
      return [{ excludes, foldersOnly, matches }]
    })

/** Blanks at the end count only behind a backslash. */
const withoutBlanksAtEnd = (pattern: string): string => {
  const bare = pattern.trimEnd()
  const backslashes = /\\*$/.exec(bare.slice(-100))?.[0].length ?? 0
  return backslashes % 2 === 1 ? pattern.slice(0, bare.length + 1) : bare
}

/** Whether the rules exclude a vault path; of several rules the innermost and last one decides, as in Git. */
export const isExcluded = (found: IgnoreRules, path: string, isFolder: boolean): boolean => {
  let excluded = false
  for (const { folder, rules } of found) {
    const own = folder === "" ? path : path.slice(folder.length + 1)
    const segments = own.split("/")
    const deciding = rules.findLast(
      ({ foldersOnly, matches }) => (isFolder || !foldersOnly) && matches(segments)
    )
    excluded = deciding?.excludes ?? excluded
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

/** Returns the state of a file; one that cannot be examined counts as missing, and reading it reports why. */
const stateOf = (path: string, files: FileCalls) => files.statThere(path).catch(() => undefined)
