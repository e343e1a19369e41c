import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { EdgeEnds, EdgeVisitor } from "../../../../core/knowledge/graph/index.js"
import type { EntityId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { fromJson, toNumber } from "../../codec.js"
import { inBatches } from "../../rows.js"

/*
 * Data derived from relations: the edges between heads, and for each head the mention counts of its edge types in
 * both directions, which cards show without reading the edges.
 */

/** Rebuilds the outgoing canonical edges of these heads from the live relations. */
export const rebuildEdges = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  sources: ReadonlyArray<EntityId>
): Effect.Effect<void> =>
  inBatches([...new Set(sources)], (batch) =>
    Effect.gen(function* () {
      const own = sql.in("src_id", batch)
      const drawn = edgesFromRelations(sql, workspace, sql.in("src_head", batch))
      yield* countTypes(sql, workspace, { old: sql`${edgesOf(sql, workspace)} and ${own}`, drawn })
      yield* sql`delete from edge where workspace_id = ${workspace} and ${own}`
      yield* insertEdges(sql, drawn)
      return []
    })
  ).pipe(Effect.asVoid, Effect.orDie)

/** Rebuilds all edges of the workspace and their counts. */
export const rebuildAllEdges = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (const table of ["edge", "edge_type"])
      yield* sql`delete from ${sql(table)} where workspace_id = ${workspace}`
    yield* insertEdges(sql, edgesFromRelations(sql, workspace))
    yield* sql`insert into edge_type (workspace_id, entity_id, type, mention_count)
      select workspace_id, entity_id, type, mention_count from (${typesOf(sql, edgesOf(sql, workspace))}) as counted`
  })

/** Counts edges and type counts that differ from the live relations. */
export const differingEdges = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope
): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    const [edges] = yield* sql<{ n: unknown }>`select count(*) as n from (
      select src_id from (${edgesOf(sql, workspace)} union all ${edgesFromRelations(sql, workspace)}) as either
      group by src_id, type, dst_id, mention_count having count(*) = 1) as differing`
    const [types] = yield* sql<{ n: unknown }>`select count(*) as n from (
      select entity_id from (
        select workspace_id, entity_id, type, mention_count from edge_type where workspace_id = ${workspace}
        union all select * from (${typesOf(sql, edgesOf(sql, workspace))}) as given) as either
      group by entity_id, type, mention_count having count(*) = 1) as differing`
    return toNumber(edges?.n) + toNumber(types?.n)
  })

/** Returns the edges that live relations give, of some source heads or all. */
const edgesFromRelations = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  ofSource?: Fragment
): Fragment =>
  sql`select workspace_id, src_head as src_id, type, dst_head as dst_id,
      sum(evidence_count + case when origin = 'extraction' then 0 else 1 end) as mention_count
    from relation where workspace_id = ${workspace} and ${ofSource ?? sql`src_head is not null`}
      and dst_head is not null and dst_head <> src_head and deleted_at is null
    group by workspace_id, src_head, type, dst_head`

const edgesOf = (sql: SqlClient.SqlClient, workspace: WorkspaceScope): Fragment =>
  sql`select workspace_id, src_id, type, dst_id, mention_count from edge where workspace_id = ${workspace}`

const insertEdges = (sql: SqlClient.SqlClient, edges: Fragment) =>
  sql`insert into edge (workspace_id, src_id, type, dst_id, mention_count)
    select workspace_id, src_id, type, dst_id, mention_count from (${edges}) as drawn`

/** Returns the type counts of edges at both ends. */
const typesOf = (sql: SqlClient.SqlClient, edges: Fragment): Fragment =>
  sql`with edges as (${edges}) select workspace_id, entity_id, type, sum(mention_count) as mention_count from (
      select workspace_id, src_id as entity_id, type, mention_count from edges
      union all select workspace_id, dst_id, type, mention_count from edges) as ends
    group by workspace_id, entity_id, type having sum(mention_count) <> 0`

/** Updates type counts by the difference that changed edges make, so that a hub at the other end is not recounted. */
const countTypes = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  { drawn, old }: { readonly old: Fragment; readonly drawn: Fragment }
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const change = sql`select workspace_id, src_id, type, dst_id, -mention_count as mention_count from (${old}) as old
      union all select workspace_id, src_id, type, dst_id, mention_count from (${drawn}) as new`
    const counted = yield* sql<{ entity_id: EntityId; type: string; mention_count: unknown }>`
      insert into edge_type (workspace_id, entity_id, type, mention_count)
      select workspace_id, entity_id, type, mention_count
      from (${typesOf(sql, change)}) as changed where true order by entity_id, type
      on conflict (workspace_id, entity_id, type)
        do update set mention_count = edge_type.mention_count + excluded.mention_count
      returning entity_id, type, mention_count`
    for (const { entity_id, mention_count, type } of counted)
      if (toNumber(mention_count) <= 0)
        yield* sql`delete from edge_type where workspace_id = ${workspace}
          and entity_id = ${entity_id} and type = ${type}`
  })

type TypeCount = readonly [type: string, mentionCount: number]

/** Parses a JSON list of types with mention counts. */
export const typesIn = (pairs: string | null): ReadonlyArray<TypeCount> =>
  pairs === null || pairs === "[]" ? [] : fromJson(pairs)

/** Sorts by mention count descending, then by name. */
export const strongestTypes = (types: ReadonlyArray<TypeCount>): ReadonlyArray<string> =>
  [...types].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([type]) => type)

/** Parses a text of edge ends with mention counts. */
export const endsIn = (joined: string | null): EdgeEnds =>
  (joined === null ? [] : joined.split(","))
    .map((pair) => {
      const gap = pair.indexOf(" ")
      return { id: pair.slice(0, gap) as EntityId, mentionCount: Number(pair.slice(gap + 1)) }
    })
    .sort(strongestFirst)

/** Visits the ends of such a text one by one. */
export const visitEnds = (joined: string, visit: EdgeVisitor): void => {
  for (let at = 0; at < joined.length; ) {
    const gap = joined.indexOf(" ", at)
    const comma = joined.indexOf(",", gap)
    const end = comma < 0 ? joined.length : comma
    visit(joined.slice(at, gap) as EntityId, Number(joined.slice(gap + 1, end)))
    at = end + 1
  }
}

/** Compares by mention count descending, then by the other end. */
export const strongestFirst = (a: EdgeEnds[number], b: EdgeEnds[number]): number =>
  b.mentionCount - a.mentionCount || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
