/** A file of an export before it is cleaned. */
export interface ExportFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** Notion packs an export that is large into several archives within one. */
const depthMax = 2
/** Exports of chats hold a file for each channel and day. */
const filesMax = 500_000

/**
 * The files of a zip archive, those of archives within it included. Images and what is no document are left out.
 * Throws an error with a message for people when the archive is broken, encrypted or a decompression bomb.
 */
export const unpackArchive = async (bytes: Uint8Array, depth = 1): Promise<ReadonlyArray<ExportFile>> => {
  const { openArchive } = await import("../formats/archive.js")
  const isWanted = (name: string) => !/(?:^|\/)(?:__MACOSX|\.git|node_modules)\//.test(name)
  const { files } = openArchive(bytes, isWanted, filesMax)
  const found: Array<ExportFile> = []
  for (const [name, content] of Object.entries(files)) {
    const path = safePath(name)
    if (path === null) continue
    if (/\.zip$/i.test(path) && depth < depthMax) found.push(...(await unpackArchive(content, depth + 1)))
    else found.push({ path, bytes: content })
  }
  return found
}

/** A path within the archive's folder; null for one that leads out of it, or to a folder. */
const safePath = (name: string): string | null => {
  const segments = name
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
  return name.endsWith("/") || segments.length === 0 || segments.includes("..") ? null : segments.join("/")
}
