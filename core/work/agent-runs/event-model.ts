import { z } from "zod"
import { ApprovalId, RunId } from "../../platform/kernel/index.js"
import { RunCitation, RunError, terminalStatuses } from "./model.js"

const Count = z.int().min(0)

/** A model was called. */
export const RunModelCallEvent = z.object({
  type: z.literal("model_call"),
  runId: RunId,
  textLength: Count,
  toolCalls: Count
})
/** A tool was called; `ok` is false where it failed, was refused or denied. */
export const RunToolCallEvent = z.object({
  type: z.literal("tool_call"),
  runId: RunId,
  name: z.string(),
  ok: z.boolean()
})
/** The run has ended. */
export const RunFinalEvent = z.object({
  type: z.literal("final"),
  runId: RunId,
  status: z.enum(terminalStatuses),
  text: z
    .string()
    .nullable()
    .describe("Of a run that failed or was stopped: what it had until then, or null."),
  citations: z.array(RunCitation),
  error: RunError.nullable().describe("Why the run did not succeed; null when it did.")
})
/** A tool call awaits the decision of a person. */
export const RunSuspendedEvent = z.object({
  type: z.literal("suspended"),
  runId: RunId,
  approvalId: ApprovalId,
  toolName: z.string()
})
/** The run could not be set up. */
export const RunErrorEvent = z.object({
  type: z.literal("error"),
  message: z.string().describe("The code of the error, such as `no-model-configured`."),
  error: RunError
})
/** An event of a run's stream: the contract's five types, no others. The last three end the stream. */
export const RunEvent = z.discriminatedUnion("type", [
  RunModelCallEvent,
  RunToolCallEvent,
  RunFinalEvent,
  RunSuspendedEvent,
  RunErrorEvent
])
export type RunEvent = z.infer<typeof RunEvent>
/** Whether an event ends the stream of a run; a suspended run ends its stream too. */
export const isTerminalEvent = ({ type }: RunEvent): boolean =>
  type === "final" || type === "suspended" || type === "error"
