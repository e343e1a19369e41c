import { z } from "zod"
import { KeyScope } from "../../platform/identity/index.js"
import { AgentId, AgentVersionId, ApprovalId, RunId, StepId, Timestamp } from "../../platform/kernel/index.js"
import {
  AgentBehaviour,
  AgentVersionInfo,
  BoundTool,
  Budgets,
  Feedback,
  FeedbackKind,
  Run,
  RunStep,
  StepKind
} from "../../work/agent-runs/index.js"
import { Sha256, When } from "./record-fields.js"

const Json = z.record(z.string(), z.unknown())

/** An agent, without its versions. */
export const AgentRecord = z.strictObject({
  kind: z.literal("agent"),
  id: AgentId,
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  archived: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp
})

/** A version of an agent, with what it does. */
export const AgentVersionRecord = AgentVersionInfo.extend(AgentBehaviour.shape)
  .extend({ kind: z.literal("agent_version"), agentId: AgentId })
  .strict()

const RunConfig = z.strictObject({
  agentId: AgentId,
  agentSlug: z.string(),
  agentVersionId: AgentVersionId,
  instructions: z.string(),
  modelId: z.string(),
  tools: z.array(
    BoundTool.extend({ scopes: z.array(KeyScope), description: z.string(), inputSchema: Json }).strict()
  ),
  budgets: Budgets
})

const Call = z.strictObject({ id: z.string(), name: z.string(), arguments: z.unknown() })
const Message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.string() }),
  z.strictObject({ role: z.literal("user"), content: z.string() }),
  z.strictObject({ role: z.literal("assistant"), content: z.string(), toolCalls: z.array(Call) }),
  z.strictObject({
    role: z.literal("tool"),
    callId: z.string(),
    name: z.string(),
    content: z.string(),
    isError: z.boolean()
  })
])

/** A run that has ended or waits for a decision, without its journal. */
export const RunRecord = Run.extend({
  kind: z.literal("run"),
  agentId: AgentId,
  status: Run.shape.status.exclude(["queued", "running"]),
  actor: z.string(),
  activity: z.string(),
  scopes: z.array(KeyScope).nullable(),
  principals: z.array(z.string()).nullable(),
  config: RunConfig,
  history: z.array(Message)
}).strict()

/** A step of a run's journal; its own kind is called `step` here. */
export const StepRecord = RunStep.omit({ kind: true })
  .extend({ kind: z.literal("step"), runId: RunId, step: StepKind })
  .strict()

/** A call that waits for a decision or waited. */
export const ApprovalRecord = z.strictObject({
  kind: z.literal("approval"),
  id: ApprovalId,
  runId: RunId,
  stepId: StepId,
  toolName: z.string(),
  arguments: z.unknown(),
  digest: Sha256,
  targets: z.record(z.string(), z.string()),
  status: z.enum(["open", "allowed", "denied", "skipped"]),
  expiresAt: Timestamp,
  decidedBy: z.string().nullable(),
  decidedAt: When,
  note: z.string().nullable()
})

/** Feedback on a run; its own kind is called `about` here. */
export const FeedbackRecord = Feedback.omit({ kind: true })
  .extend({ kind: z.literal("feedback"), runId: RunId, about: FeedbackKind })
  .strict()
