import { contentBytesMax, judgeDiskPath } from "../documents/index.js"
import type { ArchiveRecord, DocumentRecord, EntityRecordLine, ExtractionRecord, RecordOf } from "./model.js"

/** What records are checked against: the first one, and how bytes are hashed. */
export interface CheckContext {
  readonly positions: RecordOf<"workspace">["positions"]
  readonly sha256: (bytes: Uint8Array) => string
}

/** What is wrong with a record beyond its shape, as a sentence; undefined when nothing is. */
export const problemOf = (record: ArchiveRecord, context: CheckContext): string | undefined => {
  switch (record.kind) {
    case "workspace":
      return record.extraction.documents > record.positions.documents ||
        record.extraction.entities > record.positions.entities
        ? "Extraction is ahead of the feeds that it follows."
        : undefined
    case "document":
      return problemOfDocument(record, context)
    case "entity":
      return problemOfEntity(record, context)
    case "extraction":
      return problemOfExtraction(record, context)
    default:
      return undefined
  }
}

/** The text by which records of one kind are ordered, in parts: compared one after the other. */
export const orderOf = (record: ArchiveRecord): readonly [string, number] => {
  switch (record.kind) {
    case "revision":
      return [record.entityId, record.version]
    case "extraction":
      return [record.documentId, 0]
    case "undecided":
      return [record.key, 0]
    default:
      return [record.id, 0]
  }
}

const encoder = new TextEncoder()

const problemOfDocument = (
  record: DocumentRecord,
  { positions, sha256 }: CheckContext
): string | undefined => {
  const { content, contentHash, deletedAt, passages, path, seq } = record
  const verdict = judgeDiskPath(path)
  if (verdict.kind !== "index") {
    return verdict.kind === "refuse" ? verdict.message : "Its path is hidden, or that of no Markdown file."
  }
  const bytes = encoder.encode(content)
  if (bytes.byteLength > contentBytesMax) return `A document holds at most ${contentBytesMax} bytes.`
  if (content.includes("\0")) return "Its text holds a NUL character."
  if (sha256(bytes) !== contentHash) return "Its text is not the one that its hash tells of."
  if (seq > positions.documents) return "Its place in the feed of changes was never given out."
  if (deletedAt !== null && passages.length > 0) return "A document in the trash has no passages."
  const astray = passages.some(({ end, start }) => start >= end || end > content.length)
  if (astray) return "A passage lies outside of its text."
  return passages.some(({ label }) => label > positions.passages)
    ? "The number of a passage was never given out."
    : undefined
}

const problemOfEntity = (record: EntityRecordLine, { positions }: CheckContext): string | undefined => {
  if (record.seq > positions.entities) return "Its place in the feed of changes was never given out."
  return record.mergedInto === null || record.mergedInto !== record.id
    ? undefined
    : "It is merged into itself."
}

const problemOfExtraction = (record: ExtractionRecord, { positions }: CheckContext): string | undefined => {
  const { evidence, mentions, reading } = record
  const labels = [...mentions, ...evidence].map(({ label }) => label ?? 1)
  if (labels.some((label) => label > positions.passages)) return "It names a passage that there never was."
  if (mentions.some(({ end, start }) => start >= end)) return "A mention has no words."
  return reading !== null && reading.targets !== null && reading.targets.length !== reading.references.length
    ? "Its references and where they lead do not match."
    : undefined
}
