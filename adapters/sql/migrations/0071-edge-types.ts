import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * How often the edges of an entity name each type: a card shows the most frequent ones, and counted them from up to two
 * hundred edges of each entity that a walk came by. Edges name their workspace by its number, for the same reason: of
 * those of a large graph each walk reads other pages, and there are a third fewer.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered, onPostgres, rankedKey } = dialect(sql)
  const rank = "workspace_no, src_id, mention_count desc, dst_id, type"
  yield* sql`create table edge_numbered (
    workspace_no integer not null,
    src_id text not null,
    type text not null,
    dst_id text not null,
    mention_count integer not null,
    ${rankedKey(rank, "workspace_no, src_id, type, dst_id")}
  ) ${clustered}`
  yield* sql`insert into edge_numbered (workspace_no, src_id, type, dst_id, mention_count)
    select w.number, e.src_id, e.type, e.dst_id, e.mention_count from edge e join workspace w on w.id = e.workspace_id
    order by 1, 2, 5 desc, 4, 3`
  yield* sql`drop table edge`
  yield* sql`alter table edge_numbered rename to edge`
  yield* onPostgres(sql`create index edge_out on edge (${sql.literal(rank)})`)
  yield* sql`create index edge_in on edge (workspace_no, dst_id, mention_count desc, src_id, type)`
  yield* sql`create index edge_hierarchy on edge (workspace_no, src_id, type, dst_id)
    where type in ('broader', 'narrower')`
  yield* sql`create table edge_type (
    workspace_no integer not null,
    entity_id text not null,
    type text not null,
    mention_count bigint not null,
    primary key (workspace_no, entity_id, type)
  ) ${clustered}`
  yield* sql`insert into edge_type (workspace_no, entity_id, type, mention_count)
    select workspace_no, entity_id, type, sum(mention_count) from (
      select workspace_no, src_id as entity_id, type, mention_count from edge
      union all select workspace_no, dst_id, type, mention_count from edge) as ends
    group by workspace_no, entity_id, type having sum(mention_count) <> 0 order by 1, 2, 3`
})
