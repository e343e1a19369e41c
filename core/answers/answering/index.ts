/**
 * One question in, one answer out: evidence is gathered, an answer written and checked, judged by the policy, kept with
 * its decision and explained afterwards.
 */

export {
  AnswerCache,
  type CacheLookup,
  type CacheOutcome,
  type CacheQuestion,
  noCacheLookup,
  type WrittenAnswer
} from "./answer-cache.js"
export * from "./cache-store.js"
export * as decisionOperations from "./decision-operations.js"
export { DecisionPage, ExplainedDecision } from "./decisions.js"
export { Explanation } from "./explain.js"
export { type AnswerFormat, GroundingReport, Query, StructuredAnswer } from "./model.js"
export * as queryOperations from "./operations.js"
export { citedPassages, pruneAnswers, pruneDecisions } from "./persist-answer.js"
export { questionPrivacy } from "./question-privacy.js"
export { askTraced } from "./service.js"
export { StageListener, type StageName, stageNames } from "./stages.js"
export {
  type CheckedStatements,
  checkStatements,
  LongClaims,
  type TextToCheck
} from "./statements-check.js"
export {
  type AnswerFeedback,
  type AnswerFilter,
  AnswerStore,
  type CitedPassage,
  type Conversation,
  type ConversationOf,
  type ConversationTitle,
  type ListedAnswer,
  type StoredAnswer
} from "./store.js"
export { type AnswerPart, PartListener } from "./streamed-claims.js"
export { type AnswerTrace, answerNotKept, type TracedAnswer } from "./trace.js"
export { answerVersions, pipelineVersion } from "./versions.js"
export { warmUpAnswers } from "./warm-up.js"
