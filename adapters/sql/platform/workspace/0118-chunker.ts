import { migration } from "../../migration.js"

/** The identity of the chunker that cut the passages of a workspace; null for the built-in one. */
export default migration(({ sql }) => [sql`alter table workspace add column chunker text`])
