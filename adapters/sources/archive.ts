import { isVaultFile } from "../../core/files/markdown/index.js"
import type { openArchive } from "../formats/archive.js"
import type { zipNames } from "../formats/zip-names.js"

/** A file of an export before it is cleaned. */
export interface ExportFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** The files that an upload or an export holds. */
export interface ExportFiles {
  readonly files: ReadonlyArray<ExportFile>
  /** Paths within archives that are no documents: images, and files of formats that are not read. */
  readonly others: ReadonlyArray<string>
}

/** Notion packs an export that is large into several archives within one. */
const depthMax = 2
/** Files of archives and those within them together: exports of chats hold one for each channel and day. */
const filesMax = 100_000
/** Most bytes of archives and those within them together. */
const totalBytesMax = 512 * 1024 * 1024

/**
 * The files of an export, with the documents and data files of zip archives and of archives within them. Throws an
 * error with a message for people when an archive is broken, encrypted or a decompression bomb.
 */
export const filesOf = async (given: ReadonlyArray<ExportFile>): Promise<ExportFiles> => {
  const { openArchive } = await import("../formats/archive.js")
  const { zipNames } = await import("../formats/zip-names.js")
  const found = { files: [] as Array<ExportFile>, others: [] as Array<string> }
  const left = { files: filesMax, bytes: totalBytesMax }
  for (const file of given)
    if (isZip(file.path)) unpackArchive({ openArchive, zipNames }, file.bytes, left, found)
    else found.files.push(file)
  return found
}

const isZip = (path: string): boolean => /\.zip$/i.test(path)

const unpackArchive = (
  zip: { readonly openArchive: typeof openArchive; readonly zipNames: typeof zipNames },
  bytes: Uint8Array,
  left: { files: number; bytes: number },
  found: { readonly files: Array<ExportFile>; readonly others: Array<string> },
  depth = 1
): void => {
  const names = zip.zipNames(bytes)
  const isWanted = (name: string): boolean => {
    if (/(?:^|\/)(?:__MACOSX|\.git|node_modules)\//.test(name)) return false
    if (isVaultFile(name) || /\.(?:zip|jsonl?)$/i.test(name)) return true
    if (!name.endsWith("/") && !/(?:^|\/)\./.test(name)) found.others.push(names.get(name) ?? name)
    return false
  }
  const { count, files } = zip.openArchive(bytes, isWanted, { filesMax: left.files, bytesMax: left.bytes })
  left.files -= count
  for (const [name, content] of Object.entries(files)) {
    left.bytes -= content.byteLength
    const path = (names.get(name) ?? name)
      .replaceAll("\\", "/")
      .split("/")
      .filter((segment) => segment !== "" && segment !== ".")
      .join("/")
    if (isZip(path) && depth < depthMax) unpackArchive(zip, content, left, found, depth + 1)
    else if (path !== "") found.files.push({ path, bytes: content })
  }
}
