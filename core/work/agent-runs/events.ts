import { ApprovalId } from "../../platform/kernel/index.js"
import type { RunEvent } from "./event-model.js"
import type { StoredRun, StoredStep } from "./model.js"
import { isTerminal } from "./model.js"
import { modelOutputOf } from "./state.js"

/** The event of a step that has ended; null for steps of which the stream says nothing. */
export const eventOfStep = (run: Pick<StoredRun, "id">, step: StoredStep): RunEvent | null => {
  if (step.status === "pending" || step.status === "skipped") return null
  if (step.kind === "model_call") {
    const { text, toolCalls } = modelOutputOf(step)
    return { type: "model_call", runId: run.id, textLength: text.length, toolCalls: toolCalls.length }
  }
  if (step.kind === "tool_call" || step.kind === "mcp_call")
    return { type: "tool_call", runId: run.id, name: step.name ?? "", ok: step.status === "ok" }
  if (step.kind === "guardrail" && step.name === "arguments") {
    const name = step.input?.["toolName"]
    return { type: "tool_call", runId: run.id, name: typeof name === "string" ? name : "", ok: false }
  }
  return null
}

/** The event that ends a stream of the run as it stands; null while there is more to come. */
export const terminalEvent = (run: StoredRun, steps: ReadonlyArray<StoredStep>): RunEvent | null => {
  if (run.status === "suspended") {
    const open = steps.find(({ kind, status }) => kind === "approval" && status === "pending")
    return open === undefined
      ? null
      : {
          type: "suspended",
          runId: run.id,
          approvalId: ApprovalId.parse(open.input?.["approvalId"]),
          toolName: open.name ?? ""
        }
  }
  if (!isTerminal(run.status)) return null
  if (run.status === "failed" && isSetUpFailure(run, steps)) {
    const error = run.error ?? { code: "internal", message: "The run could not be set up." }
    return { type: "error", message: error.code, error }
  }
  return {
    type: "final",
    runId: run.id,
    status: run.status,
    text: run.output?.text ?? null,
    citations: run.output?.citations ?? [],
    error: run.error
  }
}

/** Whether a failed run could not begin: nothing was done, or there was no model when it was its turn. */
const isSetUpFailure = ({ error }: StoredRun, steps: ReadonlyArray<StoredStep>): boolean =>
  steps.length === 0 || error?.code === "no-model-configured"
