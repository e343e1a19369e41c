import { migration } from "../../migration.js"

/** How often in a row a worker ended during a job without saying how the job ended. */
export default migration(({ sql }) => [sql`alter table job add column deaths integer not null default 0`])
