import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import {
  deletedIn,
  deletedText,
  mayReadDeleted,
  withoutOwnWords,
  withoutQuotes
} from "../../files/documents/index.js"
import { record } from "../../platform/audit/index.js"
import { enqueue } from "../../platform/jobs/index.js"
import {
  type ApprovalId,
  asInvalid,
  atomically,
  Caller,
  type CallerShape,
  Conflict,
  canonicalJson,
  crashPoint,
  Ids,
  InvalidInput,
  millisOf,
  NotFound,
  NotOpen,
  now,
  type RunId,
  stepOf,
  traced
} from "../../platform/kernel/index.js"
import {
  type Approval,
  type FeedbackKind,
  feedbackValues,
  isTerminal,
  type PendingApproval,
  Run,
  type RunErrorCode,
  type RunFilter,
  RunGuard,
  type RunItem,
  RunStep,
  RunStore,
  runTable,
  type StoredRun,
  type StoredStep,
  storeEnd,
  Toolbox
} from "../agent-runs/index.js"
import { findAgent } from "./agents.js"
import { runJob } from "./start.js"

/** A run of the caller's workspace. */
export const findRun = (id: RunId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* RunStore, yield* Caller]
    return Option.getOrNull(yield* store.find(workspace, id)) ?? (yield* new NotFound({ what: "run" }))
  })

const viewOfRun = (run: StoredRun): Run => ({
  id: run.id,
  agentVersionId: run.agentVersionId,
  conversationId: run.conversationId,
  status: run.status,
  trigger: run.trigger,
  input: run.input,
  output: run.output,
  error: run.error,
  tokensIn: run.tokensIn,
  tokensOut: run.tokensOut,
  costUsd: run.costUsd,
  apiKeyId: run.apiKeyId,
  configSnapshotId: run.configSnapshotId,
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  forkedFrom: run.forkedFrom
})

const viewOfStep = ({ reservedUsd: _, ...step }: StoredStep): RunStep => step

export const getRun = traced("agents.run")(function* (id: RunId) {
  return yield* withoutDeleted({
    run: viewOfRun(yield* findRun(id)),
    steps: (yield* (yield* RunStore).steps((yield* Caller).workspace, id)).map(viewOfStep)
  })
})

/**
 * Hides what a run quotes of deleted documents from callers without `workspace:admin`. What its model wrote may quote
 * any result of its tools.
 */
const withoutDeleted = <Seen extends { readonly run: Run; readonly steps: ReadonlyArray<RunStep> }>(
  seen: Seen
) =>
  Effect.gen(function* () {
    if (yield* mayReadDeleted) return seen
    const deleted = yield* deletedIn(seen)
    if (deleted.size === 0) return seen
    const read = z.object({ run: Run, steps: z.array(RunStep) }).parse(withoutQuotes(seen, deleted))
    const { output } = read.run
    return {
      run: { ...read.run, output: output === null ? null : { ...output, text: deletedText } },
      steps: read.steps.map((step) => withoutModelWords(step))
    }
  })

/** A step without the words of its model: the text of a reply, and what it gave to tools. */
const withoutModelWords = (step: RunStep): RunStep => ({
  ...step,
  ...(step.input === null ? {} : { input: Words.parse(withoutOwnWords(step.input)) }),
  ...(step.kind === "model_call" && step.output !== null
    ? { output: Words.parse(withoutOwnWords({ ...step.output, text: deletedText })) }
    : {})
})

const Words = z.record(z.string(), z.unknown())

export const listSteps = traced("agents.steps")(function* (id: RunId) {
  const { steps } = yield* getRun(id)
  return { steps }
})

/** Runs, the newest first, each with the approval that waits and its feedback. */
export const listRuns = traced("agents.runs")(function* (
  { agent, ...filter }: Omit<RunFilter, "agentId"> & { readonly agent?: string | undefined },
  page: { readonly limit: number; readonly offset: number }
) {
  const [store, { workspace }] = [yield* RunStore, yield* Caller]
  const named = agent === undefined ? undefined : yield* Effect.option(findAgent(agent))
  if (named !== undefined && Option.isNone(named)) return { items: [], total: 0 }
  const agentId = named === undefined ? undefined : Option.getOrUndefined(named)?.agent.id
  const { items, total } = yield* store.list(workspace, { ...filter, agentId }, page)
  const feedback = yield* store.feedback(
    workspace,
    items.map(({ id }) => id)
  )
  const views = yield* Effect.forEach(items, (run) =>
    Effect.gen(function* () {
      const { forkedFrom: _from, output: _output, ...view } = viewOfRun(run)
      const open = isTerminal(run.status)
        ? undefined
        : (yield* store.approvals(workspace, run.id)).find(({ status }) => status === "open")
      return {
        ...view,
        agentSlug: run.config.agentSlug,
        pendingApproval: open === undefined ? null : pendingOf(open),
        feedback: [...(feedback.get(run.id) ?? [])]
      } satisfies RunItem
    })
  )
  return { items: views, total }
})

const pendingOf = ({ arguments: input, expiresAt, id, toolName }: Approval): PendingApproval => ({
  approvalId: id,
  toolName,
  input,
  expiresAt
})

/** Returns the caller as whom a run acts. */
const callerOf = (run: StoredRun, { workspace }: Pick<CallerShape, "workspace">): CallerShape => ({
  workspace,
  actor: run.actor,
  activity: run.activity,
  ...(run.scopes === null ? {} : { scopes: run.scopes })
})

/**
 * Asks a run to end. One that nobody works on ends at once; a running one at its worker's next look, which aborts a
 * model call. False where it has ended already.
 */
export const cancelRun = traced("agents.cancel")(function* (id: RunId) {
  const caller = yield* Caller
  const { workspace } = caller
  const [store, signals] = [yield* RunStore, (yield* RunStore).signals]
  const cancelled = yield* atomically(
    Effect.gen(function* () {
      const run = yield* findRun(id)
      if (isTerminal(run.status)) return false
      yield* record([{ action: "run.cancel", subjectId: id, details: { status: run.status } }])
      yield* store.update(workspace, id, { cancelRequested: true })
      if (run.status === "running") yield* signals.changed(workspace, id)
      else
        yield* storeEnd(
          { workspace, run, caller: callerOf(run, caller) },
          { sources: [] },
          endingOf("cancelled", "The run was cancelled.")
        )
      return true
    })
  )
  return { cancelled }
})

const endingOf = (code: RunErrorCode, message: string) =>
  ({ status: "interrupted", error: { code, message }, text: null }) as const

/**
 * Decides a waiting call. Allow holds for exactly the arguments that are stored and what they would change as it was
 * shown; the decision, the step, the run's way back into the queue and the audit event are one unit of work.
 */
export const decideApproval = traced("agents.decide")(function* (decision: {
  readonly id: RunId
  readonly approvalId: ApprovalId
  readonly decision: "allow" | "deny"
  readonly note?: string | undefined
}) {
  const caller = yield* Caller
  const { workspace } = caller
  const [store, signals, toolbox] = [yield* RunStore, (yield* RunStore).signals, yield* Toolbox]
  const { approvalId, id } = decision
  const open = Effect.gen(function* () {
    const run = yield* findRun(id)
    const approval = (yield* store.approvals(workspace, id)).find((one) => one.id === approvalId)
    if (approval === undefined) return yield* new NotFound({ what: "approval" })
    if (approval.status !== "open") return yield* new NotOpen({ what: "approval", status: approval.status })
    if (isTerminal(run.status))
      return yield* new NotOpen({ what: "approval", status: `of a run that is ${run.status}` })
    if (approval.expiresAt <= (yield* now)) return yield* new NotOpen({ what: "approval", status: "expired" })
    return { approval, run }
  })
  const openApproval = yield* open
  // Before the unit of work, in which no file is read; the call itself looks once more.
  if (decision.decision === "allow") {
    const { targets } = yield* Effect.provideService(
      toolbox.preview(workspace, openApproval.approval.toolName, openApproval.approval.arguments),
      Caller,
      yield* (yield* RunGuard).reading(openApproval.run, callerOf(openApproval.run, caller))
    )
    if (canonicalJson(targets) !== canonicalJson(openApproval.approval.targets))
      return yield* new Conflict({
        message:
          "What the call would change was changed after it was shown. Deny the call, or cancel the run."
      })
  }
  yield* atomically(
    Effect.gen(function* () {
      const { approval, run } = yield* open
      const at = yield* now
      const status = decision.decision === "allow" ? "allowed" : "denied"
      const note = decision.note ?? null
      const isDecided = yield* store.decide(workspace, approvalId, {
        status,
        decidedBy: caller.actor,
        decidedAt: at,
        note
      })
      if (!isDecided) return yield* new NotOpen({ what: "approval", status: "decided" })
      const step = (yield* store.steps(workspace, id)).find((one) => one.id === approval.stepId)
      if (step !== undefined)
        yield* store.putSteps(workspace, id, [
          {
            ...step,
            status: status === "allowed" ? "ok" : "denied",
            output: { decision: decision.decision, decidedBy: caller.actor, decidedAt: at, note },
            finishedAt: at,
            latencyMs: Math.max(0, millisOf(at) - millisOf(step.startedAt))
          }
        ])
      if (stepOf(runTable, run.status, "decide") !== null) {
        yield* store.update(workspace, id, { status: "queued" })
        yield* enqueue([runJob(id)])
      }
      yield* record([
        {
          action: decision.decision === "allow" ? "run.allow" : "run.deny",
          subjectId: id,
          details: {
            approvalId,
            toolName: approval.toolName,
            digest: approval.digest,
            ...(note === null ? {} : { note })
          }
        }
      ])
      yield* crashPoint("run.decide.insideTransaction")
      yield* signals.changed(workspace, id)
    })
  )
  return { runId: id, approvalId, status: "queued" as const }
})

/** Ends runs whose approvals nobody decided in time. */
export const expireApprovals = Effect.gen(function* () {
  const caller = yield* Caller
  const { workspace } = caller
  const store = yield* RunStore
  for (const id of yield* store.expired(workspace, yield* now))
    yield* atomically(
      Effect.gen(function* () {
        const found = yield* store.find(workspace, id)
        if (Option.isNone(found) || found.value.status !== "suspended") return
        const run = found.value
        const ending = endingOf("approval_expired", "A call was not decided within 7 days.")
        yield* storeEnd({ workspace, run, caller: callerOf(run, caller) }, { sources: [] }, ending)
      })
    )
})

/** Keeps what somebody says of a run. The value has the shape of its kind. */
export const addFeedback = traced("agents.feedback")(function* (given: {
  readonly id: RunId
  readonly kind: FeedbackKind
  readonly value: unknown
  readonly note?: string | undefined
}) {
  const [store, ids, { actor, workspace }] = [yield* RunStore, yield* Ids, yield* Caller]
  const run = yield* findRun(given.id)
  const value = feedbackValues[given.kind].safeParse(given.value)
  if (!value.success)
    return yield* new InvalidInput({
      issues: asInvalid(value.error).issues.map((issue) => ({ ...issue, path: ["value", ...issue.path] }))
    })
  const id = ids.make("feedback")
  yield* atomically(
    Effect.gen(function* () {
      yield* store.addFeedback(workspace, run.id, {
        id,
        kind: given.kind,
        value: value.data,
        note: given.note ?? null,
        createdBy: actor,
        createdAt: yield* now
      })
      yield* record([
        { action: "run.feedback", subjectId: run.id, details: { feedbackId: id, kind: given.kind } }
      ])
    })
  )
  return { id }
})
