import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * How often the edges of an entity name each type. A card shows the most frequent ones; they were counted from up to two
 * hundred edges of each entity that a walk came by, most of which lie in pages of their own in a large graph.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table edge_type (
    workspace_id text not null,
    entity_id text not null,
    type text not null,
    mention_count bigint not null,
    primary key (workspace_id, entity_id, type)
  ) ${dialect(sql).clustered}`
  yield* sql`insert into edge_type (workspace_id, entity_id, type, mention_count)
    select workspace_id, entity_id, type, sum(mention_count) from (
      select workspace_id, src_id as entity_id, type, mention_count from edge
      union all select workspace_id, dst_id, type, mention_count from edge) as ends
    group by workspace_id, entity_id, type having sum(mention_count) <> 0`
})
