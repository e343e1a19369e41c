import { isVaultFile } from "../../core/markdown/index.js"

/** A file of an export before it is cleaned. */
export interface ExportFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** Notion packs an export that is large into several archives within one. */
const depthMax = 2
/** Exports of chats hold a file for each channel and day. */
const filesMax = 500_000
/** Most bytes of an archive and those within it together. */
const totalBytesMax = 512 * 1024 * 1024

/**
 * The documents and data files of a zip archive, those of archives within it included. Throws an error with a message
 * for people when the archive is broken, encrypted or a decompression bomb.
 */
export const unpackArchive = async (bytes: Uint8Array): Promise<ReadonlyArray<ExportFile>> => {
  const { openArchive } = await import("../formats/archive.js")
  const found: Array<ExportFile> = []
  let total = 0
  const unpack = (archive: Uint8Array, depth: number): void => {
    const { files } = openArchive(archive, isWanted, filesMax)
    for (const [name, content] of Object.entries(files)) {
      total += content.byteLength
      if (total > totalBytesMax)
        throw new Error(`The archive unpacks to more than ${totalBytesMax / 1024 / 1024} MiB.`)
      const path = safePath(name)
      if (path === null) continue
      if (/\.zip$/i.test(path) && depth < depthMax) unpack(content, depth + 1)
      else found.push({ path, bytes: content })
    }
  }
  unpack(bytes, 1)
  return found
}

const isWanted = (name: string): boolean =>
  (isVaultFile(name) || /\.(?:zip|jsonl?)$/i.test(name)) &&
  !/(?:^|\/)(?:__MACOSX|\.git|node_modules)\//.test(name)

/** A path within the archive's folder; null for one that leads out of it, or to a folder. */
const safePath = (name: string): string | null => {
  const segments = name
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
  return name.endsWith("/") || segments.length === 0 || segments.includes("..") ? null : segments.join("/")
}
