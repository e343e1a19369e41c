import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type EntityId, groupBy } from "../../../../core/platform/kernel/index.js"
import { bytesToVector } from "../../../../core/search/vectors/index.js"
import type { NamedEntity, OverviewStore, PassageVector } from "../../../../core/upkeep/overview/index.js"
import { toBytes, toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import { inBatches, readAll } from "../../rows.js"

/** Columns of an entity that is compared with others for duplicates. */
const headColumns = columnsOf<Omit<NamedEntity, "aliases">>({
  id: text(),
  name: text(),
  type: text(),
  nameNorm: text(),
  authority: text(),
  lifecycleStatus: text("lifecycle"),
  pagerank: number()
})

interface SurfaceRow {
  readonly head_id: EntityId
  readonly surface: string
}

export const duplicateMethods = (
  sql: SqlClient.SqlClient
): Pick<OverviewStore["Type"], "namedEntities" | "edgesOf" | "passagesAbout" | "somePassages"> => ({
  namedEntities: (workspace) =>
    Effect.gen(function* () {
      const heads = yield* sql`select id, name, type, name_norm, authority, lifecycle, pagerank
        from entity where workspace_id = ${workspace} and deleted_at is null and merged_into is null
          and lifecycle not in ('deprecated', 'superseded') order by id`
      // Aliases, and the names of merged entities.
      const surfaces = yield* sql<SurfaceRow>`select e.head_id, a.alias_norm as surface from entity_alias a
          join entity e on e.workspace_id = ${workspace} and e.id = a.entity_id
        where a.workspace_id = ${workspace} and e.deleted_at is null
        union all select head_id, name_norm from entity
        where workspace_id = ${workspace} and deleted_at is null and merged_into is not null`
      const byHead = groupBy(surfaces, ({ head_id }) => head_id)
      return heads.map((row): NamedEntity => {
        const head = headColumns.read(row)
        const own = (byHead.get(head.id) ?? []).map(({ surface }) => surface)
        return { ...head, aliases: [...new Set(own)].filter((surface) => surface !== head.nameNorm) }
      })
    }).pipe(Effect.orDie),
  edgesOf: (workspace, ids) =>
    ids.length === 0
      ? Effect.succeed([])
      : sql<{ src: EntityId; dst: EntityId }>`select src_id as src, dst_id as dst from edge
          where workspace_id = ${workspace} and ${sql.in("src_id", ids)}
        union all select src_id, dst_id from edge
          where workspace_id = ${workspace} and ${sql.in("dst_id", ids)}`.pipe(Effect.orDie),
  passagesAbout: (workspace, heads, limitEach) =>
    inBatches(
      [...new Set(heads)],
      // Cross joins fix the join order: entities, then mentions, then vectors.
      (batch) => sql<PassageRow>`select p.head_id, v.label, v.vector from (
          select head_id, label, row_number() over (partition by head_id order by label) as place from (
            select distinct e.head_id, m.label from entity e cross join id_number n cross join mention m
            where e.workspace_id = ${workspace} and ${sql.in("e.head_id", batch)} and e.deleted_at is null
              and n.workspace_id = ${workspace} and n.id = e.id
              and m.workspace_id = ${workspace} and m.entity_no = n.number) as places) p
        cross join vector_model a cross join vector v
        where p.place <= ${limitEach} and a.workspace_id = ${workspace} and a.state = 'active'
          and v.workspace_id = ${workspace} and v.model = a.model and v.label = p.label
          and v.vector is not null order by p.head_id, v.label`
    ).pipe(
      Effect.map((rows) => {
        const about = new Map<EntityId, Array<PassageVector>>()
        for (const { head_id, label, vector } of rows) {
          const passage = { label: toNumber(label), vector: bytesToVector(toBytes(vector)) }
          const known = about.get(head_id)
          if (known === undefined) about.set(head_id, [passage])
          else known.push(passage)
        }
        return about
      }),
      Effect.orDie
    ),
  somePassages: (workspace, limit) =>
    sql<{ vector: unknown }>`select v.vector from vector_model a cross join vector v
      where a.workspace_id = ${workspace} and a.state = 'active' and v.workspace_id = ${workspace}
        and v.model = a.model and v.vector is not null order by v.label limit ${limit}`.pipe(
      readAll(({ vector }) => bytesToVector(toBytes(vector)))
    )
})

interface PassageRow {
  readonly head_id: EntityId
  readonly label: unknown
  readonly vector: unknown
}
