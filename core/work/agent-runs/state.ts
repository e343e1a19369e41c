import { canonicalJson } from "../../platform/kernel/index.js"
import { addUsd, type RequestedCall, type TurnMessage } from "../../platform/models/index.js"
import type { BoundTool } from "./agent-model.js"
import type { RunCitation, RunConfig, RunError, StoredRun, StoredStep, TerminalStatus } from "./model.js"
import { openingMessages, toolResultText } from "./prompt.js"

/** Status, error and text with which a run ends. */
export interface Ending {
  readonly status: TerminalStatus
  readonly error: RunError | null
  /** Null where there is no text to show. */
  readonly text: string | null
  /** Result of the guardrail check of the final text; absent when there was none. */
  readonly checked?: StoredStep
}

/** One call of the present turn, and how far it is. */
export interface CallState {
  readonly call: RequestedCall
  /** The tool as the run's configuration binds it; null for one that the run does not have. */
  readonly tool: BoundTool | null
  /**
   * `requested`: not looked at. `waiting`: a person decides. `allowed` and `denied`: decided, not carried out. `open`: begun, with an
   * outcome that is not known. `done`: its result is known.
   */
  readonly stage: "requested" | "waiting" | "allowed" | "denied" | "open" | "done"
  readonly approval: StoredStep | null
  /** The step that carries it out, or that refused its arguments. */
  readonly step: StoredStep | null
}

/** A passage that a tool returned; `[Sn]` means the n-th of a run. */
export interface RunSource extends RunCitation {
  readonly title: string
}

/** State of a run, folded from its journal. It is not stored: each worker that leases the run folds it again. */
export interface RunState {
  readonly config: RunConfig
  readonly input: string
  readonly transcript: ReadonlyArray<TurnMessage>
  readonly stage: "input" | "model" | "tools" | "answer" | "finish"
  readonly calls: ReadonlyArray<CallState>
  /** Calls of the present turn beyond what the run carries out of one. */
  readonly dropped: number
  /** A model call or guardrail that was begun and has no outcome. */
  readonly open: StoredStep | null
  readonly sources: ReadonlyArray<RunSource>
  /** The final text as the model wrote it. */
  readonly draft: string | null
  /** The draft ends where the model ran out of tokens. */
  readonly draftCut: boolean
  /** The latest text of the model, whatever became of it. */
  readonly partial: string
  readonly used: {
    readonly steps: number
    readonly tokens: number
    readonly costUsd: string
    readonly activeMs: number
  }
  /** Calls in a row whose arguments were no good. */
  readonly malformed: number
  /** The calls of the latest round, and how often in a row they were the same. */
  readonly rounds: { readonly signature: string; readonly count: number }
  readonly emptyReplies: number
  readonly cancelled: RunError | null
  readonly ending: Ending | null
  readonly nextIdx: number
}

/** An event that changes the folded state of a run. */
export type RunEventIn =
  | { readonly type: "started"; readonly run: Pick<StoredRun, "config" | "input" | "history"> }
  /** A step as the journal holds it: begun (`pending`), or with its outcome. */
  | { readonly type: "step"; readonly step: StoredStep }
  /** The run was cancelled, or its key is no longer valid. */
  | { readonly type: "cancelled"; readonly error: RunError }

/** Malformed calls in a row after which the run fails with the next one. */
const malformedMax = 3
/** Equal rounds in a row with which the run fails. */
const equalRoundsMax = 4

/** The state of a run before its first step. */
export const initialState = (run: Pick<StoredRun, "config" | "input" | "history">): RunState => ({
  config: run.config,
  input: run.input,
  transcript: openingMessages(run),
  stage: "input",
  calls: [],
  dropped: 0,
  open: null,
  sources: [],
  draft: null,
  draftCut: false,
  partial: "",
  used: { steps: 0, tokens: 0, costUsd: "0", activeMs: 0 },
  malformed: 0,
  rounds: { signature: "", count: 0 },
  emptyReplies: 0,
  cancelled: null,
  ending: null,
  nextIdx: 0
})

/** The state after an event. Pure; a step may come twice, begun and then with its outcome. */
export const reduce = (state: RunState, event: RunEventIn): RunState => {
  switch (event.type) {
    case "started":
      return initialState(event.run)
    case "cancelled":
      return { ...state, cancelled: state.cancelled ?? event.error }
    case "step": {
      const { step } = event
      const counted = {
        ...state,
        nextIdx: Math.max(state.nextIdx, step.idx + 1),
        used: usedWith(state, step)
      }
      switch (step.kind) {
        case "model_call":
          return afterModel(counted, step)
        case "tool_call":
        case "mcp_call":
          return afterTool(counted, step)
        case "approval":
          return afterApproval(counted, step)
        case "guardrail":
          return afterGuardrail(counted, step)
        case "retry":
          return counted
      }
    }
  }
}

const usedWith = ({ used }: RunState, step: StoredStep): RunState["used"] =>
  step.status === "pending" || step.kind === "approval"
    ? used
    : {
        steps: used.steps + (step.kind === "model_call" ? 1 : 0),
        tokens: used.tokens + step.tokensIn + step.tokensOut,
        costUsd: addUsd(used.costUsd, step.costUsd),
        activeMs: used.activeMs + (step.latencyMs ?? 0)
      }

const afterModel = (state: RunState, step: StoredStep): RunState => {
  if (step.status === "pending") return { ...state, open: step }
  const nextState = { ...state, open: null }
  if (step.status !== "ok")
    return ended(nextState, "failed", {
      code: step.error?.code === "budget_time" ? "budget_time" : "model_unavailable",
      message: step.error?.message ?? "The model could not be reached."
    })
  const { isCut, text, toolCalls } = modelOutputOf(step)
  const message: TurnMessage = { role: "assistant", content: text, toolCalls }
  const partial = text.trim() === "" ? state.partial : text
  if (toolCalls.length === 0) {
    if (text.trim() !== "")
      return { ...nextState, partial, draft: text, draftCut: isCut, stage: "answer", emptyReplies: 0 }
    const emptyReplies = state.emptyReplies + 1
    return emptyReplies > 1
      ? ended(nextState, "failed", {
          code: "empty_reply",
          message: "The model gave neither a text nor a call, twice."
        })
      : { ...nextState, emptyReplies }
  }
  const signature = canonicalJson(toolCalls.map(({ arguments: given, name }) => [name, given]))
  const count = signature === state.rounds.signature ? state.rounds.count + 1 : 1
  const next: RunState = {
    ...nextState,
    partial,
    emptyReplies: 0,
    transcript: [...state.transcript, message],
    stage: "tools",
    rounds: { signature, count },
    dropped: droppedOf(step),
    calls: toolCalls.map((call) => ({
      call,
      tool: state.config.tools.find(({ name }) => name === call.name) ?? null,
      stage: "requested",
      approval: null,
      step: null
    }))
  }
  return count >= equalRoundsMax
    ? ended(next, "failed", {
        code: "tool_loop",
        message: `The model asked for the same calls ${count} times in a row.`
      })
    : next
}

/** Returns the outcome that a model call's step records. */
export const modelOutputOf = ({
  output
}: Pick<StoredStep, "output">): {
  readonly text: string
  readonly toolCalls: ReadonlyArray<RequestedCall>
  /** The model ran out of tokens. */
  readonly isCut: boolean
} => ({
  isCut: output?.["finishReason"] === "length",
  text: typeof output?.["text"] === "string" ? output["text"] : "",
  // The journal holds what this code wrote.
  toolCalls: Array.isArray(output?.["toolCalls"]) ? output["toolCalls"] : []
})

const droppedOf = ({ output }: Pick<StoredStep, "output">): number => Number(output?.["droppedCalls"] ?? 0)

const afterTool = (state: RunState, step: StoredStep): RunState =>
  settled(
    withCall(state, step, (call) => ({ ...call, stage: step.status === "pending" ? "open" : "done", step }))
  )

const passagesOf = ({ output }: StoredStep): ReadonlyArray<RunSource> => {
  const passages = output?.["passages"]
  // The journal holds what this code wrote.
  return Array.isArray(passages) ? passages : []
}

const afterApproval = (state: RunState, step: StoredStep): RunState =>
  withCall(state, step, (call) =>
    // The call may be on its way already: what was decided before does not set it back.
    call.stage === "open" || call.stage === "done"
      ? call
      : {
          ...call,
          approval: step,
          stage: step.status === "pending" ? "waiting" : step.status === "ok" ? "allowed" : "denied"
        }
  )

const afterGuardrail = (state: RunState, step: StoredStep): RunState => {
  if (step.status === "pending") return { ...state, open: step }
  const nextState = { ...state, open: null }
  if (step.name === "input")
    return step.status === "ok"
      ? { ...nextState, stage: "model" }
      : ended(nextState, "failed", {
          code: "input_refused",
          message: step.error?.message ?? "The input was refused."
        })
  if (step.name === "arguments")
    return settled(withCall(nextState, step, (call) => ({ ...call, stage: "done", step })))
  const text = step.output?.["text"]
  return step.status === "ok"
    ? {
        ...nextState,
        stage: "finish",
        ending: {
          status: "succeeded",
          error: null,
          text: typeof text === "string" ? text : (state.draft ?? ""),
          checked: step
        }
      }
    : ended(nextState, "failed", {
        code: "internal",
        message: step.error?.message ?? "The answer could not be checked."
      })
}

/** Calls are told apart by their place in the turn, since models give one id to several. */
const withCall = (state: RunState, step: StoredStep, change: (call: CallState) => CallState): RunState => {
  const place = step.input?.["place"]
  return { ...state, calls: state.calls.map((call, at) => (at === place ? change(call) : call)) }
}

/**
 * The turn is over once each call has its result. All that goes by their order is done here, in the order in which the
 * model asked: calls of one turn end in any order.
 */
const settled = (state: RunState): RunState => {
  if (state.calls.some(({ stage }) => stage !== "done")) return state
  const sources = [...state.sources]
  const known = new Set(sources.map(({ chunkId }) => chunkId))
  const results: Array<TurnMessage> = []
  let malformed = state.malformed
  for (const { call, step } of state.calls) {
    if (step === null) continue
    for (const passage of passagesOf(step)) {
      if (known.has(passage.chunkId)) continue
      known.add(passage.chunkId)
      sources.push(passage)
    }
    malformed = step.kind === "guardrail" ? malformed + 1 : 0
    results.push({
      role: "tool",
      callId: call.id,
      name: call.name,
      content: toolResultText(step, sources, results.length === 0 ? state.dropped : 0),
      isError: step.status !== "ok"
    })
    if (malformed > malformedMax) break
  }
  const done: RunState = {
    ...state,
    stage: "model",
    calls: [],
    dropped: 0,
    sources,
    malformed,
    transcript: [...state.transcript, ...results]
  }
  return malformed > malformedMax
    ? ended(done, "failed", {
        code: "invalid_tool_arguments",
        message: `The model gave arguments that are no good ${malformed} times in a row.`
      })
    : done
}

const ended = (state: RunState, status: TerminalStatus, error: RunError): RunState => ({
  ...state,
  stage: "finish",
  ending: {
    status: error.code === "budget_time" ? "budget_exceeded" : status,
    error,
    text: error.code === "budget_time" ? partialText(state) : null
  }
})

/** Returns the text of a run that its budget stopped; never empty. */
export const partialText = ({ partial, sources }: Pick<RunState, "partial" | "sources">): string =>
  partial.trim() !== ""
    ? partial
    : sources.length === 0
      ? "The budget of the run was used up before there was an answer."
      : `The budget of the run was used up before there was an answer. It had found: ${sources
          .slice(0, 5)
          .map(({ title }, at) => `${title} [S${at + 1}]`)
          .join(", ")}.`
