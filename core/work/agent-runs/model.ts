import { z } from "zod"
import { PolicyBlock } from "../../answers/policy/index.js"
import {
  AgentId,
  AgentVersionId,
  ApprovalId,
  ConversationId,
  FeedbackId,
  MomentOrDay,
  pageLimit,
  pageOffset,
  RunConfigId,
  RunId,
  type Scope,
  StepId,
  Text,
  Timestamp
} from "../../platform/kernel/index.js"
import { repliedCallsMax, type TurnMessage } from "../../platform/models/index.js"
import { ApprovalPolicy, ToolEffect } from "../../platform/workspace/index.js"
import { RunStatus } from "./states.js"

const UsdText = z.string().regex(/^\d{1,9}(\.\d{1,10})?$/, "Expected a decimal number of US dollars.")
const Money = z.string().describe("US dollars as a decimal string, exact.")
const Count = z.int().min(0)

/** Limits of texts. */
export const agentLimits = {
  name: 200,
  description: 2000,
  instructions: 20_000,
  note: 4000,
  tools: 64,
  input: 100_000
} as const

/** Slug of an agent: lower-case letters, digits and hyphens. It can never look like an id. */
export const AgentSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "Expected 1 to 63 lower-case letters, digits and hyphens.")

/** Origin of a tool. */
export const ToolKind = z.enum(["operation", "mcp", "function"])
export type ToolKind = z.infer<typeof ToolKind>

/** A tool as an agent's version binds it. */
export const BoundTool = z.object({
  name: z.string(),
  kind: ToolKind,
  effect: ToolEffect,
  approval: ApprovalPolicy
})
export type BoundTool = z.infer<typeof BoundTool>

/** Limits of one run; `steps` counts model calls. */
export const Budgets = z.object({
  steps: z.int().min(1).max(10_000),
  tokens: z.int().min(1).max(1_000_000_000),
  costUsd: UsdText,
  minutes: z.int().min(1).max(10_080),
  callsPerTurn: z
    .int()
    .min(1)
    .max(repliedCallsMax)
    .optional()
    .describe("Tool calls of one reply of the model that are carried out; it is told of the others.")
})
export type Budgets = z.infer<typeof Budgets>

/** Instructions, tools and budgets of an agent. A change of any field makes a new version. */
export const AgentBehaviour = z.object({
  instructions: z.string(),
  modelRole: z.enum(["chat"]),
  tools: z.array(BoundTool),
  budgets: Budgets.partial().describe("What is left out is the workspace's.")
})
export type AgentBehaviour = z.infer<typeof AgentBehaviour>

/** A version in the list of versions. */
export const AgentVersionInfo = z.object({
  id: AgentVersionId,
  number: z.int().min(1),
  createdAt: Timestamp,
  changedBy: z.string(),
  note: z.string().nullable()
})
export type AgentVersionInfo = z.infer<typeof AgentVersionInfo>
/** A version with what it does; never edited. */
export type AgentVersion = AgentVersionInfo & AgentBehaviour

/** An agent without its versions. */
export interface Agent {
  readonly id: AgentId
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly archived: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** An agent in a list. */
export const AgentItem = z.object({
  id: AgentId,
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  archived: z.boolean(),
  latestVersion: z.object({ id: AgentVersionId, number: z.int().min(1), createdAt: Timestamp }),
  lastRunAt: Timestamp.nullable()
})
export type AgentItem = z.infer<typeof AgentItem>

/** A list of agents with their number. */
export const AgentPage = z.object({ items: z.array(AgentItem), total: Count })
/** An agent with the behaviour of its latest version and the list of all its versions. */
export const AgentView = z.object({
  agent: AgentItem,
  version: AgentBehaviour.extend({ id: AgentVersionId, number: z.int().min(1) }),
  versions: z.array(AgentVersionInfo).describe("The newest first.")
})
export type AgentView = z.infer<typeof AgentView>

/** A wholly new state of an agent. */
export const AgentPut = z.object({
  slug: AgentSlug.describe(
    "The slug of the agent: 1 to 63 lower-case letters, digits and hyphens, beginning with no hyphen."
  ),
  name: Text.trim().min(1).max(agentLimits.name),
  description: Text.max(agentLimits.description).default(""),
  instructions: Text.trim().min(1).max(agentLimits.instructions),
  modelRole: z.enum(["chat"]).default("chat"),
  tools: z
    .array(z.object({ name: z.string().min(1).max(128), approval: ApprovalPolicy.optional() }))
    .max(agentLimits.tools)
    .default([]),
  budgets: Budgets.partial().default({}),
  enabled: z.boolean().default(true),
  archived: z.boolean().default(false),
  note: Text.max(agentLimits.note).optional(),
  expectVersion: z
    .int()
    .min(1)
    .optional()
    .describe("The number of the latest version; another one is a conflict.")
})
export type AgentPut = z.output<typeof AgentPut>

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

/** Kinds of feedback, each with the shape of its value. */
export const feedbackValues = {
  thumb: z.object({ thumb: z.enum(["up", "down"]) }),
  rating: z.object({ rating: z.int().min(1).max(5) }),
  correction: z.object({ text: Text.min(1).max(20_000) }),
  edit: z.object({ before: Text.max(20_000), after: Text.max(20_000) }),
  citation_flag: z.object({ docId: z.string().min(1), chunkId: z.string().min(1), reason: Text.max(4000) })
} as const
/** The kind of feedback; `feedbackValues` has the shape of the value of each kind. */
export const FeedbackKind = z.enum(["thumb", "rating", "correction", "edit", "citation_flag"])
export type FeedbackKind = z.infer<typeof FeedbackKind>
/** One piece of feedback on a run, as it is stored and shown. */
export const Feedback = z.object({
  id: FeedbackId,
  kind: FeedbackKind,
  value: z.record(z.string(), z.unknown()),
  note: z.string().nullable(),
  createdBy: z.string(),
  createdAt: Timestamp
})
export type Feedback = z.infer<typeof Feedback>

/** Whether feedback speaks for the run or against it; null for a rating of 3. */
export const sentimentOf = ({
  kind,
  value
}: Pick<Feedback, "kind" | "value">): "positive" | "negative" | null => {
  if (kind === "thumb") return value["thumb"] === "up" ? "positive" : "negative"
  if (kind !== "rating") return "negative"
  const rating = Number(value["rating"])
  return rating >= 4 ? "positive" : rating <= 2 ? "negative" : null
}

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

export { ApprovalPolicy, RunStatus, ToolEffect }
