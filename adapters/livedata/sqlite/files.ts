import { realpath } from "node:fs/promises"
import { isAbsolute, sep } from "node:path"

/** Folders below which SQLite files may lie. */
export interface FolderRules {
  readonly folders: ReadonlyArray<string>
}

const folderRefusal =
  "SQLite files are read only below folders that the administrator of this host names (KANON_LIVE_DATA_FOLDERS), and the path is below none of them."

/** The file behind a path, links resolved; a sentence where the host does not allow it. */
export const allowedFile = async (
  path: string,
  { folders }: FolderRules
): Promise<{ readonly file: string } | { readonly refusal: string }> => {
  if (!isAbsolute(path) || path.includes("\0")) return { refusal: "The path of a SQLite file is absolute." }
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)))
  // Of a file that is not there, what is there of its folder decides.
  const file = (await realpath(path).catch(() => null)) ?? (await nearestReal(path))
  const isInside = roots.some(
    (root) => root !== null && file.startsWith(root.endsWith(sep) ? root : root + sep)
  )
  return isInside ? { file } : { refusal: folderRefusal }
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
