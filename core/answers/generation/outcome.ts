import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Atomic, atomically, Caller, ModelUnavailable, now } from "../../platform/kernel/index.js"
import { type ChatModel, ModelFailed, type Usage } from "../../platform/models/index.js"
import { addUsage, type WorkspaceStore } from "../../platform/workspace/index.js"
import type { Claim, Evidence } from "../evidence/index.js"
import { extractAnswer, extractiveModelId, proseOfClaims } from "../extractive/index.js"
import { checkClaim } from "../grounding/index.js"
import { abstentionText } from "./abstain.js"
import { type Generation, generateReply, otherLanguage } from "./generate.js"
import { markerPattern, markersIn } from "./markers.js"
import { safeProse } from "./safe-prose.js"
import { shownClaims, showRules } from "./shown-claims.js"

/** Reason of an abstention: the model said in prose that it does not answer. */
const modelDeclined = "model_declined"
/** Reason that tells of a reply which ran out of tokens. */
const replyTruncated = "reply_truncated"

/** An answer from a model or a rule, with its citations checked. */
export interface Outcome {
  readonly answerable: boolean
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
  readonly modelId: string
  readonly usage: Usage
  /** Calls of a model. */
  readonly calls: number
  /** Citations of the model that named no source. */
  readonly droppedCitations: number
  /** Codes of the degradations on the way. */
  readonly reasons: ReadonlyArray<string>
}

/**
 * One generation. Without a chat model, or when it is down and the workspace allows it, the built-in extractive model
 * answers.
 */
export const outcomeFrom = (
  evidence: Evidence,
  chat: Option.Option<Context.Tag.Service<ChatModel>>,
  fallback: boolean,
  boundary: string
): Effect.Effect<Outcome, ModelUnavailable, Atomic | Caller | WorkspaceStore> => {
  if (Option.isNone(chat)) return Effect.sync(() => builtInAnswer(evidence, []))
  const { modelId } = chat.value
  // Without evidence no model is asked, because it would only invent an answer.
  if (evidence.sources.length === 0 && evidence.data.length === 0)
    return Effect.sync(() => ({ ...builtInAnswer(evidence, ["no_evidence"]), modelId }))
  return chatAnswer(evidence, chat.value, boundary).pipe(
    Effect.catchAll((failure) =>
      fallback
        ? Effect.sync(() => afterFailure(evidence, failure)).pipe(
            Effect.tap(() =>
              Effect.logWarning(`The chat model ${modelId} is unavailable: ${failure.message}`)
            )
          )
        : Effect.zipRight(
            usageOfFailure(failure),
            new ModelUnavailable({
              message: failure.message,
              retryAfterSeconds: failure.retryAfterSeconds ?? retryAfterSeconds
            })
          )
    )
  )
}

/** Returns the outcome of a rule, without any model call. */
export const ruleOutcome = (answer: string, modelId: string): Outcome => ({
  answerable: false,
  answer,
  claims: [],
  modelId,
  usage: free,
  calls: 0,
  droppedCitations: 0,
  reasons: []
})

/** Returns the outcome for a cached answer, under the name of the model that wrote it. */
export const cachedOutcome = (
  { answer, claims }: Pick<Outcome, "answer" | "claims">,
  modelId: string
): Outcome => ({ ...ruleOutcome(answer, modelId), answerable: true, claims })

/** Counts the tokens and cost of a failed call towards the budget. */
const usageOfFailure = ({ usage = free }: ModelFailed) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const { costUsd, inputTokens, outputTokens } = usage
    yield* atomically(addUsage(workspace, yield* now, { costUsd, inputTokens, outputTokens }))
  })

/** The built-in model's answer, with what the chat model used before it failed. */
const afterFailure = (evidence: Evidence, { timedOut = false, usage = free }: ModelFailed): Outcome => ({
  ...builtInAnswer(evidence, [
    "chat_model_unavailable",
    ...(timedOut ? ["chat_model_timed_out"] : []),
    ...(usage.estimated ? ["usage_estimated"] : [])
  ]),
  usage
})

/** When a provider does not say when to come back. */
const retryAfterSeconds = 30

const free: Usage = { inputTokens: 0, outputTokens: 0, costUsd: "0", estimated: false }

const builtInAnswer = (evidence: Evidence, reasons: ReadonlyArray<string>): Outcome => {
  const claims = extractAnswer(evidence).claims.filter((claim) => checkClaim(claim, evidence).supported)
  const answerable = claims.length > 0
  return {
    answerable,
    answer: answerable ? proseOfClaims(claims, evidence.style.format) : abstentionText(evidence),
    claims,
    modelId: extractiveModelId,
    usage: free,
    calls: 0,
    droppedCitations: 0,
    reasons
  }
}

const chatAnswer = (
  evidence: Evidence,
  model: Context.Tag.Service<ChatModel>,
  boundary: string
): Effect.Effect<Outcome, ModelFailed> =>
  Effect.flatMap(generateReply(model, evidence, boundary), (generation) => {
    const outcome = outcomeOf(evidence, generation, model.modelId, boundary)
    return outcome.answer === ""
      ? new ModelFailed({
          modelId: model.modelId,
          message: "The model gave an empty answer.",
          retryable: true,
          usage: generation.usage
        })
      : Effect.succeed(outcome)
  })

const outcomeOf = (
  evidence: Evidence,
  { calls, cutOff, declined, prose, reply, usage, violations }: Generation,
  modelId: string,
  boundary: string
): Outcome => {
  const rules = showRules(evidence, boundary)
  const common = { modelId, usage, calls }
  const replyReasons = [
    ...(calls > 1 ? ["reply_repaired"] : []),
    ...(violations.some((one) => one !== otherLanguage) ? ["reply_incomplete"] : []),
    ...(cutOff ? [replyTruncated] : []),
    ...(violations.includes(otherLanguage) ? ["reply_other_language"] : []),
    ...(usage.estimated ? ["usage_estimated"] : [])
  ]
  // The text of a model that declines is not shown, because its statements about the evidence are not checked.
  if (!reply.answerable || declined)
    return {
      ...common,
      answerable: false,
      answer: abstentionText(evidence),
      claims: [],
      droppedCitations: 0,
      reasons: declined ? [modelDeclined, ...replyReasons] : replyReasons
    }
  const { claims, dropped, reasons } = shownClaims(reply, rules)
  const safeText = safeProse(prose, rules)
  const markers = markersIn(safeText)
  const { format } = evidence.style
  // Markup that goes over several sentences takes markers with it when it is removed.
  const isWhole =
    (format === "prose" || listItem.test(safeText)) &&
    claims.every(({ citations }) => citations.every((id) => markers.includes(id)))
  const completeText = isWhole ? safeText : proseOfClaims(claims, format)
  // Markers alone say nothing.
  const answer = /[\p{L}\p{N}]/u.test(completeText.replace(markerPattern, "")) ? completeText : ""
  return {
    ...common,
    answerable: true,
    answer,
    claims,
    droppedCitations: dropped,
    reasons: [...replyReasons, ...reasons]
  }
}

/** A reply that is a list already keeps its own. */
const listItem = /^\s{0,8}(?:[-*+•]|\d{1,3}[.)]) /mu
