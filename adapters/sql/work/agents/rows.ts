import type { AgentId, RunId } from "../../../../core/platform/kernel/index.js"
import {
  type Agent,
  AgentBehaviour,
  type AgentVersion,
  type AgentVersionInfo,
  type Approval,
  type Feedback,
  type StoredRun,
  type StoredStep,
  sentimentOf
} from "../../../../core/work/agent-runs/index.js"
import { objectIn, ofShape, toJson } from "../../codec.js"
import { columnsOf, flag, json, jsonObject, number, orNull, text, usd } from "../../columns.js"

/** Columns of the table `agent`; those of versions, runs and their parts follow. */
export const agentColumns = columnsOf<Agent>({
  id: text(),
  slug: text(),
  name: text(),
  description: text(),
  enabled: flag(),
  archived: flag(),
  createdAt: text(),
  updatedAt: text()
})

export const ofAgent = columnsOf<{ agentId: AgentId }>({ agentId: text() })

const versionColumns = columnsOf<AgentVersionInfo & { behaviour: string }>({
  id: text(),
  number: number(),
  behaviour: text(),
  changedBy: text(),
  note: text(),
  createdAt: text()
})

export const versionFromRow = (row: object): AgentVersion => {
  const { behaviour, ...info } = versionColumns.read(row)
  return { ...ofShape(AgentBehaviour, `the agent version ${info.id}`, objectIn(behaviour)), ...info }
}

export const versionToRow = (agentId: AgentId, version: AgentVersion) => {
  const { budgets, instructions, modelRole, tools } = version
  const behaviour = toJson({ instructions, modelRole, tools, budgets })
  return { ...ofAgent.write({ agentId }), ...versionColumns.write({ ...version, behaviour }) }
}

export const runColumns = columnsOf<StoredRun>({
  id: text(),
  agentId: text(),
  agentVersionId: text(),
  conversationId: text(),
  status: text(),
  trigger: text("trigger_name"),
  input: text(),
  output: orNull(json()),
  error: orNull(json()),
  tokensIn: number(),
  tokensOut: number(),
  costUsd: usd("cost_usd_1e10", "cost"),
  apiKeyId: text(),
  configSnapshotId: text("config_id"),
  createdAt: text(),
  startedAt: text(),
  finishedAt: text(),
  forkedFrom: text(),
  actor: text(),
  activity: text(),
  scopes: orNull(json()),
  principals: orNull(json()),
  config: jsonObject(),
  history: json(),
  cancelRequested: flag(),
  fence: number(),
  leaseUntil: text()
})
/** Select list of runs. */
export const runSelection = "*, cast(cost_usd_1e10 as text) as cost"

export const ofRun = columnsOf<{ runId: RunId }>({ runId: text() })

export const stepColumns = columnsOf<StoredStep>({
  id: text(),
  idx: number(),
  kind: text(),
  name: text(),
  modelId: text(),
  tokensIn: number(),
  tokensOut: number(),
  costUsd: usd("cost_usd_1e10", "cost"),
  reservedUsd: usd("reserved_usd_1e10", "reserved"),
  latencyMs: number(),
  status: text(),
  input: orNull(json()),
  output: orNull(json()),
  error: orNull(json()),
  startedAt: text(),
  finishedAt: text()
})
/** Select list of steps. */
export const stepSelection =
  "*, cast(cost_usd_1e10 as text) as cost, cast(reserved_usd_1e10 as text) as reserved"

const approvalColumns = columnsOf<Approval>({
  id: text(),
  runId: text(),
  stepId: text(),
  toolName: text(),
  arguments: json(),
  digest: text(),
  targets: jsonObject(),
  status: text(),
  expiresAt: text(),
  decidedBy: text(),
  decidedAt: text(),
  note: text()
})

export const approvalFromRow = approvalColumns.read
export const approvalToRow = (approval: Approval) =>
  approvalColumns.write({ ...approval, arguments: approval.arguments ?? null })

const feedbackColumns = columnsOf<Feedback>({
  id: text(),
  kind: text(),
  value: jsonObject(),
  note: text(),
  createdBy: text(),
  createdAt: text()
})

export const feedbackFromRow = feedbackColumns.read
export const feedbackToRow = (runId: RunId, feedback: Feedback) => ({
  ...ofRun.write({ runId }),
  ...feedbackColumns.write(feedback),
  sentiment: sentimentOf(feedback)
})

interface Citation {
  readonly docId: string
  readonly chunkId: string
}

/** Returns a row for each passage that a run cites, once. */
export const citationRows = (run: RunId, citations: ReadonlyArray<Citation>) =>
  [...new Map(citations.map((one) => [`${one.docId} ${one.chunkId}`, one])).values()].map(
    ({ chunkId, docId }) => ({ document_id: docId, run_id: run, chunk_id: chunkId })
  )
