import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type {
  BroaderLink,
  ExportedConcept,
  VocabularyReader
} from "../../../../core/knowledge/vocabulary/index.js"
import { type EntityId, groupBy, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { inBatches } from "../../rows.js"
import { tablePages } from "../../table-pages.js"
import { type AliasRow, type EntityRow, entityFromRow } from "../entities/entity-rows.js"
import { conceptFromRow, groupingFromRow } from "./concept-rows.js"

/** Page sizes: entities with all details, and short rows. */
const pageSizes = { concept: 200, link: 5000 } as const

/**
 * Provides the reader of concepts and links.
 *
 * @param snapshot Opens a client that sees one moment of the database until its scope is closed, without blocking
 * others.
 */
export const vocabularyReader = (
  snapshot: (
    sql: SqlClient.SqlClient,
    workspace: WorkspaceScope
  ) => Effect.Effect<SqlClient.SqlClient, never, Scope.Scope>
): Effect.Effect<VocabularyReader, never, SqlClient.SqlClient> =>
  Effect.map(SqlClient.SqlClient, (client) => ({
    open: (workspace) =>
      Effect.gen(function* () {
        const sql = yield* snapshot(client, workspace)
        const [row] = yield* Effect.orDie(
          sql<{ name: string }>`select name from workspace where id = ${workspace}`
        )
        const source = { sql, workspace }
        return {
          workspaceName: row?.name ?? "",
          hierarchy: hierarchy(source),
          iris: iris(source),
          groupings: groupings(source),
          exported: exported(source),
          concepts: concepts(source)
        }
      })
  }))

interface LinkRow {
  readonly src_id: EntityId
  readonly type: string
  readonly dst_id: EntityId
}

const hierarchical = (sql: SqlClient.SqlClient) => sql.literal("('broader', 'narrower')")

/** Rows of a table in the order of its key. */
const each = <Row extends object, Item>(
  source: Reading,
  rows: Parameters<typeof tablePages>[1],
  item: (row: Row) => Item
) => tablePages(source, rows, (page: ReadonlyArray<Row>) => Effect.sync(() => page.map(item)))

interface Reading {
  readonly sql: SqlClient.SqlClient
  readonly workspace: WorkspaceScope
}

const hierarchy = (source: Reading) =>
  each(
    source,
    {
      table: "edge",
      key: ["src_id", "type", "dst_id"],
      where: source.sql`t.type in ${hierarchical(source.sql)}`,
      size: pageSizes.link
    },
    ({ dst_id, src_id, type }: LinkRow): BroaderLink =>
      type === "broader" ? [src_id, dst_id] : [dst_id, src_id]
  )

const iris = (source: Reading) =>
  each(
    source,
    { table: "concept", key: ["entity_id"], select: "t.entity_id, t.iri", size: pageSizes.link },
    ({ entity_id, iri }: { readonly entity_id: EntityId; readonly iri: string }) => [entity_id, iri] as const
  )

/** Streams stored schemes and collections by IRI. */
const groupings = (source: Reading) =>
  each(source, { table: "vocabulary_grouping", key: ["iri"] }, groupingFromRow)

const isExported = (sql: SqlClient.SqlClient) =>
  sql.literal(
    "t.deleted_at is null and t.merged_into is null and t.lifecycle in ('published', 'deprecated', 'superseded')"
  )

const exported = (source: Reading) =>
  each(
    source,
    { table: "entity", select: "t.id", where: isExported(source.sql), size: pageSizes.link },
    ({ id }: { readonly id: EntityId }) => id
  )

const concepts = (source: Reading) =>
  tablePages(
    source,
    { table: "entity", where: isExported(source.sql), size: pageSizes.concept },
    (rows: ReadonlyArray<EntityRow>) =>
      rows.length === 0 ? Effect.succeed([]) : Effect.map(pageOf(source, rows), (page) => [page])
  ).pipe(Stream.rechunk(1))

/** Changes whose notes are exported; notes of other changes are internal. */
const exportedChangeKinds = ["certify", "update", "set_lifecycle", "deprecate", "supersede", "merge"] as const

const pageOf = ({ sql, workspace }: Reading, rows: ReadonlyArray<EntityRow>) =>
  Effect.gen(function* () {
    const heads = rows.map(({ id }) => id)
    const members = yield* sql<EntityRow>`select * from entity
      where workspace_id = ${workspace} and id <> head_id and deleted_at is null and id in (
        select id from entity where workspace_id = ${workspace} and ${sql.in("head_id", heads)})
      order by id`
    const ids = [...heads, ...members.map(({ id }) => id)]
    const aliases = groupBy(
      yield* sql<AliasRow>`select entity_id, alias, extracted from entity_alias
        where workspace_id = ${workspace} and ${sql.in("entity_id", ids)}
        order by entity_id, extracted, alias_norm`,
      ({ entity_id }) => entity_id
    )
    const kept = groupBy(
      yield* sql<{ entity_id: EntityId }>`select * from concept where workspace_id = ${workspace}
        and ${sql.in("entity_id", ids)} order by iri`,
      ({ entity_id }) => entity_id
    )
    const related = groupBy(yield* relatedTo(sql, workspace, heads), ({ own }) => own)
    const deeds = groupBy(
      yield* sql<DeedRow>`select entity_id, change_kind, changed_by, note from entity_revision
        where workspace_id = ${workspace} and ${sql.in("entity_id", heads)}
          and (change_kind = 'certify' or note is not null and ${sql.in("change_kind", exportedChangeKinds)})
        order by entity_id, version`,
      ({ entity_id }) => entity_id
    )
    const successors = new Map(
      (yield* inBatches(
        rows.flatMap(({ superseded_by }) => superseded_by ?? []),
        (batch) => sql<Pick<EntityRow, "id" | "head_id">>`select id, head_id from entity
          where workspace_id = ${workspace} and ${sql.in("id", batch)}`
      )).map(({ head_id, id }) => [id, head_id])
    )
    const entity = (row: EntityRow) => entityFromRow(row, aliases.get(row.id) ?? [])
    const byHead = groupBy(members, ({ head_id }) => head_id)
    return rows.map((row): ExportedConcept => {
      const own = byHead.get(row.id) ?? []
      const done = deeds.get(row.id) ?? []
      const certified = done.filter(({ change_kind }) => change_kind === "certify").at(-1)
      return {
        entity: entity(row),
        successor: row.superseded_by === null ? null : (successors.get(row.superseded_by) ?? null),
        members: own.map(entity),
        concepts: [row, ...own].flatMap(({ id }) => kept.get(id) ?? []).map(conceptFromRow),
        related: [...new Set((related.get(row.id) ?? []).map(({ other }) => other))],
        certifiedBy: row.authority === "certified" ? (certified?.changed_by ?? null) : null,
        notes: done.flatMap(({ note }) => (note === null ? [] : [note]))
      }
    })
  })

interface DeedRow {
  readonly entity_id: EntityId
  readonly change_kind: string
  readonly changed_by: string
  readonly note: string | null
}

const relatedTo = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, heads: ReadonlyArray<EntityId>) =>
  sql<{ own: EntityId; other: EntityId }>`
    select src_id as own, dst_id as other from edge
      where workspace_id = ${workspace} and ${sql.in("src_id", heads)} and type not in ${hierarchical(sql)}
    union
    select dst_id as own, src_id as other from edge
      where workspace_id = ${workspace} and ${sql.in("dst_id", heads)} and type not in ${hierarchical(sql)}`
