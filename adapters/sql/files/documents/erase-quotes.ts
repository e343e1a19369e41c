import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { deletedText, withoutOwnWords, withoutQuotes } from "../../../../core/files/documents/index.js"
import type { DocumentId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { fromJson } from "../../codec.js"

/**
 * Erases what stored answers, decisions and runs quote of a document that is removed for ever, in the unit of work of
 * its removal. What the model of such a run wrote is erased as a whole, since it may quote any result; what it gives to tools
 * once the run is over, because the calls of a run that goes on are carried out by what is stored.
 */
export const eraseQuotes = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, document: DocumentId) =>
  Effect.gen(function* () {
    const documents = new Set([document])
    const holding = `%${document}%`
    const erase = (text: string) => JSON.stringify(withoutQuotes(fromJson(text), documents))
    const answers = yield* sql<{ id: string; answer: string }>`select id, answer from answer
      where workspace_id = ${workspace} and answer like ${holding}`
    for (const { answer, id } of answers)
      yield* sql`update answer set answer = ${erase(answer)} where workspace_id = ${workspace} and id = ${id}`
    const decisions = yield* sql<{ id: string; detail: string }>`select d.id, d.detail
      from policy_decision_source s
      join policy_decision d on d.workspace_id = ${workspace} and d.id = s.decision_id
      where s.workspace_id = ${workspace} and s.document_id = ${document}`
    for (const { detail, id } of decisions)
      yield* sql`update policy_decision set detail = ${erase(detail)}
        where workspace_id = ${workspace} and id = ${id}`
    const runs = yield* sql<{ run_id: string }>`select distinct run_id from agent_step
      where workspace_id = ${workspace} and output like ${holding}`
    for (const { run_id } of runs) {
      const [run] = yield* sql<{
        output: string | null
        finished_at: string | null
      }>`select output, finished_at
        from agent_run where workspace_id = ${workspace} and id = ${run_id}`
      const words = (text: string) =>
        run?.finished_at == null ? text : JSON.stringify(withoutOwnWords(fromJson(text)))
      const steps = yield* sql<Step>`select idx, kind, input, output
        from agent_step where workspace_id = ${workspace} and run_id = ${run_id}`
      for (const { idx, input, kind, output } of steps) {
        const kept =
          output === null ? null : kind === "model_call" ? words(withoutText(output)) : erase(output)
        yield* sql`update agent_step set output = ${kept}, input = ${input === null ? null : words(input)}
          where workspace_id = ${workspace} and run_id = ${run_id} and idx = ${idx}`
      }
      if (run?.output != null)
        yield* sql`update agent_run set output = ${withoutText(run.output)}
          where workspace_id = ${workspace} and id = ${run_id}`
    }
  })

interface Step {
  readonly idx: number
  readonly kind: string
  readonly input: string | null
  readonly output: string | null
}

const withoutText = (output: string): string => {
  const fields: Readonly<Record<string, unknown>> = fromJson(output)
  return JSON.stringify({ ...fields, text: deletedText })
}
