import * as Either from "effect/Either"
import { foldCase, InvalidInput, normalForm } from "../../platform/kernel/index.js"

/** Maximum length of a path and of a segment, in UTF-8 bytes. */
const maxPathBytes = 1024
const maxSegmentBytes = 255

/** Verdict on a name found on disk. `path` opens the file: it is the name exactly as found. */
type DiskPathVerdict =
  | { readonly kind: "index"; readonly path: string; readonly warning?: PathProblem }
  | { readonly kind: "skip" }
  | { readonly kind: "refuse"; readonly code: string; readonly message: string }

/** A violated path rule; the code is stable, the message is for people. */
interface PathProblem {
  readonly code: string
  readonly message: string
}

interface Broken extends PathProblem {
  /** True when only other systems would reject the name; an existing file with it can be read here. */
  readonly portability: boolean
}

/**
 * The path under which a caller's document is kept, with `.md` appended when it has none (in any case;
 * one that is there is kept as written). With a media type it is the path of a file of that format, which keeps an
 * extension of it. Every broken rule is one issue under `["path"]`.
 */
export const parseDocumentPath = (
  raw: string,
  mediaType: string | null = null
): Either.Either<string, InvalidInput> => {
  // Far above any legal path: nothing is gained by normalising megabytes first.
  const early = raw.length > 8 * maxPathBytes ? [tooLong] : raw === "" ? [empty] : []
  if (early.length > 0) return Either.left(refusal(early))
  const isNamed = mediaType === null ? isMarkdown(raw) : convertibleMediaType(raw) === mediaType
  if (mediaType !== null && !isNamed) return Either.left(refusal([otherFormat]))
  const path = isNamed || /(?:^|\/)\.{0,2}$/.test(raw) ? raw : `${raw}.md`
  const broken = [...(isNfc(raw) ? [] : [notNormal]), ...brokenRules(path)]
  return broken.length === 0 ? Either.right(path) : Either.left(refusal(broken))
}

/**
 * Parses a part of a vault named by a caller: a file or folder as it is on disk, with or without a trailing slash;
 * empty for the whole vault. Paths outside the vault and hidden ones are rejected.
 */
export const parseVaultScope = (raw: string): Either.Either<string, InvalidInput> => {
  if (raw === "") return Either.right(raw)
  if (raw.length > 8 * maxPathBytes) return Either.left(refusal([tooLong]))
  const path = raw.length > 1 && raw.endsWith("/") ? raw.slice(0, -1) : raw
  const broken = brokenRules(path).filter((rule) => !rule.portability)
  return broken.length === 0 ? Either.right(path) : Either.left(refusal(broken))
}

/**
 * Judges the vault-relative name of a file found by a walk. What starts with a dot, or is neither Markdown
 * nor of a format that is converted, is skipped; a name that other systems could not hold is indexed with a warning; any other broken rule
 * refuses the file. A name that is not NFC (macOS writes NFD) is indexed as it is, so that it still opens the
 * file; `pathKey` makes it equal to its NFC form.
 */
export const judgeDiskPath = (raw: string): DiskPathVerdict => {
  if (isHarmless(raw)) return { kind: "index", path: raw }
  const segments = raw.split("/")
  const escapes = segments.some((segment) => segment === "." || segment === "..")
  if (
    !escapes &&
    (segments.some((segment) => segment.startsWith(".")) || !(isVaultFile(raw) || isImage(raw)))
  ) {
    return { kind: "skip" }
  }
  const broken = brokenRules(raw)
  const hard = broken.find((rule) => !rule.portability)
  if (hard !== undefined) return { kind: "refuse", code: hard.code, message: hard.message }
  const soft = broken[0] ?? (isNfc(raw) ? undefined : notNormal)
  return soft === undefined
    ? { kind: "index", path: raw }
    : { kind: "index", path: raw, warning: { code: soft.code, message: soft.message } }
}

/** Fast check that accepts nearly all paths: ASCII words with single blanks or dots between them. */
const isHarmless = (path: string): boolean =>
  path.length <= maxSegmentBytes &&
  /^(?:[\w-]+(?:[ .][\w-]+)*\/)*[\w-]+(?:[ .][\w-]+)*\.(?:md|markdown|mdx)$/i.test(path) &&
  !/(?:^|\/)(?:con|prn|aux|nul|com|lpt)/i.test(path)

/**
 * Returns the form in which paths are compared: NFC and case-folded. Unique among the live documents of a workspace.
 */
export const pathKey = (path: string): string =>
  /^[\0-\x7f]*$/.test(path) ? path.toLowerCase() : normalForm(foldCase(normalForm(path, "NFC")), "NFC")

const isNfc = (path: string): boolean => normalForm(path, "NFC") === path

/** The folder of a path without a slash at its end; empty for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

const rule = (code: string, message: string, portability = false): Broken => ({ code, message, portability })
const empty = rule("path_empty", "A path must not be empty.")
const tooLong = rule("path_too_long", `A path has at most ${maxPathBytes} bytes in UTF-8.`)
const otherFormat = rule("path_extension", "The path must keep the extension of the file's format.")
const notNormal = rule("path_not_normalized", "The name is not in Unicode normal form C.", true)

const pathRules: ReadonlyArray<readonly [Broken, (path: string) => boolean]> = [
  [
    rule("path_absolute", "A path is relative to the vault: it must not start with a slash."),
    (path) => path.startsWith("/")
  ],
  [tooLong, (path) => utf8Bytes(path) > maxPathBytes],
  [
    rule("path_backslash", "A path uses / between folders, never a backslash."),
    (path) => path.includes("\\")
  ],
  [
    rule("path_control", "A path must not contain NUL, line breaks or other control characters."),
    (path) => /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path)
  ],
  [
    rule("path_bidi", "A path must not contain bidirectional control characters."),
    (path) => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(path)
  ],
  [rule("path_encoding", "A path must be well-formed Unicode."), (path) => /\p{Surrogate}/u.test(path)],
  [
    rule(
      "path_encoding",
      "A path must not contain U+FFFD, which stands for a character that was lost.",
      true
    ),
    (path) => path.includes("\ufffd")
  ],
  [
    rule("path_character", 'A path must not contain any of : * ? " < > |.', true),
    (path) => /[:*?"<>|]/.test(path)
  ]
]

const segmentRules: ReadonlyArray<readonly [Broken, (segment: string) => boolean]> = [
  [rule("path_empty_segment", "A path must not have an empty segment."), (segment) => segment === ""],
  [rule("path_parent", "A path must not contain a .. segment."), (segment) => segment === ".."],
  [rule("path_dot_segment", "A path must not contain a . segment."), (segment) => segment === "."],
  [
    rule("path_hidden", "No file or folder of a path may start with a dot."),
    (segment) => segment.startsWith(".") && segment !== "." && segment !== ".."
  ],
  [
    rule("path_segment_too_long", `A segment of a path has at most ${maxSegmentBytes} bytes in UTF-8.`),
    (segment) => utf8Bytes(segment) > maxSegmentBytes
  ],
  [
    rule(
      "path_reserved",
      "A path must not use a name that Windows reserves (CON, NUL, COM1 and the like).",
      true
    ),
    (segment) => /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i.test(segment)
  ],
  [
    rule("path_trailing", "A segment of a path must not end in a dot or a blank.", true),
    (segment) => /[.\s]$/u.test(segment) && segment !== "." && segment !== ".."
  ]
]

const brokenRules = (path: string): ReadonlyArray<Broken> => {
  // The slash of an absolute path is one mistake, not also an empty segment.
  const segments = (path.startsWith("/") ? path.slice(1) : path).split("/")
  return [
    ...pathRules.filter(([, breaks]) => breaks(path)),
    ...segmentRules.filter(([, breaks]) => segments.some(breaks))
  ].map(([broken]) => broken)
}

const refusal = (broken: ReadonlyArray<PathProblem>): InvalidInput =>
  new InvalidInput({ issues: broken.map(({ code, message }) => ({ path: ["path"], code, message })) })

const utf8Bytes = (text: string): number => {
  let bytes = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/** File name extensions of Markdown, in any case. */
const extension = /\.(?:md|markdown|mdx)$/i

/** Whether the name is that of a Markdown file: `.md`, `.markdown` or `.mdx`, in any case. */
export const isMarkdown = (path: string): boolean => extension.test(path)

/** The path without the extension of a Markdown file. */
export const withoutExtension = (path: string): string => path.replace(extension, "")

/** The last segment without the extension of a Markdown file. */
export const stemOf = (path: string): string => withoutExtension(path.slice(path.lastIndexOf("/") + 1))

/** File name extensions of the formats that are converted to Markdown, with their media types. */
const mediaTypes: Readonly<Record<string, string>> = {
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eml: "message/rfc822",
  epub: "application/epub+zip",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  odt: "application/vnd.oasis.opendocument.text",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  tif: "image/tiff",
  tiff: "image/tiff",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  webp: "image/webp",
  xhtml: "application/xhtml+xml",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}

/** The media type of a file that is converted, by the extension of its name; null for any other file. */
export const convertibleMediaType = (path: string): string | null => {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(mediaTypes, extension) ? (mediaTypes[extension] ?? null) : null
}

/** Whether a file of that name is converted to Markdown. */
export const isConvertible = (path: string): boolean => convertibleMediaType(path) !== null

/** Whether the name is that of a picture, which is converted where a page reader is installed. */
export const isImage = (path: string): boolean => convertibleMediaType(path)?.startsWith("image/") === true

/** Whether the name is that of a file which every vault takes in: Markdown, or a format with text of its own. */
export const isVaultFile = (path: string): boolean =>
  isMarkdown(path) || (isConvertible(path) && !isImage(path))

/** Text formats of documents that a vault does not take in. */
const otherTexts =
  /\.(?:adoc|asc|asciidoc|creole|dj|djot|fountain|mediawiki|opml|org|qmd|rmd|rst|rtf|tex|text|textile|typ|wiki)$/i

/** Whether the name is that of a text document which a vault does not take in. */
export const isOtherText = (path: string): boolean => otherTexts.test(path)
