import type { Upload } from "../../../core/connected/sources/index.js"
import { normalForm } from "../../../core/platform/kernel/index.js"
import { type ExportFile, filesOf } from "../archive.js"
import { isLibraryFile, libraryPath, versionOf } from "../item-path.js"
import type { CleanFile } from "./clean-file.js"
import { cleanConfluence, isConfluenceDecoration, isConfluenceExport } from "./confluence-export.js"
import { cleanNotion, isNotionExport } from "./notion-export.js"
import { cleanObsidian, isObsidianVault } from "./obsidian-vault.js"

/** A document of an upload, or a file that is refused. */
export type UploadItem =
  | (CleanFile & { readonly version: string; readonly warnings: ReadonlyArray<string> })
  | { readonly path: string; readonly version: string; readonly refusal: string }

/** The documents of an upload, each path once, and the files that are refused. */
export const readItems = async (files: Upload["files"]): Promise<ReadonlyArray<UploadItem>> => {
  const given = files.flatMap(({ bytes, path }) => (bytes === null ? [] : [{ path, bytes }]))
  const unpacked = await filesOf(given)
  const fileByPath = new Map(files.map((file) => [file.path, file]))
  const items = new Map<string, UploadItem>()
  const kind = exportKind(unpacked.files)
  const cleaned = await cleaners[kind](unpacked.files)
  const taken = new Set(cleaned.map(({ path }) => path).filter((path) => libraryPath(path) === path))
  for (const file of cleaned) {
    const {
      author = file.author,
      modifiedAt = file.modifiedAt,
      url = file.url
    } = fileByPath.get(file.path) ?? {}
    const refusal = refusalOf(file.path)
    const origin = { url: url ?? null, author: author ?? null, modifiedAt: modifiedAt ?? null }
    const version = versionOf(file.bytes, JSON.stringify(origin))
    const path = libraryPath(file.path)
    const isRenamed = path !== normalForm(file.path, "NFC")
    const clash =
      isRenamed && (taken.has(path) || items.has(path))
        ? `A document cannot have this name, and ${path}, which it would become, is the name of another file.`
        : null
    const reason = refusal ?? clash
    if (reason !== null) {
      items.set(file.path, { path: file.path, version, refusal: reason })
      continue
    }
    const warnings = isRenamed ? [`A document cannot have the name ${file.path}, so it became ${path}.`] : []
    items.set(path, { ...file, ...origin, path, version, warnings })
  }
  const isEmpty = items.size === 0
  // Pages of exports come with their images and style sheets, which are left out.
  const isLook = (path: string) => isImage(path) || (kind === "confluence" && isConfluenceDecoration(path))
  for (const path of unpacked.others)
    if (isEmpty || !isLook(path)) items.set(path, { path, version: versionOf(path), refusal: noText })
  return [...items.values()]
}

const noText = "The file was left out: its format has no text that is read."

const isImage = (path: string): boolean => /\.(?:png|jpe?g|gif|webp|svg|bmp|tiff?|ico|heic|avif)$/i.test(path)

/** Why a file is not taken; null for one that is. */
const refusalOf = (path: string): string | null => {
  const segments = path.split("/")
  if (/^[/\\]|^[a-z]:/i.test(path) || segments.includes(".."))
    return "The path leads out of the folder of the connector."
  if (segments.some((segment) => segment.startsWith(".")))
    return "Files and folders whose names begin with a dot are not taken."
  return isLibraryFile(path) ? null : noText
}

/** Programs whose exports are recognised. */
type ExportKind = "notion" | "obsidian" | "confluence" | "plain"

/** Tells which program made an export. */
const exportKind = (files: ReadonlyArray<ExportFile>): ExportKind =>
  isObsidianVault(files)
    ? "obsidian"
    : isNotionExport(files)
      ? "notion"
      : isConfluenceExport(files)
        ? "confluence"
        : "plain"

/**
 * Remove from an export what only its program understands: Notion's ids in names and links, Obsidian's comments and
 * settings, Confluence's navigation. Cleaning twice changes nothing.
 */
const cleaners: {
  readonly [Kind in ExportKind]: (
    files: ReadonlyArray<ExportFile>
  ) => ReadonlyArray<CleanFile> | Promise<ReadonlyArray<CleanFile>>
} = {
  notion: cleanNotion,
  obsidian: cleanObsidian,
  confluence: cleanConfluence,
  plain: (files) => files
}
