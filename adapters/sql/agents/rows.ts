import {
  type Agent,
  AgentBehaviour,
  type AgentVersion,
  type Approval,
  type Feedback,
  type StoredRun,
  type StoredStep,
  sentimentOf
} from "../../../core/agents/index.js"
import { formatUsd, parseUsd } from "../../../core/models/index.js"
import { fromJson, objectIn, ofShape, toJson, toNumber } from "../codec.js"

const usd = (value: unknown): string => formatUsd(BigInt(String(value ?? 0)))
/** Whole 1e-10 US dollars, as text: the column's type takes it on both databases. */
export const asUnits = (amount: string): string => String(parseUsd(amount))
const orNull = <Value>(text: string | null): Value | null => (text === null ? null : fromJson<Value>(text))
const jsonOrNull = (value: unknown): string | null => (value === null ? null : toJson(value))

export interface AgentRow extends Pick<Agent, "id" | "slug" | "name" | "description"> {
  readonly enabled: number
  readonly archived: number
  readonly created_at: string
  readonly updated_at: string
}

export const agentFromRow = ({ archived, created_at, enabled, updated_at, ...row }: AgentRow): Agent => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  enabled: enabled === 1,
  archived: archived === 1,
  createdAt: created_at,
  updatedAt: updated_at
})

export const agentToRow = (agent: Agent) => ({
  id: agent.id,
  slug: agent.slug,
  name: agent.name,
  description: agent.description,
  enabled: agent.enabled ? 1 : 0,
  archived: agent.archived ? 1 : 0,
  created_at: agent.createdAt,
  updated_at: agent.updatedAt
})

export interface VersionRow extends Pick<AgentVersion, "id" | "note"> {
  readonly number: number
  readonly behaviour: string
  readonly changed_by: string
  readonly created_at: string
}

export const versionFromRow = (row: VersionRow): AgentVersion => ({
  ...ofShape(AgentBehaviour, `the agent version ${row.id}`, objectIn(row.behaviour)),
  id: row.id,
  number: toNumber(row.number),
  createdAt: row.created_at,
  changedBy: row.changed_by,
  note: row.note
})

export const versionToRow = (agent: Agent["id"], version: AgentVersion) => {
  const { budgets, instructions, modelRole, tools } = version
  return {
    agent_id: agent,
    number: version.number,
    id: version.id,
    behaviour: toJson({ instructions, modelRole, tools, budgets }),
    changed_by: version.changedBy,
    note: version.note,
    created_at: version.createdAt
  }
}

export interface RunRow extends Pick<StoredRun, "id" | "status" | "input" | "actor" | "activity"> {
  readonly agent_id: StoredRun["agentId"]
  readonly agent_version_id: StoredRun["agentVersionId"]
  readonly conversation_id: StoredRun["conversationId"]
  readonly trigger_name: StoredRun["trigger"]
  readonly output: string | null
  readonly error: string | null
  readonly tokens_in: unknown
  readonly tokens_out: unknown
  readonly cost: string
  readonly api_key_id: string | null
  readonly config_id: StoredRun["configSnapshotId"]
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly forked_from: StoredRun["forkedFrom"]
  readonly scopes: string | null
  readonly config: string
  readonly history: string
  readonly cancel_requested: number
  readonly fence: unknown
  readonly lease_owner: string | null
  readonly lease_until: string | null
}

export const runFromRow = (row: RunRow): StoredRun => ({
  id: row.id,
  agentId: row.agent_id,
  agentVersionId: row.agent_version_id,
  conversationId: row.conversation_id,
  status: row.status,
  trigger: row.trigger_name,
  input: row.input,
  output: orNull(row.output),
  error: orNull(row.error),
  tokensIn: toNumber(row.tokens_in),
  tokensOut: toNumber(row.tokens_out),
  costUsd: usd(row.cost),
  apiKeyId: row.api_key_id,
  configSnapshotId: row.config_id,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  forkedFrom: row.forked_from,
  actor: row.actor,
  activity: row.activity,
  scopes: orNull(row.scopes),
  config: objectIn(row.config),
  history: fromJson(row.history),
  cancelRequested: row.cancel_requested === 1,
  fence: toNumber(row.fence),
  leaseUntil: row.lease_until
})

export const runToRow = (run: StoredRun) => ({
  id: run.id,
  agent_id: run.agentId,
  agent_version_id: run.agentVersionId,
  conversation_id: run.conversationId,
  status: run.status,
  trigger_name: run.trigger,
  input: run.input,
  output: jsonOrNull(run.output),
  error: jsonOrNull(run.error),
  tokens_in: run.tokensIn,
  tokens_out: run.tokensOut,
  cost_usd_1e10: asUnits(run.costUsd),
  api_key_id: run.apiKeyId,
  config_id: run.configSnapshotId,
  created_at: run.createdAt,
  started_at: run.startedAt,
  finished_at: run.finishedAt,
  forked_from: run.forkedFrom,
  actor: run.actor,
  activity: run.activity,
  scopes: jsonOrNull(run.scopes),
  config: toJson(run.config),
  history: toJson(run.history),
  cancel_requested: run.cancelRequested ? 1 : 0,
  fence: run.fence,
  lease_owner: null,
  lease_until: run.leaseUntil
})

export interface StepRow extends Pick<StoredStep, "id" | "kind" | "name" | "status"> {
  readonly idx: number
  readonly model_id: string | null
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
  readonly tokens_in: unknown
  readonly tokens_out: unknown
  readonly cost: string
  readonly reserved: string
  readonly latency_ms: unknown
  readonly started_at: string
  readonly finished_at: string | null
}

export const stepFromRow = (row: StepRow): StoredStep => ({
  id: row.id,
  idx: toNumber(row.idx),
  kind: row.kind,
  name: row.name,
  modelId: row.model_id,
  tokensIn: toNumber(row.tokens_in),
  tokensOut: toNumber(row.tokens_out),
  costUsd: usd(row.cost),
  reservedUsd: usd(row.reserved),
  latencyMs: row.latency_ms === null ? null : toNumber(row.latency_ms),
  status: row.status,
  input: orNull(row.input),
  output: orNull(row.output),
  error: orNull(row.error),
  startedAt: row.started_at,
  finishedAt: row.finished_at
})

export const stepToRow = (step: StoredStep) => ({
  idx: step.idx,
  id: step.id,
  kind: step.kind,
  name: step.name,
  model_id: step.modelId,
  status: step.status,
  input: jsonOrNull(step.input),
  output: jsonOrNull(step.output),
  error: jsonOrNull(step.error),
  tokens_in: step.tokensIn,
  tokens_out: step.tokensOut,
  cost_usd_1e10: asUnits(step.costUsd),
  reserved_usd_1e10: asUnits(step.reservedUsd),
  latency_ms: step.latencyMs,
  started_at: step.startedAt,
  finished_at: step.finishedAt
})

export interface ApprovalRow extends Pick<Approval, "id" | "digest" | "status" | "note"> {
  readonly run_id: Approval["runId"]
  readonly step_id: Approval["stepId"]
  readonly tool_name: string
  readonly arguments: string
  readonly targets: string
  readonly expires_at: string
  readonly decided_by: string | null
  readonly decided_at: string | null
}

export const approvalFromRow = (row: ApprovalRow): Approval => ({
  id: row.id,
  runId: row.run_id,
  stepId: row.step_id,
  toolName: row.tool_name,
  arguments: fromJson(row.arguments),
  digest: row.digest,
  targets: objectIn(row.targets),
  status: row.status,
  expiresAt: row.expires_at,
  decidedBy: row.decided_by,
  decidedAt: row.decided_at,
  note: row.note
})

export const approvalToRow = (approval: Approval) => ({
  id: approval.id,
  run_id: approval.runId,
  step_id: approval.stepId,
  tool_name: approval.toolName,
  arguments: toJson(approval.arguments ?? null),
  digest: approval.digest,
  targets: toJson(approval.targets),
  status: approval.status,
  expires_at: approval.expiresAt,
  decided_by: approval.decidedBy,
  decided_at: approval.decidedAt,
  note: approval.note
})

export interface FeedbackRow extends Pick<Feedback, "id" | "kind" | "note"> {
  readonly run_id: StoredRun["id"]
  readonly value: string
  readonly created_by: string
  readonly created_at: string
}

export const feedbackFromRow = (row: FeedbackRow): Feedback => ({
  id: row.id,
  kind: row.kind,
  value: objectIn(row.value),
  note: row.note,
  createdBy: row.created_by,
  createdAt: row.created_at
})

export const feedbackToRow = (feedback: Feedback) => ({
  id: feedback.id,
  kind: feedback.kind,
  value: toJson(feedback.value),
  sentiment: sentimentOf(feedback),
  note: feedback.note,
  created_by: feedback.createdBy,
  created_at: feedback.createdAt
})
