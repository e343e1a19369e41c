import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Ids } from "../../platform/kernel/index.js"
import {
  type ChunkDraft,
  chunkDocument,
  documentTitle,
  type FrontMatter,
  frontMatterChunks,
  hideComments,
  isConvertible,
  machineMade,
  numbered,
  parseFrontMatter,
  parseMarkdown,
  stemOf,
  withBodyFields
} from "../markdown/index.js"
import { Chunker, cutBy, type OwnChunker } from "./chunker.js"
import {
  type ConvertedFile,
  convertibleBytesMax,
  FormatConverter,
  pageAt,
  readerVersion,
  textWarningsOf
} from "./format.js"
import type { Content } from "./machine.js"
import type { Document } from "./model.js"
import type { FileStamp } from "./store.js"

/** Most bytes of one document's text. */
export const contentBytesMax = 5 * 1024 * 1024

/** Most bytes of a file at that path. */
export const fileBytesMax = (path: string): number =>
  isConvertible(path) ? convertibleBytesMax : contentBytesMax

/** Content of a file with everything that the row, the passages and the report need. */
export interface ParsedFile {
  readonly content: Content
  readonly passages: ReadonlyArray<ChunkDraft>
  readonly bytes: Uint8Array
  readonly warnings: ReadonlyArray<{ readonly code: string; readonly message: string }>
}

/** Why bytes cannot be a document. */
export interface Unreadable {
  readonly code: string
  readonly message: string
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Decodes a document's bytes; fails with the reason when they are not a valid text. */
export const decodeContent = (bytes: Uint8Array): Either.Either<string, Unreadable> => {
  if (bytes.byteLength > contentBytesMax)
    return Either.left({
      code: "too_large",
      message: `${bytes.byteLength} bytes; a document holds at most ${contentBytesMax}.`
    })
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    return Either.left({ code: "invalid_encoding", message: "The bytes are UTF-16; a document is UTF-8." })
  const holdsNul = Either.left({ code: "invalid_content", message: "The text holds a NUL character." })
  try {
    const text = decoder.decode(bytes)
    return text.includes("\0") ? holdsNul : Either.right(text)
  } catch {
    if (bytes.includes(0)) return holdsNul
    return Either.left({ code: "invalid_encoding", message: "The bytes are not UTF-8." })
  }
}

/** The bytes of a Markdown file in UTF-8; those of one in UTF-16 with a byte order mark are decoded. */
export const asUtf8 = (bytes: Uint8Array): Uint8Array => {
  const label =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : null
  return label === null ? bytes : new TextEncoder().encode(new TextDecoder(label).decode(bytes))
}

/** How a text is cut into passages. */
type Chunking = {
  readonly maxChars: number
  readonly overlapChars: number
  readonly pageStarts?: ReadonlyArray<number>
}

/** A parsed text: metadata and passages. */
export interface ParsedContent extends Pick<ParsedFile, "passages" | "warnings"> {
  readonly title: string
  readonly frontMatter: FrontMatter
}

/** Parses a text: front matter, title, passages. Pure; takes up to half a second for the longest one. */
export const parseContent = (path: string, source: string, chunking: Chunking): ParsedContent =>
  assembled(path, source, chunking, (markdown) => chunkDocument(markdown, chunking))

/** The same with passages of a chunker of the host. */
const parseContentBy = (
  chunker: OwnChunker,
  path: string,
  source: string,
  { maxChars, overlapChars, pageStarts = [] }: Chunking
): Either.Either<ParsedContent, Unreadable> => {
  let fault: string | null = null
  const parsed = assembled(path, source, { maxChars, overlapChars }, ({ blocks, bodyStart, source: text }) =>
    Either.getOrElse(
      cutBy(chunker, { path, text, bodyStart, blocks, pageStarts, maxChars, overlapChars }),
      (why) => {
        fault = why
        return []
      }
    )
  )
  return fault === null ? Either.right(parsed) : Either.left({ code: "chunker_failed", message: fault })
}

const assembled = (
  path: string,
  source: string,
  chunking: Chunking,
  cut: (markdown: ReturnType<typeof parseMarkdown>) => ReadonlyArray<ChunkDraft>
): ParsedContent => {
  const { bodyStart, frontMatter: written, warnings } = parseFrontMatter(source)
  const data = machineMade(path, written, source, bodyStart)
  const markdown = parseMarkdown(
    data === null ? hideComments(source, bodyStart) : source.slice(0, bodyStart),
    bodyStart
  )
  const frontMatter = withBodyFields(written, markdown)
  const body = cut(markdown)
  const front =
    body.length > 0 && hasTitleOnly(written) ? [] : frontMatterChunks(source, bodyStart, chunking.maxChars)
  return {
    title: documentTitle(frontMatter, markdown, path),
    frontMatter,
    passages: front.length === 0 ? body : numbered([...front, ...body]),
    warnings:
      data === null
        ? warnings
        : [...warnings, { code: "body_skipped", message: `${data}: only its front matter is read.` }]
  }
}

/**
 * Parses long texts without blocking the main thread, within some time and memory. Without an implementation they are
 * parsed in place.
 */
export class LongTextParser extends Context.Tag("kanon/LongTexts")<
  LongTextParser,
  {
    readonly takeApart: (
      ...given: Parameters<typeof parseContent>
    ) => Effect.Effect<ParsedContent, Unreadable>
  }
>() {}

/** Length in UTF-16 units from which a text is long; shorter ones take some hundredths of a second. */
const longChars = 48 * 1024

/** The converted file and the original that a text belongs to; empty for Markdown. */
export type TextOrigin = Pick<Document, "file" | "source">

/** Takes a document's text apart: front matter, title, passages. */
export const readContent = (
  path: string,
  bytes: Uint8Array,
  stamp: FileStamp,
  chunking: Chunking,
  origin: TextOrigin = {}
): Effect.Effect<ParsedFile, Unreadable, Ids> =>
  Effect.gen(function* () {
    const source = yield* decodeContent(bytes)
    const paged =
      origin.source === undefined ? chunking : { ...chunking, pageStarts: origin.source.pageStarts }
    const ids = yield* Ids
    const chunker = yield* Chunker
    const elsewhere =
      source.length < longChars ? null : Option.getOrNull(yield* Effect.serviceOption(LongTextParser))
    const { frontMatter, passages, title, warnings } =
      chunker !== null
        ? yield* parseContentBy(chunker, path, source, paged)
        : elsewhere === null
          ? parseContent(path, source, paged)
          : yield* elsewhere.takeApart(path, source, paged)
    return {
      content: {
        contentHash: ids.sha256(bytes),
        sizeBytes: stamp.sizeBytes,
        mtimeMs: stamp.mtimeMs,
        title:
          origin.file === undefined && origin.source === undefined
            ? title
            : convertedTitle(path, title, origin.source?.title ?? null),
        frontMatter,
        ...(origin.file === undefined ? {} : { file: origin.file }),
        ...(origin.source === undefined ? {} : { source: origin.source })
      },
      passages: withPages(passages, origin.source?.pageStarts ?? []),
      bytes,
      warnings
    }
  })

const withPages = (passages: ReadonlyArray<ChunkDraft>, pageStarts: ReadonlyArray<number>) =>
  pageStarts.length === 0
    ? passages
    : passages.map((passage) => ({ ...passage, page: pageAt(pageStarts, passage.start) ?? 1 }))

/** The title of the text, else that of the metadata, else the file name without its extension. */
const convertedTitle = (path: string, title: string, given: string | null): string => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  if (title !== name && title !== stemOf(path)) return title
  return given ?? (isConvertible(title) ? title.replace(/\.[a-z]+$/i, "") : title)
}

/**
 * Takes a file of a vault apart, by way of the converter when it is of another format: what it says, its title and its
 * passages.
 */
export const readFile = (
  path: string,
  bytes: Uint8Array,
  stamp: FileStamp,
  chunking: Chunking
): Effect.Effect<ParsedFile, Unreadable, Ids> =>
  isConvertible(path)
    ? Effect.gen(function* () {
        const converter = Option.getOrNull(yield* Effect.serviceOption(FormatConverter))
        if (converter === null) return yield* Effect.fail(noConverter)
        const converted = yield* converter.convert({ name: path, bytes })
        const { author, createdAt, mediaType, modifiedAt, pageStarts, title } = converted
        const file = { mediaType, hash: (yield* Ids).sha256(bytes) }
        const warnings = warningsOf(converted)
        const source = {
          url: null,
          author,
          createdAt,
          modifiedAt,
          title,
          pageStarts,
          reader: readerVersion,
          ...textWarningsOf(warnings)
        }
        const text = new TextEncoder().encode(withAttachments(converted))
        const parsed = yield* readContent(path, text, stamp, chunking, { file, source })
        return { ...parsed, warnings: [...warnings, ...parsed.warnings] }
      })
    : Effect.gen(function* () {
        const text = asUtf8(bytes)
        if (text === bytes) return yield* readContent(path, bytes, stamp, chunking)
        // The file stays as it is; like any converted one it is written by nobody but its owner.
        const file = { mediaType: "text/markdown", hash: (yield* Ids).sha256(bytes) }
        return yield* readContent(path, text, stamp, chunking, { file })
      })

/** The text of a message followed by a section for each attachment that has one. */
const withAttachments = ({ attachments, markdown }: ConvertedFile): string =>
  [
    markdown,
    ...attachments.flatMap(({ name, result }) =>
      "converted" in result ? [`## Attachment: ${name}\n\n${withAttachments(result.converted)}`] : []
    )
  ].join("\n\n")

/** The warnings of a file and of its attachments, which are named; an attachment without text is one, too. */
const warningsOf = ({ attachments, warnings }: ConvertedFile): ParsedFile["warnings"] => [
  ...warnings,
  ...attachments.flatMap(({ name, result }) =>
    ("converted" in result
      ? warningsOf(result.converted)
      : [{ code: "attachment_skipped", message: result.failure.message }]
    ).map(({ code, message }) => ({ code, message: `${name}: ${message}` }))
  )
]

const noConverter: Unreadable = {
  code: "converter_missing",
  message: "This program converts no files of other formats."
}

/**
 * The title is indexed with every passage anyway; a passage that holds only the title displaces better ones (measured:
 * the vectors alone lose 0.04 to 0.13 nDCG@10).
 */
const hasTitleOnly = ({ aliases, other, tags, title, type }: FrontMatter): boolean =>
  title !== null && type === null && aliases.length + tags.length + Object.keys(other).length === 0
