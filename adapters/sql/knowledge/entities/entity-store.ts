import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Chunks from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type EntityChange,
  EntityStore,
  type EntitySurfaces,
  type ListedEntity,
  type NewRevision
} from "../../../../core/knowledge/entities/index.js"
import {
  Conflict,
  type EntityId,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { fromJson, readableOf, toJson, toNumber } from "../../codec.js"
import { changing } from "../../content-changes.js"
import { dialect } from "../../dialect.js"
import { isUniqueViolation } from "../../errors.js"
import { hasRows, inBatches, insertRows, pageOf } from "../../rows.js"
import { entityOrder, listedEntities } from "./entity-lists.js"
import {
  type AliasRow,
  aliasRows,
  briefFromRow,
  type EntityRow,
  entityFromRow,
  entityToRow,
  movedColumns
} from "./entity-rows.js"
import { type RevisionRow, revisionFromRow, revisionToRow } from "./revision-rows.js"

type Change = Pick<EntityChange, "before" | "after"> & { readonly revision: NewRevision }

const ranksPerStatement = 500

/** Name of the counter for the feed of entity changes. */
const feed = "entity.seq"

export const sqlEntityStore = serviceLayer(
  EntityStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { advance } = yield* WorkspaceStore
    const { jsonPairs, rowsOf } = dialect(sql)
    const rank = sql.literal("coalesce(pagerank, -1) desc")
    const live = sql.literal("deleted_at is null and merged_into is null")
    const detectable = sql.literal("('published', 'deprecated', 'superseded')")

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

    const replaceAliases = (workspace: WorkspaceScope, changes: ReadonlyArray<Change>) =>
      Effect.gen(function* () {
        const moved = changes.filter(({ after, before }) => before === null || !sameAliases(before, after))
        if (moved.length === 0) return
        yield* inBatches(
          moved.filter(({ before }) => before !== null).map(({ after }) => after.id),
          (ids) =>
            sql`delete from entity_alias where workspace_id = ${workspace} and ${sql.in("entity_id", ids)}`
        )
        yield* insertRows(
          sql,
          "entity_alias",
          moved.flatMap(({ after }) => aliasRows(after)).map((row) => ({ workspace_id: workspace, ...row }))
        )
      })

    const writeRows = (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<Change & { readonly seq: number }>
    ) =>
      Effect.gen(function* () {
        for (const { after, before, seq } of changes) {
          if (before === null) continue
          // Updating a column rewrites every index over it, even if its value is unchanged.
          const head = headAfter(before, after)
          const row = {
            ...movedColumns(before, after),
            ...(head === before.headId ? {} : { head_id: head }),
            seq
          }
          const hit = yield* sql`update entity set ${sql.update(row)}
            where workspace_id = ${workspace} and id = ${after.id} and version = ${before.version} returning id`
          if (hit.length === 0)
            return yield* new Conflict({ message: "The entity has changed in the meantime." })
        }
        yield* insertRows(
          sql,
          "entity",
          changes
            .filter(({ before }) => before === null)
            .map(({ after, seq }) => ({
              workspace_id: workspace,
              ...entityToRow(after),
              seq,
              head_id: headAfter(null, after)
            }))
        )
      })

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
      commit: (workspace, changes) =>
        Effect.gen(function* () {
          if (changes.length === 0) return
          const last = yield* advance(workspace, feed, changes.length)
          const numbered = changes.map((change, place) => ({
            ...change,
            seq: last - changes.length + 1 + place
          }))
          yield* writeRows(workspace, numbered)
          yield* replaceAliases(workspace, changes)
          yield* insertRows(
            sql,
            "entity_revision",
            changes.map(({ after, revision }) =>
              revisionToRow(workspace, after.id, { version: after.version, ...revision })
            )
          )
        }).pipe(
          (write) =>
            changing(
              sql,
              workspace,
              { entities: changes.flatMap(({ after, before }) => (before === null ? [] : after.id)) },
              write
            ),
          Effect.catchAllDefect((defect) =>
            isUniqueViolation(defect)
              ? Effect.fail(new Conflict({ message: "The name is taken." }))
              : Effect.die(defect)
          ),
          Effect.catchTag("SqlError", (error) =>
            isUniqueViolation(error)
              ? Effect.fail(new Conflict({ message: "The name is taken." }))
              : Effect.die(error)
          )
        ),
      setHead: (workspace, ids, head) =>
        Effect.gen(function* () {
          if (ids.length === 0) return
          const last = yield* advance(workspace, feed, ids.length)
          for (const [place, id] of ids.entries()) {
            yield* sql`update entity set head_id = ${head}, seq = ${last - place}
              where workspace_id = ${workspace} and id = ${id}`
          }
        }).pipe((write) => changing(sql, workspace, { entities: ids }, write), Effect.orDie),
      revisions: (workspace, id, limit) =>
        sql<RevisionRow>`select * from entity_revision where workspace_id = ${workspace} and entity_id = ${id}
          order by version desc limit ${limit}`.pipe(
          Effect.flatMap((rows) => readableOf(rows, "revisions", revisionFromRow)),
          Effect.orDie
        ),
      changesSince: (workspace, seq, limit) =>
        full(sql<Aliases>`select ${whole(workspace)} from entity where workspace_id = ${workspace} and seq > ${seq}
            order by seq limit ${limit}`),
      position: (workspace) =>
        sql<{
          value: unknown
        }>`select value from counter where workspace_id = ${workspace} and name = ${feed}`.pipe(
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
              case when e.touched = 0 and e.origin = 'extraction' then 1 else 0 end as extracted from entity e ${join} where ${where} order by e.id`
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
              .sort(
                (a, b) => compare(a.type, b.type) || compare(a.nameNorm, b.nameNorm) || compare(a.id, b.id)
              )
          ),
          Effect.orDie
        ),
      setRanks: (workspace, ranks) =>
        Effect.forEach(
          Chunks.chunksOf(ranks, ranksPerStatement),
          (batch) =>
            sql`update entity set pagerank = cast(ranked.column2 as double precision)
              from (values ${sql.csv(batch.map(({ id, pagerank }) => sql`(${id}, ${pagerank})`))}) as ranked
              where entity.workspace_id = ${workspace} and entity.id = ranked.column1`,
          { discard: true }
        ).pipe(Effect.orDie),
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
  })
)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sameAliases = (a: Change["after"], b: Change["after"]): boolean =>
  (a.aliases === b.aliases && a.extractedAliases === b.extractedAliases) ||
  toJson([a.aliases, a.extractedAliases]) === toJson([b.aliases, b.extractedAliases])

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

/** Returns the head after a change of the merge; the service sets it where the chain goes further. */
const headAfter = (before: Change["before"], after: Change["after"]): EntityId =>
  before !== null && before.mergedInto === after.mergedInto ? before.headId : (after.mergedInto ?? after.id)
