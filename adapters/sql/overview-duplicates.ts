import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { groupBy } from "../../core/entities/index.js"
import type { EntityId } from "../../core/kernel/index.js"
import type { NamedEntity, OverviewStore } from "../../core/overview/index.js"

interface HeadRow {
  readonly id: EntityId
  readonly name: string
  readonly type: string
  readonly name_norm: string
  readonly authority: NamedEntity["authority"]
  readonly lifecycle: NamedEntity["lifecycleStatus"]
  readonly pagerank: number | null
}

interface SurfaceRow {
  readonly head_id: EntityId
  readonly surface: string
}

export const duplicateMethods = (
  sql: SqlClient.SqlClient
): Pick<OverviewStore["Type"], "namedEntities" | "edgesOf"> => ({
  namedEntities: (workspace) =>
    Effect.gen(function* () {
      const heads = yield* sql<HeadRow>`select id, name, type, name_norm, authority, lifecycle, pagerank
        from entity where workspace_id = ${workspace} and deleted_at is null and merged_into is null
          and lifecycle not in ('deprecated', 'superseded') order by id`
      // Aliases, and the names of what was merged away.
      const surfaces = yield* sql<SurfaceRow>`select e.head_id, a.alias_norm as surface from entity_alias a
          join entity e on e.workspace_id = a.workspace_id and e.id = a.entity_id
        where a.workspace_id = ${workspace} and e.deleted_at is null
        union all select head_id, name_norm from entity
        where workspace_id = ${workspace} and deleted_at is null and merged_into is not null`
      const byHead = groupBy(surfaces, ({ head_id }) => head_id)
      return heads.map(
        ({ lifecycle, name_norm, ...head }): NamedEntity => ({
          ...head,
          nameNorm: name_norm,
          lifecycleStatus: lifecycle,
          aliases: [...new Set((byHead.get(head.id) ?? []).map(({ surface }) => surface))].filter(
            (surface) => surface !== name_norm
          )
        })
      )
    }).pipe(Effect.orDie),
  edgesOf: (workspace, ids) =>
    ids.length === 0
      ? Effect.succeed([])
      : sql<{ src: EntityId; dst: EntityId }>`select src_id as src, dst_id as dst from edge
          where workspace_id = ${workspace} and ${sql.in("src_id", ids)}
        union all select src_id, dst_id from edge
          where workspace_id = ${workspace} and ${sql.in("dst_id", ids)}`.pipe(Effect.orDie)
})
