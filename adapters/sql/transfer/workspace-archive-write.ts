import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { AnswerStore, citedPassages } from "../../../core/answering/index.js"
import { AuditLog } from "../../../core/audit/index.js"
import { CalibrationStore } from "../../../core/calibration/index.js"
import { ChangeRequestStore } from "../../../core/curation/index.js"
import { type Document, DocumentStore } from "../../../core/documents/index.js"
import { ClaimStore, ExtractionRecordStore, ExtractionStore } from "../../../core/extraction/index.js"
import { UnresolvedNames } from "../../../core/graph/index.js"
import { nameNorm, type WorkspaceScope } from "../../../core/kernel/index.js"
import { parseFrontMatter } from "../../../core/markdown/index.js"
import { DecisionLog } from "../../../core/policy/index.js"
import {
  type ArchiveRecord,
  type DocumentRecord,
  type ExtractionRecord,
  type RecordKind,
  type RecordOf,
  storedOf
} from "../../../core/transfer/index.js"
import { WorkspaceStore } from "../../../core/workspace/index.js"
import { agentWriter } from "../agents/archive.js"
import { changing } from "../content-changes.js"
import { documentToRow } from "../documents/document-rows.js"
import { aliasRows, entityToRow } from "../entities/entity-rows.js"
import { revisionToRow } from "../entities/revision-rows.js"
import { measureWriter } from "../evaluation/archive.js"
import { livedataWriter } from "../livedata/archive.js"
import { insertRows } from "../rows.js"
import { conceptWriter } from "./workspace-archive-concepts.js"
import { versionWriter } from "./workspace-archive-versions.js"

/**
 * Writes records of any kinds. Repositories that keep what they are given are asked to; rows whose repositories
 * give out numbers of their own (documents, entities with their revisions, relations) are written here, by the same
 * mapping of columns.
 */
export const recordWriter = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const writers = {
      ...(yield* ownWriters(sql)),
      ...(yield* documentWriter(sql)),
      ...versionWriter(sql),
      ...conceptWriter(sql),
      ...(yield* extractionWriter(sql)),
      ...(yield* measureWriter),
      ...livedataWriter(sql),
      ...agentWriter(sql)
    }
    return (workspace: WorkspaceScope, records: ReadonlyArray<ArchiveRecord>) =>
      Effect.gen(function* () {
        yield* writers.workspace(workspace, ofKind(records, "workspace"))
        yield* writers.document(workspace, ofKind(records, "document"))
        yield* writers.text(workspace, ofKind(records, "text"))
        yield* writers.version(workspace, ofKind(records, "version"))
        yield* writers.entity(workspace, ofKind(records, "entity"))
        yield* writers.revision(workspace, ofKind(records, "revision"))
        yield* writers.concept(workspace, ofKind(records, "concept"))
        yield* writers.grouping(workspace, ofKind(records, "grouping"))
        yield* writers.relation(workspace, ofKind(records, "relation"))
        yield* writers.extraction(workspace, ofKind(records, "extraction"))
        yield* writers.undecided(workspace, ofKind(records, "undecided"))
        yield* writers.answer(workspace, ofKind(records, "answer"))
        yield* writers.decision(workspace, ofKind(records, "decision"))
        yield* writers.calibration(workspace, ofKind(records, "calibration"))
        yield* writers.request(workspace, ofKind(records, "request"))
        yield* writers.judgment(workspace, ofKind(records, "judgment"))
        yield* writers.eval(workspace, ofKind(records, "eval"))
        yield* writers.eval_topic(workspace, ofKind(records, "eval_topic"))
        yield* writers.report(workspace, ofKind(records, "report"))
        yield* writers.data_connector(workspace, ofKind(records, "data_connector"))
        yield* writers.data_query(workspace, ofKind(records, "data_query"))
        yield* writers.data_call(workspace, ofKind(records, "data_call"))
        yield* writers.agent(workspace, ofKind(records, "agent"))
        yield* writers.agent_version(workspace, ofKind(records, "agent_version"))
        yield* writers.run(workspace, ofKind(records, "run"))
        yield* writers.step(workspace, ofKind(records, "step"))
        yield* writers.approval(workspace, ofKind(records, "approval"))
        yield* writers.feedback(workspace, ofKind(records, "feedback"))
        yield* writers.audit(workspace, ofKind(records, "audit"))
      })
  })

const ofKind = <Kind extends RecordKind>(
  records: ReadonlyArray<ArchiveRecord>,
  kind: Kind
): ReadonlyArray<RecordOf<Kind>> => records.filter((record): record is RecordOf<Kind> => record.kind === kind)

type Write<Kind extends RecordKind> = (
  workspace: WorkspaceScope,
  records: ReadonlyArray<RecordOf<Kind>>
) => Effect.Effect<void, SqlError>

const ownWriters = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [workspaces, extraction, unresolved, log, answers, decisions, calibrations, requests] = [
      yield* WorkspaceStore,
      yield* ExtractionStore,
      yield* UnresolvedNames,
      yield* AuditLog,
      yield* AnswerStore,
      yield* DecisionLog,
      yield* CalibrationStore,
      yield* ChangeRequestStore
    ]
    const workspace: Write<"workspace"> = (scope, records) =>
      Effect.forEach(
        records,
        ({
          auditHead,
          createdAt,
          extraction: followed,
          id,
          name,
          positions,
          revision,
          settings,
          updatedAt
        }) =>
          Effect.gen(function* () {
            yield* workspaces.insert({ id, name, settings }, createdAt)
            yield* sql`update workspace set revision = ${revision}, updated_at = ${updatedAt} where id = ${id}`
            yield* workspaces.advance(scope, "document_seq", positions.documents)
            yield* workspaces.advance(scope, "entity.seq", positions.entities)
            yield* workspaces.advance(scope, "chunk_label", positions.passages)
            const { documents, entities, relink } = followed
            yield* extraction.setState(scope, { documentCursor: documents, entityCursor: entities, relink })
            yield* log.adopt(scope, [], auditHead)
          }),
        { discard: true }
      )
    const entity: Write<"entity"> = (scope, records) =>
      Effect.gen(function* () {
        const entities = records.map(({ kind: _kind, surfaces: _surfaces, ...rest }) => ({
          ...rest,
          nameNorm: nameNorm(rest.name)
        }))
        yield* insertRows(
          sql,
          "entity",
          entities.map((one) => ({
            workspace_id: scope,
            id: one.id,
            ...entityToRow(one),
            seq: one.seq,
            head_id: one.headId
          }))
        )
        yield* insertRows(
          sql,
          "entity_alias",
          entities.flatMap(aliasRows).map((row) => ({ workspace_id: scope, ...row }))
        )
        const added = records.flatMap(({ id, surfaces }) =>
          surfaces.map(({ headId, key }) => ({ entityId: id, key, headId }))
        )
        yield* extraction.changeSurfaces(scope, { removed: [], added })
      })
    const revision: Write<"revision"> = (scope, records) =>
      insertRows(
        sql,
        "entity_revision",
        records.map(({ entityId, kind: _kind, ...one }) => revisionToRow(scope, entityId, one))
      )
    const relation: Write<"relation"> = (scope, records) =>
      insertRows(
        sql,
        "relation",
        records.map((one) => ({
          workspace_id: scope,
          id: one.id,
          src_id: one.srcId,
          type: one.type,
          dst_id: one.dstId,
          origin: one.origin,
          note: one.note,
          src_head: one.srcHead,
          dst_head: one.dstHead,
          evidence_count: 0,
          deleted_at: one.deletedAt,
          created_at: one.createdAt
        }))
      )
    const undecided: Write<"undecided"> = (scope, records) =>
      unresolved.add(
        scope,
        records.map(({ key }) => key)
      )
    const answer: Write<"answer"> = (scope, records) =>
      answers.add(
        scope,
        records.map(({ kind: _kind, ...one }) => ({ ...one, cited: citedPassages(one.answer) }))
      )
    const decision: Write<"decision"> = (scope, records) =>
      decisions.add(
        scope,
        records.map(({ kind: _kind, ...one }) => one)
      )
    const audit: Write<"audit"> = (scope, records) =>
      log.adopt(scope, records.map(storedOf), records.at(-1) ?? null)
    const request: Write<"request"> = (scope, records) =>
      requests.add(
        scope,
        records.map(({ change, kind: _kind, ...one }) => ({ ...one, kind: change }))
      )
    const calibration: Write<"calibration"> = (scope, records) =>
      calibrations.add(
        scope,
        records.map(({ kind: _kind, ...one }) => one)
      )
    return { workspace, entity, revision, relation, undecided, answer, decision, calibration, request, audit }
  })

const documentWriter = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const document: Write<"document"> = (scope, records) =>
      Effect.orDie(changing(sql, scope, { content: true }, writeDocuments(scope, records)))
    const writeDocuments: Write<"document"> = (scope, records) =>
      Effect.gen(function* () {
        const read = records.map(documentOf)
        yield* insertRows(
          sql,
          "document",
          read.map((one) => documentToRow(scope, one, one.seq))
        )
        yield* insertRows(
          sql,
          "document_tag",
          read.flatMap(({ frontMatter, id }) =>
            [...new Set(frontMatter.tags.map(nameNorm))]
              .filter((tag) => tag !== "")
              .map((tag) => ({ workspace_id: scope, tag, document_id: id }))
          )
        )
        yield* documents.keepContent(
          scope,
          records.flatMap(({ content, id }) =>
            content === null ? [] : [{ id, bytes: encoder.encode(content) }]
          )
        )
        yield* documents.changeChunks(scope, {
          removed: [],
          kept: [],
          added: records.flatMap(({ content, id: documentId, passages }) =>
            passages.map(({ end, headings, id, label, page, start }, ordinal) => ({
              id,
              documentId,
              label,
              ordinal,
              headingPath: headings,
              text: (content ?? "").slice(start, end),
              start,
              end,
              ...(page === undefined ? {} : { page })
            }))
          )
        })
      })
    return { document }
  })

const encoder = new TextEncoder()

/** The row of a document whose file nobody has looked at yet: the next sync compares its bytes. */
const documentOf = ({
  content,
  file,
  kind: _kind,
  original: _original,
  passages: _passages,
  source,
  ...rest
}: DocumentRecord): Document => ({
  ...rest,
  ...(file === undefined ? {} : { file }),
  ...(source === undefined ? {} : { source }),
  sizeBytes: encoder.encode(content ?? "").byteLength,
  mtimeMs: 0,
  frontMatter: parseFrontMatter(content ?? "").frontMatter
})

const extractionWriter = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [readingStore, claimStore, store] = [
      yield* ExtractionRecordStore,
      yield* ClaimStore,
      yield* ExtractionStore
    ]
    const extraction: Write<"extraction"> = (scope, records) =>
      Effect.gen(function* () {
        const readings = records.flatMap((record) => readingOf(record) ?? [])
        yield* readingStore.putReadings(scope, readings)
        yield* readingStore.clearStale(
          scope,
          readings.filter(({ stale }) => !stale).map(({ documentId }) => documentId)
        )
        yield* claimStore.changeClaims(scope, {
          removed: [],
          added: records.flatMap(({ claims, documentId }) =>
            claims.map((claim) => ({ documentId, ...claim }))
          )
        })
        yield* Effect.forEach(
          records.filter(({ mentions }) => mentions.length > 0),
          ({ documentId, mentions }) =>
            store.setMentions(
              scope,
              documentId,
              mentions.map((mention) => ({ documentId, ...mention }))
            ),
          { discard: true }
        )
        yield* insertRows(
          sql,
          "relation_evidence",
          records.flatMap(({ documentId, evidence }) =>
            evidence.map(({ label, ordinal, quote, relationId }) => ({
              workspace_id: scope,
              document_id: documentId,
              relation_id: relationId,
              ordinal,
              label,
              quote
            }))
          )
        )
      })
    return { extraction }
  })

const readingOf = ({ documentId, reading }: ExtractionRecord) =>
  reading === null
    ? undefined
    : { ...reading, documentId, words: hashes(reading.words), small: hashes(reading.small) }

const hashes = (text: string): Uint32Array => {
  const bytes = new Uint8Array(Buffer.from(text, "base64"))
  return new Uint32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4))
}
