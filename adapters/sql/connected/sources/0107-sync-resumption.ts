import { migration } from "../../migration.js"

/** What a sync run works on, and which run settled an item last. */
export default migration(({ sql }) => [
  sql`alter table sync_run add column under_way text`,
  sql`alter table external_item add column run_id text`
])
