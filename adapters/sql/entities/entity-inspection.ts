import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  ChangeKind,
  type EntityFiling,
  EntityInspection,
  groupBy,
  type PersonAct,
  type Revision,
  surfaceKey
} from "../../../core/entities/index.js"
import { type EntityId, nameNorm, serviceLayer } from "../../../core/kernel/index.js"
import { withoutGuard } from "../audit/append-only.js"
import { ifReadable, objectIn } from "../codec.js"
import { dialect } from "../dialect.js"
import { straysOf } from "../integrity/strays.js"
import { inBatches, insertRows } from "../rows.js"
import { aliasRows } from "./entity-rows.js"
import { keptFromRow, type RevisionRow, revisionToRow } from "./revision-rows.js"

const impossibleMax = 1000

type ActRow = Pick<RevisionRow, "entity_id" | "note" | "diff"> & { readonly change_kind: string }

const actFromRow = ({ change_kind, diff, note }: ActRow): PersonAct => ({
  changeKind: change_kind,
  note,
  diff: diff === null ? null : ifReadable((text: string) => objectIn<Revision["diff"]>(text), diff)
})

/** What lies behind the entity store, for those who look for damage. */
export const sqlEntityInspection = serviceLayer(
  EntityInspection,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { isNoJson, isNoText } = dialect(sql)
    const strays = straysOf(sql, {
      tables: ["entity_alias"],
      key: "entity_id",
      owner: "entity",
      ownerKey: "id"
    })
    // As long as every id is, and of the prefix: what else could stand there nobody has written by chance.
    const isImpossible = sql`(length(id) <> 30 or substr(id, 1, 4) <> 'ent_') and not exists (
      select 1 from entity_revision r where r.workspace_id = entity.workspace_id and r.entity_id = entity.id)`
    return {
      impossibleIds: (workspace) =>
        sql<{ id: string }>`select id from entity where workspace_id = ${workspace} and ${isImpossible}
          order by id limit ${impossibleMax}`.pipe(
          Effect.map((rows) => rows.map(({ id }) => id)),
          Effect.orDie
        ),
      removeImpossible: (workspace) =>
        sql`delete from entity where workspace_id = ${workspace} and ${isImpossible}`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      removeUnknown: (workspace, id) =>
        sql`delete from entity where workspace_id = ${workspace} and id = ${id} and not exists (
          select 1 from entity_revision r where r.workspace_id = entity.workspace_id and r.entity_id = entity.id)`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
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
        }).pipe(Effect.orDie),
      brokenRevisions: (workspace, limit) =>
        sql<{ entity_id: EntityId }>`select distinct entity_id from entity_revision
          where workspace_id = ${workspace} and (${isNoJson("snapshot", "revision")}
            or ${isNoJson("diff", "object")} or ${isNoText("snapshot")} or ${isNoText("diff")}
            or change_kind not in ${sql.in(ChangeKind.options)}
            or created_at not like '____-__-__T__:__:__.___Z')
          order by entity_id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(({ entity_id }) => entity_id)),
          Effect.orDie
        ),
      keptRevisions: (workspace, id) =>
        sql<RevisionRow>`select * from entity_revision where workspace_id = ${workspace} and entity_id = ${id}
          order by version`.pipe(
          Effect.map((rows) => rows.map(keptFromRow)),
          Effect.orDie
        ),
      personActs: (workspace, ids) =>
        inBatches(
          ids,
          (batch) => sql<ActRow>`select entity_id, change_kind, note, diff from entity_revision
            where workspace_id = ${workspace} and ${sql.in("entity_id", batch)} and version > 1
              and change_kind <> 'create' and changed_by <> 'system' and activity not like 'extraction:%'
            order by entity_id, version`
        ).pipe(
          Effect.map((rows) => {
            const byEntity = groupBy(rows, ({ entity_id }) => entity_id)
            return new Map([...byEntity].map(([id, own]) => [id, own.map(actFromRow)]))
          }),
          Effect.orDie
        ),
      lastRevision: (workspace, id) =>
        sql<RevisionRow>`select * from entity_revision where workspace_id = ${workspace} and entity_id = ${id}
          order by version desc limit 1`.pipe(
          Effect.map(([row]) => (row === undefined ? null : keptFromRow(row))),
          Effect.orDie
        ),
      rewriteRevision: (workspace, id, revision) =>
        withoutGuard(
          sql,
          "entity_revision",
          sql`update entity_revision set ${sql.update(revisionToRow(workspace, id, revision))}
            where workspace_id = ${workspace} and entity_id = ${id} and version = ${revision.version}`
        ).pipe(Effect.orDie),
      strayAliases: strays.count,
      removeStrayAliases: strays.remove,
      lost: (workspace, limit) =>
        sql<{ entity_id: EntityId }>`select distinct entity_id from entity_revision r
          where r.workspace_id = ${workspace} and not exists (select 1 from entity e
            where e.workspace_id = r.workspace_id and e.id = r.entity_id) limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(({ entity_id }) => entity_id)),
          Effect.orDie
        )
    }
  })
)
