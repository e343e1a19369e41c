import * as Either from "effect/Either"
import type { z } from "zod"
import {
  canonicalJson,
  type Digest,
  escapeControls,
  InvalidExport,
  type InvalidExportReason
} from "../../platform/kernel/index.js"
import { type CheckContext, orderOf, problemOf } from "./check.js"
import { compareCodePoints, unfitJson } from "./lines.js"
import {
  ArchiveRecord,
  ExportHeader,
  ExportTrailer,
  exportFormat,
  exportVersion,
  noCounts,
  type RecordCounts,
  type RecordKind,
  recordKinds
} from "./model.js"
import { TrailCheck } from "./trail.js"

/** Validates the lines of an export one by one. */
export interface ExportReader {
  /** Returns the record of the next line; null for the first and the last line. */
  readonly next: (line: Uint8Array) => Either.Either<ArchiveRecord | null, InvalidExport>
  /** Returns the number of lines read. */
  readonly line: () => number
  /** Returns the trailer, if only whole lines were read. */
  readonly finish: (restBytes: number) => Either.Either<ExportTrailer, InvalidExport>
}

/** Options of reading an export. */
export interface ReadOptions {
  /** Accepts an audit trail that was broken before the export; it stays marked as broken. */
  readonly acceptsBrokenTrail?: boolean
}

/** Creates a reader for one export. It keeps no records, only the state to validate the next one. */
export const exportReader = (
  digest: Digest,
  sha256: (data: string | Uint8Array) => string,
  { acceptsBrokenTrail = false }: ReadOptions = {}
): ExportReader => {
  const counts = noCounts()
  let header: ExportHeader | undefined
  let trailer: ExportTrailer | undefined
  let context: CheckContext | undefined
  let last: ArchiveRecord | undefined
  let trail: TrailCheck | undefined
  let line = 0

  const refuse = (reason: InvalidExportReason, message: string) => Either.left(refusal(reason, line, message))

  const judgeHeader = (value: unknown) => {
    const parsed = ExportHeader.safeParse(value)
    const version = versionOf(value)
    if (version > exportVersion) return refuse("newer_version", newer)
    if (version >= 1 && version < exportVersion) return refuse("not_an_export", older)
    if (!parsed.success) return refuse("not_an_export", notOurs)
    header = parsed.data
    return Either.right(null)
  }

  const judgeTrailer = (value: unknown) => {
    const parsed = ExportTrailer.safeParse(value)
    if (!parsed.success) return refuse("invalid_record", saidBy(parsed.error))
    if (canonicalJson(parsed.data.records) !== canonicalJson(counts))
      return refuse("changed", "The counts of the last line are not those of the lines before it.")
    if (parsed.data.sha256 !== digest.finish())
      return refuse("changed", "The checksum is not that of the lines before: the file was changed.")
    const problem = trail?.end()
    if (problem !== undefined) return refuse("invalid_record", problem)
    trailer = parsed.data
    return Either.right(null)
  }

  const judgeRecord = (value: unknown) => {
    const parsed = ArchiveRecord.safeParse(value)
    if (!parsed.success) return refuse("invalid_record", saidBy(parsed.error))
    const record = parsed.data
    if (record.kind === "workspace") {
      if (record.id !== header?.workspaceId)
        return refuse("invalid_record", "It is another workspace than that of the first line.")
      context = { positions: record.positions, sha256 }
      trail = new TrailCheck(record.id, record.auditHead, {
        sha256,
        acceptsBroken: acceptsBrokenTrail
      })
    }
    if (context === undefined) return refuse("invalid_record", "The workspace must come first.")
    if (last !== undefined && !follows(last, record))
      return refuse("changed", "It is out of order or duplicated.")
    const problem = problemOf(record, context)
    if (problem !== undefined) return refuse("invalid_record", problem)
    const linked = record.kind === "audit" ? (trail?.next(record) ?? record) : record
    if (typeof linked === "string") return refuse("invalid_record", linked)
    counts[record.kind] += 1
    last = record
    return Either.right(linked)
  }

  return {
    next: (bytes) => {
      line += 1
      if (trailer !== undefined) return refuse("changed", "Something follows the last line.")
      const parsed = parseLine(bytes)
      if (Either.isLeft(parsed))
        return line === 1
          ? refuse("not_an_export", isGzip(bytes) ? packed : (convertedBy(bytes) ?? notOurs))
          : refuse("invalid_record", parsed.left)
      const value = parsed.right
      if (line > 1 && isTrailer(value)) return judgeTrailer(value)
      digest.update(bytes)
      return line === 1 ? judgeHeader(value) : judgeRecord(value)
    },
    line: () => line,
    finish: (restBytes) => {
      if (line === 0 && restBytes === 0) return Either.left(refusal("not_an_export", null, "It is empty."))
      if (trailer !== undefined && restBytes === 0) return Either.right(trailer)
      if (trailer !== undefined)
        return Either.left(refusal("changed", line, "Something follows the last line."))
      if (header === undefined) return Either.left(refusal("not_an_export", 1, notOurs))
      return Either.left(
        refusal(
          "cut_short",
          line + (restBytes > 0 ? 1 : 0),
          "The file ends before its last line: it was cut short."
        )
      )
    }
  }
}

/** Returns a function that validates records one by one in their order and returns problems as sentences. */
export const recordJudge = (
  sha256: (data: string | Uint8Array) => string
): ((record: ArchiveRecord) => string | undefined) => {
  let context: CheckContext | undefined
  return (given) => {
    const parsed = ArchiveRecord.safeParse(given)
    if (!parsed.success) return saidBy(parsed.error)
    const record = parsed.data
    if (record.kind === "workspace") context = { positions: record.positions, sha256 }
    return unfitJson(record) ?? (context === undefined ? undefined : problemOf(record, context))
  }
}

/** Returns an error whose message names the line. */
export const refusal = (reason: InvalidExportReason, line: number | null, message: string): InvalidExport =>
  new InvalidExport({ reason, line, message: line === null ? message : `Line ${line}: ${message}` })

const notOurs = "This is no export of a workspace."
const packed = "This is compressed (gzip): unpack it first, or feed it unpacked."
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b
const newer = `It was written by a newer version of the program than this one, which reads version ${exportVersion} of the format.`
const older = `It was written by a development version of the program: releases read version ${exportVersion} of the format.`

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Parses a line, which must be in canonical JSON. */
const parseLine = (bytes: Uint8Array): Either.Either<unknown, string> => {
  const text = decode(bytes)
  if (text === undefined) return Either.left("It is not UTF-8.")
  const value = parse(text)
  if (value === undefined) return Either.left("It is no JSON.")
  const unfit = unfitJson(value)
  if (unfit !== undefined) return Either.left(unfit)
  // Rejects duplicate members, blanks and other spellings of a value.
  const canonical = `${canonicalJson(value)}\n`
  // Earlier exports have no escaped controls.
  return canonical === text || escapeControls(canonical) === text
    ? Either.right(value)
    : Either.left("It is not written as an export writes it.")
}

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns which program may have converted the file, judging by its first line. */
const convertedBy = (bytes: Uint8Array): string | undefined => {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  // The line was cut at a line feed byte, so the second byte of its last UTF-16 unit is missing.
  const text = isUtf16 ? new TextDecoder("utf-16le").decode(bytes.subarray(0, -1)) : decode(bytes)
  const value = text === undefined ? undefined : parse(text.replace(/^\ufeff/, ""))
  if (!isRecord(value) || value["format"] !== exportFormat) return undefined
  if (isUtf16) return `It was converted to UTF-16; ${unconverted}`
  if (text?.startsWith("\ufeff"))
    return `It begins with a byte order mark, which no export has; ${unconverted}`
  return text?.endsWith("\r\n")
    ? `Its lines end in CR LF, those of an export in LF; ${unconverted}`
    : undefined
}
const unconverted = "undo that, or transfer the file unchanged."

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Returns the format version in a first line; 0 if it is not the first line of an export. */
const versionOf = (value: unknown): number =>
  isRecord(value) && value["format"] === exportFormat && Number.isInteger(value["version"])
    ? Number(value["version"])
    : 0

const isTrailer = (value: unknown): boolean => isRecord(value) && value["kind"] === "end"

const placeOf = new Map(recordKinds.map((kind, place) => [kind, place]))

const follows = (before: ArchiveRecord, after: ArchiveRecord): boolean => {
  const kinds = (placeOf.get(after.kind) ?? 0) - (placeOf.get(before.kind) ?? 0)
  if (kinds !== 0) return kinds > 0
  const [[text, number], [nextText, nextNumber]] = [orderOf(before), orderOf(after)]
  const texts = compareCodePoints(text, nextText)
  return texts < 0 || (texts === 0 && number < nextNumber)
}

const saidBy = (error: z.ZodError): string => {
  const [issue] = error.issues
  return issue === undefined
    ? "It has another shape."
    : `${issue.path.join(".") || "record"}: ${issue.message}`
}

/** Returns the counts in the form of the trailer. */
export const countsOf = (counts: Readonly<Record<RecordKind, number>>): RecordCounts => ({
  ...counts,
  workspace: 1
})
