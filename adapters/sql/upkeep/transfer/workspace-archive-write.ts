import { deflateRawSync } from "node:zlib"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { AnswerStore, citedPassages } from "../../../../core/answers/answering/index.js"
import { PolicyStore } from "../../../../core/answers/policy/index.js"
import { type Document, DocumentStore } from "../../../../core/files/documents/index.js"
import { parseFrontMatter } from "../../../../core/files/markdown/index.js"
import { EntityStore } from "../../../../core/knowledge/entities/index.js"

import { GraphStore } from "../../../../core/knowledge/graph/index.js"
import { AccessStore } from "../../../../core/platform/access/index.js"
import { AuditLog } from "../../../../core/platform/audit/index.js"
import { nameNorm, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import {
  type ArchiveRecord,
  type DocumentRecord,
  type ExtractionRecord,
  type RecordKind,
  type RecordOf,
  recordKinds,
  storedOf
} from "../../../../core/upkeep/transfer/index.js"
import { sentimentOf } from "../../../../core/work/agent-runs/index.js"
import { answerFeedbackToRow, conversationTitleToRow } from "../../answers/answering/answer-store.js"
import { contradictionToRow } from "../../answers/contradictions/contradiction-store.js"
import { changingContent } from "../../content-changes.js"
import { documentToRow, tagsOf } from "../../files/documents/document-rows.js"
import { versionToRow } from "../../files/documents/document-versions.js"
import { proposalToRow } from "../../files/proposals/proposal-store.js"
import { aliasRows, entityToRow } from "../../knowledge/entities/entity-rows.js"
import { revisionToRow } from "../../knowledge/entities/revision-rows.js"
import { relationToRow } from "../../knowledge/graph/graph-rows.js"
import { conceptToRow, groupingToRow } from "../../knowledge/vocabulary/concept-rows.js"
import { insertRows } from "../../rows.js"
import { inboxMarkToRow } from "../overview/inbox-store.js"
import { agentWriters } from "./archive-agents.js"
import { measureWriters } from "./archive-evaluation.js"
import { livedataWriters } from "./archive-livedata.js"
import { rowsInto, type Writers } from "./workspace-archive-pages.js"

/**
 * Writes records of any kinds. Repositories that keep what they are given are asked to; rows whose repositories
 * give out numbers of their own (documents, entities with their revisions, relations) are written here, by the same
 * mapping of columns.
 */
export const recordWriter = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const writers: Writers = {
      ...(yield* ownWriters(sql)),
      ...(yield* documentWriters(sql)),
      ...(yield* extractionWriters(sql)),
      ...(yield* measureWriters),
      ...livedataWriters(sql),
      ...agentWriters(sql)
    }
    const write = <Kind extends RecordKind>(
      workspace: WorkspaceScope,
      kind: Kind,
      records: ReadonlyArray<ArchiveRecord>
    ) => {
      const own = records.filter((record): record is RecordOf<Kind> => record.kind === kind)
      return own.length === 0 ? Effect.void : writers[kind](workspace, own)
    }
    return (workspace: WorkspaceScope, records: ReadonlyArray<ArchiveRecord>) =>
      Effect.forEach(recordKinds, (kind) => write(workspace, kind, records), { discard: true })
  })

type OwnWriters = Pick<
  Writers,
  | "workspace"
  | "entity"
  | "revision"
  | "concept"
  | "grouping"
  | "relation"
  | "undecided"
  | "answer"
  | "conversation"
  | "answer_feedback"
  | "decision"
  | "calibration"
  | "contradiction"
  | "proposal"
  | "request"
  | "inbox_mark"
  | "audit"
>

const ownWriters = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [workspaces, extraction, unresolved, log, answers, decisions, calibrations, requests] = [
      yield* WorkspaceStore,
      (yield* GraphStore).extraction,
      (yield* GraphStore).unresolved,
      yield* AuditLog,
      yield* AnswerStore,
      (yield* PolicyStore).decisions,
      (yield* PolicyStore).calibrations,
      (yield* EntityStore).requests
    ]
    const writers: OwnWriters = {
      workspace: (scope, records) =>
        Effect.forEach(
          records,
          ({ auditHead, createdAt, id, name, positions, revision, settings, updatedAt, ...followed }) =>
            Effect.gen(function* () {
              yield* workspaces.insert({ id, name, settings }, createdAt)
              yield* sql`update workspace set revision = ${revision}, updated_at = ${updatedAt} where id = ${id}`
              yield* workspaces.advance(scope, "document_seq", positions.documents)
              yield* workspaces.advance(scope, "entity.seq", positions.entities)
              yield* workspaces.advance(scope, "chunk_label", positions.passages)
              const { documents, entities, relink } = followed.extraction
              yield* extraction.setState(scope, { documentCursor: documents, entityCursor: entities, relink })
              yield* log.adopt(scope, [], auditHead)
            }),
          { discard: true }
        ),
      entity: (scope, records) =>
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
        }),
      revision: (scope, records) =>
        insertRows(
          sql,
          "entity_revision",
          records.map(({ entityId, kind: _kind, ...one }) => revisionToRow(scope, entityId, one))
        ),
      concept: rowsInto(sql, "concept", ({ entityId, iri, kind: _kind, ...details }: RecordOf<"concept">) =>
        conceptToRow({ entityId, iri, details })
      ),
      grouping: rowsInto(sql, "vocabulary_grouping", ({ kind: _kind, ...one }: RecordOf<"grouping">) =>
        groupingToRow(one)
      ),
      relation: rowsInto(sql, "relation", (one: RecordOf<"relation">) =>
        relationToRow({ ...one, evidenceCount: 0 })
      ),
      undecided: (scope, records) =>
        unresolved.add(
          scope,
          records.map(({ key }) => key)
        ),
      answer: (scope, records) =>
        answers.add(
          scope,
          records.map(({ kind: _kind, ...one }) => ({ ...one, cited: citedPassages(one.answer) }))
        ),
      conversation: rowsInto(
        sql,
        "conversation_title",
        ({ kind: _kind, ...title }: RecordOf<"conversation">) => conversationTitleToRow(title)
      ),
      answer_feedback: rowsInto(
        sql,
        "answer_feedback",
        ({ about, kind: _kind, ...one }: RecordOf<"answer_feedback">) =>
          answerFeedbackToRow({
            ...one,
            kind: about,
            sentiment: sentimentOf({ kind: about, value: one.value })
          })
      ),
      decision: (scope, records) =>
        decisions.add(
          scope,
          records.map(({ kind: _kind, ...one }) => one)
        ),
      calibration: (scope, records) =>
        calibrations.add(
          scope,
          records.map(({ kind: _kind, ...one }) => one)
        ),
      contradiction: rowsInto(
        sql,
        "contradiction",
        ({ about, kind: _kind, ...one }: RecordOf<"contradiction">) =>
          contradictionToRow({ ...one, kind: about })
      ),
      proposal: rowsInto(sql, "proposal", ({ kind: _kind, ...one }: RecordOf<"proposal">) =>
        proposalToRow(one)
      ),
      request: (scope, records) =>
        requests.add(
          scope,
          records.map(({ change, kind: _kind, ...one }) => ({ ...one, kind: change }))
        ),
      inbox_mark: rowsInto(sql, "inbox_mark", ({ about, kind: _kind, ...mark }: RecordOf<"inbox_mark">) =>
        inboxMarkToRow({ ...mark, kind: about })
      ),
      audit: (scope, records) => log.adopt(scope, records.map(storedOf), records.at(-1) ?? null)
    }
    return writers
  })

const documentWriters = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const writeDocuments: Writers["document"] = (scope, records) =>
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
            tagsOf(frontMatter).map((tag) => ({ workspace_id: scope, tag, document_id: id }))
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
    const access = yield* AccessStore
    const writers: Pick<Writers, "document" | "readers" | "text" | "version"> = {
      readers: (scope, records) => access.adopt(scope, records),
      document: (scope, records) => Effect.orDie(changingContent(sql, scope)(writeDocuments(scope, records))),
      text: rowsInto(sql, "document_text", ({ content, contentHash }: RecordOf<"text">) => ({
        content_hash: contentHash,
        bytes: deflateRawSync(encoder.encode(content), { level: 1 })
      })),
      version: rowsInto(sql, "document_version", versionToRow)
    }
    return writers
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

const extractionWriters = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [readingStore, claimStore, store] = [
      (yield* GraphStore).records,
      (yield* GraphStore).claims,
      (yield* GraphStore).extraction
    ]
    const extraction: Writers["extraction"] = (scope, records) =>
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
