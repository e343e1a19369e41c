import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  type EntityFiling,
  type EntityInspection,
  surfaceKey
} from "../../../../core/knowledge/entities/index.js"
import { type EntityId, groupBy, nameNorm } from "../../../../core/platform/kernel/index.js"
import { inBatches, insertRows } from "../../rows.js"
import { aliasRows } from "./entity-rows.js"

/** Queries of entities for inspection and rebuild, over SQL. */
export const entityInspection: Effect.Effect<EntityInspection, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      filings: (workspace, ids) =>
        Effect.gen(function* () {
          const rows = yield* inBatches(
            ids,
            (batch) => sql<{ id: EntityId; name_norm: string; name_key: string }>`
              select id, name_norm, name_key from entity where workspace_id = ${workspace} and ${sql.in("id", batch)}`
          )
          const aliases = groupBy(
            yield* inBatches(
              ids,
              (batch) => sql<{ entity_id: EntityId; alias: string; alias_norm: string; alias_key: string }>`
                select entity_id, alias, alias_norm, alias_key from entity_alias
                where workspace_id = ${workspace} and ${sql.in("entity_id", batch)}`
            ),
            ({ entity_id }) => entity_id
          )
          return new Map(
            rows.map(({ id, name_key, name_norm }): readonly [EntityId, EntityFiling] => [
              id,
              {
                nameNorm: name_norm,
                nameKey: name_key,
                aliases: (aliases.get(id) ?? [])
                  .map(({ alias, alias_key, alias_norm }) => ({ alias, norm: alias_norm, key: alias_key }))
                  .sort((a, b) => (a.alias < b.alias ? -1 : a.alias > b.alias ? 1 : 0))
              }
            ])
          )
        }).pipe(Effect.orDie),
      refile: (workspace, entity) =>
        Effect.gen(function* () {
          const { id, name } = entity
          yield* sql`update entity set name_norm = ${nameNorm(name)}, name_key = ${surfaceKey(name)}
            where workspace_id = ${workspace} and id = ${id}`
          yield* sql`delete from entity_alias where workspace_id = ${workspace} and entity_id = ${id}`
          const rows = aliasRows(entity).map((row) => ({ workspace_id: workspace, ...row }))
          yield* insertRows(sql, "entity_alias", rows)
        }).pipe(Effect.orDie)
    }
  }
)
