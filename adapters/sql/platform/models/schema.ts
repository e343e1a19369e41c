import { migration } from "../../migration.js"

/** Usage of a workspace's models per month. */
export default migration(({ clustered, sql }) => [
  sql`create table model_usage (
    workspace_id text not null,
    month text not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_usd_1e10 bigint not null,
    primary key (workspace_id, month)
  ) ${clustered}`
])
