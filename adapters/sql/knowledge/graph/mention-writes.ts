import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { LinkedRelation, Mention } from "../../../../core/knowledge/graph/index.js"
import type {
  DocumentId,
  EntityId,
  JobId,
  RelationId,
  WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { toJson, toNumber } from "../../codec.js"
import { idNo, numbersFor, ofDocument } from "../../id-numbers.js"
import { inBatches, insertRows } from "../../rows.js"
import { runNumbers } from "../extraction/extraction-record-rows.js"
import { rebuildEdges } from "./edges.js"

interface MentionKey {
  readonly label: number
  readonly start_offset: number
  readonly end_offset: number
  readonly entity_id: EntityId
  readonly key: string
  readonly confidence: number
}

/** Replaces the mentions of a document; unchanged ones are not rewritten and keep their run. */
export const writeMentions =
  (sql: SqlClient.SqlClient, counters: Pick<WorkspaceStore["Type"], "advance">) =>
  (workspace: WorkspaceScope, id: DocumentId, mentions: ReadonlyArray<Mention>): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const own = sql`workspace_id = ${workspace} and document_no = ${idNo(sql, workspace, id)}`
      const old =
        yield* sql<MentionKey>`select m.label, m.start_offset, m.end_offset, e.id as entity_id, m.key,
          m.confidence from mention m cross join id_number e
        where ${ofDocument(sql, workspace, id)} and e.workspace_id = ${workspace} and e.number = m.entity_no`
      const wantedRows = mentions.map(
        ({ confidence, end, entityId, key, label, start }): MentionKey => ({
          label,
          start_offset: start,
          end_offset: end,
          entity_id: entityId,
          key,
          confidence
        })
      )
      const before = new Set(old.map(mentionText))
      const after = new Set(wantedRows.map(mentionText))
      const removedRows = old.filter((row) => !after.has(mentionText(row)))
      const fresh = wantedRows.filter((row) => !before.has(mentionText(row)))
      if (removedRows.length > 0 && removedRows.length === old.length) {
        yield* sql`delete from mention where ${own}`
      } else {
        for (const { entity_id, label, start_offset } of removedRows) {
          yield* sql`delete from mention where ${own} and label = ${label} and start_offset = ${start_offset}
            and entity_no = ${idNo(sql, workspace, entity_id)}`
        }
      }
      if (fresh.length === 0) return removedRows.length > 0
      const runs = new Map(mentions.map((mention) => [placeText(mention), mention.runId]))
      const runOf = ({ entity_id, label, start_offset }: MentionKey): JobId | null =>
        runs.get(placeText({ label, start: start_offset, entityId: entity_id })) ?? null
      const runNumber = yield* runNumbers(
        sql,
        workspace,
        fresh.flatMap((row) => runOf(row) ?? [])
      )
      const numbers = yield* numbersFor(sql, counters, workspace, [
        id,
        ...fresh.map(({ entity_id }) => entity_id)
      ])
      yield* insertRows(
        sql,
        "mention",
        fresh.map(({ entity_id, ...row }) => {
          const run = runOf({ entity_id, ...row })
          return {
            workspace_id: workspace,
            document_no: numbers(id),
            entity_no: numbers(entity_id),
            ...row,
            run: run === null ? null : (runNumber.get(run) ?? null)
          }
        })
      )
      return true
    }).pipe(Effect.orDie)

/** Returns a key that is unique among the mentions of a document. */
const placeText = ({ entityId, label, start }: Pick<Mention, "entityId" | "label" | "start">): string =>
  `${label} ${start} ${entityId}`

const mentionText = ({ confidence, end_offset, entity_id, key, label, start_offset }: MentionKey): string =>
  toJson([label, start_offset, end_offset, entity_id, key, confidence])

interface EvidenceRow {
  readonly relation_id: RelationId
  readonly ordinal: number
  readonly label: number | null
  readonly quote: string
}

/** Replaces the relation evidence of a document, drops relations without evidence, and rebuilds edges. */
export const replaceRelationEvidence =
  (sql: SqlClient.SqlClient) =>
  (
    workspace: WorkspaceScope,
    id: DocumentId,
    drawn: ReadonlyArray<LinkedRelation>,
    fresh: { readonly id: () => RelationId; readonly at: string }
  ): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const ids = yield* relationIds(sql, workspace, drawn, fresh)
      const wanted = drawn.flatMap((relation) =>
        relation.evidence.map(
          ({ label, quote }, ordinal): EvidenceRow => ({
            relation_id: ids.get(tripleText(relation)) ?? fresh.id(),
            ordinal,
            label,
            quote
          })
        )
      )
      const old = yield* sql<EvidenceRow>`select relation_id, ordinal, label, quote from relation_evidence
        where workspace_id = ${workspace} and document_id = ${id}`
      if (sameEvidence(old, wanted)) return false
      yield* sql`delete from relation_evidence where workspace_id = ${workspace} and document_id = ${id}`
      yield* insertRows(
        sql,
        "relation_evidence",
        wanted.map((row) => ({ workspace_id: workspace, document_id: id, ...row }))
      )
      const touched = [...new Set([...old, ...wanted].map(({ relation_id }) => relation_id))]
      yield* inBatches(
        touched,
        (batch) => sql`update relation set evidence_count = (select count(*) from relation_evidence e
          where e.workspace_id = ${workspace} and e.relation_id = relation.id)
          where workspace_id = ${workspace} and ${sql.in("id", batch)}`
      )
      const heads = yield* inBatches(
        touched,
        (batch) => sql<{ src_head: EntityId | null }>`select distinct src_head from relation
          where workspace_id = ${workspace} and ${sql.in("id", batch)}`
      )
      yield* inBatches(
        touched,
        (batch) => sql`delete from relation where workspace_id = ${workspace} and evidence_count = 0
          and origin = 'extraction' and deleted_at is null and ${sql.in("id", batch)}`
      )
      yield* rebuildEdges(
        sql,
        workspace,
        heads.flatMap(({ src_head }) => src_head ?? [])
      )
      return true
    }).pipe(Effect.orDie)

/** Returns ids of relations by triple, creating missing ones. Existing ones get their present heads. */
const relationIds = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  drawn: ReadonlyArray<LinkedRelation>,
  fresh: { readonly id: () => RelationId; readonly at: string }
) =>
  Effect.gen(function* () {
    const known = yield* inBatches(
      [...new Set(drawn.map(({ srcId }) => srcId))],
      (batch) => sql<{ id: RelationId; src_id: EntityId; type: string; dst_id: EntityId }>`
        select id, src_id, type, dst_id from relation where workspace_id = ${workspace} and ${sql.in("src_id", batch)}`
    )
    const ids = new Map(
      known.map(({ dst_id, id, src_id, type }) => [tripleText({ srcId: src_id, type, dstId: dst_id }), id])
    )
    const missing = drawn.filter((relation) => !ids.has(tripleText(relation)))
    const made = missing.map(({ dstHead, dstId, srcHead, srcId, type }) => ({
      workspace_id: workspace,
      id: fresh.id(),
      src_id: srcId,
      type,
      dst_id: dstId,
      origin: "extraction",
      note: null,
      src_head: srcHead,
      dst_head: dstHead,
      evidence_count: 0,
      deleted_at: null,
      created_at: fresh.at
    }))
    yield* insertRows(sql, "relation", made)
    for (const { dst_id, id, src_id, type } of made)
      ids.set(tripleText({ srcId: src_id, type, dstId: dst_id }), id)
    return ids
  })

const tripleText = ({ dstId, srcId, type }: Pick<LinkedRelation, "srcId" | "type" | "dstId">): string =>
  `${srcId} ${dstId} ${type}`

const sameEvidence = (a: ReadonlyArray<EvidenceRow>, b: ReadonlyArray<EvidenceRow>): boolean => {
  const text = (rows: ReadonlyArray<EvidenceRow>) =>
    rows
      .map(({ label, ordinal, quote, relation_id }) => toJson([relation_id, toNumber(ordinal), label, quote]))
      .sort()
      .join("\n")
  return a.length === b.length && text(a) === text(b)
}
