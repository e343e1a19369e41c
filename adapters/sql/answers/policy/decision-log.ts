import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  type DecisionFilter,
  type DecisionGroup,
  type DecisionLog,
  PolicyDecision,
  reasonKind,
  redactDecision
} from "../../../../core/answers/policy/index.js"
import type { WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { objectIn, ofShape, toJson } from "../../codec.js"
import { type Column, columnsOf, flag, number, text } from "../../columns.js"
import { inBatches, insertTogether, readAll, readFirst, readPage } from "../../rows.js"
import { containsText } from "../../text-filter.js"

const columns = columnsOf<Pick<PolicyDecision, "id" | "decidedAt" | "answerId" | "question">>({
  id: text(),
  decidedAt: text(),
  answerId: text(),
  question: text()
})

/** A row of a decision, with what has no columns of its own. */
interface DecisionRow {
  readonly id: PolicyDecision["id"]
  readonly detail: string
}

export const decisionFromRow = (row: DecisionRow): PolicyDecision => ({
  ...objectIn<Omit<PolicyDecision, "id" | "decidedAt" | "answerId" | "question">>(row.detail),
  ...columns.read(row)
})

const Listed = PolicyDecision.pick({
  mode: true,
  verdict: true,
  confidence: true,
  calibrationVersion: true,
  reasons: true,
  caveats: true,
  conflicts: true
}).loose()

/** Parses a row that has at least the listed fields. */
const listedFromRow = (row: DecisionRow): PolicyDecision => {
  const decision = decisionFromRow(row)
  ofShape(Listed, `the decision ${row.id}`, decision)
  return decision
}

/** Parses a complete row. */
const strictFromRow = (row: DecisionRow): PolicyDecision => {
  const decision = decisionFromRow(row)
  ofShape(PolicyDecision, `the decision ${row.id}`, decision)
  return decision
}

const decisionToRow = (
  workspace: WorkspaceScope,
  { answerId, decidedAt, id, question, ...detail }: PolicyDecision
) => ({
  workspace_id: workspace,
  ...columns.write({ id, decidedAt, answerId, question }),
  ...filedUnder(detail),
  detail: toJson(detail)
})

/** Returns the columns for counting and searching decisions. */
const filedUnder = (decision: Omit<PolicyDecision, "id" | "decidedAt" | "answerId" | "question">) => ({
  mode: decision.mode,
  verdict: decision.verdict,
  gate: decision.gate,
  applied: decision.applied ? 1 : 0,
  confidence_bin: binOf(decision.confidence),
  confidence: decision.confidence,
  reason_kinds: [...new Set(decision.reasons.map(reasonKind))].sort().join(),
  caveat_codes: decision.caveats.map(({ code }) => code).join(),
  conflicting: decision.conflicts.length > 0 ? 1 : 0,
  claims: decision.groundedness.total,
  verified: decision.groundedness.verified
})

/** Returns the first i with confidence <= (i + 1) / 10. */
const binOf = (confidence: number): number => Math.min(9, Math.max(0, Math.ceil(confidence * 10) - 1))

const list: Column<ReadonlyArray<string>> = {
  read: (cell) => (cell === "" ? [] : String(cell).split(",")),
  write: (values) => values.join()
}

const groupColumns = columnsOf<DecisionGroup>({
  day: text(),
  mode: text(),
  verdict: text(),
  gate: text(),
  applied: flag(),
  reasonKinds: list,
  caveatCodes: list,
  confidenceBin: number(),
  count: number("n"),
  confidenceSum: number(),
  claims: number(),
  verified: number(),
  conflicting: number()
})

export const decisions: Effect.Effect<DecisionLog, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const selection = sql.literal("d.id, d.decided_at, d.answer_id, d.question, d.detail")
  const matching = (
    workspace: WorkspaceScope,
    { askedBy, document, from, mode, q, to, verdict }: DecisionFilter
  ) =>
    sql.and([
      sql`d.workspace_id = ${workspace}`,
      ...(verdict === undefined ? [] : [sql`d.verdict = ${verdict}`]),
      ...(mode === undefined ? [] : [sql`d.mode = ${mode}`]),
      ...(q === undefined || q.trim() === "" ? [] : [containsText(sql, ["d.question"], q)]),
      ...(askedBy === undefined
        ? []
        : [
            sql`exists (select 1 from answer a where a.workspace_id = ${workspace}
                and a.id = d.answer_id and a.asked_by = ${askedBy})`
          ]),
      ...(from === undefined ? [] : [sql`d.decided_at >= ${from}`]),
      ...(to === undefined ? [] : [sql`d.decided_at < ${to}`]),
      ...(document === undefined
        ? []
        : [
            sql`exists (select 1 from policy_decision_source s where s.workspace_id = ${workspace}
                and s.document_id = ${document} and s.decision_id = d.id)`
          ])
    ])
  return {
    add: (workspace, decisions) =>
      insertTogether(sql, [
        {
          table: "policy_decision",
          rows: decisions.map((decision) => decisionToRow(workspace, decision))
        },
        {
          table: "policy_decision_source",
          rows: decisions.flatMap(({ id, sources }) =>
            [...new Set(sources.map(({ docId }) => docId))].map((document) => ({
              workspace_id: workspace,
              document_id: document,
              decision_id: id
            }))
          )
        }
      ]),
    find: (workspace, id) =>
      sql<DecisionRow>`select ${selection} from policy_decision d
          where d.workspace_id = ${workspace} and d.id = ${id}`.pipe(readFirst(strictFromRow)),
    list: (workspace, filter, page) =>
      readPage(sql, page, {
        select: selection,
        from: sql`policy_decision d where ${matching(workspace, filter)}`,
        order: sql`d.decided_at desc, d.id desc`,
        read: listedFromRow,
        what: "decisions"
      }),
    groups: (workspace, from, to) =>
      sql`select substr(decided_at, 1, 10) as day, mode, verdict, gate, applied, reason_kinds,
            caveat_codes, confidence_bin, count(*) as n, sum(confidence) as confidence_sum, sum(claims) as claims,
            sum(verified) as verified, sum(conflicting) as conflicting
          from policy_decision
          where workspace_id = ${workspace} and decided_at >= ${from} and decided_at < ${to}
          group by substr(decided_at, 1, 10), mode, verdict, gate, applied, reason_kinds, caveat_codes, confidence_bin
          order by day, mode, verdict, gate, applied, reason_kinds, caveat_codes, confidence_bin`.pipe(
        readAll(groupColumns.read)
      ),
    prune: (workspace, before, limit) =>
      Effect.gen(function* () {
        const old = yield* sql<{ id: string }>`select id from policy_decision
            where workspace_id = ${workspace} and decided_at < ${before} order by decided_at, id limit ${limit}`
        const ids = old.map(({ id }) => id)
        for (const table of ["policy_decision_source", "policy_decision"] as const) {
          const column = table === "policy_decision" ? "id" : "decision_id"
          yield* inBatches(
            ids,
            (batch) =>
              sql`delete from ${sql(table)} where workspace_id = ${workspace} and ${sql.in(column, batch)}`
          )
        }
        return ids.length
      }).pipe(Effect.orDie),
    redact: (workspace, limit) =>
      Effect.gen(function* () {
        const rows = yield* sql<DecisionRow>`select ${selection} from policy_decision d
            where d.workspace_id = ${workspace} and d.question is not null order by d.id limit ${limit}`
        for (const row of rows) {
          const { detail, reason_kinds } = decisionToRow(workspace, redactDecision(decisionFromRow(row)))
          yield* sql`update policy_decision set question = null, detail = ${detail}, reason_kinds = ${reason_kinds}
              where workspace_id = ${workspace} and id = ${row.id}`
        }
        return rows.length
      }).pipe(Effect.orDie)
  }
})
