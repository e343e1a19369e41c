import { migration } from "../../migration.js"

/** What a proposed document would do: write a text, move it, or delete it. */
export default migration(({ sql }) => [
  sql`alter table proposal add column change text not null default 'write'`
])
