import * as Effect from "effect/Effect"
import { withIndexing } from "../../files/documents/index.js"
import { readQuestion } from "../../language/questions/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { Caller, now, traced } from "../../platform/kernel/index.js"
import { countUses } from "../../platform/models/index.js"
import { checkedBefore, groundClaims } from "../grounding/index.js"
import { standaloneQuestion } from "./follow-up.js"
import { isRefused } from "./gate.js"
import type { Query, StructuredAnswer } from "./model.js"
import { persistAnswer, recordUsage } from "./persist-answer.js"
import { draftAnswer, evidenceFor, judgeDraft, prepareQuestionRun, type QuestionRun } from "./pipeline.js"
import { timeStage } from "./stages.js"
import { checkWhenWritten, sendClaims } from "./streamed-claims.js"
import {
  type AnsweredQuestion,
  answerOf,
  decidedQuestionOf,
  explanationOf,
  type TracedAnswer,
  traceOf,
  usedFor
} from "./trace.js"
import { checkedOutcome, withoutRefused } from "./withhold.js"

/** Answers a question from the caller's workspace; see `askTraced`. */
export const ask = (query: Query) => Effect.map(askTraced(query), ({ answer }) => answer)

export interface AskSettings {
  /**
   * False for a trial: nothing is kept of it (no answer, no decision, nothing in the cache, which is not asked
   * either), only what models used is counted. True by default.
   */
  readonly kept?: boolean
}

/**
 * The pipeline: read the question, gather and select evidence, let the gate look, one generation, check citations,
 * check each claim against what it cites, compare the sources, judge, keep. Nothing is invented: what the evidence
 * does not carry is said to be missing. Off, the gate does nothing at all; in shadow it judges and changes nothing;
 * enforcing, it may answer in the place of a model before one is called.
 */
export const askTraced = traced("answering.ask")(function* (query: Query, { kept = true }: AskSettings = {}) {
  const { workspace } = yield* Caller
  const questionRun = yield* prepareQuestionRun(query, kept)
  // Model usage counts towards the budget even when the question fails.
  return yield* Effect.onError(answerQuestion(questionRun), () => countUses(workspace, questionRun.uses))
})

const answerQuestion = Effect.fnUntraced(function* (questionRun: QuestionRun) {
  const { query, settings, stages } = questionRun
  const question = yield* standaloneQuestion(questionRun)
  const found = yield* evidenceFor(questionRun, readQuestion(question, analyse))
  const draft = yield* draftAnswer(questionRun, found)
  const grounding = yield* timeStage(
    stages,
    "ground",
    draft.cacheLookup.cachedAnswer === null
      ? groundClaims(
          draft.outcome.claims,
          found.evidence,
          questionRun.judge,
          checkWhenWritten(questionRun.streamed)
        )
      : Effect.succeed(checkedBefore(draft.cacheLookup.cachedAnswer.checks)),
    ({ verified }) => verified,
    ({ usage }) => usage.costUsd
  )
  const checked = checkedOutcome(
    found.evidence,
    draft.outcome,
    grounding,
    settings.policy,
    found.unavailableData
  )
  // An enforcing gate may refuse all of them yet.
  const streamed =
    questionRun.mode === "enforce" ? null : yield* sendClaims(questionRun, checked, found.evidence)
  const judgment = yield* judgeDraft(
    questionRun,
    found.evidence,
    { ...draft, outcome: checked.outcome },
    checked,
    found
  )
  const shown = isRefused(questionRun.mode, judgment)
    ? withoutRefused(found.evidence, checked, judgment?.decision.reasons ?? [])
    : checked
  const claims = streamed ?? (yield* sendClaims(questionRun, shown, found.evidence))
  const answered = { asking: questionRun, found, draft, grounding, checked: shown, claims, judgment }
  const answer: StructuredAnswer = {
    ...answerOf(answered, yield* now),
    ...(question === query.question ? {} : { standaloneQuestion: question }),
    ...(query.conversationId === undefined ? {} : { conversationId: query.conversationId })
  }
  const explanation = explanationOf(answered)
  const decision = decidedQuestionOf(answered, explanation)
  const used = usedFor(answered)
  const { costUsd, inputTokens, outputTokens } = used
  const kept = questionRun.kept
    ? yield* persistAnswer({
        question: query.question,
        answer,
        usage: { costUsd, inputTokens, outputTokens },
        settings,
        judged: decision,
        settle: cacheUpdate(answered, answer.policy)
      })
    : yield* recordUsage(used)
  return {
    answer: yield* withIndexing(answer, questionRun.stamp),
    trace: traceOf(answered, explanation, decision, kept)
  } satisfies TracedAnswer
})

/** Returns the effect that updates the cache with the given answer; null when the cache was not asked. */
const cacheUpdate = (
  { checked: { checks, outcome }, draft: { stopped, cacheLookup } }: AnsweredQuestion,
  policy: StructuredAnswer["policy"]
): Effect.Effect<void> | null => {
  if (stopped || cacheLookup.status === "off") return null
  const { answer, answerable, claims, reasons } = outcome
  const degraded = reasons.some((reason) => degradations.has(reason))
  return cacheLookup.settle({ answer, claims, checks, answerable, policy, degraded })
}

/** Reasons after which the same question may be answered better next time. */
const degradations = new Set([
  "chat_model_unavailable",
  "reply_repaired",
  "reply_incomplete",
  "reply_truncated",
  "reply_other_language",
  "judge_unavailable"
])
