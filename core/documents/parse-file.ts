import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Ids } from "../kernel/index.js"
import {
  type ChunkDraft,
  chunkDocument,
  documentTitle,
  type FrontMatter,
  frontMatterChunks,
  numbered,
  parseFrontMatter,
  parseMarkdown
} from "../markdown/index.js"
import type { Content } from "./machine.js"
import type { FileStamp } from "./store.js"

/** Maximum size of a document in bytes. */
export const contentBytesMax = 5 * 1024 * 1024

/** A parsed file: everything that the row, the passages and the report need. */
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

/** Settings of splitting a text into passages. */
type Chunking = { readonly maxChars: number; readonly overlapChars: number }

/** A parsed text: metadata and passages. */
export interface ParsedContent extends Pick<ParsedFile, "passages" | "warnings"> {
  readonly title: string
  readonly frontMatter: FrontMatter
}

/** Parses a text: front matter, title, passages. Pure; takes up to half a second for the longest one. */
export const parseContent = (path: string, source: string, chunking: Chunking): ParsedContent => {
  const { bodyStart, frontMatter, warnings } = parseFrontMatter(source)
  const markdown = parseMarkdown(source, bodyStart)
  const body = chunkDocument(markdown, chunking)
  const front =
    body.length > 0 && hasTitleOnly(frontMatter)
      ? []
      : frontMatterChunks(source, bodyStart, chunking.maxChars)
  return {
    title: documentTitle(frontMatter, markdown, path),
    frontMatter,
    passages: front.length === 0 ? body : numbered([...front, ...body]),
    warnings
  }
}

/** Parses long texts without blocking the main thread. Without an implementation they are parsed in place. */
export class LongTextParser extends Context.Tag("kanon/LongTexts")<
  LongTextParser,
  { readonly takeApart: (...given: Parameters<typeof parseContent>) => Effect.Effect<ParsedContent> }
>() {}

/** Length in UTF-16 units from which a text is long; shorter ones take some hundredths of a second. */
const longChars = 256 * 1024

/** Parses a document's bytes: front matter, title, passages. */
export const readContent = (
  path: string,
  bytes: Uint8Array,
  stamp: FileStamp,
  chunking: Chunking
): Effect.Effect<ParsedFile, Unreadable, Ids> =>
  Effect.gen(function* () {
    const source = yield* decodeContent(bytes)
    const ids = yield* Ids
    const elsewhere =
      source.length < longChars ? null : Option.getOrNull(yield* Effect.serviceOption(LongTextParser))
    const { frontMatter, passages, title, warnings } =
      elsewhere === null
        ? parseContent(path, source, chunking)
        : yield* elsewhere.takeApart(path, source, chunking)
    return {
      content: {
        contentHash: ids.sha256(bytes),
        sizeBytes: stamp.sizeBytes,
        mtimeMs: stamp.mtimeMs,
        title,
        frontMatter
      },
      passages,
      bytes,
      warnings
    }
  })

/**
 * The title is indexed with every passage anyway; a passage that holds only the title displaces better ones (measured:
 * the vectors alone lose 0.04 to 0.13 nDCG@10).
 */
const hasTitleOnly = ({ aliases, other, tags, title, type }: FrontMatter): boolean =>
  title !== null && type === null && aliases.length + tags.length + Object.keys(other).length === 0
