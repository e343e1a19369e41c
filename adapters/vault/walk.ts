import { isUtf8 } from "node:buffer"
import type { Dirent, Stats } from "node:fs"
import * as nodePath from "node:path"
import { setImmediate } from "node:timers/promises"
import type { VaultEntry, VaultRefusal } from "../../core/files/documents/index.js"
import { isOtherText, judgeDiskPath } from "../../core/files/markdown/index.js"
import { codeOf, type FileCalls, ignoreMissing, noPlainFile } from "./files.js"
import {
  type IgnoreOptions,
  type IgnoreRules,
  isExcluded,
  isIgnoreFile,
  rulesAbove,
  rulesWithin
} from "./ignore-files.js"
import { isTakenIn } from "./taken-in.js"

interface Found {
  readonly entries: Array<VaultEntry>
  readonly refused: Array<VaultRefusal>
  readonly remarks: Array<VaultRefusal>
}

/**
 * Finds every Markdown file at or under a vault path. Skips names that start with a dot and what the ignore files
 * exclude; rejects links to folders or out of the vault, and paths through one; rejects an unreadable folder as a
 * whole. The vault itself may be a symbolic link.
 */
export const walkVault = async (
  root: string,
  under: string,
  files: FileCalls,
  ignores: IgnoreOptions
): Promise<Found> => {
  const found: Found = { entries: [], refused: [], remarks: [] }
  const realRoot = await files.realpath(root)
  const start = under === "" ? root : nodePath.join(root, ...under.split("/"))
  const folder = await files.stat(root)
  if (!folder.isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" })
  const linked = await firstLinkAbove(root, under, files)
  if (linked !== undefined) return { ...found, refused: [{ path: linked, ...linkedFolder }] }
  const kind = under === "" ? folder : await files.lstat(start).catch(ignoreMissing)
  const rules = await rulesAbove(root, under, files, ignores)
  if (rules === null) return found
  const walk: Walk = {
    linked: new Set(),
    root,
    realRoot,
    files,
    ignores,
    found,
    otherTexts: new Map(),
    giveWay: turns()
  }
  if (kind?.isDirectory() === true) await walkFolder(under, rules, walk)
  else if (kind?.isSymbolicLink() === true) await lookThrough(under, walk)
  else if (kind !== undefined) await judge(under, start, walk)
  // When the vault itself has disappeared (moved, unmounted), its files are not lost: the walk fails.
  const { dev, ino } = await files.stat(root)
  if (dev !== folder.dev || ino !== folder.ino) throw Object.assign(new Error(), { code: "ENOENT" })
  const byPath = (a: { path: string }, b: { path: string }) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0
  if (walk.otherTexts.size > 0) found.remarks.push(skippedTexts(walk.otherTexts))
  found.entries.sort(byPath)
  found.refused.sort(byPath)
  return found
}

/** One remark for all text files of formats that are not taken in. */
const skippedTexts = (counts: ReadonlyMap<string, number>): VaultRefusal => {
  const kinds = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([extension, count]) => `${count} ${extension}`)
  return {
    path: "",
    code: "files_skipped",
    message: `Text files of formats that are not read: ${kinds.join(", ")}.`
  }
}

const linkedFolder = { code: "linked_folder", message: "A symbolic link to a folder is not followed." }

/** Stands for bytes that are not UTF-8, and occasionally for itself. */
const replacement = "\ufffd"
/** A file cannot be opened by a name that is not UTF-8. */
const notUtf8 = (kind: "folder" | "file") => ({
  code: "path_encoding",
  message: `The name of the ${kind} is not UTF-8, so ${kind === "folder" ? "its files are" : "it is"} skipped; rename it.`
})

/** Returns the outermost folder above a vault path that is a symbolic link. */
const firstLinkAbove = async (root: string, path: string, files: FileCalls): Promise<string | undefined> => {
  const segments = path.split("/")
  for (let depth = 1; depth < segments.length; depth++) {
    const above = segments.slice(0, depth)
    const kind = await files.lstat(nodePath.join(root, ...above)).catch(ignoreMissing)
    if (kind?.isSymbolicLink() === true) return above.join("/")
  }
  return undefined
}

/** Whether a file of the vault is found by a walk under its own path. */
const isDocument = (real: string, { realRoot }: Walk): boolean =>
  judgeDiskPath(real.slice(realRoot.length + 1).replaceAll(nodePath.sep, "/")).kind === "index"

interface Walk {
  /** Targets of links that were taken in. */
  readonly linked: Set<string>
  readonly root: string
  readonly realRoot: string
  readonly files: FileCalls
  readonly ignores: IgnoreOptions
  readonly found: Found
  /** Number of text files of other formats, by extension. */
  readonly otherTexts: Map<string, number>
  /** To be awaited after each file. */
  readonly giveWay: () => Promise<void> | undefined
}

/** Maximum time before yielding: synchronous file calls block the thread. */
const turnMs = 4

/** Returns a function that yields to the event loop after `turnMs`. */
const turns = () => {
  let startedAt = performance.now()
  return (): Promise<void> | undefined => {
    if (performance.now() - startedAt < turnMs) return undefined
    return setImmediate().then(() => {
      startedAt = performance.now()
    })
  }
}

/** @param above The rules of the folders above. */
const walkFolder = async (folder: string, above: IgnoreRules, walk: Walk): Promise<void> => {
  const absolute = nodePath.join(walk.root, ...folder.split("/"))
  const children = await childrenOf(absolute, walk.files).catch((error: unknown) => {
    if (folder === "") throw error
    walk.found.refused.push({ path: folder, code: codeOf(error), message: "The folder cannot be read." })
    return []
  })
  const rules = children.some(({ name }) => isIgnoreFile(name))
    ? await rulesWithin(above, walk.root, folder, walk.files, walk.ignores)
    : above
  const folders: Array<string> = []
  for (const child of children) {
    if (child.name.startsWith(".")) continue
    const path = folder === "" ? child.name : `${folder}/${child.name}`
    if (rules.length > 0 && isExcluded(rules, path, child.isDirectory())) continue
    if (child.isMisspelt === true) {
      if (child.isDirectory()) walk.found.refused.push({ path, ...notUtf8("folder") })
      else if (isTakenIn(path)) walk.found.refused.push({ path, ...notUtf8("file") })
    } else if (child.isDirectory()) folders.push(path)
    else if (child.isSymbolicLink() || isTakenIn(child.name)) {
      const looking = child.isSymbolicLink()
        ? lookThrough(path, walk)
        : judge(path, absolute + nodePath.sep + child.name, walk)
      if (looking !== undefined) await looking
      const pause = walk.giveWay()
      if (pause !== undefined) await pause
    } else if (isOtherText(child.name)) {
      const extension = nodePath.extname(child.name).toLowerCase()
      walk.otherTexts.set(extension, (walk.otherTexts.get(extension) ?? 0) + 1)
    }
  }
  for (const path of folders) await walkFolder(path, rules, walk)
}

interface Child extends Pick<Dirent, "name" | "isDirectory" | "isSymbolicLink"> {
  /** The bytes of the name are not UTF-8. */
  readonly isMisspelt?: boolean
}

/** Returns the entries of a folder. Reads names as bytes only when one may not be UTF-8. */
const childrenOf = async (folder: string, files: FileCalls): Promise<ReadonlyArray<Child>> => {
  const children = await files.readdir(folder)
  if (!children.some(({ name }) => name.includes(replacement))) return children
  return (await files.readdirBytes(folder)).map((child) => ({
    name: child.name.toString(),
    isDirectory: () => child.isDirectory(),
    isSymbolicLink: () => child.isSymbolicLink(),
    isMisspelt: !isUtf8(child.name)
  }))
}

/** Judges a link by its target. */
const lookThrough = async (path: string, walk: Walk): Promise<void> => {
  const absolute = nodePath.join(walk.root, path)
  try {
    const real = await walk.files.realpath(absolute)
    const inside = real === walk.realRoot || real.startsWith(walk.realRoot + nodePath.sep)
    const target = await walk.files.stat(absolute)
    if (!target.isDirectory() && !isTakenIn(path)) return
    // A link to another document, or to the target of another link, gives no second document.
    if (inside && !target.isDirectory())
      return target.isFile() && (walk.linked.has(real) || isDocument(real, walk))
        ? undefined
        : await judgeLink(path, absolute, real, walk)
    walk.found.refused.push(
      inside
        ? { path, ...linkedFolder }
        : { path, code: "outside_vault", message: "A symbolic link leads out of the vault." }
    )
  } catch (error) {
    refuseUnseen(path, error, walk)
  }
}

const judgeLink = async (path: string, absolute: string, real: string, walk: Walk): Promise<void> => {
  walk.linked.add(real)
  await judge(path, absolute, walk)
}

/** Judges one file by its name, then by its type. Synchronous when the file system is. */
const judge = (path: string, absolute: string, walk: Walk): Promise<void> | undefined => {
  if (!isTakenIn(path)) return
  const verdict = judgeDiskPath(path)
  if (verdict.kind === "skip") return
  if (verdict.kind === "refuse") {
    walk.found.refused.push({ path, code: verdict.code, message: verdict.message })
    return
  }
  try {
    const found = walk.files.look(absolute)
    if (found instanceof Promise)
      return found.then(
        (stats) => take(stats, verdict, walk),
        (error: unknown) => refuseUnseen(path, error, walk)
      )
    take(found, verdict, walk)
  } catch (error) {
    refuseUnseen(path, error, walk)
  }
}

type Indexed = Extract<ReturnType<typeof judgeDiskPath>, { readonly kind: "index" }>

const take = (stats: Stats, { path, warning }: Indexed, { found }: Walk): void => {
  if (!stats.isFile()) {
    found.refused.push({ path, code: "not_a_file", message: noPlainFile })
    return
  }
  const { ctimeMs, mtimeMs, size } = stats
  const entry = { path, sizeBytes: size, mtimeMs: Math.max(mtimeMs, ctimeMs) }
  found.entries.push(warning === undefined ? entry : { ...entry, warning })
}

const refuseUnseen = (path: string, error: unknown, { found }: Walk): void => {
  if (isTakenIn(path))
    found.refused.push({ path, code: codeOf(error), message: "The file cannot be looked at." })
}
