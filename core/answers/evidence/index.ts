/**
 * The evidence of an answer as one plain value: numbered passages split into units, data rows, entities, and the
 * prepared question. Selection, comparison and checks need no other input.
 */

export {
  claimText,
  type Evidence,
  type EvidenceData,
  type EvidencePassage,
  idfOf,
  type KnownAnswers,
  makeEvidence,
  marker,
  type ScoredPassage
} from "./evidence.js"
export { glossaryEntryOf } from "./glossary.js"
export {
  isQuestion,
  labelOf,
  labelsOf,
  withLabel
} from "./labels.js"
export { isPriced, isPriceWord, PreparedQuestion, prepareQuestion } from "./prepared-question.js"
export {
  CheckedClaim,
  Claim,
  ClaimStatus,
  cellText,
  DataCall,
  DetectedEntity,
  Quote,
  Source,
  Span,
  Unmatched
} from "./registry.js"
export {
  type AnswerFormat,
  type AnswerStyle,
  answerFormats,
  fixedTextLanguage,
  plainStyle
} from "./style.js"
export { headingOf } from "./unit-context.js"
