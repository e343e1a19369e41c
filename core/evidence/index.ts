/**
 * What may carry an answer, as one plain value: numbered passages cut into units, rows of data, entities; and the
 * question made ready to be looked for in them. Whoever chooses, compares or checks reads this and asks nobody.
 */
export { type AskedTerm, Asking, askingOf } from "./asking.js"
export { claimText } from "./claim-text.js"
export {
  type Evidence,
  type EvidenceData,
  type EvidencePassage,
  idfOf,
  makeEvidence,
  marker,
  type ScoredPassage
} from "./evidence.js"
export {
  asksTheSame,
  behindLabel,
  datedHeading,
  isOfSibling,
  isRowOfAsked,
  labelOf,
  labelsOf,
  type NamedBeginning,
  namedBeginnings,
  questionAbove
} from "./labels.js"
export { Claim, DataCall, DetectedEntity, Source } from "./registry.js"
export { headingOf, namesOf, Surroundings } from "./surroundings.js"
