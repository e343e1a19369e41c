import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  type AgentId,
  type RunId,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import {
  type Claim,
  type RunFilter,
  type RunSignals,
  RunStore,
  type StoredRun
} from "../../../../core/work/agent-runs/index.js"
import { toNumber } from "../../codec.js"
import { asUnits } from "../../columns.js"
import {
  done,
  hasRows,
  insertRows,
  readAll,
  readCount,
  readFirst,
  readPage,
  readReadable
} from "../../rows.js"
import { agents } from "./agent-store.js"
import { runColumns, runSelection, stepColumns, stepSelection } from "./rows.js"
import { approvalMethods, feedbackMethods, ledgerMethods } from "./run-parts.js"

/** Who holds leases here, and whether another holder's process is known to be gone. */
interface RunStoreOptions<R> {
  readonly owner: string
  readonly isOwnerGone: (owner: string) => boolean
  readonly signals: Effect.Effect<RunSignals, never, R>
}

interface HeldRow {
  readonly id: RunId
  readonly status: StoredRun["status"]
  readonly fence: unknown
  readonly lease_owner: string | null
  readonly lease_until: string | null
}

/** Stores agents and their runs in SQL. */
export const sqlRunStore = <R>({ isOwnerGone, owner, signals }: RunStoreOptions<R>) =>
  serviceLayer(
    RunStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = sql.literal(runSelection)
      const isFree = ({ lease_owner, lease_until, status }: HeldRow, at: string): boolean =>
        status === "queued" || lease_owner === null || isOwnerGone(lease_owner) || (lease_until ?? "") <= at

      /** One statement takes the run only as it was read, so of many takers one wins. */
      const claim = (workspace: WorkspaceScope, id: RunId, at: string, until: string) =>
        Effect.gen(function* () {
          const [row] =
            yield* sql<HeldRow>`select * from agent_run where workspace_id = ${workspace} and id = ${id}`
          if (row === undefined || (row.status !== "queued" && row.status !== "running"))
            return { state: "idle" } satisfies Claim
          if (!isFree(row, at)) return { state: "held", until: row.lease_until ?? at } satisfies Claim
          const claimedRows = yield* sql`update agent_run set status = 'running', fence = fence + 1,
              lease_owner = ${owner}, lease_until = ${until}, started_at = coalesce(started_at, ${at})
            where workspace_id = ${workspace} and id = ${id} and fence = ${toNumber(row.fence)}
              and status = ${row.status} returning ${all}`
          const [won] = claimedRows
          return won === undefined
            ? ({ state: "held", until: at } satisfies Claim)
            : ({ state: "claimed", run: runColumns.read(won) } satisfies Claim)
        })

      const where = (workspace: WorkspaceScope, filter: RunFilter) => {
        const { agentId, conversationId, feedback, from, status, to } = filter
        const mood = feedback === "any" ? sql`1 = 1` : sql`f.sentiment = ${feedback ?? ""}`
        return sql.and([
          sql`workspace_id = ${workspace}`,
          ...(status === undefined ? [] : [sql`status = ${status}`]),
          ...(agentId === undefined ? [] : [sql`agent_id = ${agentId}`]),
          ...(conversationId === undefined ? [] : [sql`conversation_id = ${conversationId}`]),
          ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
          ...(to === undefined ? [] : [sql`created_at < ${to}`]),
          ...(feedback === undefined
            ? []
            : [
                sql`exists (select 1 from agent_feedback f where f.workspace_id = ${workspace}
                  and f.run_id = agent_run.id and ${mood})`
              ])
        ])
      }

      return {
        agents: yield* agents,
        signals: yield* signals,
        insert: (workspace, run) =>
          insertRows(sql, "agent_run", [{ workspace_id: workspace, ...runColumns.write(run) }]),
        find: (workspace, id) =>
          sql`select ${all} from agent_run where workspace_id = ${workspace} and id = ${id}`.pipe(
            readFirst(runColumns.read)
          ),
        claim: (workspace, id, at, until) => Effect.orDie(claim(workspace, id, at, until)),
        hold: (workspace, id, fence, until) =>
          sql`update agent_run set lease_until = ${until}
            where workspace_id = ${workspace} and id = ${id} and fence = ${fence} and status = 'running' returning id`.pipe(
            hasRows
          ),
        update: (workspace, id, change) => {
          const ends = change.status !== undefined && change.status !== "running"
          const row = {
            ...runColumns.write(change),
            ...(ends ? { lease_owner: null, lease_until: null } : {})
          }
          return Object.keys(row).length === 0
            ? Effect.void
            : done(
                sql`update agent_run set ${sql.update(row)} where workspace_id = ${workspace} and id = ${id}`
              )
        },
        addTotals: (workspace, id, { costUsd, tokensIn, tokensOut }) =>
          done(sql`update agent_run set tokens_in = tokens_in + ${tokensIn}, tokens_out = tokens_out + ${tokensOut},
              cost_usd_1e10 = cost_usd_1e10 + cast(${asUnits(costUsd)} as bigint)
            where workspace_id = ${workspace} and id = ${id}`),
        isCancelRequested: (workspace, id) =>
          sql<{ cancel_requested: number }>`select cancel_requested from agent_run
            where workspace_id = ${workspace} and id = ${id}`.pipe(
            Effect.map(([row]) => row?.cancel_requested === 1),
            Effect.orDie
          ),
        countActive: (workspace) =>
          sql<{ n: unknown }>`select count(*) as n from agent_run
            where workspace_id = ${workspace} and status in ('queued', 'running')`.pipe(readCount),
        owed: (workspace, at) =>
          sql<HeldRow>`select id, status, lease_owner, lease_until from agent_run
            where workspace_id = ${workspace} and status in ('queued', 'running')`.pipe(
            Effect.map((rows) => rows.filter((row) => isFree(row, at)).map(({ id }) => id)),
            Effect.orDie
          ),
        list: (workspace, filter, page) =>
          readPage(sql, page, {
            select: all,
            from: sql`agent_run where ${where(workspace, filter)}`,
            order: sql`id desc`,
            read: runColumns.read,
            what: "runs"
          }),
        lastRunAt: (workspace) =>
          sql<{ agent_id: AgentId; at: string }>`select agent_id, max(created_at) as at from agent_run
            where workspace_id = ${workspace} group by agent_id`.pipe(
            Effect.map((rows) => new Map(rows.map(({ agent_id, at }) => [agent_id, at]))),
            Effect.orDie
          ),
        conversation: (workspace, id, limit) =>
          sql`select ${all} from agent_run where workspace_id = ${workspace} and conversation_id = ${id}
            and status = 'succeeded' order by id desc limit ${limit}`.pipe(
            readReadable("runs", runColumns.read)
          ),
        hasConversation: (workspace, id) =>
          sql`select 1 from agent_run where workspace_id = ${workspace} and conversation_id = ${id} limit 1`.pipe(
            hasRows
          ),
        steps: (workspace, run) =>
          sql`select ${sql.literal(stepSelection)} from agent_step where workspace_id = ${workspace} and run_id = ${run} order by idx`.pipe(
            readAll(stepColumns.read)
          ),
        putSteps: (workspace, run, steps) =>
          Effect.forEach(
            steps,
            (step) =>
              sql`insert into agent_step ${sql.insert({ workspace_id: workspace, run_id: run, ...stepColumns.write(step) })}
                on conflict (workspace_id, run_id, idx) do update set status = excluded.status, model_id = excluded.model_id,
                  input = excluded.input, output = excluded.output, error = excluded.error,
                  tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out,
                  cost_usd_1e10 = excluded.cost_usd_1e10, reserved_usd_1e10 = excluded.reserved_usd_1e10,
                  latency_ms = excluded.latency_ms, started_at = excluded.started_at, finished_at = excluded.finished_at`,
            { discard: true }
          ).pipe(Effect.orDie),
        ...approvalMethods(sql),
        ...feedbackMethods(sql),
        ...ledgerMethods(sql)
      }
    })
  )
