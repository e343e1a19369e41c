import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { EntityStore } from "../../../../core/knowledge/entities/index.js"
import type { EntityId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { fromJson, readableOf } from "../../codec.js"
import { dialect } from "../../dialect.js"
import { inBatches } from "../../rows.js"
import { briefFromRow, type EntityRow, entityFromRow, liveEntity } from "./entity-rows.js"
import { type RevisionRow, revisionFromRow } from "./revision-rows.js"

/** The calls of the store that `entityLookups` makes. */
type Lookups = Pick<
  EntityStore["Type"],
  | "find"
  | "findMany"
  | "findByName"
  | "bySurface"
  | "names"
  | "members"
  | "briefs"
  | "revisions"
  | "revisionsAt"
  | "changesSince"
>

/** The calls that read whole entities, by id, name, head or change. */
export const entityLookups = (sql: SqlClient.SqlClient): Lookups => {
  const { jsonPairs, rowsOf } = dialect(sql)
  const live = liveEntity(sql)

  const aliases = (workspace: WorkspaceScope) => sql`(select ${jsonPairs("alias", "extracted")} from (
      select alias, extracted from entity_alias
      where workspace_id = ${workspace} and entity_id = entity.id order by extracted, alias_norm
    ) as own) as aliases`
  /** Columns of an entity, and of a card. */
  const whole = (workspace: WorkspaceScope) => sql`*, ${aliases(workspace)}`
  const brief = (workspace: WorkspaceScope) =>
    sql`id, head_id, name, type, authority, lifecycle, ${aliases(workspace)}`

  const full = (query: Effect.Effect<ReadonlyArray<Aliases>, SqlError>) =>
    Effect.map(Effect.orDie(query), (rows) => rows.map((row) => entityFromRow(row, aliasesIn(row))))

  const findMany = (workspace: WorkspaceScope, ids: ReadonlyArray<EntityId>) =>
    full(
      inBatches(
        [...new Set(ids)],
        (batch) =>
          sql<Aliases>`select ${whole(workspace)} from entity where workspace_id = ${workspace} and ${sql.in("id", batch)}`
      )
    )

  return {
    find: (workspace, id) =>
      full(
        sql<Aliases>`select ${whole(workspace)} from entity where workspace_id = ${workspace} and id = ${id}`
      ).pipe(Effect.map((found) => Option.fromNullable(found[0]))),
    findMany,
    findByName: (workspace, type, nameNorm) =>
      full(sql<Aliases>`select ${whole(workspace)} from entity
          where workspace_id = ${workspace} and type = ${type} and name_norm = ${nameNorm} and ${live}`).pipe(
        Effect.map((found) => Option.fromNullable(found[0]))
      ),
    bySurface: (workspace, keys) =>
      full(
        inBatches(
          [...new Set(keys)],
          (
            batch
          ) => sql<Aliases>`select ${whole(workspace)} from entity where workspace_id = ${workspace} and id in (
            select id from entity where workspace_id = ${workspace} and ${sql.in("name_key", batch)}
            union
            select id from entity where workspace_id = ${workspace} and ${sql.in("claim_key", batch)}
            union
            select entity_id from entity_alias where workspace_id = ${workspace} and ${sql.in("alias_key", batch)}
          )`
        )
      ).pipe(
        // One entity may be in two batches.
        Effect.map((found) => [...new Map(found.map((entity) => [entity.id, entity])).values()])
      ),
    names: (workspace, ids) =>
      inBatches(
        [...new Set(ids)],
        (batch) => sql<{ id: EntityId; name: string }>`select e.id, h.name from entity e
          join entity h on h.workspace_id = ${workspace} and h.id = e.head_id
          where e.workspace_id = ${workspace} and ${sql.in("e.id", batch)}
            and e.deleted_at is null and h.deleted_at is null and h.merged_into is null`
      ).pipe(
        Effect.map((rows) => new Map(rows.map(({ id, name }) => [id, name]))),
        Effect.orDie
      ),
    members: (workspace, heads) =>
      full(
        inBatches(
          [...new Set(heads)],
          // Select ids by index first: otherwise a planner without statistics scans all entities of the workspace.
          (batch) =>
            sql<Aliases>`select ${whole(workspace)} from entity where workspace_id = ${workspace} and id in (
              select id from entity where workspace_id = ${workspace} and ${sql.in("head_id", batch)})`
        )
      ),
    briefs: (workspace, heads) =>
      // Most heads have no members, which an index of its own shows.
      sql<Pick<EntityRow, "head_id"> & Aliases>`
        select ${brief(workspace)} from entity where workspace_id = ${workspace} and id in (
          select value from ${rowsOf(heads)} as heads
          union all select id from entity where workspace_id = ${workspace} and merged_into is not null
            and head_id in (select value from ${rowsOf(heads)} as heads)
        ) and deleted_at is null`.pipe(
        Effect.map((rows) => {
          const wanted = new Set(heads)
          return rows.flatMap((row) => (wanted.has(row.head_id) ? [briefFromRow(row, aliasesIn(row))] : []))
        }),
        Effect.orDie
      ),
    revisions: (workspace, id, limit) =>
      sql<RevisionRow>`select * from entity_revision where workspace_id = ${workspace} and entity_id = ${id}
        order by version desc limit ${limit}`.pipe(
        Effect.flatMap((rows) => readableOf(rows, "revisions", revisionFromRow)),
        Effect.orDie
      ),
    revisionsAt: (workspace, ids, at) =>
      inBatches(ids, (batch) =>
        sql<RevisionRow & { readonly entity_id: EntityId }>`select r.* from entity_revision r
          where r.workspace_id = ${workspace} and ${sql.in("r.entity_id", batch)}
            and r.version = (select max(o.version) from entity_revision o where o.workspace_id = ${workspace}
              and o.entity_id = r.entity_id and o.created_at <= ${at})`.pipe(
          Effect.flatMap((rows) =>
            readableOf(rows, "revisions", (row) => ({
              entityId: row.entity_id,
              revision: revisionFromRow(row)
            }))
          )
        )
      ).pipe(Effect.orDie),
    changesSince: (workspace, seq, limit) =>
      full(sql<Aliases>`select ${whole(workspace)} from entity where workspace_id = ${workspace} and seq > ${seq}
          order by seq limit ${limit}`)
  }
}

interface Aliases {
  readonly aliases: string | null
}

const aliasesIn = ({ aliases }: Aliases) =>
  aliases === null || aliases === "[]"
    ? []
    : fromJson<ReadonlyArray<readonly [string, number]>>(aliases).map(([alias, extracted]) => ({
        alias,
        extracted
      }))
