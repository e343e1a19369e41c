import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { calibrationVersionOf } from "../../answers/calibration/index.js"
import { contentBytesMax } from "../../files/documents/index.js"
import { convertibleMediaType, isMarkdown, judgeDiskPath } from "../../files/markdown/index.js"
import { Proposal } from "../../knowledge/curation/index.js"
import { isIri } from "../../knowledge/vocabulary/index.js"
import type {
  ArchiveRecord,
  ConceptRecord,
  DocumentRecord,
  EntityRecordLine,
  ExtractionRecord,
  RecordOf
} from "./model.js"

/** The workspace record and the hash function that checks need. */
export interface CheckContext {
  readonly positions: RecordOf<"workspace">["positions"]
  readonly sha256: (bytes: Uint8Array) => string
}

/** Returns what is wrong with a record beyond its shape, as a sentence, or undefined. */
export const problemOf = (record: ArchiveRecord, context: CheckContext): string | undefined => {
  switch (record.kind) {
    case "workspace":
      return record.extraction.documents > record.positions.documents ||
        record.extraction.entities > record.positions.entities
        ? "Extraction is ahead of the feeds that it follows."
        : undefined
    case "document":
      return problemOfDocument(record, context)
    case "text":
      return problemOfText(record, context)
    case "entity":
      return problemOfEntity(record, context)
    case "concept":
      return problemOfConcept(record)
    case "grouping":
      return [record.iri, ...record.schemes].every(isIri) ? undefined : "What should be an IRI is none."
    case "extraction":
      return problemOfExtraction(record, context)
    case "request":
      return problemOfRequest(record)
    case "calibration":
      return calibrationVersionOf(record.artefact, (text) => context.sha256(encoder.encode(text))) ===
        record.version
        ? undefined
        : "It is not the calibration that its version names."
    default:
      return undefined
  }
}

/** Returns the sort key of a record within its kind, compared part by part. */
export const orderOf = (record: ArchiveRecord): readonly [string, number] => {
  switch (record.kind) {
    case "revision":
      return [record.entityId, record.version]
    case "eval_topic":
      return [record.evalId, record.place]
    case "agent_version":
      return [record.agentId, record.number]
    case "step":
      return [record.runId, record.idx]
    case "data_query":
      return [record.id, record.revision]
    case "text":
      return [record.contentHash, 0]
    case "version":
      return [record.documentId, record.version]
    case "concept":
      return [record.entityId, 0]
    case "grouping":
      return [record.iri, 0]
    case "extraction":
    case "readers":
      return [record.documentId, 0]
    case "undecided":
      return [record.key, 0]
    case "conversation":
      // A space comes before every character of an id.
      return [`${record.conversationId} ${record.askedBy}`, 0]
    case "inbox_mark":
      return [`${record.about} ${record.itemId}`, 0]
    case "calibration":
      return [record.version, 0]
    case "audit":
      return ["", record.position]
    default:
      return [record.id, 0]
  }
}

const encoder = new TextEncoder()

const problemOfDocument = (
  record: DocumentRecord,
  { positions, sha256 }: CheckContext
): string | undefined => {
  const { content, deletedAt, passages, path, seq } = record
  const verdict = judgeDiskPath(path)
  if (verdict.kind !== "index") {
    return verdict.kind === "refuse"
      ? verdict.message
      : "Its path is hidden, or that of a file which no vault reads."
  }
  // Markdown in UTF-16 has an original, too.
  const mediaType =
    isMarkdown(path) && record.file !== undefined ? "text/markdown" : convertibleMediaType(path)
  if (mediaType !== (record.file?.mediaType ?? null))
    return "Its path is not that of a file of its media type."
  const problem = content === null ? undefined : problemOfText({ ...record, content }, { sha256 })
  if (problem !== undefined) return problem
  if (record.original !== undefined) {
    const bytes = Either.getOrNull(Encoding.decodeBase64(record.original))
    if (bytes === null || sha256(bytes) !== record.file?.hash)
      return "Its original is not the file that its hash names."
  }
  if (content === null && deletedAt === null) return "Only a document in the trash may be without its text."
  if (seq > positions.documents) return "Its place in the feed of changes was never given out."
  if (deletedAt !== null && passages.length > 0) return "A document in the trash has no passages."
  const isMisplaced = passages.some(({ end, start }) => start >= end || end > (content ?? "").length)
  if (isMisplaced) return "A passage is outside of its text."
  return passages.some(({ label }) => label > positions.passages)
    ? "The number of a passage was never given out."
    : undefined
}

const problemOfText = (
  { content, contentHash }: Pick<RecordOf<"text">, "content" | "contentHash">,
  { sha256 }: Pick<CheckContext, "sha256">
): string | undefined => {
  const bytes = encoder.encode(content)
  if (bytes.byteLength > contentBytesMax) return `A document may have at most ${contentBytesMax} bytes.`
  if (content.includes("\0")) return "Its text contains a NUL character."
  return sha256(bytes) === contentHash ? undefined : "Its text does not match its hash."
}

const problemOfEntity = (record: EntityRecordLine, { positions }: CheckContext): string | undefined => {
  if (record.seq > positions.entities) return "Its place in the feed of changes was never given out."
  return record.mergedInto === null || record.mergedInto !== record.id
    ? undefined
    : "It is merged into itself."
}

const problemOfConcept = ({ iri, schemes, topOf }: ConceptRecord): string | undefined =>
  [iri, ...schemes, ...topOf].every(isIri) ? undefined : "What should be an IRI is none."

const problemOfRequest = (record: RecordOf<"request">): string | undefined => {
  const { change, entityId, payload, reviewedAt, status } = record
  if (!Proposal.safeParse({ kind: change, payload }).success) return "No request of its kind asks for that."
  if ((change === "create") !== (entityId === null))
    return "It names an entity where there can be none, or none where there must be one."
  return (status === "open") === (reviewedAt === null) ? undefined : "It is both open and decided."
}

const problemOfExtraction = (record: ExtractionRecord, { positions }: CheckContext): string | undefined => {
  const { claims, evidence, mentions, reading } = record
  const labels = [...mentions, ...evidence].map(({ label }) => label ?? 1)
  if (labels.some((label) => label > positions.passages)) return "It names a passage that there never was."
  if (mentions.some(({ end, start }) => start >= end)) return "A mention has no words."
  const claimed = claims.map(({ key, name, role, subject, type }) =>
    JSON.stringify([key, role, type, name, subject])
  )
  if (new Set(claimed).size < claims.length) return "A claim is duplicated."
  return reading !== null && reading.targets !== null && reading.targets.length !== reading.references.length
    ? "Its references and where they lead do not match."
    : undefined
}
