import * as Effect from "effect/Effect"
import { analyse } from "../analysis/index.js"
import { type ClaimCheck, checkedBefore, groundClaims } from "../grounding/index.js"
import { type AnswerId, Caller, type DecisionId, now, traced } from "../kernel/index.js"
import { countUses, sumOfUses } from "../models/index.js"
import {
  type GateDecision,
  type GateFeatures,
  type PolicyMode,
  policyOff,
  readRules
} from "../policy/index.js"
import { readQuestion } from "../reading/index.js"
import type { CacheOutcome, CacheTurn } from "./answer-cache.js"
import { type Explanation, explain } from "./explain.js"
import { policyBlock } from "./gate.js"
import { sumUsage } from "./generate.js"
import { keepAnswer, keepUsage } from "./keep.js"
import type { Query, StructuredAnswer } from "./model.js"
import { modelCosts } from "./model-costs.js"
import type { Outcome } from "./outcome.js"
import { sourcesOf } from "./source.js"
import type { StageTrace } from "./stages.js"
import { type Draft, found, judged, prepare, type QuestionRun, timed, written } from "./steps.js"

/** What the gate saw and made of it. */
export interface GateTrace {
  readonly mode: Exclude<PolicyMode, "off">
  readonly decision: GateDecision
  readonly features: GateFeatures
  /** The gate changed what the caller got. */
  readonly applied: boolean
  readonly cache: CacheTurn["status"]
}

/** How an answer came about; for embedding callers and logs. */
export interface AnswerTrace {
  /** Names the answer as it is kept; null where the workspace keeps none, or it could not be kept. */
  readonly answerId: AnswerId | null
  /** Names the decision of the gate in the log; null where there is none. */
  readonly decisionId: DecisionId | null
  readonly stages: ReadonlyArray<StageTrace>
  readonly answerable: boolean
  /** Citations of the model that named no source. */
  readonly droppedCitations: number
  /** What degraded: `chat_model_unavailable`, `citation_mismatch`, `reply_repaired`, `reply_incomplete`, `reply_other_language`, `usage_estimated`, `no_evidence`, `judge_unavailable`, `answer_not_kept`. */
  readonly reasons: ReadonlyArray<string>
  /** One verdict per claim, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
  /** Null where the gate is off. */
  readonly gate: GateTrace | null
  /** The path of the question, as it is kept with the decision. */
  readonly explanation: Explanation
  /** Exact decimal US dollars. */
  readonly costUsd: string
}

/** An answer with what was found, asked and judged on the way to it. */
export interface TracedAnswer {
  readonly answer: StructuredAnswer
  readonly trace: AnswerTrace
}

/** What a trace says of an answer that was given and could not be kept. */
export const answerNotKept = "answer_not_kept"

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
  const asking = yield* prepare(query, kept)
  // What was used for a question that ends without an answer is paid for all the same.
  return yield* Effect.onError(answered(asking), () => countUses(workspace, asking.uses))
})

const answered = Effect.fnUntraced(function* (asking: QuestionRun) {
  const { query, settings, stages } = asking
  const question = readQuestion(query.question, analyse)
  const { chosen, evidence, gathered, governance } = yield* found(asking, question)
  const draft = yield* written(asking, evidence, gathered)
  const grounding = yield* timed(
    stages,
    "ground",
    draft.turn.written === null
      ? groundClaims(draft.outcome.claims, evidence, asking.judge)
      : Effect.succeed(checkedBefore(draft.turn.written.checks)),
    ({ verified }) => verified,
    ({ usage }) => usage.costUsd
  )
  const outcome: Outcome = {
    ...draft.outcome,
    usage: sumUsage(draft.outcome.usage, grounding.usage),
    reasons: [...draft.outcome.reasons, ...grounding.reasons]
  }
  const used = sumUsage(outcome.usage, sumOfUses(asking.uses))
  const judgment = yield* judged(asking, evidence, { ...draft, outcome }, grounding.checks, governance)
  const answer: StructuredAnswer = {
    answer: outcome.answer,
    claims: outcome.claims.map(({ citations, text }) => ({ text, citations: [...citations] })),
    sources: sourcesOf(evidence.sources, gathered.termWeights),
    dataCalls: [],
    entities: [...evidence.entities],
    groundedness: { verified: grounding.verified, total: grounding.total },
    policy: judgment === null || asking.mode === "off" ? policyOff : policyBlock(asking.mode, judgment),
    model: { chat: outcome.modelId, judge: asking.running.judge },
    usage: {
      inputTokens: used.inputTokens,
      outputTokens: used.outputTokens,
      costUsd: Number(used.costUsd)
    },
    generatedAt: yield* now
  }
  const { answerable, claims, droppedCitations } = outcome
  const { costUsd, inputTokens, outputTokens } = used
  const gate =
    judgment === null || asking.mode === "off"
      ? null
      : { mode: asking.mode, ...judgment, applied: draft.stopped, cache: draft.turn.status }
  const rules = judgment === null ? [] : readRules(judgment.features)
  const explanation = explain(evidence, gathered, {
    chosen,
    rules,
    stages,
    models: modelCosts(
      asking.uses,
      { model: asking.chat, ...draft.outcome },
      { model: asking.judge, usage: grounding.usage, calls: 0 }
    )
  })
  const settle = settled(draft, {
    answer: outcome.answer,
    claims,
    checks: grounding.checks,
    answerable,
    policy: answer.policy,
    degraded: outcome.reasons.some((reason) => degradations.has(reason))
  })
  const given = {
    question: query.question,
    answer,
    usage: { costUsd, inputTokens, outputTokens },
    settings,
    judged: gate === null || judgment === null ? null : { ...gate, judgment, explanation },
    settle
  }
  const { answerId, decisionId } = asking.kept ? yield* keepAnswer(given) : yield* keepUsage(used)
  const isLost = asking.kept && answerId === null && settings.retention.answerDays > 0
  const trace: AnswerTrace = {
    answerId,
    decisionId,
    stages,
    answerable,
    droppedCitations,
    reasons: [
      ...outcome.reasons,
      ...(used.estimated && !outcome.reasons.includes("usage_estimated") ? ["usage_estimated"] : []),
      ...(isLost ? [answerNotKept] : [])
    ],
    checks: grounding.checks,
    gate,
    explanation,
    costUsd
  }
  return { answer, trace } satisfies TracedAnswer
})

/** What the cache does with what was given; nothing where it was not asked. */
const settled = ({ stopped, turn }: Draft, outcome: CacheOutcome): Effect.Effect<void> | null =>
  stopped || turn.status === "off" ? null : turn.settle(outcome)

/** Reasons after which the same question may be answered better next time. */
const degradations = new Set([
  "chat_model_unavailable",
  "reply_repaired",
  "reply_incomplete",
  "reply_other_language",
  "judge_unavailable"
])
