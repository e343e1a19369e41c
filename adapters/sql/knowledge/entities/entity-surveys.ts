import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { EntityStore, EntitySurfaces, ListedEntity } from "../../../../core/knowledge/entities/index.js"
import type { EntityId } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { hasRows, pageOf } from "../../rows.js"
import { entityOrder, listedEntities } from "./entity-lists.js"
import { type AliasRow, entityFeed, liveEntity } from "./entity-rows.js"

type Surveys = Pick<
  EntityStore["Type"],
  "list" | "position" | "surfaces" | "canonical" | "hasCurated" | "counts"
>

/** The calls that list or count the entities of a workspace, reading a few columns of each. */
export const entitySurveys = (sql: SqlClient.SqlClient): Surveys => {
  const live = liveEntity(sql)
  const rank = sql.literal("coalesce(pagerank, -1) desc")
  const detectable = sql.literal("('published', 'deprecated', 'superseded')")

  return {
    list: (workspace, { limit, offset }, filter) =>
      Effect.suspend(() => {
        const where = listedEntities(sql, live, filter)
        return pageOf(
          { limit, offset },
          // Unlisted columns are not read, so damage in them does not break the list.
          sql<ListedEntity>`select id, name, type, pagerank, authority, lifecycle,
                owner_id as "ownerId", next_review_at as "nextReviewAt" from entity
              where workspace_id = ${workspace} and ${where}
              order by ${entityOrder(sql, rank, filter.sort)}, name_norm, type, id limit ${limit} offset ${offset}`,
          Effect.map(
            sql<{ total: unknown }>`select count(*) as total from entity
              where workspace_id = ${workspace} and ${where}`,
            ([count]) => toNumber(count?.total)
          )
        )
      }).pipe(Effect.orDie),
    position: (workspace) =>
      sql<{
        value: unknown
      }>`select value from counter where workspace_id = ${workspace} and name = ${entityFeed}`.pipe(
        Effect.map((rows) => toNumber(rows[0]?.value)),
        Effect.orDie
      ),
    surfaces: (workspace) =>
      Effect.gen(function* () {
        const where = sql`e.workspace_id = ${workspace} and e.deleted_at is null and h.deleted_at is null
          and h.lifecycle in ${detectable}`
        const join = sql`join entity h on h.workspace_id = ${workspace} and h.id = e.head_id`
        const names = yield* sql<{ id: EntityId; head_id: EntityId; name: string; extracted: number }>`
          select e.id, e.head_id, e.name,
            case when e.origin = 'extraction' and e.person_fields = '[]' and e.authority = 'machine_extracted'
              then 1 else 0 end as extracted
          from entity e ${join} where ${where} order by e.id`
        const aliases = yield* sql<AliasRow>`select a.entity_id, a.alias, a.extracted from entity_alias a
          join entity e on e.workspace_id = ${workspace} and e.id = a.entity_id ${join}
          where a.workspace_id = ${workspace} and ${where} order by a.entity_id, a.extracted, a.alias_norm`
        const byEntity = new Map<EntityId, EntitySurfaces & { surfaces: Array<string> }>()
        for (const { extracted, head_id, id, name } of names)
          byEntity.set(id, { id, headId: head_id, surfaces: [name], isExtracted: extracted === 1 })
        for (const { alias, entity_id } of aliases) byEntity.get(entity_id)?.surfaces.push(alias)
        return [...byEntity.values()] satisfies ReadonlyArray<EntitySurfaces>
      }).pipe(Effect.orDie),
    canonical: (workspace) =>
      sql<{ id: EntityId; type: string; name_norm: string; pagerank: number | null }>`
        select id, type, name_norm, pagerank from entity where workspace_id = ${workspace} and ${live}`.pipe(
        Effect.map((rows) =>
          rows
            .map(({ id, name_norm, pagerank, type }) => ({ id, type, nameNorm: name_norm, pagerank }))
            // Sorted here, because databases order text differently.
            .sort((a, b) => compare(a.type, b.type) || compare(a.nameNorm, b.nameNorm) || compare(a.id, b.id))
        ),
        Effect.orDie
      ),
    hasCurated: (workspace) =>
      sql`select 1 as found from entity where workspace_id = ${workspace} and ${live}
        and authority <> 'machine_extracted' limit 1`.pipe(hasRows),
    counts: (workspace) =>
      sql<{ type: string; n: unknown }>`select type, count(*) as n from entity
        where workspace_id = ${workspace} and ${live} group by type order by type`.pipe(
        Effect.map((rows) => ({
          entities: rows.reduce((sum, { n }) => sum + toNumber(n), 0),
          byType: Object.fromEntries(rows.map(({ n, type }) => [type, toNumber(n)]))
        })),
        Effect.orDie
      )
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
