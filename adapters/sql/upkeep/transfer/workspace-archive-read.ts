import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { groupBy, InvalidExport, nameNorm } from "../../../../core/platform/kernel/index.js"
import { withoutSecrets } from "../../../../core/platform/models/index.js"
import { mcpServersWithoutSecrets, Settings } from "../../../../core/platform/workspace/index.js"
import type { ArchiveRecord, DocumentRecord, RecordOf } from "../../../../core/upkeep/transfer/index.js"
import { FeedbackKind } from "../../../../core/work/agent-runs/index.js"
import {
  answerFeedbackFromRow,
  answerFromRow,
  conversationTitleFromRow
} from "../../answers/answering/answer-store.js"
import { calibrationFromRow } from "../../answers/calibration/calibration-store.js"
import { contradictionFromRow } from "../../answers/contradictions/contradiction-store.js"
import { decisionFromRow } from "../../answers/policy/decision-log.js"
import { fromJson, toNumber } from "../../codec.js"
import {
  type ChunkRow,
  chunkFromRow,
  type DocumentRow,
  documentFromRow
} from "../../files/documents/document-rows.js"
import { versionFromRow } from "../../files/documents/document-versions.js"
import { proposalFromRow } from "../../files/proposals/proposal-store.js"
import { requestFromRow } from "../../knowledge/curation/change-request-store.js"
import { type AliasRow, type EntityRow, entityFromRow } from "../../knowledge/entities/entity-rows.js"
import { type RevisionRow, revisionFromRow } from "../../knowledge/entities/revision-rows.js"
import { relationFromRow } from "../../knowledge/graph/graph-rows.js"
import { conceptFromRow, groupingFromRow } from "../../knowledge/vocabulary/concept-rows.js"
import { storedFromRow } from "../../platform/audit/audit-log.js"
import { tablePages } from "../../table-pages.js"
import { inboxMarkFromRow } from "../overview/inbox-store.js"
import { agentRecords } from "./archive-agents.js"
import { measureRecords } from "./archive-evaluation.js"
import { livedataRecords } from "./archive-livedata.js"
import { extractionRecords } from "./workspace-archive-extraction.js"
import { compare, inOrder, keptText, type Source, tableRecords } from "./workspace-archive-pages.js"

/** Rows that one statement reads: of what may be large (a document is up to 5 MiB), and of what has rows of its own. */
const pageSizes = { document: 16, entity: 200 } as const

/** Every record of a workspace, in the order of an export. */
export const archiveRecords = (source: Source): Stream.Stream<ArchiveRecord, InvalidExport> =>
  Stream.concatAll(
    Chunk.fromIterable<Stream.Stream<ArchiveRecord, InvalidExport>>([
      Stream.fromEffect(workspaceRecord(source)),
      documentRecords(source),
      readersRecords(source),
      textRecords(source),
      tableRecords(source, "version", {
        table: "document_version",
        key: ["document_id", "version"],
        record: versionFromRow
      }),
      entityRecords(source),
      tableRecords(source, "revision", {
        table: "entity_revision",
        key: ["entity_id", "version"],
        record: (row: RevisionRow) => ({ entityId: row.entity_id, ...revisionFromRow(row) })
      }),
      tableRecords(source, "concept", {
        table: "concept",
        key: ["entity_id"],
        record: (row: object) => {
          const { details, entityId, iri } = conceptFromRow(row)
          return { entityId, iri, ...details }
        }
      }),
      tableRecords(source, "grouping", {
        table: "vocabulary_grouping",
        key: ["iri"],
        size: 200,
        record: groupingFromRow
      }),
      tableRecords(source, "relation", {
        table: "relation",
        record: (row: object) => {
          const { evidenceCount: _, ...relation } = relationFromRow(row)
          return relation
        }
      }),
      extractionRecords(source),
      tableRecords(source, "undecided", {
        table: "graph_undecided",
        key: ["key"],
        record: ({ key }: { readonly key: string }) => ({ key })
      }),
      tableRecords(source, "answer", { table: "answer", record: answerFromRow }),
      tableRecords(source, "conversation", {
        table: "conversation_title",
        key: ["conversation_id", "asked_by"],
        record: conversationTitleFromRow
      }),
      tableRecords(source, "answer_feedback", {
        table: "answer_feedback",
        record: (row: object) => {
          const { kind, sentiment: _, ...feedback } = answerFeedbackFromRow(row)
          return { ...feedback, about: FeedbackKind.parse(kind) }
        }
      }),
      tableRecords(source, "decision", { table: "policy_decision", record: decisionFromRow }),
      tableRecords(source, "calibration", {
        table: "calibration",
        key: ["version"],
        size: pageSizes.document,
        record: calibrationFromRow
      }),
      tableRecords(source, "contradiction", {
        table: "contradiction",
        record: (row: object) => {
          const { kind: about, ...rest } = contradictionFromRow(row)
          return { about, ...rest }
        }
      }),
      tableRecords(source, "proposal", { table: "proposal", record: proposalFromRow }),
      tableRecords(source, "request", {
        table: "change_request",
        record: (row: object) => {
          const { kind: change, ...rest } = requestFromRow(row)
          return { change, ...rest }
        }
      }),
      tableRecords(source, "inbox_mark", {
        table: "inbox_mark",
        key: ["kind", "item_id"],
        record: (row: object) => {
          const { kind: about, ...rest } = inboxMarkFromRow(row)
          return { about, ...rest }
        }
      }),
      ...measureRecords(source),
      ...livedataRecords(source),
      ...agentRecords(source),
      tableRecords(source, "audit", {
        table: "audit",
        key: ["seq"],
        record: (row: object) => {
          const event = storedFromRow(row)
          return { ...event, details: fromJson(event.details) }
        }
      })
    ])
  )

interface ReadersRow {
  readonly document_id: RecordOf<"readers">["documentId"]
  readonly list_id: string | null
  readonly own: string | null
  readonly source: string | null
}

const readersRecords = (source: Source) =>
  tablePages(source, { table: "document_access", key: ["document_id"] }, (rows: ReadonlyArray<ReadersRow>) =>
    Effect.gen(function* () {
      if (rows.length === 0) return []
      const { gather, sql, workspace } = source
      const ids = [...new Set(rows.flatMap(({ list_id }) => list_id ?? []))]
      const lists = yield* sql<{ id: string; principals: string }>`select id, principals from access_list
          where workspace_id = ${workspace} and ${sql.in("id", ids)}`
      const principalsOf = new Map(lists.map(({ id, principals }) => [id, principals]))
      return yield* gather("readers", rows, (row) =>
        Effect.sync(() => readersRecord(row, principalsOf.get(row.list_id ?? "") ?? null))
      )
    })
  )

const readersRecord = (
  { document_id, own, source }: ReadersRow,
  principals: string | null
): RecordOf<"readers"> => ({
  kind: "readers",
  documentId: document_id,
  own: own === null ? null : fromJson<RecordOf<"readers">["own"]>(own),
  source: source === null ? null : fromJson<RecordOf<"readers">["source"]>(source),
  effective: principals === null ? null : fromJson<RecordOf<"readers">["effective"]>(principals)
})

interface WorkspaceRow {
  readonly id: RecordOf<"workspace">["id"]
  readonly name: string
  readonly settings: string
  readonly revision: unknown
  readonly created_at: string
  readonly updated_at: string
}

const workspaceRecord = ({ sql, workspace }: Source) =>
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

const documentRecords = (source: Source) =>
  tablePages(source, { table: "document", size: pageSizes.document }, (rows: ReadonlyArray<DocumentRow>) =>
    Effect.gen(function* () {
      if (rows.length === 0) return []
      const { gather, sha256, sql, workspace } = source
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
      damaged(`What the database keeps of ${document.path} is damaged; kanon doctor --repair mends it.`)
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

interface TextRow {
  readonly content_hash: string
  readonly bytes: unknown
}

/** Texts of older versions, each once. */
const textRecords = (source: Source) =>
  tablePages(
    source,
    { table: "document_text", key: ["content_hash"], size: pageSizes.document },
    (rows: ReadonlyArray<TextRow>) =>
      source.gather("text", rows, ({ bytes, content_hash }) => {
        const content = keptText(bytes, content_hash, source.sha256)
        return content === undefined
          ? Effect.fail(damaged("The text of an older version is damaged; kanon doctor --repair mends it."))
          : Effect.succeed<RecordOf<"text">>({ kind: "text", contentHash: content_hash, content })
      })
  )

const damaged = (message: string) => new InvalidExport({ reason: "damaged_workspace", line: null, message })

const entityRecords = (source: Source) =>
  tablePages(source, { table: "entity", size: pageSizes.entity }, (rows: ReadonlyArray<EntityRow>) =>
    Effect.gen(function* () {
      if (rows.length === 0) return []
      const { gather, sql, workspace } = source
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
