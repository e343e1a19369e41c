import { createHash } from "node:crypto"
import { posix } from "node:path"
import { isVaultFile } from "../../core/files/markdown/index.js"
import { normalForm } from "../../core/platform/kernel/index.js"
import { compileGlob } from "../host/glob.js"

/** Bytes of a segment, below the 255 of a path with room for an extension. */
const segmentBytesMax = 200

/** A name of the source as a segment of a document path. Different names give different segments, apart from signs that no path may hold. */
export const pathSegment = (name: string): string => {
  const plain = normalForm(name, "NFC")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu, "")
    .replace(/[/\\:*?"<>|]/g, "-")
    .replace(/^\.+/, (dots) => "_".repeat(dots.length))
    .replace(/[.\s]+$/u, "")
    .trim()
  const named = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i.test(plain)
    ? `_${plain}`
    : plain
  return named === "" ? `_${digest(name)}` : shortened(named)
}

const shortened = (name: string): string => {
  if (Buffer.byteLength(name) <= segmentBytesMax) return name
  const extension = /\.[a-z]{1,5}$/i.exec(name)?.[0] ?? ""
  const start = Buffer.from(name.slice(0, -extension.length || undefined))
    .subarray(0, segmentBytesMax - 20)
    .toString("utf8")
    .replace(/\ufffd+$/u, "")
    .trimEnd()
  return `${start}-${digest(name)}${extension}`
}

/** Eight hexadecimal digits that tell names apart. */
const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8)

/** A version of an item made of what it holds. */
export const versionOf = (...parts: ReadonlyArray<string | Uint8Array>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part).update("\0")
  return hash.digest("hex").slice(0, 32)
}

/** A document path of names, the last one without extension. */
export const markdownPath = (names: ReadonlyArray<string>): string => `${names.map(pathSegment).join("/")}.md`

/** Whether a file of a library is taken: of a format that becomes a document, and not hidden. */
export const isLibraryFile = (path: string): boolean =>
  isVaultFile(path) && !path.split("/").some((name) => name.startsWith("."))

/** The document path of a file of a library: its own, with `-` for what no path may hold. */
export const libraryPath = (path: string): string => path.split("/").map(pathSegment).join("/")

/** The target of a Markdown link from one document path to another. */
export const linkBetween = (from: string, to: string): string =>
  posix
    .relative(posix.dirname(from), to)
    .split("/")
    .map((segment) =>
      encodeURIComponent(segment).replace(/[()']/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
    )
    .join("/")
    .replaceAll("%2C", ",")

/** Names for attachments of one item, each a segment and unique without regard to case. */
export const attachmentNames = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const used = new Set<string>()
  return names.map((name) => {
    const safe = pathSegment(name)
    const dot = safe.lastIndexOf(".")
    const [stem, extension] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ""]
    let unique = safe
    for (let copy = 2; used.has(unique.toLowerCase()); copy++) unique = `${stem}-${copy}${extension}`
    used.add(unique.toLowerCase())
    return unique
  })
}

/** ISO 8601 in UTC; null when the text is no moment. */
export const isoMoment = (text: string | number | null | undefined): string | null => {
  const date = new Date(text ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/**
 * Whether a path is taken by patterns as Git's `:(glob)` reads them: `*` and `?` within a segment, `**` across
 * segments; a folder stands for what is in it. A pattern that begins with `!` leaves out.
 */
export const globFilter = (globs: ReadonlyArray<string> = []): ((path: string) => boolean) => {
  const compiled = (glob: string) => compileGlob(glob, { coversFolders: true })
  const excluding = globs.filter((glob) => glob.startsWith("!")).map((glob) => compiled(glob.slice(1)))
  const including = globs.filter((glob) => !glob.startsWith("!")).map(compiled)
  return (path) => {
    const segments = path.split("/")
    return (
      (including.length === 0 || including.some((glob) => glob(segments))) &&
      !excluding.some((glob) => glob(segments))
    )
  }
}
