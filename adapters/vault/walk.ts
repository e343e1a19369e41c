import * as nodePath from "node:path"
import { isMarkdown, judgeDiskPath, type VaultEntry, type VaultRefusal } from "../../core/documents/index.js"
import { codeOf, type FileCalls, noPlainFile } from "./files.js"

interface Found {
  readonly entries: Array<VaultEntry>
  readonly refused: Array<VaultRefusal>
}

/**
 * Every Markdown file at or under a vault path. A name that starts with a dot is passed over; a link that
 * leads to a folder, or out of the vault, is refused, and so is a path through one; a folder that cannot be read is
 * refused as a whole.
 */
export const walkVault = async (root: string, under: string, files: FileCalls): Promise<Found> => {
  const found: Found = { entries: [], refused: [] }
  const realRoot = await files.realpath(root)
  const start = under === "" ? root : nodePath.join(root, ...under.split("/"))
  if (!(await files.stat(root)).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" })
  const linked = await firstLinkAbove(root, under, files)
  if (linked !== undefined) return { entries: [], refused: [{ path: linked, ...linkedFolder }] }
  const kind = await files.lstat(start).catch(() => undefined)
  if (kind?.isDirectory() === true) await walkFolder(under, { root, realRoot, files, found })
  else if (kind !== undefined) await look(under, kind.isSymbolicLink(), { root, realRoot, files, found })
  const byPath = (a: { path: string }, b: { path: string }) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0
  found.entries.sort(byPath)
  found.refused.sort(byPath)
  return found
}

const linkedFolder = { code: "linked_folder", message: "A symbolic link to a folder is not followed." }

/** The outermost folder above a vault path that is a symbolic link. */
const firstLinkAbove = async (root: string, path: string, files: FileCalls): Promise<string | undefined> => {
  const segments = path.split("/")
  for (let depth = 1; depth < segments.length; depth++) {
    const above = segments.slice(0, depth)
    const kind = await files.lstat(nodePath.join(root, ...above)).catch(() => undefined)
    if (kind?.isSymbolicLink() === true) return above.join("/")
  }
  return undefined
}

interface Walk {
  readonly root: string
  readonly realRoot: string
  readonly files: FileCalls
  readonly found: Found
}

const walkFolder = async (folder: string, walk: Walk): Promise<void> => {
  const absolute = nodePath.join(walk.root, ...folder.split("/"))
  const children = await walk.files.readdir(absolute, { withFileTypes: true }).catch((error: unknown) => {
    if (folder === "") throw error
    walk.found.refused.push({ path: folder, code: codeOf(error), message: "The folder cannot be read." })
    return []
  })
  const folders: Array<string> = []
  const files: Array<Promise<void>> = []
  for (const child of children) {
    if (child.name.startsWith(".")) continue
    const path = folder === "" ? child.name : `${folder}/${child.name}`
    if (child.isDirectory()) folders.push(path)
    else files.push(look(path, child.isSymbolicLink(), walk))
  }
  await Promise.all(files)
  for (const path of folders) await walkFolder(path, walk)
}

/** Judges one file by its name and, for a link, by where it leads. */
const look = async (path: string, isLink: boolean, walk: Walk): Promise<void> => {
  const absolute = nodePath.join(walk.root, ...path.split("/"))
  try {
    if (isLink) {
      const real = await walk.files.realpath(absolute)
      const inside = real === walk.realRoot || real.startsWith(walk.realRoot + nodePath.sep)
      const target = await walk.files.stat(absolute)
      if (!target.isDirectory() && !isMarkdown(path)) return
      if (!inside || target.isDirectory()) {
        walk.found.refused.push(
          inside
            ? { path, ...linkedFolder }
            : { path, code: "outside_vault", message: "A symbolic link leads out of the vault." }
        )
        return
      }
    }
    if (!isMarkdown(path)) return
    const verdict = judgeDiskPath(path)
    if (verdict.kind === "skip") return
    if (verdict.kind === "refuse") {
      walk.found.refused.push({ path, code: verdict.code, message: verdict.message })
      return
    }
    const found = await walk.files.stat(absolute)
    if (!found.isFile()) {
      walk.found.refused.push({ path, code: "not_a_file", message: noPlainFile })
      return
    }
    const { ctimeMs, mtimeMs, size } = found
    walk.found.entries.push({
      path: verdict.path,
      sizeBytes: size,
      mtimeMs: Math.max(mtimeMs, ctimeMs),
      ...(verdict.warning === undefined ? {} : { warning: verdict.warning })
    })
  } catch (error) {
    if (isMarkdown(path))
      walk.found.refused.push({ path, code: codeOf(error), message: "The file cannot be looked at." })
  }
}
