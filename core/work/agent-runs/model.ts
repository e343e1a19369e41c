import { z } from "zod"
import { PolicyBlock } from "../../answers/policy/index.js"
import {
  type AgentId,
  AgentVersionId,
  ApprovalId,
  ConversationId,
  MomentOrDay,
  pageLimit,
  pageOffset,
  RunConfigId,
  RunId,
  type Scope,
  StepId,
  Timestamp
} from "../../platform/kernel/index.js"
import type { TurnMessage } from "../../platform/models/index.js"
import { ApprovalPolicy, ToolEffect } from "../../platform/workspace/index.js"
import type { BoundTool, Budgets } from "./agent-model.js"
import { Feedback } from "./feedback-model.js"
import { RunStatus } from "./states.js"

const Money = z.string().describe("US dollars as a decimal string, exact.")
const Count = z.int().min(0)

/** The statuses in which a run has ended and does not change any more. */
export const terminalStatuses = [
  "succeeded",
  "failed",
  "budget_exceeded",
  "interrupted"
] as const satisfies ReadonlyArray<RunStatus>
/** A status of `terminalStatuses`. */
export type TerminalStatus = (typeof terminalStatuses)[number]
/** Whether a status means that the run has ended. */
export const isTerminal = (status: RunStatus): status is TerminalStatus =>
  terminalStatuses.some((one) => one === status)

/** Reason why a run did not succeed. */
export const RunErrorCode = z.enum([
  "model_unavailable",
  "no-model-configured",
  "invalid_tool_arguments",
  "tool_loop",
  "empty_reply",
  "input_refused",
  "cancelled",
  "key_revoked",
  "approval_expired",
  "outcome_unknown",
  "budget_steps",
  "budget_tokens",
  "budget_cost",
  "budget_time",
  "internal"
])
export type RunErrorCode = z.infer<typeof RunErrorCode>
/** The reason why a run did not succeed: a code for programs and a message for people. */
export const RunError = z.object({ code: RunErrorCode, message: z.string() })
export type RunError = z.infer<typeof RunError>

/** A passage that an answer cites: `[Sn]` in the text means the n-th. */
export const RunCitation = z.object({ docId: z.string(), chunkId: z.string() })
export type RunCitation = z.infer<typeof RunCitation>

/** Number of claims of an answer that its sources verify, and number of all claims. */
export const Groundedness = z.object({ verified: Count, total: Count })
/** The final answer of a run with its citations; `policy` is the gate's decision about it. */
export const RunOutput = z.object({
  text: z.string(),
  citations: z.array(RunCitation),
  truncated: z
    .boolean()
    .optional()
    .describe("True where the model's last reply was cut off at its length limit."),
  groundedness: Groundedness.optional(),
  policy: PolicyBlock.optional()
})
export type RunOutput = z.infer<typeof RunOutput>

/** The door by which a run was started. */
export const RunTrigger = z.enum(["api", "mcp", "cli", "embedded"])
export type RunTrigger = z.infer<typeof RunTrigger>

const runFields = {
  id: RunId,
  agentVersionId: AgentVersionId,
  conversationId: ConversationId.nullable(),
  status: RunStatus,
  trigger: RunTrigger,
  input: z.string(),
  error: RunError.nullable(),
  tokensIn: Count,
  tokensOut: Count,
  costUsd: Money,
  apiKeyId: z.string().nullable(),
  configSnapshotId: RunConfigId,
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable()
}
/** A run as it is shown. */
export const Run = z.object({
  ...runFields,
  output: RunOutput.nullable(),
  forkedFrom: RunId.nullable()
})
export type Run = z.infer<typeof Run>

/** The kind of a step in a run's journal. */
export const StepKind = z.enum(["model_call", "tool_call", "mcp_call", "guardrail", "approval", "retry"])
export type StepKind = z.infer<typeof StepKind>
/** The status of a step: `pending` while its outcome is open, otherwise how it ended. */
export const StepStatus = z.enum(["pending", "ok", "error", "denied", "skipped"])
export type StepStatus = z.infer<typeof StepStatus>

/** One entry of a run's journal. Its shape of `input` and `output` goes by its kind. */
export const RunStep = z.object({
  id: StepId,
  idx: Count,
  kind: StepKind,
  name: z.string().nullable(),
  modelId: z.string().nullable(),
  tokensIn: Count,
  tokensOut: Count,
  costUsd: Money,
  latencyMs: z.int().min(0).nullable(),
  status: StepStatus,
  input: z.record(z.string(), z.unknown()).nullable(),
  output: z.record(z.string(), z.unknown()).nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  startedAt: Timestamp,
  finishedAt: Timestamp.nullable()
})
export type RunStep = z.infer<typeof RunStep>

/** A step with what is reserved of the month's spend while its outcome is open. */
export interface StoredStep extends RunStep {
  readonly reservedUsd: string
}

/** A tool as a run uses it. */
export interface RunTool extends BoundTool {
  /** Any one of these is needed; empty for tools that need none. */
  readonly scopes: ReadonlyArray<Scope>
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** Configuration that is fixed when a run starts; later changes to its agent or to the settings do not affect it. */
export interface RunConfig {
  readonly agentId: AgentId
  readonly agentSlug: string
  readonly agentVersionId: AgentVersionId
  readonly instructions: string
  readonly modelId: string
  readonly tools: ReadonlyArray<RunTool>
  readonly budgets: Budgets
}

/** A run as it is stored. */
export interface StoredRun extends Run {
  readonly agentId: AgentId
  readonly actor: string
  readonly activity: string
  /** Scopes of the caller who started the run; null for all. */
  readonly scopes: ReadonlyArray<Scope> | null
  /** The principals of its caller in this process; null where key or member say what the run may read, or all is. */
  readonly principals: ReadonlyArray<string> | null
  readonly config: RunConfig
  /** Earlier turns of the conversation, as they were when the run was started. */
  readonly history: ReadonlyArray<TurnMessage>
  readonly cancelRequested: boolean
  readonly fence: number
  readonly leaseUntil: string | null
}

/** A tool call that waits for a decision, or waited. Arguments are the server's, never the decider's. */
export interface Approval {
  readonly id: ApprovalId
  readonly runId: RunId
  readonly stepId: StepId
  readonly toolName: string
  readonly arguments: unknown
  /** SHA-256 of tool name and arguments. */
  readonly digest: string
  /** The versions of what would change, by id. */
  readonly targets: Readonly<Record<string, string>>
  readonly status: "open" | "allowed" | "denied" | "skipped"
  readonly expiresAt: string
  readonly decidedBy: string | null
  readonly decidedAt: string | null
  readonly note: string | null
}

/** A tool call that waits for a decision, as it is shown with its run. */
export const PendingApproval = z.object({
  approvalId: ApprovalId,
  toolName: z.string(),
  input: z.unknown(),
  expiresAt: Timestamp
})
export type PendingApproval = z.infer<typeof PendingApproval>

/** A run in a list, with the approval that it waits for and its feedback, but without its output. */
export const RunItem = z.object({
  ...runFields,
  agentSlug: z.string(),
  pendingApproval: PendingApproval.nullable(),
  feedback: z.array(Feedback)
})
export type RunItem = z.infer<typeof RunItem>
/** One page of a list of runs; `total` counts the runs of all pages. */
export const RunPage = z.object({ items: z.array(RunItem), total: Count })

/** The filters and paging of a list of runs. */
export const RunQuery = z.object({
  status: RunStatus.optional().describe("Only runs with this status."),
  agent: z.string().min(1).optional().describe("Only runs of this agent, by its slug or id."),
  conversationId: ConversationId.optional().describe("Only runs of this conversation."),
  feedback: z
    .enum(["positive", "negative", "any"])
    .optional()
    .describe("Only runs with feedback of this sentiment; `any` is all that have feedback."),
  from: MomentOrDay.optional().describe("Only started at this moment or later."),
  to: MomentOrDay.optional().describe("Only started before this moment."),
  limit: pageLimit,
  offset: pageOffset.describe("Number of runs to skip.")
})

export { ApprovalPolicy, RunStatus, ToolEffect }
