import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { AgentStore } from "../../../core/agents/index.js"
import { serviceLayer } from "../../../core/kernel/index.js"
import { readableOf } from "../codec.js"
import { insertRows, readAll, readFirst } from "../rows.js"
import {
  type AgentRow,
  agentFromRow,
  agentToRow,
  type VersionRow,
  versionFromRow,
  versionToRow
} from "./rows.js"

export const sqlAgentStore = serviceLayer(
  AgentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      find: (workspace, slugOrId) =>
        sql<AgentRow>`select * from agent where workspace_id = ${workspace}
            and (id = ${slugOrId} or slug = ${slugOrId})`.pipe(readFirst(agentFromRow)),
      list: (workspace) =>
        sql<AgentRow>`select * from agent where workspace_id = ${workspace} order by slug`.pipe(
          readAll(agentFromRow)
        ),
      put: (workspace, agent) =>
        sql`insert into agent ${sql.insert({ workspace_id: workspace, ...agentToRow(agent) })}
          on conflict (workspace_id, id) do update set
            name = excluded.name, description = excluded.description, enabled = excluded.enabled,
            archived = excluded.archived, updated_at = excluded.updated_at`.pipe(Effect.asVoid, Effect.orDie),
      addVersion: (workspace, agent, version) =>
        insertRows(sql, "agent_version", [{ workspace_id: workspace, ...versionToRow(agent, version) }]),
      versions: (workspace, agent) =>
        sql<VersionRow>`select * from agent_version where workspace_id = ${workspace} and agent_id = ${agent}
          order by number desc`.pipe(
          Effect.flatMap((rows) => readableOf(rows, "agent versions", versionFromRow)),
          Effect.orDie
        )
    }
  })
)
