import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AgentStore } from "../../../core/agents/index.js"
import { serviceLayer } from "../../../core/kernel/index.js"
import { readableOf, toJson } from "../codec.js"
import { insertRows } from "../rows.js"
import { type AgentRow, agentFromRow, type VersionRow, versionFromRow } from "./rows.js"

export const sqlAgentStore = serviceLayer(
  AgentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      find: (workspace, slugOrId) =>
        sql<AgentRow>`select * from agent where workspace_id = ${workspace}
            and (id = ${slugOrId} or slug = ${slugOrId})`.pipe(
          Effect.map(([row]) => Option.map(Option.fromNullable(row), agentFromRow)),
          Effect.orDie
        ),
      list: (workspace) =>
        sql<AgentRow>`select * from agent where workspace_id = ${workspace} order by slug`.pipe(
          Effect.map((rows) => rows.map(agentFromRow)),
          Effect.orDie
        ),
      put: (workspace, agent) => {
        const row = {
          name: agent.name,
          description: agent.description,
          enabled: agent.enabled ? 1 : 0,
          archived: agent.archived ? 1 : 0,
          updated_at: agent.updatedAt
        }
        const all = {
          workspace_id: workspace,
          id: agent.id,
          slug: agent.slug,
          created_at: agent.createdAt,
          ...row
        }
        return sql`insert into agent ${sql.insert(all)} on conflict (workspace_id, id) do update set
            name = excluded.name, description = excluded.description, enabled = excluded.enabled,
            archived = excluded.archived, updated_at = excluded.updated_at`.pipe(Effect.asVoid, Effect.orDie)
      },
      addVersion: (
        workspace,
        agent,
        { budgets, changedBy, createdAt, id, instructions, modelRole, note, number, tools }
      ) =>
        insertRows(sql, "agent_version", [
          {
            workspace_id: workspace,
            agent_id: agent,
            number,
            id,
            behaviour: toJson({ instructions, modelRole, tools, budgets }),
            changed_by: changedBy,
            note,
            created_at: createdAt
          }
        ]),
      versions: (workspace, agent) =>
        sql<VersionRow>`select * from agent_version where workspace_id = ${workspace} and agent_id = ${agent}
          order by number desc`.pipe(
          Effect.flatMap((rows) => readableOf(rows, "agent versions", versionFromRow)),
          Effect.orDie
        )
    }
  })
)
