import type { AnswerId, DecisionId } from "../../platform/kernel/index.js"
import { sumOfUses, type Usage } from "../../platform/models/index.js"
import type { CheckedClaim, Claim } from "../evidence/index.js"
import { type ClaimCheck, type Grounding, supportingSets } from "../grounding/index.js"
import {
  asOfReason,
  type GateDecision,
  type GateFeatures,
  type PolicyMode,
  policyOff,
  readRules
} from "../policy/index.js"
import type { CacheLookup } from "./answer-cache.js"
import type { DecidedQuestion } from "./decide.js"
import { type Explanation, explain, modelCosts } from "./explain.js"
import { isRefused, type Judgment, policyBlock } from "./gate.js"
import type { StructuredAnswer } from "./model.js"
import type { PersistedAnswer } from "./persist-answer.js"
import type { Draft, QuestionEvidence, QuestionRun } from "./pipeline.js"
import type { StageTrace } from "./stages.js"
import { type CheckedOutcome, verdictOf } from "./withhold.js"

/** Features and decision of the gate for one question. */
export interface GateTrace {
  readonly mode: Exclude<PolicyMode, "off">
  readonly decision: GateDecision
  readonly features: GateFeatures
  /** The gate changed what the caller got. */
  readonly applied: boolean
  readonly cache: CacheLookup["status"]
}

/** Trace of an answer, for embedding callers and logs. */
export interface AnswerTrace {
  /** Names the answer as it is kept; null where the workspace keeps none, or it could not be kept. */
  readonly answerId: AnswerId | null
  /** Names the decision of the gate in the log; null where there is none. */
  readonly decisionId: DecisionId | null
  readonly stages: ReadonlyArray<StageTrace>
  readonly answerable: boolean
  /** Citations of the model that named no source. */
  readonly droppedCitations: number
  /**
   * Codes of all degradations: `model_declined`, `chat_model_unavailable`, `chat_model_timed_out`, `citation_mismatch`,
   * `reply_repaired`, `reply_incomplete`, `reply_truncated`, `reply_other_language`, `usage_estimated`, `no_evidence`,
   * `judge_unavailable`, `data_unavailable`, `answer_not_kept`.
   */
  readonly reasons: ReadonlyArray<string>
  /** One verdict per claim, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
  /** Sets of citations that support each claim of a trial; null for a question that is kept. */
  readonly support: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> | null
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

/** Reason in the trace of an answer that was given but could not be stored. */
export const answerNotKept = "answer_not_kept"

/** All results of one question. */
export interface AnsweredQuestion {
  readonly asking: QuestionRun
  readonly found: QuestionEvidence
  readonly draft: Draft
  readonly grounding: Grounding
  /** The answer as shown, with the checks of its claims and the sentences that were withheld. */
  readonly checked: CheckedOutcome
  /** The claims as shown. */
  readonly claims: ReadonlyArray<CheckedClaim>
  /** Null where the gate is off. */
  readonly judgment: Judgment | null
}

/** Returns the usage of all models for the question. */
export const usedFor = ({ asking, checked }: AnsweredQuestion): Usage =>
  sumOfUses([checked.outcome.usage, ...asking.uses])

/** The answer that the caller gets. */
export const answerOf = (answered: AnsweredQuestion, generatedAt: string): StructuredAnswer => {
  const { asking, found, judgment } = answered
  const { checks, outcome } = answered.checked
  const { dataCalls, evidence, sources } = found
  const { costUsd, inputTokens, outputTokens } = usedFor(answered)
  return {
    answer: outcome.answer,
    claims: [...answered.claims],
    sources,
    dataCalls,
    entities: [...evidence.entities],
    groundedness: {
      verified: checks.filter(({ supported }) => supported).length,
      total: checks.length + answered.checked.withheld.length
    },
    policy:
      judgment === null || asking.mode === "off"
        ? { ...policyOff, reasons: [...policyOff.reasons, ...(asking.past === null ? [] : [asOfReason])] }
        : policyBlock(asking.mode, judgment),
    model: { chat: outcome.modelId, judge: asking.running.judge },
    usage: { inputTokens, outputTokens, costUsd: Number(costUsd) },
    generatedAt
  }
}

const withStatus = ({ citations, text }: Claim, check: ClaimCheck | undefined): CheckedClaim => ({
  text,
  citations: [...citations],
  ...verdictOf(check)
})

/** Returns the gate's judgment with the explanation of the question; null when the gate is off. */
export const decidedQuestionOf = (
  answered: AnsweredQuestion,
  explanation: Explanation
): DecidedQuestion | null => {
  const { asking, draft, judgment } = answered
  if (judgment === null || asking.mode === "off") return null
  const applied = draft.stopped || isRefused(asking.mode, judgment)
  return { mode: asking.mode, judgment, applied, cache: draft.cacheLookup.status, explanation }
}

/** The path of the question. */
export const explanationOf = ({
  asking,
  checked,
  draft,
  found,
  grounding,
  judgment
}: AnsweredQuestion): Explanation =>
  explain(found.evidence, found.gathered, {
    chosen: found.chosen,
    rules: judgment === null ? [] : readRules(judgment.features),
    stages: asking.stages,
    claims: [
      ...checked.outcome.claims.map((claim, place) => ({
        ...withStatus(claim, checked.checks[place]),
        withheld: false
      })),
      ...checked.withheld.map((claim) => ({ ...claim, withheld: true }))
    ],
    models: modelCosts(
      asking.uses,
      { model: asking.chat, ...draft.outcome },
      { model: asking.judge, usage: grounding.usage, calls: 0 }
    )
  })

/** Returns the trace of an answer. */
export const traceOf = (
  answered: AnsweredQuestion,
  explanation: Explanation,
  judged: DecidedQuestion | null,
  { answerId, decisionId }: PersistedAnswer
): AnswerTrace => {
  const { asking } = answered
  const { checks, outcome } = answered.checked
  const used = usedFor(answered)
  const isLost = asking.kept && answerId === null && asking.settings.retention.answerDays > 0
  return {
    answerId,
    decisionId,
    stages: asking.stages,
    answerable: outcome.answerable,
    droppedCitations: outcome.droppedCitations,
    reasons: [
      ...outcome.reasons,
      ...(used.estimated && !outcome.reasons.includes("usage_estimated") ? ["usage_estimated"] : []),
      ...(isLost ? [answerNotKept] : [])
    ],
    checks,
    support: asking.kept
      ? null
      : outcome.claims.map((claim) => supportingSets(claim, answered.found.evidence)),
    gate: judged === null ? null : gateTrace(judged),
    explanation,
    costUsd: used.costUsd
  }
}

const gateTrace = ({ applied, cache, judgment, mode }: DecidedQuestion): GateTrace => ({
  mode,
  ...judgment,
  applied,
  cache
})
