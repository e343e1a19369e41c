import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type PolicyBlock, truncatedCaveat } from "../../answers/policy/index.js"
import { Caller, crashPoint, Ids } from "../../platform/kernel/index.js"
import { addUsd, estimateTokens, type ModelFailed, monthOf, parseUsd } from "../../platform/models/index.js"
import { budgetEnding, promptText, type RunEffect } from "./advance.js"
import { agentLimits } from "./agent-model.js"
import { agentsModel } from "./chat.js"
import { citeText } from "./citations.js"
import { converse } from "./converse.js"
import { finishRun } from "./end.js"
import { asEvents, beginStep, endStep, type HeldRun, journalSteps, unsyncedUnit } from "./journal.js"
import type { RunTool, StoredRun, StoredStep } from "./model.js"
import { planAnswerOf, planModelId } from "./plan-model.js"
import type { RunState } from "./state.js"
import { RunStore } from "./store.js"
import { RunGuard } from "./toolbox.js"

/** Prompts have more tokens than bytes / 4 in some languages: the reservation allows for half as many again. */
const estimateFactor = 1.5

/** Notes what the input was checked for; a text that no model should read ends the run. */
export const checkInput = (held: HeldRun, state: RunState) =>
  Effect.gen(function* () {
    const tooLong = state.input.length > agentLimits.input
    const startedStep = yield* beginStep(state.nextIdx, "guardrail", {
      name: "input",
      input: { characters: state.input.length, earlierMessages: held.run.history.length }
    })
    const step = yield* endStep(startedStep, {
      status: tooLong ? "error" : "ok",
      error: tooLong
        ? { code: "input_too_long", message: `The input has more than ${agentLimits.input} characters.` }
        : null,
      output: { checks: ["length"] }
    })
    yield* journalSteps(held, [{ before: null, step }])
    return asEvents(step)
  })

/** The tools that a run may offer: those that its starter has a right to. */
const offeredTools = (tools: ReadonlyArray<RunTool>, scopes: StoredRun["scopes"]): ReadonlyArray<RunTool> =>
  tools.filter((tool) => isAllowed(tool, scopes))

export const isAllowed = (tool: Pick<RunTool, "scopes">, scopes: StoredRun["scopes"]): boolean =>
  scopes === null || tool.scopes.length === 0 || tool.scopes.some((scope) => scopes.includes(scope))

/**
 * One turn of the model: its estimated cost is reserved with the step, and settled with the outcome. `again` is the open
 * step of an attempt whose outcome is unknown: what was reserved for it counts as spent.
 */
export const callModel = (
  held: HeldRun,
  state: RunState,
  { maxOutputTokens, messages }: Extract<RunEffect, { type: "call_model" }>,
  previousAttempt: StoredStep | null
) =>
  Effect.gen(function* () {
    const { model: found, settings } = yield* agentsModel(held.workspace)
    if (Option.isNone(found))
      return yield* finishRun(held, state, {
        status: "failed",
        error: { code: "no-model-configured", message: "No chat model is enabled." },
        text: null
      })
    const model = found.value
    const { sha256 } = yield* Ids
    const prompt = promptText(state, messages)
    const tools = offeredTools(state.config.tools, held.run.scopes)
    const reservedUsd =
      model.costOf?.({
        input: Math.ceil(estimateTokens(prompt) * estimateFactor),
        cachedInput: 0,
        output: maxOutputTokens
      }) ?? "0"
    const retries = yield* retrySteps(state, previousAttempt)
    const base = yield* beginStep(previousAttempt?.idx ?? state.nextIdx + retries.length, "model_call", {
      modelId: model.modelId,
      reservedUsd,
      input: {
        promptDigest: sha256(prompt),
        messages: messages.length,
        tools: tools.map(({ name }) => name),
        maxOutputTokens
      }
    })
    const step = previousAttempt === null ? base : { ...base, id: previousAttempt.id }
    const store = yield* RunStore
    const isFree = parseUsd(reservedUsd) === 0n
    const reserve = Effect.gen(function* () {
      if (isFree) return
      const spend = yield* store.spend(held.workspace, monthOf(step.startedAt))
      const committedUsd = parseUsd(spend.spentUsd) + parseUsd(spend.reservedUsd)
      // The amount that an attempt of unknown outcome reserved is not released: it counts as spent.
      if (committedUsd >= parseUsd(settings.caps.agentSpendUsd))
        return yield* Effect.fail("cap_reached" as const)
    })
    const journalled = yield* Effect.either(
      journalSteps(
        held,
        [...retries.map((retry) => ({ before: null, step: retry })), { before: previousAttempt, step }],
        reserve,
        isFree ? unsyncedUnit : {}
      )
    )
    if (Either.isLeft(journalled))
      return yield* finishRun(
        held,
        state,
        budgetEnding(state, "budget_cost", "what agents may spend in a month")
      )
    const { callsPerTurn = settings.budgets.callsPerTurn } = state.config.budgets
    const leftMs = Math.max(1, state.config.budgets.minutes * 60_000 - state.used.activeMs)
    const replied = yield* converse(model, { messages, maxOutputTokens, tools: tools.map(offer) }).pipe(
      Effect.timeoutFail({ duration: leftMs, onTimeout: () => "timeout" as const }),
      Effect.either
    )
    yield* crashPoint("run.model.afterReply")
    const endedStep = yield* Either.match(replied, {
      onLeft: (failure) => endStep(step, { status: "error", ...failedModel(failure, reservedUsd) }),
      onRight: ({ droppedCalls = 0, finishReason, modelId, text, toolCalls, usage }) => {
        const dropped = droppedCalls + Math.max(0, toolCalls.length - callsPerTurn)
        return endStep(step, {
          status: "ok",
          modelId,
          tokensIn: usage.inputTokens,
          tokensOut: usage.outputTokens,
          costUsd: usage.costUsd,
          output: {
            text,
            toolCalls: toolCalls.slice(0, callsPerTurn),
            finishReason,
            ...(dropped > 0 ? { droppedCalls: dropped } : {})
          }
        })
      }
    })
    yield* journalSteps(held, [{ before: step, step: endedStep }])
    return asEvents(...retries, endedStep)
  })

const offer = ({ description, inputSchema, name }: RunTool) => ({ name, description, inputSchema })

/** Returns the cost of a failed call: the usage that the model reported, or the estimate when the call timed out. */
const failedModel = (failure: ModelFailed | "timeout", reservedUsd: string): Partial<StoredStep> =>
  failure === "timeout"
    ? {
        costUsd: reservedUsd,
        error: { code: "budget_time", message: "The model did not reply within the time of the run." }
      }
    : {
        tokensIn: failure.usage?.inputTokens ?? 0,
        tokensOut: failure.usage?.outputTokens ?? 0,
        costUsd: failure.usage?.costUsd ?? "0",
        error: { code: "model_unavailable", message: failure.message }
      }

/** A turn that is asked for again says so in the journal, with what the attempt before may have cost. */
const retrySteps = (state: RunState, previousAttempt: StoredStep | null) =>
  Effect.gen(function* () {
    if (previousAttempt !== null) return [yield* retryStep(state.nextIdx, previousAttempt)]
    if (state.emptyReplies === 0) return []
    const startedStep = yield* beginStep(state.nextIdx, "retry", { input: { reason: "empty_reply" } })
    return [yield* endStep(startedStep, { status: "ok" })]
  })

/** Notes that a step is carried out again, since nobody knows how its last attempt ended. */
export const retryStep = (idx: number, of: StoredStep) =>
  Effect.flatMap(
    beginStep(idx, "retry", { name: of.name, input: { stepId: of.id, reason: "outcome_unknown" } }),
    (startedStep) => endStep(startedStep, { status: "ok", costUsd: of.reservedUsd })
  )

/** Checks the final text: its markers, its claims in what it cites, and the policy of the workspace. */
export const checkAnswer = (
  held: HeldRun,
  state: RunState,
  draft: string,
  previousAttempt: StoredStep | null = null
) =>
  Effect.gen(function* () {
    const base = yield* beginStep(previousAttempt?.idx ?? state.nextIdx, "guardrail", {
      name: "answer",
      input: { characters: draft.length, sources: state.sources.length }
    })
    const step = previousAttempt === null ? base : { ...base, id: previousAttempt.id }
    yield* journalSteps(held, [{ before: previousAttempt, step }], Effect.void, unsyncedUnit)
    const { citations, removed, text } = citeText(draft, state.sources)
    const isCut = state.draftCut
    // The plan's answer was judged when it was given.
    const own = state.config.modelId === planModelId ? planAnswerOf(state.transcript) : null
    const report =
      own !== null
        ? { ...own, usage: { inputTokens: 0, outputTokens: 0, costUsd: "0" } }
        : state.sources.length === 0
          ? null
          : yield* Effect.provideService(
              (yield* RunGuard).checkAnswer({
                question: state.input,
                text,
                docIds: [...new Set(citations.map(({ docId }) => docId))]
              }),
              Caller,
              held.caller
            )
    const abstains =
      own === null && report?.policy.mode === "enforce" && report.policy.verdict === "abstain_with_pointers"
    const endedStep = yield* endStep(step, {
      status: "ok",
      ...(report === null
        ? {}
        : {
            tokensIn: report.usage.inputTokens,
            tokensOut: report.usage.outputTokens,
            costUsd: addUsd(report.usage.costUsd)
          }),
      output: {
        text: abstains ? abstention(citations.length) : isCut ? `${text} ${cutNote}` : text,
        citations,
        removedMarkers: removed,
        ...(isCut ? { truncated: true } : {}),
        ...(report === null
          ? {}
          : {
              claims: report.claims.map(({ status, text: claim, unmatched }) => ({
                text: claim,
                status,
                ...(unmatched === undefined ? {} : { unmatched })
              })),
              groundedness: report.groundedness,
              policy: withCutCaveat(report.policy, isCut)
            })
      }
    })
    yield* journalSteps(held, [{ before: step, step: endedStep }])
    return asEvents(endedStep)
  })

const cutNote = "(The reply was cut off at its length limit.)"

/** Adds the caveat of a reply that was cut off; where nothing is judged there are no caveats. */
const withCutCaveat = (policy: PolicyBlock, isCut: boolean): PolicyBlock =>
  !isCut || policy.mode === "off" || policy.verdict === "abstain_with_pointers"
    ? policy
    : {
        ...policy,
        verdict: "answer_with_caveats",
        caveats: [...policy.caveats, truncatedCaveat]
      }

const abstention = (citations: number): string =>
  `A reply was written, but the sources do not support it.${citations === 0 ? "" : ` Where to look: ${Array.from({ length: citations }, (_, at) => `[S${at + 1}]`).join(" ")}`}`
