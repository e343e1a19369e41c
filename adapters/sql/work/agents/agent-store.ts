import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

import type { AgentStore } from "../../../../core/work/agent-runs/index.js"
import { done, insertRows, readAll, readFirst, readReadable } from "../../rows.js"
import { agentColumns, versionFromRow, versionToRow } from "./rows.js"

/** Stores agents and their versions in SQL. */
export const agents: Effect.Effect<AgentStore, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  (sql) => ({
    find: (workspace, slugOrId) =>
      sql`select * from agent where workspace_id = ${workspace}
          and (id = ${slugOrId} or slug = ${slugOrId})`.pipe(readFirst(agentColumns.read)),
    list: (workspace) =>
      sql`select * from agent where workspace_id = ${workspace} order by slug`.pipe(
        readAll(agentColumns.read)
      ),
    put: (workspace, agent) =>
      done(sql`insert into agent ${sql.insert({ workspace_id: workspace, ...agentColumns.write(agent) })}
        on conflict (workspace_id, id) do update set
          name = excluded.name, description = excluded.description, enabled = excluded.enabled,
          archived = excluded.archived, updated_at = excluded.updated_at`),
    addVersion: (workspace, agent, version) =>
      insertRows(sql, "agent_version", [{ workspace_id: workspace, ...versionToRow(agent, version) }]),
    versions: (workspace, agent) =>
      sql`select * from agent_version where workspace_id = ${workspace} and agent_id = ${agent}
        order by number desc`.pipe(readReadable("agent versions", versionFromRow))
  })
)
