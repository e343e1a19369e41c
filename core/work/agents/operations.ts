import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  ApprovalId,
  ConversationId,
  FeedbackId,
  operation,
  RunId,
  Text
} from "../../platform/kernel/index.js"
import {
  AgentPage,
  AgentPut,
  AgentView,
  agentLimits,
  FeedbackKind,
  Run,
  RunPage,
  RunQuery,
  RunStatus,
  RunStep
} from "../agent-runs/index.js"
import * as agents from "./agents.js"
import * as runs from "./runs.js"
import { startRun as start } from "./start.js"

const readScopes = ["runs:read", "agents:run"] as const
const SlugOrId = z.string().min(1).max(128).describe("The slug of an agent, or its id.")
const Note = Text.max(agentLimits.note)

/** Operation that lists the agents of the workspace that are not archived, by slug. */
const listAgents = operation({
  name: "listAgents",
  tool: "svc_list_agents",
  summary: "List the agents of the workspace with their latest versions.",
  scopes: [...readScopes],
  effect: "read",
  input: z.object({
    enabled: z.boolean().optional().describe("Only those that can be run, or only the others.")
  }),
  output: AgentPage,
  faults: [],
  run: ({ enabled }) => agents.listAgents(enabled)
})

/** Operation that reads one agent by slug or id, with its latest version and its list of versions. */
const getAgent = operation({
  name: "getAgent",
  summary: "Get an agent with its latest version and its version history.",
  scopes: [...readScopes],
  effect: "read",
  input: z.object({ slug: SlugOrId }),
  output: AgentView,
  faults: ["NotFound"],
  run: ({ slug }) => agents.getAgent(slug)
})

/** Operation that creates an agent or replaces it; a change of behaviour appends a version. */
const putAgent = operation({
  name: "putAgent",
  summary: "Create or replace an agent; a change of its behavior adds a version.",
  scopes: ["workspace:admin"],
  effect: "idempotent",
  input: AgentPut,
  output: AgentView.extend({ created: z.boolean().describe("Whether the agent is new.") }),
  faults: ["InvalidInput", "Conflict", "NotFound"],
  run: (put) => Effect.map(agents.putAgent(put), ({ created, view }) => ({ ...view, created }))
})

/** The answer to `startRun`: the id and status of the run, and the path of its event stream. */
export const RunStarted = z.object({
  runId: RunId,
  status: z.enum(RunStatus.options),
  stream: z.string().describe("The path of the run's stream of events.")
})

/** Operation that queues a run of an agent's latest version. */
const startRun = operation({
  name: "startRun",
  tool: "svc_start_run",
  summary: "Queue a run of an agent's latest version; it does not depend on the connection.",
  scopes: ["agents:run"],
  effect: "write",
  input: z.object({
    slug: SlugOrId,
    input: Text.min(1).max(agentLimits.input),
    conversationId: ConversationId.optional().describe("Left out: a new conversation."),
    stream: z
      .literal("inline")
      .optional()
      .describe("`inline`: the run is worked on within this request, and answered with its stream of events.")
  }),
  output: RunStarted,
  faults: ["NotFound", "Conflict", "NoModelConfigured", "SpendCapExceeded", "RunCapacityFull"],
  run: ({ conversationId, input, slug }) => Effect.map(start({ slug, input, conversationId }), startedView)
})

const startedView = ({ id, status }: { readonly id: RunId; readonly status: RunStatus }) => ({
  runId: id,
  status,
  stream: `/api/v1/runs/${id}/stream`
})

/** Operation that finds the run whose events are to be streamed; the output is the run itself. */
const streamRun = operation({
  name: "streamRun",
  summary: "Stream the events of a run from its start until it ends.",
  scopes: ["runs:read"],
  effect: "read",
  input: z.object({ id: RunId }),
  output: z.object({ run: Run }),
  faults: ["NotFound"],
  run: ({ id }) => Effect.map(runs.getRun(id), ({ run }) => ({ run }))
})

/** Operation that reads one run with its steps. */
const getRun = operation({
  name: "getRun",
  tool: "svc_get_run",
  summary: "Get a run with its steps and the ids of its pending approvals.",
  scopes: ["runs:read"],
  effect: "read",
  input: z.object({ id: RunId }),
  output: z.object({ run: Run, steps: z.array(RunStep) }),
  faults: ["NotFound"],
  run: ({ id }) => runs.getRun(id)
})

/** Operation that lists the steps of a run in the order of its journal. */
const listRunSteps = operation({
  name: "listRunSteps",
  summary: "List the steps of a run in order.",
  scopes: ["runs:read"],
  effect: "read",
  input: z.object({ id: RunId }),
  output: z.object({ steps: z.array(RunStep) }),
  faults: ["NotFound"],
  run: ({ id }) => runs.listSteps(id)
})

/** Operation that asks a run to end; `cancelled` is false where it has ended already. */
const cancelRun = operation({
  name: "cancelRun",
  summary: "Cancel a run and abort its current model call.",
  scopes: ["agents:run"],
  effect: "idempotent",
  input: z.object({ id: RunId }),
  output: z.object({ cancelled: z.boolean().describe("False where the run had ended already.") }),
  faults: ["NotFound"],
  run: ({ id }) => runs.cancelRun(id)
})

/** Operation that allows or denies a tool call that waits for approval. */
const approveRunStep = operation({
  name: "approveRunStep",
  summary: "Allow or deny a pending tool call with exactly the arguments shown.",
  scopes: ["agents:run"],
  effect: "write",
  input: z.object({
    id: RunId,
    approvalId: ApprovalId,
    decision: z.enum(["allow", "deny"]),
    note: Note.optional()
  }),
  output: z.object({ runId: RunId, approvalId: ApprovalId, status: z.literal("queued") }),
  faults: ["NotFound", "NotOpen", "Conflict"],
  run: (decision) => runs.decideApproval(decision)
})

/** Operation that stores feedback on a run. */
const addRunFeedback = operation({
  name: "addRunFeedback",
  summary: "Add feedback to a run: a thumb, a rating, a correction, an edit or a wrong citation.",
  scopes: ["agents:run"],
  effect: "write",
  input: z.object({
    id: RunId,
    kind: FeedbackKind,
    value: z
      .record(z.string(), z.unknown())
      .describe(
        "By kind: `{thumb}` (up, down), `{rating}` (1 to 5), `{text}`, `{before, after}`, `{docId, chunkId, reason}`."
      ),
    note: Note.optional()
  }),
  output: z.object({ id: FeedbackId }),
  faults: ["NotFound", "InvalidInput"],
  run: (given) => runs.addFeedback(given)
})

/** Operation that lists runs, newest first, with filters and paging. */
const listRuns = operation({
  name: "listRuns",
  summary: "List runs with their pending approvals and feedback, newest first.",
  scopes: ["runs:read"],
  effect: "read",
  input: RunQuery,
  output: RunPage,
  faults: [],
  run: ({ limit, offset, ...filter }) => runs.listRuns(filter, { limit, offset })
})

/** The operations of this room, for the catalog. */
export const agentOperations = {
  listAgents,
  getAgent,
  putAgent,
  startRun,
  streamRun,
  getRun,
  listRunSteps,
  cancelRun,
  approveRunStep,
  addRunFeedback,
  listRuns
}
