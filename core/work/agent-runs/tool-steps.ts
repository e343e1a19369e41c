import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AuditContext } from "../../platform/audit/index.js"
import {
  Atomic,
  brokenValueBound,
  Caller,
  canonicalJson,
  crashPoint,
  Ids,
  timestampOf
} from "../../platform/kernel/index.js"
import type { RunEffect } from "./advance.js"
import { cancellationReason, untilCancelled } from "./cancellation.js"
import { finishRun } from "./end.js"
import { asEvents, beginStep, endStep, type HeldRun, journalSteps, unsyncedUnit } from "./journal.js"
import type { Approval, RunTool, StoredStep } from "./model.js"
import { callModel, checkAnswer, isAllowed, retryStep } from "./model-steps.js"
import { passagesIn } from "./prompt.js"
import type { CallState, RunState } from "./state.js"
import { RunStore } from "./store.js"
import { Toolbox, type ToolOutcome } from "./toolbox.js"

/** Time in ms after which a call that waits for approval expires. */
const approvalMs = 7 * 86_400_000
/** Timeout in ms of a tool that changes nothing; MCP servers have their own limits. */
const readToolMs = 60_000
/** Calls of one turn that run at the same time. */
const callsAtOnce = 4
/** Most characters of a result that the journal keeps. */
const resultChars = 200_000

/** A step of a call that is about to be journalled: ended already, or to be carried out after. */
interface Planned {
  readonly step: StoredStep
  readonly approval: Approval | null
  readonly runs: CallState | null
}

/**
 * Goes on with the calls of a turn: refuses what is malformed, asks a person where the policy says so, begins the others.
 * All of it is journalled in one unit of work before the first of them runs.
 */
export const performCalls = (held: HeldRun, state: RunState, effects: ReadonlyArray<RunEffect>) =>
  Effect.gen(function* () {
    const planned: Array<Planned> = []
    for (const effect of effects) {
      const idx = state.nextIdx + planned.length
      if (effect.type === "dispatch") planned.push(yield* dispatch(held, state, effect, idx))
      if (effect.type === "deny") planned.push(yield* denied(effect, idx))
      if (effect.type === "call_tool") planned.push(yield* allowed(held, effect, idx))
    }
    const store = yield* RunStore
    yield* journalSteps(
      held,
      planned.map(({ step }) => ({ before: null, step })),
      Effect.forEach(
        planned,
        ({ approval }) => (approval === null ? Effect.void : store.addApproval(held.workspace, approval)),
        { discard: true }
      ),
      planned.every((one) => mayBeForgotten(one)) ? unsyncedUnit : {}
    )
    const ended = yield* Effect.forEach(
      planned,
      ({ runs, step }) => (runs === null ? Effect.succeed(step) : carryOut(held, state, runs, step)),
      { concurrency: callsAtOnce }
    )
    return asEvents(
      ...planned.filter(({ step }) => step.kind === "approval").map(({ step }) => step),
      ...ended.filter(({ kind }) => kind !== "approval")
    )
  })

/** Whether the start of a call may be lost: the call only reads, or it writes to our own database. */
const mayBeForgotten = ({ runs }: Planned): boolean =>
  runs !== null && (runs.tool?.effect !== "write" || runs.tool.kind === "operation")

const inputOf = ({ call }: CallState, place: number) => ({
  callId: call.id,
  place,
  toolName: call.name,
  arguments: call.arguments
})

const dispatch = (
  held: HeldRun,
  state: RunState,
  { call, place }: { readonly call: CallState; readonly place: number },
  idx: number
) =>
  Effect.gen(function* () {
    const { name, problem } = call.call
    const input = inputOf(call, place)
    const tool = state.config.tools.find((one) => one.name === name)
    const refused = (code: string, message: string, issues: unknown) =>
      Effect.flatMap(beginStep(idx, "guardrail", { name: "arguments", input }), (startedStep) =>
        Effect.map(
          endStep(startedStep, { status: "error", error: { code, message }, output: { issues } }),
          (step): Planned => ({ step, approval: null, runs: null })
        )
      )
    if (tool === undefined) return yield* refused("unknown_tool", `There is no tool ${name}.`, [])
    if (!isAllowed(tool, held.run.scopes)) {
      const startedStep = yield* beginStep(idx, stepKindOf(call), { name, input })
      const message = `The key that started the run lacks the scope ${tool.scopes.join(" or ")}.`
      const step = yield* endStep(startedStep, {
        status: "error",
        error: { code: "insufficient_scope", message }
      })
      return { step, approval: null, runs: null }
    }
    if (problem !== undefined) return yield* refused("invalid_arguments", problem, [])
    const toolbox = yield* Toolbox
    const issues = yield* toolbox.check(held.workspace, name, call.call.arguments)
    if (issues.length > 0)
      return yield* refused(
        "invalid_arguments",
        issues.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; "),
        issues
      )
    if (tool.approval === "always") return yield* askPerson(held, state, call, place, idx)
    return { step: yield* beginStep(idx, stepKindOf(call), { name, input }), approval: null, runs: call }
  })

const stepKindOf = ({ tool }: CallState) => (tool?.kind === "mcp" ? "mcp_call" : "tool_call")

/** A call that waits for a decision, with what it would change. */
const askPerson = (held: HeldRun, state: RunState, call: CallState, place: number, idx: number) =>
  Effect.gen(function* () {
    const [ids, toolbox] = [yield* Ids, yield* Toolbox]
    const { arguments: input, name } = call.call
    const { diff, targets } = yield* Effect.provideService(
      toolbox.preview(held.workspace, name, input),
      Caller,
      held.caller
    )
    const approvalId = ids.make("approval")
    const expiresAt = timestampOf((yield* Clock.currentTimeMillis) + approvalMs)
    const reason = state.partial.trim() === "" ? `The agent asks to call ${name}.` : state.partial
    const step = yield* beginStep(idx, "approval", {
      name,
      input: { approvalId, ...inputOf(call, place), expiresAt, reason, preview: { diff } }
    })
    const approval: Approval = {
      id: approvalId,
      runId: held.run.id,
      stepId: step.id,
      toolName: name,
      arguments: input,
      digest: ids.sha256(canonicalJson([name, input])),
      targets,
      status: "open",
      expiresAt,
      decidedBy: null,
      decidedAt: null,
      note: null
    }
    return { step, approval, runs: null } satisfies Planned
  })

const denied = ({ call, place }: { readonly call: CallState; readonly place: number }, idx: number) =>
  Effect.gen(function* () {
    const startedStep = yield* beginStep(idx, stepKindOf(call), {
      name: call.call.name,
      input: inputOf(call, place)
    })
    const step = yield* endStep(startedStep, {
      status: "denied",
      error: { code: "denied", message: "A person denied this call." },
      output: { note: call.approval?.output?.["note"] ?? null }
    })
    return { step, approval: null, runs: null } satisfies Planned
  })

/** An allowed call runs with exactly what was shown, and only while what it would change is as it was shown. */
const allowed = (
  held: HeldRun,
  { call, place }: { readonly call: CallState; readonly place: number },
  idx: number
) =>
  Effect.gen(function* () {
    const [store, toolbox, { sha256 }] = [yield* RunStore, yield* Toolbox, yield* Ids]
    const { arguments: callArguments, name } = call.call
    const approval = (yield* store.approvals(held.workspace, held.run.id)).find(
      ({ stepId }) => stepId === call.approval?.id
    )
    const input = { ...inputOf(call, place), approvalId: approval?.id ?? null }
    const startedStep = yield* beginStep(idx, stepKindOf(call), { name, input })
    const { targets } = yield* Effect.provideService(
      toolbox.preview(held.workspace, name, callArguments),
      Caller,
      held.caller
    )
    const holds =
      approval?.status === "allowed" &&
      approval.digest === sha256(canonicalJson([name, callArguments])) &&
      canonicalJson(approval.targets) === canonicalJson(targets)
    if (holds) return { step: startedStep, approval: null, runs: call } satisfies Planned
    const message = "What the call would change was changed after it was allowed; nothing was done."
    const step = yield* endStep(startedStep, { status: "error", error: { code: "conflict", message } })
    return { step, approval: null, runs: null } satisfies Planned
  })

/**
 * Calls the tool and journals its outcome. What it writes is stored only while the run is ours, names the step in the
 * audit trail, and is noted under the step in the same unit of work.
 */
const carryOut = (held: HeldRun, state: RunState, { call }: CallState, step: StoredStep) =>
  Effect.gen(function* () {
    const [store, toolbox] = [yield* RunStore, yield* Toolbox]
    const tool = held.run.config.tools.find(({ name }) => name === call.name)
    const called = toolbox.call(held.workspace, call.name, call.arguments).pipe(
      Effect.provideService(Caller, held.caller),
      Effect.provideService(Atomic, { run: held.fenced }),
      Effect.provideService(AuditContext, {
        runId: held.run.id,
        details: { activity: `agent:${held.run.id}`, stepId: step.id },
        onRecord: (events) => store.addEffects(held.workspace, step.id, events)
      })
    )
    const outcome = isOwnWrite(tool) ? yield* called : yield* withTimeout(held, state, tool, called)
    yield* crashPoint("run.call.afterWork")
    const endedStep = yield* endStep(step, outcomeFields(outcome))
    yield* journalSteps(held, [{ before: step, step: endedStep }])
    return endedStep
  })

/** A write to our own database is short, and waited for. */
const isOwnWrite = (tool: RunTool | undefined): boolean =>
  tool?.effect === "write" && tool.kind === "operation"

/** A call that is given up when the run is cancelled, when its time is over, or that of the run. */
const withTimeout = <R>(
  held: HeldRun,
  state: RunState,
  tool: RunTool | undefined,
  called: Effect.Effect<ToolOutcome, never, R>
) => {
  const leftMs = Math.max(1, state.config.budgets.minutes * 60_000 - state.used.activeMs)
  const ownMs = tool?.effect === "write" || tool?.kind === "mcp" ? leftMs : Math.min(readToolMs, leftMs)
  const isKnown = tool?.effect !== "write"
  const failed = (code: string, message: string): ToolOutcome => ({
    ok: false,
    code: isKnown ? code : "outcome_unknown",
    message: isKnown ? message : `${message} Whether the call was carried out is not known.`
  })
  return Effect.gen(function* () {
    if ((yield* cancellationReason(held)) !== null) return failed("cancelled", "The run was cancelled.")
    return yield* Effect.raceFirst(
      Effect.timeoutTo(called, {
        duration: ownMs,
        onSuccess: (outcome) => outcome,
        onTimeout: () => failed("timeout", "The tool took too long.")
      }),
      Effect.as(untilCancelled(held), failed("cancelled", "The run was cancelled."))
    )
  })
}

const outcomeFields = (outcome: ToolOutcome): Pick<StoredStep, "status" | "output" | "error"> =>
  outcome.ok
    ? resultFields(outcome)
    : { status: "error", error: { code: outcome.code, message: outcome.message }, output: null }

/** Bounds of a result before it is written as JSON; far more than a tool of ours returns. */
const resultBounds = { depth: 100, values: 500_000, characters: 32_000_000 }

const resultFields = ({
  isEvidence,
  output
}: Extract<ToolOutcome, { readonly ok: true }>): Pick<StoredStep, "status" | "output" | "error"> => {
  const broken = brokenValueBound(output, resultBounds)
  if (broken !== null) {
    const message = `The result exceeds the limit of ${broken}.`
    return { status: "error", error: { code: "tool_failed", message }, output: null }
  }
  const passages = isEvidence === true ? passagesIn(output) : []
  return { status: "ok", error: null, output: { result: limited(output), passages } }
}

const limited = (output: unknown): unknown => {
  const text = JSON.stringify(output) ?? "null"
  return text.length <= resultChars ? output : { cutOff: true, text: text.slice(0, resultChars) }
}

/**
 * Goes on with steps that were begun by a worker that is gone. What reads, or may be repeated, is carried out again. Of a
 * write by our own operations the database says whether it happened. Any other write ends the run.
 */
export const recoverSteps = (held: HeldRun, state: RunState, effects: ReadonlyArray<RunEffect>) =>
  Effect.gen(function* () {
    const ended: Array<StoredStep> = []
    let idx = state.nextIdx
    for (const effect of effects) {
      if (effect.type !== "recover") continue
      const { call, step } = effect
      if (call === null)
        return step.kind === "model_call"
          ? yield* callModel(
              held,
              state,
              { type: "call_model", messages: state.transcript, maxOutputTokens: maxTokensOf(step) },
              step
            )
          : yield* checkAnswer(held, state, state.draft ?? "", step)
      const tool = held.run.config.tools.find(({ name }) => name === call.call.name)
      if (tool?.effect === "write") {
        const changes = yield* (yield* RunStore).effects(held.workspace, step.id)
        if (changes.length > 0) {
          const endedStep = yield* endStep(step, {
            status: "ok",
            output: { result: { committed: true, changes }, passages: [], recovered: true }
          })
          yield* journalSteps(held, [{ before: step, step: endedStep }])
          ended.push(endedStep)
          continue
        }
        // The fence keeps whoever began it from writing now: it did not happen, and will not.
        if (tool.kind !== "operation")
          return yield* finishRun(held, state, {
            status: "interrupted",
            error: {
              code: "outcome_unknown",
              message: `The process ended during a call of ${tool.name}, which changes something elsewhere: whether it happened is not known.`
            },
            text: null
          })
      }
      const retry = yield* retryStep(idx, step)
      idx += 1
      yield* journalSteps(held, [{ before: null, step: retry }])
      ended.push(retry, yield* carryOut(held, state, call, step))
    }
    return asEvents(...ended)
  })

const maxTokensOf = ({ input }: StoredStep): number => {
  const limit = input?.["maxOutputTokens"]
  return typeof limit === "number" ? limit : 1
}
