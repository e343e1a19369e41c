import { migration } from "../../migration.js"

/** How many documents of a sync run got other readers from their source. */
export default migration(({ sql }) => [
  sql`alter table sync_run add column access_changed integer not null default 0`
])
