import { type AnswerId, type CallerShape, type DecisionId, nameNorm } from "../../platform/kernel/index.js"
import type { MonthlyUsage } from "../../platform/models/index.js"
import type { Settings } from "../../platform/workspace/index.js"
import { citedIds } from "../generation/index.js"
import { type PolicyDecision, type PolicyMode, redactDecision } from "../policy/index.js"
import type { CacheLookup } from "./answer-cache.js"
import type { Explanation } from "./explain.js"
import type { Judgment } from "./gate.js"
import type { StructuredAnswer } from "./model.js"

/** A question that the gate has judged, as its row in the log is made of. */
export interface DecidedQuestion {
  readonly mode: Exclude<PolicyMode, "off">
  readonly judgment: Judgment
  readonly applied: boolean
  readonly cache: CacheLookup["status"]
  readonly explanation: Explanation
}

/** The row of the log, without what tells the question where the workspace keeps no questions. */
export const decisionOf = (
  ids: { readonly id: DecisionId; readonly answerId: AnswerId | null },
  { applied, cache, explanation, judgment: { decision, features }, mode }: DecidedQuestion,
  question: { readonly text: string; readonly hash: string },
  answer: StructuredAnswer,
  usage: MonthlyUsage,
  { activity, actor, requestId }: CallerShape,
  { policy }: Settings
): PolicyDecision => {
  const cited = citedIds(answer)
  const row: PolicyDecision = {
    ...ids,
    question: question.text,
    questionHash: question.hash,
    mode,
    gate: decision.gate,
    verdict: decision.verdict,
    applied,
    confidence: decision.confidence,
    threshold: features.limits.confidence,
    certified: features.limits.certified,
    calibrationVersion: features.limits.calibrationVersion,
    reasons: [...decision.reasons],
    caveats: [...decision.caveats],
    conflicts: [...decision.conflicts],
    features,
    entityIds: answer.entities.map(({ id }) => id),
    sources: answer.sources.map(({ chunkId, docId, id }) => ({
      sourceId: id,
      docId,
      chunkId,
      cited: cited.has(id)
    })),
    groundedness: answer.groundedness,
    models: answer.model,
    cache,
    usage,
    durationMs: explanation.stages.reduce((sum, { durationMs }) => sum + durationMs, 0),
    trace: { ...(ids.answerId === null ? withoutTexts(explanation) : explanation) },
    askedBy: actor,
    activity,
    requestId: requestId ?? null,
    decidedAt: answer.generatedAt
  }
  return policy.keepQuestions ? row : redactDecision(row)
}

/** The texts of claims and the names in relations are an answer, which the workspace does not keep. */
const withoutTexts = ({ best, claims = [], relations: _, ...explanation }: Explanation): Explanation => ({
  ...explanation,
  ...(best === null || best === undefined ? {} : { best: withoutQuotes(best) }),
  claims: claims.map(({ text: _text, ...claim }) => claim)
})

const withoutQuotes = ({
  best,
  runnerUp,
  ...rest
}: NonNullable<Explanation["best"]>): Explanation["best"] => {
  const bare = ({ score, sourceId }: typeof best) => ({ score, sourceId })
  return { ...rest, best: bare(best), runnerUp: runnerUp === null ? null : bare(runnerUp) }
}

/** Returns the form of a question that is hashed: questions that differ only in white space or case share one hash. */
export const hashedQuestion = (question: string): string => nameNorm(question)
