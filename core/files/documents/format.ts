import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/**
 * Version of what the converters make of files. It rises when they read files of a format in another way: then the next
 * ingest converts every file again whose text an older version made.
 */
export const readerVersion = "4"

/** Most bytes of a file that is converted. */
export const convertibleBytesMax = 64 * 1024 * 1024

/** Milliseconds that the conversion of one file may take, unless `formatTimeoutMs` says otherwise. */
export const defaultFormatTimeoutMs = 30_000
/** Mebibytes of memory that the conversion of one file may take, unless `formatMemoryMb` says otherwise. */
export const defaultFormatMemoryMb = 512

/** A file as it is given to the converter. */
export interface ConvertibleFile {
  /** The file name or path; its extension tells the format where `mediaType` does not. */
  readonly name: string
  readonly bytes: Uint8Array
  readonly mediaType?: string
  /**
   * For HTML: `page` (the default) keeps the main content of a web page and drops navigation, headers and footers;
   * `fragment` keeps everything, for HTML that is content already.
   */
  readonly html?: "page" | "fragment"
  /** For HTML: the address that relative links are resolved against; without it they stay relative. */
  readonly baseUrl?: string
}

/** Why a file has no text: `code` for programs, `message` for people. */
export class ConversionFailed extends Data.TaggedError("ConversionFailed")<{
  readonly code: ConversionFailure
  readonly message: string
}> {}

/** Every reason why a file cannot be converted. */
export type ConversionFailure =
  | "file_encrypted"
  | "file_broken"
  | "file_too_large"
  | "format_unknown"
  | "conversion_timeout"
  | "conversion_memory"
  | "conversion_failed"
  | "converter_missing"

/** The text of a file as Markdown, and what the file says about itself. */
export interface ConvertedFile {
  readonly mediaType: string
  readonly markdown: string
  /** The title that the file's metadata gives; null where there is none. */
  readonly title: string | null
  readonly author: string | null
  /** ISO 8601 in UTC, as the file's metadata says; null where there is none. */
  readonly createdAt: string | null
  readonly modifiedAt: string | null
  /** UTF-16 offsets in `markdown` at which pages 1, 2, 3, … begin; empty for formats without pages. */
  readonly pageStarts: ReadonlyArray<number>
  /** Images that were left out. */
  readonly imagesSkipped: number
  readonly warnings: ReadonlyArray<{ readonly code: string; readonly message: string }>
  /** Files attached to a message, in order; names are unique within the message. */
  readonly attachments: ReadonlyArray<ConvertedAttachment>
}

/** A file that is attached to a message: its conversion, or why there is none. */
export interface ConvertedAttachment {
  readonly name: string
  readonly result:
    | { readonly converted: ConvertedFile }
    | { readonly failure: { readonly code: ConversionFailure; readonly message: string } }
}

/** Converts files of other formats to Markdown, within limits on time and memory. */
export class FormatConverter extends Context.Tag("kanon/FormatConverter")<
  FormatConverter,
  {
    /** Converts one file. Safe to call concurrently; interruption ends the conversion. */
    readonly convert: (file: ConvertibleFile) => Effect.Effect<ConvertedFile, ConversionFailed>
  }
>() {}

/** The warning that the text of a file may say something else than the file. */
const uncertain = "text_uncertain"
/** The remark that a program read the text of a scanned file. */
const readByMachine = "read_by_machine"

/** What a source keeps of a file's warnings: that its text may be wrong, and which program read it; each may be absent. */
export const textWarningsOf = (
  warnings: ConvertedFile["warnings"]
): { readonly textWarnings?: ReadonlyArray<string>; readonly readBy?: string } => {
  const textWarnings = warnings.filter(({ code }) => code === uncertain).map(({ message }) => message)
  const readBy = warnings.find(({ code }) => code === readByMachine)?.message
  return {
    ...(textWarnings.length === 0 ? {} : { textWarnings: textWarnings.slice(0, textWarningsMax) }),
    ...(readBy === undefined ? {} : { readBy })
  }
}
const textWarningsMax = 20

/** The page on which an offset lies, from 1; null for texts without pages. */
export const pageAt = (pageStarts: ReadonlyArray<number>, offset: number): number | null => {
  if (pageStarts.length === 0) return null
  let [low, high] = [0, pageStarts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pageStarts[middle] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return Math.max(1, low)
}
