import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Edge, GraphStore, type RelationEvidence } from "../../../../core/knowledge/graph/index.js"
import {
  type DocumentId,
  type EntityId,
  type RelationId,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import { dialect } from "../../dialect.js"
import { idNos } from "../../id-numbers.js"
import { inBatches, readAll, readCount, readFirst, readPage } from "../../rows.js"
import { claims } from "../extraction/claim-store.js"
import { extractionRecords } from "../extraction/extraction-record-store.js"
import { extraction, unresolvedNames } from "../extraction/extraction-store.js"
import { endsIn, rebuildEdges, strongestFirst, strongestTypes, typesIn, visitEnds } from "./edges.js"
import { graphInspection } from "./graph-inspection.js"
import { relationFromRow, relationToRow } from "./graph-rows.js"
import { mentionsOf } from "./mention-lists.js"

/** Columns of the table `edge`, relations and mentions summed up between the heads of merged entities. */
const edgeColumns = columnsOf<Edge>({
  src: text("src_id"),
  type: text(),
  dst: text("dst_id"),
  mentionCount: number()
})

const evidenceColumns = columnsOf<RelationEvidence>({
  relationId: text(),
  documentId: text(),
  label: number(),
  quote: text()
})

const labelColumns = columnsOf<{ entityId: EntityId; label: number }>({ entityId: text(), label: number() })
const countColumns = columnsOf<{ entityId: EntityId; documentId: DocumentId; count: number }>({
  entityId: text(),
  documentId: text(),
  count: number("n")
})

const mentionEdgeColumns = columnsOf<Omit<Edge, "type">>({
  src: text("src_id"),
  dst: text("dst_id"),
  mentionCount: number("n")
})

/** Stores the graph and what extraction knows of documents in SQL. */
export const sqlGraphStore = serviceLayer(
  GraphStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { joinedTexts, jsonPairs, rowsOf } = dialect(sql)
    const live = sql.literal("deleted_at is null and src_head is not null and dst_head is not null")

    const oneRelation = (workspace: WorkspaceScope, where: Fragment) =>
      sql`select * from relation where workspace_id = ${workspace} and ${where}`.pipe(
        readFirst(relationFromRow)
      )

    // One row per head, with two lists that each read a limited number of entries of an index in rank order; a window
    // function would read all edges of a hub.
    const strongestEdges: GraphStore["Type"]["strongestEdges"] = (workspace, heads, limitEach) =>
      sql<{ head: EntityId; outgoing: string | null; incoming: string | null }>`
        select heads.value as head,
          (select ${joinedTexts("dst_id || ' ' || mention_count")} from (
            select dst_id, mention_count from edge where workspace_id = ${workspace} and src_id = heads.value
            order by mention_count desc, dst_id, type limit ${limitEach}) as strongest) as outgoing,
          (select ${joinedTexts("src_id || ' ' || mention_count")} from (
            select src_id, mention_count from edge where workspace_id = ${workspace} and dst_id = heads.value
            order by mention_count desc, src_id, type limit ${limitEach}) as strongest) as incoming
        from ${rowsOf(heads)} as heads`.pipe(
        Effect.map((rows) =>
          rows.map(({ head, incoming, outgoing }) => ({
            head,
            outgoing: endsIn(outgoing),
            incoming: endsIn(incoming)
          }))
        ),
        Effect.orDie
      )

    return {
      unresolved: yield* unresolvedNames,
      records: yield* extractionRecords,
      claims: yield* claims,
      extraction: yield* extraction,
      inspection: yield* graphInspection,
      mentions: mentionsOf(sql),
      // The index of mentions by entity holds all that is read.
      mentionLabels: (workspace, entityIds, limit) =>
        sql`select e.id as entity_id, m.label from (
            select entity_no, label, start_offset from mention
            where workspace_id = ${workspace} and entity_no in ${idNos(sql, workspace, entityIds)}
            order by label, start_offset, entity_no limit ${limit}) as m
          cross join id_number e where e.workspace_id = ${workspace} and e.number = m.entity_no
          order by m.label, m.start_offset, e.id`.pipe(readAll(labelColumns.read)),
      mentionCounts: (workspace, ids) =>
        inBatches(
          [...new Set(ids)],
          (batch) => sql`
            select e.id as entity_id, d.id as document_id, m.n from (
              select workspace_id, entity_no, document_no, count(*) as n from mention
              where workspace_id = ${workspace} and entity_no in ${idNos(sql, workspace, batch)}
              group by workspace_id, entity_no, document_no) as m cross join id_number e cross join id_number d
            where e.workspace_id = ${workspace} and e.number = m.entity_no
              and d.workspace_id = ${workspace} and d.number = m.document_no`
        ).pipe(readAll(countColumns.read)),
      mentionEdges: (workspace) =>
        sql`
          select m.src_id, e.id as dst_id, m.n from (
            select g.entity_id as src_id, m.workspace_id, m.entity_no, count(*) as n
            from graph_document g cross join id_number d cross join mention m
            where g.workspace_id = ${workspace} and g.entity_id is not null
              and d.workspace_id = ${workspace} and d.id = g.document_id
              and m.workspace_id = ${workspace} and m.document_no = d.number
            group by g.entity_id, m.workspace_id, m.entity_no) as m cross join id_number e
          where e.workspace_id = ${workspace} and e.number = m.entity_no`.pipe(
          readAll(mentionEdgeColumns.read)
        ),
      findRelation: (workspace, id) => oneRelation(workspace, sql`id = ${id}`),
      relationBetween: (workspace, srcId, type, dstId) =>
        oneRelation(workspace, sql`src_id = ${srcId} and type = ${type} and dst_id = ${dstId}`),
      saveRelation: (workspace, relation) =>
        Effect.gen(function* () {
          const row = relationToRow(relation)
          yield* sql`insert into relation ${sql.insert({ workspace_id: workspace, ...row })}
            on conflict (workspace_id, id) do update set ${sql.update(row, ["id"])}`
          if (relation.srcHead !== null) yield* rebuildEdges(sql, workspace, [relation.srcHead])
        }).pipe(Effect.orDie),
      relations: (workspace, { entityId, origin, type }, page) => {
        const where = sql.and([
          sql`workspace_id = ${workspace} and ${live}`,
          ...(entityId === undefined ? [] : [sql`(src_head = ${entityId} or dst_head = ${entityId})`]),
          ...(type === undefined ? [] : [sql`type = ${type}`]),
          ...(origin === undefined ? [] : [sql`origin = ${origin}`])
        ])
        return readPage(sql, page, {
          from: sql`relation where ${where}`,
          order: sql`id`,
          read: relationFromRow
        })
      },
      evidence: (workspace, ids, limitEach) =>
        inBatches(
          ids,
          (batch) => sql`
            select relation_id, document_id, label, quote from (
              select relation_id, document_id, label, quote, ordinal,
                row_number() over (partition by relation_id order by document_id, ordinal) as place
              from relation_evidence where workspace_id = ${workspace} and ${sql.in("relation_id", batch)}
            ) as ranked where place <= ${limitEach} order by relation_id, place`
        ).pipe(readAll(evidenceColumns.read)),
      statedAbout: (workspace, ids) =>
        inBatches(
          ids,
          (batch) => sql<{ id: EntityId }>`
            select src_id as id from relation where workspace_id = ${workspace} and origin <> 'extraction'
              and deleted_at is null and ${sql.in("src_id", batch)}
            union
            select dst_id as id from relation where workspace_id = ${workspace} and origin <> 'extraction'
              and deleted_at is null and ${sql.in("dst_id", batch)}`
        ).pipe(
          Effect.map((rows) => [...new Set(rows.map(({ id }) => id))]),
          Effect.orDie
        ),
      relationAlong: (workspace, src, type, dst) =>
        // Without this split some planners scan all relations of the workspace.
        sql<{
          id: RelationId
        }>`select * from relation where workspace_id = ${workspace} and dst_head <> src_head and id in (
          select id from relation where workspace_id = ${workspace} and src_head = ${src} and type = ${type}
            and dst_head = ${dst} and deleted_at is null)`.pipe(
          Effect.map((rows) => {
            const [first] = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
            return Option.map(Option.fromNullable(first), relationFromRow)
          }),
          Effect.orDie
        ),
      strongestEdges,
      strongestEnds: (workspace, heads, limitEach) =>
        Effect.map(strongestEdges(workspace, heads, limitEach), (found) =>
          found.map(({ head, incoming, outgoing }) => ({
            head,
            ends: [...outgoing, ...incoming].sort(strongestFirst).slice(0, limitEach)
          }))
        ),
      edgesAmong: (workspace, heads) =>
        sql`select src_id, type, dst_id, mention_count from edge where workspace_id = ${workspace}
          and src_id in (select value from ${rowsOf(heads)} as heads)
          and dst_id in (select value from ${rowsOf(heads)} as heads) order by src_id, type, dst_id`.pipe(
          readAll(edgeColumns.read)
        ),
      allEdges: (workspace) =>
        sql`select src_id, type, dst_id, mention_count from edge where workspace_id = ${workspace}`.pipe(
          readAll(edgeColumns.read)
        ),
      // Aggregated, because one row per edge would cost ten times as much in objects and strings.
      edgesBySource: (workspace, ofSource) =>
        sql<{ src_id: EntityId; ends: string }>`
          select src_id, ${joinedTexts("dst_id || ' ' || mention_count")} as ends from edge
          where workspace_id = ${workspace} group by src_id order by src_id`.pipe(
          Effect.flatMap((rows) =>
            Effect.sync(() => {
              for (const { ends, src_id } of rows) visitEnds(ends, ofSource(src_id))
            })
          ),
          Effect.orDie
        ),
      edgeCount: (workspace, heads) =>
        sql<{ n: unknown }>`select count(*) as n from edge where workspace_id = ${workspace}
          and (${sql.in("src_id", heads)} or ${sql.in("dst_id", heads)})`.pipe(readCount),
      edgeTypes: (workspace, heads, limitEach) =>
        sql<{ head: EntityId; types: string | null }>`
          select heads.value as head, (select ${jsonPairs("type", "mention_count")} from edge_type
            where workspace_id = ${workspace} and entity_id = heads.value) as types
          from ${rowsOf(heads)} as heads`.pipe(
          Effect.map((rows) =>
            rows.flatMap(({ head, types: pairs }) => {
              const types = strongestTypes(typesIn(pairs)).slice(0, limitEach)
              return types.length === 0 ? [] : [{ entityId: head, types }]
            })
          ),
          Effect.orDie
        ),
      relationCount: (workspace, heads) =>
        sql<{ n: unknown }>`select count(*) as n from relation where workspace_id = ${workspace} and ${live}
          and (${sql.in("src_head", heads)} or ${sql.in("dst_head", heads)})`.pipe(readCount),
      rehead: (workspace, changes) =>
        Effect.gen(function* () {
          const sources = new Set<EntityId>()
          for (const { head, id } of changes) {
            const moved = yield* sql<{ src_head: EntityId | null; src_id: EntityId }>`
              select src_id, src_head from relation where workspace_id = ${workspace}
              and ((src_id = ${id} and src_head is distinct from ${head})
                or (dst_id = ${id} and dst_head is distinct from ${head}))`
            if (moved.length === 0) continue
            for (const { src_head } of moved) if (src_head !== null) sources.add(src_head)
            if (head !== null && moved.some(({ src_id }) => src_id === id)) sources.add(head)
            yield* sql`update relation set src_head = ${head} where workspace_id = ${workspace} and src_id = ${id}`
            yield* sql`update relation set dst_head = ${head} where workspace_id = ${workspace} and dst_id = ${id}`
          }
          yield* rebuildEdges(sql, workspace, [...sources])
        }).pipe(Effect.orDie),
      counts: (workspace) =>
        Effect.gen(function* () {
          const types = yield* sql<{ type: string; n: unknown }>`select type, count(*) as n from edge
            where workspace_id = ${workspace} group by type order by type`
          const [mentions] = yield* sql<{
            n: unknown
          }>`select count(*) as n from mention where workspace_id = ${workspace}`
          return {
            relations: types.reduce((sum, { n }) => sum + toNumber(n), 0),
            mentions: toNumber(mentions?.n),
            byType: Object.fromEntries(types.map(({ n, type }) => [type, toNumber(n)]))
          }
        }).pipe(Effect.orDie)
    }
  })
)
