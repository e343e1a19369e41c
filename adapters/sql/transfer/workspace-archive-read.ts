import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { groupBy, InvalidExport, nameNorm, type WorkspaceScope } from "../../../core/kernel/index.js"
import { withoutSecrets } from "../../../core/models/index.js"
import type { ArchiveRecord, DocumentRecord, RecordOf } from "../../../core/transfer/index.js"
import { mcpServersWithoutSecrets, Settings } from "../../../core/workspace/index.js"
import { agentRecords } from "../agents/archive.js"
import { type AnswerRow, answerFromRow } from "../answering/answer-store.js"
import { type AuditRow, storedFromRow } from "../audit/audit-rows.js"
import { type CalibrationRow, calibrationFromRow } from "../calibration/calibration-store.js"
import { fromJson, toNumber } from "../codec.js"
import { type RequestRow, requestFromRow } from "../curation/change-request-store.js"
import { type ChunkRow, chunkFromRow, type DocumentRow, documentFromRow } from "../documents/document-rows.js"
import { type AliasRow, type EntityRow, entityFromRow } from "../entities/entity-rows.js"
import { type RevisionRow, revisionFromRow } from "../entities/revision-rows.js"
import { measureRecords } from "../evaluation/archive.js"
import { type RelationRow, relationFromRow } from "../graph/graph-rows.js"
import { livedataRecords } from "../livedata/archive.js"
import { type DecisionRow, decisionFromRow } from "../policy/decision-log.js"
import { conceptRecords, groupingRecords } from "./workspace-archive-concepts.js"
import { extractionRecords } from "./workspace-archive-extraction.js"
import {
  compare,
  eachRecord,
  type Gather,
  gatherAll,
  inOrder,
  inPages,
  keptText
} from "./workspace-archive-pages.js"
import { versionRecords } from "./workspace-archive-versions.js"

/** Rows read at once: of what may be large (a document is up to 5 MiB), of what has rows of its own, of small ones. */
const pageSizes = { document: 16, entity: 200, small: 500 } as const

/**
 * Every record of a workspace, through a client that sees one moment.
 *
 * @param gather Whether a row that makes no record ends it (`gatherAll`) or is passed over.
 */
export const archiveRecords = (
  sql: SqlClient.SqlClient,
  sha256: (bytes: Uint8Array) => string,
  workspace: WorkspaceScope,
  gather: Gather = gatherAll
): Stream.Stream<ArchiveRecord, InvalidExport> =>
  Stream.empty.pipe(
    Stream.concat(Stream.fromEffect(workspaceRecord(sql, workspace))),
    Stream.concat(documentRecords(sql, sha256, workspace, gather)),
    Stream.concat(versionRecords(sql, sha256, workspace, gather)),
    Stream.concat(entityRecords(sql, workspace, gather)),
    Stream.concat(revisionRecords(sql, workspace, gather)),
    Stream.concat(conceptRecords(sql, workspace, gather)),
    Stream.concat(groupingRecords(sql, workspace, gather)),
    Stream.concat(relationRecords(sql, workspace, gather)),
    Stream.concat(extractionRecords(sql, workspace, gather)),
    Stream.concat(undecidedRecords(sql, workspace, gather)),
    Stream.concat(answerRecords(sql, workspace, gather)),
    Stream.concat(decisionRecords(sql, workspace, gather)),
    Stream.concat(calibrationRecords(sql, workspace, gather)),
    Stream.concat(requestRecords(sql, workspace, gather)),
    Stream.concat(measureRecords(sql, workspace, gather)),
    Stream.concat(livedataRecords(sql, workspace, gather)),
    Stream.concat(agentRecords(sql, workspace, gather)),
    Stream.concat(auditRecords(sql, workspace, gather))
  )

interface WorkspaceRow {
  readonly id: RecordOf<"workspace">["id"]
  readonly name: string
  readonly settings: string
  readonly revision: unknown
  readonly created_at: string
  readonly updated_at: string
}

const workspaceRecord = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const [row] = yield* sql<WorkspaceRow>`select * from workspace where id = ${workspace}`
    if (row === undefined) return yield* Effect.dieMessage("A scope without a workspace.")
    const counters = new Map(
      (yield* sql<{ name: string; value: unknown }>`select name, value from counter
        where workspace_id = ${workspace}`).map(({ name, value }) => [name, toNumber(value)])
    )
    const [state] = yield* sql<{ document_cursor: unknown; entity_cursor: unknown; relink: unknown }>`
      select * from graph_state where workspace_id = ${workspace}`
    const [head] = yield* sql<{ seq: unknown; hash: string }>`select seq, hash from audit_head
      where workspace_id = ${workspace}`
    const settings = Settings.parse(fromJson(row.settings))
    const record: RecordOf<"workspace"> = {
      kind: "workspace",
      id: row.id,
      name: row.name,
      settings: {
        ...settings,
        models: withoutSecrets(settings.models),
        mcpServers: mcpServersWithoutSecrets(settings.mcpServers)
      },
      revision: toNumber(row.revision),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      positions: {
        documents: counters.get("document_seq") ?? 0,
        entities: counters.get("entity.seq") ?? 0,
        passages: counters.get("chunk_label") ?? 0
      },
      extraction: {
        documents: toNumber(state?.document_cursor),
        entities: toNumber(state?.entity_cursor),
        relink: toNumber(state?.relink) === 1
      },
      auditHead: head === undefined ? null : { position: toNumber(head.seq), hash: head.hash }
    }
    return record
  }).pipe(Effect.orDie)

const documentRecords = (
  sql: SqlClient.SqlClient,
  sha256: (bytes: Uint8Array) => string,
  workspace: WorkspaceScope,
  gather: Gather
) =>
  inPages(
    pageSizes.document,
    (after: DocumentRow | undefined) => sql<DocumentRow>`select * from document
      where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSizes.document}`,
    (rows) =>
      Effect.gen(function* () {
        if (rows.length === 0) return []
        const ids = rows.map(({ id }) => id)
        const contents = yield* sql<{ document_id: string; bytes: unknown }>`select document_id, bytes
          from document_content where workspace_id = ${workspace} and ${sql.in("document_id", ids)}`
        const chunks = yield* sql<ChunkRow>`select * from chunk
          where workspace_id = ${workspace} and ${sql.in("document_id", ids)} order by document_id, ordinal`
        const bytesOf = new Map(contents.map(({ bytes, document_id }) => [document_id, bytes]))
        const chunksOf = groupBy(chunks, ({ document_id }) => document_id)
        return yield* gather("document", rows, (row) =>
          documentRecord(row, bytesOf.get(row.id), chunksOf.get(row.id) ?? [], sha256)
        )
      })
  )

const documentRecord = (
  row: DocumentRow,
  kept: unknown,
  chunks: ReadonlyArray<ChunkRow>,
  sha256: (bytes: Uint8Array) => string
): Effect.Effect<DocumentRecord, InvalidExport> => {
  const document = documentFromRow(row)
  const content = keptText(kept, document.contentHash, sha256) ?? null
  const passages = chunks.map(chunkFromRow)
  // In the trash nothing else depends on a text: one that is lost must not keep the rest from being saved.
  const isSound =
    content === null
      ? document.deletedAt !== null && passages.length === 0
      : passages.every(({ end, start, text }) => content.slice(start, end) === text)
  if (!isSound)
    return Effect.fail(
      new InvalidExport({
        reason: "damaged_workspace",
        line: null,
        message: `What the database keeps of ${document.path} is damaged; kanon doctor --repair mends it.`
      })
    )
  const { frontMatter: _derived, mtimeMs: _stamp, sizeBytes: _size, source, ...rest } = document
  return Effect.succeed({
    kind: "document",
    ...rest,
    ...(source === undefined ? {} : { source: { ...source, pageStarts: [...source.pageStarts] } }),
    content,
    passages: passages.map(({ end, headingPath, id, label, page, start }) => ({
      id,
      label,
      headings: [...headingPath],
      start,
      end,
      ...(page === undefined ? {} : { page })
    }))
  })
}

const entityRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  inPages(
    pageSizes.entity,
    (after: EntityRow | undefined) => sql<EntityRow>`select * from entity
      where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSizes.entity}`,
    (rows) =>
      Effect.gen(function* () {
        if (rows.length === 0) return []
        const ids = rows.map(({ id }) => id)
        const aliases = yield* sql<AliasRow>`select entity_id, alias, extracted from entity_alias
          where workspace_id = ${workspace} and ${sql.in("entity_id", ids)}`
        const surfaces = yield* sql<{ entity_id: string; key: string; head_id: EntityRow["head_id"] }>`
          select entity_id, key, head_id from graph_surface
          where workspace_id = ${workspace} and ${sql.in("entity_id", ids)}`
        const aliasesOf = groupBy(aliases, ({ entity_id }) => entity_id)
        const surfacesOf = groupBy(surfaces, ({ entity_id }) => entity_id)
        return yield* gather("entity", rows, (row): Effect.Effect<RecordOf<"entity">> => {
          const entity = entityFromRow(row, aliasesOf.get(row.id) ?? [])
          const { nameNorm: _derived, pagerank: _computed, ...rest } = entity
          return Effect.succeed({
            kind: "entity",
            ...rest,
            aliases: byName(entity.aliases),
            extractedAliases: byName(entity.extractedAliases),
            stewardIds: [...entity.stewardIds],
            personFields: [...entity.personFields],
            mergedIds: [...entity.mergedIds],
            surfaces: inOrder(
              (surfacesOf.get(row.id) ?? []).map(({ head_id, key }) => ({ key, headId: head_id }))
            )
          })
        })
      })
  )

const byName = (names: ReadonlyArray<string>): Array<string> =>
  [...names].sort((a, b) => compare(nameNorm(a), nameNorm(b)) || compare(a, b))

const revisionRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    pageSizes.small,
    (
      after: RevisionRow | undefined
    ) => sql<RevisionRow>`select * from entity_revision where workspace_id = ${workspace}
      and (entity_id, version) > (${after?.entity_id ?? ""}, ${after?.version ?? 0})
      order by entity_id, version limit ${pageSizes.small}`,
    (row): RecordOf<"revision"> => ({
      kind: "revision",
      entityId: row.entity_id,
      ...revisionFromRow(row)
    }),
    { kind: "revision", gather }
  )

const relationRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    pageSizes.small,
    (after: RelationRow | undefined) => sql<RelationRow>`select * from relation
      where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSizes.small}`,
    (row): RecordOf<"relation"> => {
      const { evidenceCount: _, ...relation } = relationFromRow(row)
      return { kind: "relation", ...relation }
    },
    { kind: "relation", gather }
  )

const undecidedRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) => {
  return eachRecord(
    pageSizes.small,
    (after: { readonly key: string } | undefined) => sql<{ key: string }>`select key from graph_undecided
      where workspace_id = ${workspace} and key > ${after?.key ?? ""}
      order by key limit ${pageSizes.small}`,
    ({ key }): RecordOf<"undecided"> => ({ kind: "undecided", key }),
    { kind: "undecided", gather }
  )
}

const answerRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    pageSizes.small,
    (after: AnswerRow | undefined) => sql<AnswerRow>`select * from answer
      where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSizes.small}`,
    (row): RecordOf<"answer"> => ({ kind: "answer", ...answerFromRow(row) }),
    { kind: "answer", gather }
  )

const calibrationRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    pageSizes.document,
    (after: CalibrationRow | undefined) => sql<CalibrationRow>`select * from calibration
      where workspace_id = ${workspace} and version > ${after?.version ?? ""}
      order by version limit ${pageSizes.document}`,
    (row): RecordOf<"calibration"> => ({ kind: "calibration", ...calibrationFromRow(row) }),
    { kind: "calibration", gather }
  )

const decisionRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    pageSizes.small,
    (after: DecisionRow | undefined) => sql<DecisionRow>`select id, decided_at, answer_id, question, detail
      from policy_decision where workspace_id = ${workspace} and id > ${after?.id ?? ""}
      order by id limit ${pageSizes.small}`,
    (row): RecordOf<"decision"> => ({ kind: "decision", ...decisionFromRow(row) }),
    { kind: "decision", gather }
  )

const requestRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    pageSizes.small,
    (after: RequestRow | undefined) => sql<RequestRow>`select * from change_request
      where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSizes.small}`,
    (row): RecordOf<"request"> => {
      const { kind: change, ...rest } = requestFromRow(row)
      return { kind: "request", change, ...rest }
    },
    { kind: "request", gather }
  )

const auditRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    pageSizes.small,
    (after: AuditRow | undefined) => sql<AuditRow>`select * from audit
      where workspace_id = ${workspace} and seq > ${toNumber(after?.seq ?? -1)}
      order by seq limit ${pageSizes.small}`,
    (row): RecordOf<"audit"> => ({ kind: "audit", ...storedFromRow(row), details: fromJson(row.details) }),
    { kind: "audit", gather }
  )
