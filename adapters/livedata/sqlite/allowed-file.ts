import { opendir, realpath, stat } from "node:fs/promises"
import { dirname, isAbsolute, join, sep } from "node:path"

/** Folders below which SQLite files may lie, and those of the server itself, whose files are never data. */
export interface FolderRules {
  readonly folders: ReadonlyArray<string>
  /** The data folder and the vaults of all workspaces; none by default. */
  readonly ownFolders?: () => Promise<ReadonlyArray<string>>
}

const folderRefusal =
  "SQLite files are read only below folders that the administrator of this host names (KANON_LIVE_DATA_FOLDERS), and the path is below none of them."
const ownRefusal =
  "The file belongs to this server: its data folder and the vaults of workspaces are never live data."

/** The file behind a path, links resolved; a sentence where the host does not allow it. */
export const allowedFile = async (
  path: string,
  { folders, ownFolders }: FolderRules
): Promise<{ readonly file: string } | { readonly refusal: string }> => {
  if (!isAbsolute(path) || path.includes("\0")) return { refusal: "The path of a SQLite file is absolute." }
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)))
  // A missing file is judged by the nearest folder above it that exists.
  const file = (await realpath(path).catch(() => null)) ?? (await nearestReal(path))
  const isInside = roots.some(
    (root) => root !== null && file.startsWith(root.endsWith(sep) ? root : root + sep)
  )
  if (!isInside) return { refusal: folderRefusal }
  return (await isOwn(file, (await ownFolders?.()) ?? [])) ? { refusal: ownRefusal } : { file }
}

const nearestReal = async (path: string): Promise<string> => {
  const parts = path.split(sep)
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const folder = await realpath(parts.slice(0, length).join(sep) || sep).catch(() => null)
    const rest = parts.slice(length)
    if (folder !== null) return rest.includes("..") ? sep : [folder === sep ? "" : folder, ...rest].join(sep)
  }
  return path
}

/**
 * Whether a file lies in one of the folders, or is a hard link to a file there. Folders are compared by device and
 * inode, which are the same under every name and mount.
 */
const isOwn = async (file: string, ownFolders: ReadonlyArray<string>): Promise<boolean> => {
  if (ownFolders.length === 0) return false
  const own = new Set(await Promise.all(ownFolders.map(identityOf)))
  own.delete(null)
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (own.has(await identityOf(folder))) return true
    if (folder === dirname(folder)) break
  }
  const found = await stat(file, { bigint: true }).catch(() => null)
  if (found === null || found.nlink < 2n) return false
  const wanted = `${found.dev} ${found.ino}`
  for (const folder of ownFolders) if (await holdsFile(folder, wanted)) return true
  return false
}

const identityOf = async (path: string): Promise<string | null> => {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found === null ? null : `${found.dev} ${found.ino}`
}

/** Whether one of the files below a folder has this device and inode. */
const holdsFile = async (folder: string, wanted: string): Promise<boolean> => {
  const entries = await opendir(folder).catch(() => null)
  if (entries === null) return false
  for await (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() ? await holdsFile(path, wanted) : (await identityOf(path)) === wanted) return true
  }
  return false
}
