export { findConflicts } from "./conflicts.js"
export {
  type Evidence as AnswerEvidence,
  type EvidenceData,
  type EvidencePassage,
  makeEvidence,
  type ScoredPassage
} from "./evidence.js"
export { EvidenceSource, type Gathered } from "./evidence-source.js"
export { type ExtractiveReply, extract, extractiveModelId } from "./extractive.js"
export { type ClaimCheck, checkClaim, checkGrounding, type Veto, verifierId } from "./grounding.js"
export { citedPassages, pruneAnswers } from "./keep.js"
export {
  Claim as AnswerClaim,
  DataCall,
  DetectedEntity,
  Query,
  Source,
  StructuredAnswer
} from "./model.js"
export * as queryOperations from "./operations.js"
export type { ConceptStanding } from "./preference.js"
export { clean as cleanEvidence, promptVersion } from "./prompt.js"
export { type AnswerType, type Question, readQuestion } from "./question.js"
export {
  type AnswerTrace,
  answerNotKept,
  ask,
  askTraced,
  type StageTrace,
  type TracedAnswer
} from "./service.js"
export { StageListener, type StageName, stageNames } from "./stages.js"
export { AnswerStore, type CitedPassage, type StoredAnswer } from "./store.js"
