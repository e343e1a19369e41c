import type { ExportFile } from "../archive.js"
import type { CleanFile } from "./clean-file.js"
import { cleanConfluence, isConfluenceExport } from "./confluence-export.js"
import { cleanNotion, isNotionExport } from "./notion-export.js"
import { cleanObsidian, isObsidianVault } from "./obsidian-vault.js"

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

/**
 * Removes from an export what only its program understands: Notion's ids in names and links, Obsidian's comments and
 * settings, Confluence's navigation. Cleaning twice changes nothing.
 */
export const cleanExport = async (files: ReadonlyArray<ExportFile>): Promise<ReadonlyArray<CleanFile>> =>
  cleaners[exportKind(files)](files)
