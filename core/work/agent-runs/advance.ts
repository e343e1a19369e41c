import { canonicalJson } from "../../platform/kernel/index.js"
import { parseUsd, type TurnMessage } from "../../platform/models/index.js"
import type { RunErrorCode, StoredRun, StoredStep } from "./model.js"
import {
  type CallState,
  type Ending,
  initialState,
  partialText,
  type RunEventIn,
  type RunState,
  reduce
} from "./state.js"

/** An action that the worker carries out next. Effects of one state may run concurrently. */
export type RunEffect =
  | { readonly type: "check_input" }
  | {
      readonly type: "call_model"
      readonly messages: ReadonlyArray<TurnMessage>
      readonly maxOutputTokens: number
    }
  /** Check the arguments of a call, then ask a person or begin it. */
  | { readonly type: "dispatch"; readonly place: number; readonly call: CallState }
  /** Begin a call that was allowed. */
  | { readonly type: "call_tool"; readonly place: number; readonly call: CallState }
  /** Note that a call was denied. */
  | { readonly type: "deny"; readonly place: number; readonly call: CallState }
  /** A step was begun and nobody knows how it ended: a process died. */
  | { readonly type: "recover"; readonly step: StoredStep; readonly call: CallState | null }
  | { readonly type: "check_answer"; readonly text: string }
  | { readonly type: "suspend"; readonly approval: StoredStep }
  | { readonly type: "finish"; readonly ending: Ending }

/** The result of `advance`: the new state of the run and the effects to carry out next. */
export interface AdvancedRun {
  readonly state: RunState
  readonly effects: ReadonlyArray<RunEffect>
}

/** Most tokens that one turn of a model may write. */
const replyTokens = 4096

/**
 * Takes one event in and says what is to be done next. Pure: equal journals give equal effects, so whoever takes a run
 * over goes on where it stood.
 */
export const advance = (state: RunState, event: RunEventIn): AdvancedRun => {
  const next = reduce(state, event)
  return { state: next, effects: effectsOf(next) }
}

/** The state of a run by its journal, and what is to be done next. */
export const foldJournal = (
  run: Pick<StoredRun, "config" | "input" | "history">,
  steps: ReadonlyArray<StoredStep>
): AdvancedRun => {
  const state = steps.reduce<RunState>(
    (before, step) => reduce(before, { type: "step", step }),
    initialState(run)
  )
  return { state, effects: effectsOf(state) }
}

/**
 * Returns the effects to carry out in a state; empty only while the remaining work waits for other effects of the same
 * turn.
 */
export const effectsOf = (state: RunState): ReadonlyArray<RunEffect> => {
  if (state.ending !== null) return [{ type: "finish", ending: state.ending }]
  const open = [
    ...(state.open === null ? [] : [{ step: state.open, call: null }]),
    ...state.calls.flatMap((call) =>
      call.stage === "open" && call.step !== null ? [{ step: call.step, call }] : []
    )
  ]
  // Steps that were begun are recovered first: nothing new begins beside them.
  if (open.length > 0 && state.cancelled === null) return open.map((one) => ({ type: "recover", ...one }))
  if (state.cancelled !== null)
    return [{ type: "finish", ending: { status: "interrupted", error: state.cancelled, text: null } }]
  switch (state.stage) {
    case "input":
      return [{ type: "check_input" }]
    case "model":
      return modelEffects(state)
    case "tools":
      return toolEffects(state)
    case "answer":
      return [{ type: "check_answer", text: state.draft ?? "" }]
    case "finish":
      return []
  }
}

const modelEffects = (state: RunState): ReadonlyArray<RunEffect> => {
  const ending = usedUp(state)
  if (ending !== null) return [{ type: "finish", ending }]
  const tokensLeft = state.config.budgets.tokens - state.used.tokens
  return [
    {
      type: "call_model",
      messages: state.transcript,
      maxOutputTokens: Math.max(1, Math.min(replyTokens, tokensLeft))
    }
  ]
}

const toolEffects = (state: RunState): ReadonlyArray<RunEffect> => {
  const pendingEffects = state.calls.flatMap((call, place): ReadonlyArray<RunEffect> => {
    if (call.stage === "requested") return [{ type: "dispatch", place, call }]
    if (call.stage === "allowed") return [{ type: "call_tool", place, call }]
    return call.stage === "denied" ? [{ type: "deny", place, call }] : []
  })
  if (pendingEffects.length > 0) return pendingEffects
  const waiting = state.calls.find(({ stage }) => stage === "waiting")
  return waiting?.approval == null ? [] : [{ type: "suspend", approval: waiting.approval }]
}

/** The ending of a run whose budget does not allow another model call; null where it does. */
const usedUp = (state: RunState): Ending | null => {
  const { budgets } = state.config
  const { activeMs, costUsd, steps, tokens } = state.used
  if (steps >= budgets.steps) return budgetEnding(state, "budget_steps", `${budgets.steps} model calls`)
  if (tokens >= budgets.tokens) return budgetEnding(state, "budget_tokens", `${budgets.tokens} tokens`)
  if (parseUsd(costUsd) > 0n && parseUsd(costUsd) >= parseUsd(budgets.costUsd))
    return budgetEnding(state, "budget_cost", `${budgets.costUsd} USD`)
  if (activeMs >= budgets.minutes * 60_000)
    return budgetEnding(state, "budget_time", `${budgets.minutes} minutes`)
  return null
}

export const budgetEnding = (state: RunState, code: RunErrorCode, limit: string): Ending => ({
  status: "budget_exceeded",
  error: { code, message: `The run used up ${limit}.` },
  text: partialText(state)
})

/** Returns the text that identifies a prompt: equal prompts with equal tools have equal texts. */
export const promptText = (state: RunState, messages: ReadonlyArray<TurnMessage>): string =>
  canonicalJson({
    model: state.config.modelId,
    messages,
    tools: state.config.tools.map(({ inputSchema, name }) => ({ name, inputSchema }))
  })
