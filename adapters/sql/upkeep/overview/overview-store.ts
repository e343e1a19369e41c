import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type EntityId, serviceLayer } from "../../../../core/platform/kernel/index.js"
import {
  type ChunkView,
  type HubConcept,
  type Overdue,
  OverviewStore,
  overdueActions
} from "../../../../core/upkeep/overview/index.js"
import { fromJson, toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import type { ChunkRow } from "../../files/documents/document-rows.js"
import { ofDocument } from "../../id-numbers.js"
import { stewardsIn } from "../../knowledge/entities/entity-rows.js"
import { readAll } from "../../rows.js"
import { reports } from "../../work/evaluation/report-store.js"
import { trash } from "../trash/trash-store.js"
import { inbox } from "./inbox-store.js"
import { duplicateMethods } from "./overview-duplicates.js"
import { lineageMethods } from "./overview-lineage.js"
import { stewardshipMethods } from "./overview-stewardship.js"

/** How many rows have a value, as the overview counts them. */
interface Counted {
  readonly value: string
  readonly n: unknown
}

interface PassageRow extends ChunkRow {
  readonly title: string
  readonly path: string
  readonly version: unknown
  readonly verification: ChunkView["verification"]
}

const hubColumns = columnsOf<HubConcept>({
  id: text(),
  name: text(),
  type: text(),
  summary: {
    name: "description",
    read: (cell) => (cell === null ? "" : String(cell)),
    write: (summary) => summary
  },
  authority: text(),
  lifecycleStatus: text("lifecycle"),
  version: number(),
  inDegree: number(),
  outDegree: number(),
  mentionCount: number("mentions"),
  lastReviewedAt: text(),
  ownerId: text()
})

/** Answers queries across the tables of all rooms, and stores reports, in SQL. */
export const sqlOverviewStore = serviceLayer(
  OverviewStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const live = sql.literal("deleted_at is null and merged_into is null")
    return {
      reports: yield* reports,
      inbox: yield* inbox,
      trash: yield* trash,
      counts: (workspace, at) =>
        Effect.gen(function* () {
          const documents = yield* sql<Counted>`select verification as value, count(*) as n from document
            where workspace_id = ${workspace} and deleted_at is null group by verification`
          const [chunks] = yield* sql<{ n: unknown }>`select count(*) as n from chunk
            where workspace_id = ${workspace}`
          const entities = yield* sql<{
            type: string
            authority: string
            lifecycle: string
            n: unknown
            overdue: unknown
            never: unknown
          }>`select type, authority, lifecycle, count(*) as n,
              sum(case when next_review_at < ${at} then 1 else 0 end) as overdue,
              sum(case when last_reviewed_at is null then 1 else 0 end) as never
            from entity where workspace_id = ${workspace} and ${live} group by type, authority, lifecycle`
          const relations = yield* sql<Counted>`select type as value, count(*) as n from edge
            where workspace_id = ${workspace} group by type`
          return {
            documentsByVerification: tally(documents),
            chunks: toNumber(chunks?.n),
            entitiesByType: tally(entities.map(({ n, type }) => ({ value: type, n }))),
            byAuthority: tally(entities.map(({ authority, n }) => ({ value: authority, n }))),
            byLifecycle: tally(entities.map(({ lifecycle, n }) => ({ value: lifecycle, n }))),
            relationsByType: tally(relations),
            overdueReviews: entities.reduce((sum, { overdue }) => sum + toNumber(overdue), 0),
            neverReviewed: entities.reduce((sum, { never }) => sum + toNumber(never), 0)
          }
        }).pipe(Effect.orDie),
      chunk: (workspace, id, context) =>
        Effect.gen(function* () {
          const [found] =
            yield* sql<PassageRow>`select c.id, c.label, c.document_id, c.ordinal, c.heading_path,
              c.text, c.start_offset, c.end_offset, c.page, d.title, d.path, d.version, d.verification
            from chunk c join document d on d.workspace_id = ${workspace} and d.id = c.document_id
            where c.workspace_id = ${workspace} and c.id = ${id} and d.deleted_at is null`
          if (found === undefined) return Option.none()
          const ordinal = toNumber(found.ordinal)
          const around = yield* sql<
            Pick<PassageRow, "id" | "ordinal" | "text">
          >`select id, ordinal, text from chunk
            where workspace_id = ${workspace} and document_id = ${found.document_id}
              and ordinal between ${ordinal - context} and ${ordinal + context} order by ordinal`
          const entities = yield* sql<{ id: EntityId; name: string; type: string }>`
            select distinct h.id, h.name, h.type from mention m cross join id_number n
              cross join entity e cross join entity h
            where ${ofDocument(sql, workspace, found.document_id)} and m.label = ${toNumber(found.label)}
              and n.workspace_id = ${workspace} and n.number = m.entity_no
              and e.workspace_id = ${workspace} and e.id = n.id
              and h.workspace_id = ${workspace} and h.id = e.head_id and h.deleted_at is null
            order by h.name, h.id`
          const cards = (side: (other: number) => boolean) =>
            around
              .filter((row) => side(toNumber(row.ordinal)))
              .map(({ id: other, text }) => ({ id: other, text }))
          return Option.some({
            id: found.id,
            docId: found.document_id,
            docTitle: found.title,
            docPath: found.path,
            headingPath: fromJson<ReadonlyArray<string>>(found.heading_path).join(" > "),
            ...(found.page === null ? {} : { page: toNumber(found.page) }),
            ordinal,
            text: found.text,
            start: toNumber(found.start_offset),
            end: toNumber(found.end_offset),
            docVersion: toNumber(found.version),
            verification: found.verification,
            before: cards((other) => other < ordinal),
            after: cards((other) => other > ordinal),
            entities: [...entities]
          })
        }).pipe(Effect.orDie),
      stewardship: (workspace, people, at) =>
        people.length === 0
          ? Effect.succeed([])
          : sql<{ owner_id: string | null; steward_ids: string; next_review_at: string | null }>`
              select owner_id, steward_ids, next_review_at from entity
              where workspace_id = ${workspace} and ${live} and (owner_id is not null or steward_ids <> '[]')`.pipe(
              Effect.map((rows) =>
                people.map((person) => {
                  const owned = rows.filter(({ owner_id }) => owner_id === person)
                  return {
                    person,
                    owned: owned.length,
                    stewarded: rows.filter(({ steward_ids }) => stewardsIn(steward_ids).includes(person))
                      .length,
                    overdue: owned.filter(
                      ({ next_review_at }) => next_review_at !== null && next_review_at < at
                    ).length
                  }
                })
              ),
              Effect.orDie
            ),
      impact: (workspace, entity) =>
        Effect.gen(function* () {
          const [relations] = yield* sql<{ n: unknown }>`select count(*) as n from relation
            where workspace_id = ${workspace} and deleted_at is null
              and (src_head = ${entity} or dst_head = ${entity})`
          const [answers] = yield* sql<{
            n: unknown
          }>`select count(distinct s.answer_id) as n from answer_source s
            where s.workspace_id = ${workspace} and s.chunk_id in (
              select c.id from entity e cross join id_number n cross join mention m cross join chunk c
              where e.workspace_id = ${workspace} and e.head_id = ${entity}
                and n.workspace_id = ${workspace} and n.id = e.id
                and m.workspace_id = ${workspace} and m.entity_no = n.number
                and c.workspace_id = ${workspace} and c.label = m.label)`
          return { relations: toNumber(relations?.n), answers: toNumber(answers?.n) }
        }).pipe(Effect.orDie),
      hubs: (workspace, limit) =>
        // Cross joins make the database start with few rows. Candidates are the best by relations, including ties
        // with the last; mentions are counted only for these, by position, because two names of one entity may share
        // one.
        sql`select h.*, (select count(*) from edge o
            where o.workspace_id = ${workspace} and o.src_id = h.id) as out_degree
          from (select e.id, e.name, e.type, e.description, e.authority, e.lifecycle, e.version, r.in_degree,
              e.last_reviewed_at, e.owner_id,
              (select count(*) from (
                select distinct m.document_no, m.label, m.start_offset
                from entity member cross join id_number n cross join mention m
                where member.workspace_id = ${workspace} and member.head_id = e.id
                  and n.workspace_id = ${workspace} and n.id = member.id
                  and m.workspace_id = ${workspace} and m.entity_no = n.number) as places) as mentions
            from (select d.dst_id, d.in_degree, rank() over (order by d.in_degree desc) as place
                from (select dst_id, count(*) as in_degree from edge where workspace_id = ${workspace}
                  group by dst_id) d
                  cross join entity p
                where p.workspace_id = ${workspace} and p.id = d.dst_id and p.lifecycle = 'published'
                  and p.deleted_at is null and p.merged_into is null) r
              cross join entity e
            where e.workspace_id = ${workspace} and e.id = r.dst_id and r.place <= ${limit}
            order by r.in_degree desc, mentions desc, e.id limit ${limit}) h
          order by h.in_degree desc, h.mentions desc, h.id`.pipe(readAll(hubColumns.read)),
      ...lineageMethods(sql),
      ...stewardshipMethods(sql),
      ...overdueMethods(sql),
      ...duplicateMethods(sql)
    }
  })
)

/** Returns sums by value in order of value, so that equal workspaces give equal results. */
const tally = (rows: ReadonlyArray<Counted>): Readonly<Record<string, number>> => {
  const sums = new Map<string, number>()
  for (const { n, value } of rows) sums.set(value, (sums.get(value) ?? 0) + toNumber(n))
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns what is due for review and not yet recorded, with one index per table. */
const overdueMethods = (sql: SqlClient.SqlClient): Pick<OverviewStore["Type"], "untoldOverdue"> => ({
  untoldOverdue: (workspace, at, limit) =>
    Effect.gen(function* () {
      const documents =
        yield* sql<Overdue>`select d.id as "subjectId", 'document' as kind, d.next_verify_at as "dueAt"
        from document d where d.workspace_id = ${workspace} and d.deleted_at is null and d.next_verify_at < ${at}
          and not exists (select 1 from audit a where a.workspace_id = ${workspace} and a.subject_id = d.id
            and a.action = ${overdueActions.document} and a.at >= d.next_verify_at)
        order by d.next_verify_at, d.id limit ${limit}`
      const entities =
        yield* sql<Overdue>`select e.id as "subjectId", 'entity' as kind, e.next_review_at as "dueAt"
        from entity e where e.workspace_id = ${workspace} and e.deleted_at is null and e.merged_into is null
          and e.next_review_at is not null and e.next_review_at < ${at}
          and not exists (select 1 from audit a where a.workspace_id = ${workspace} and a.subject_id = e.id
            and a.action = ${overdueActions.entity} and a.at >= e.next_review_at)
        order by e.next_review_at, e.id limit ${limit - documents.length}`
      return [...documents, ...entities]
    }).pipe(Effect.orDie)
})
