/** The text of an answer: prompt, reply of the model, its claims and citations, safe prose, abstention. */
export { abstention, label } from "./abstain.js"
export { type OnText, TextListener } from "./answer-text.js"
export { markersIn } from "./markers.js"
export {
  givenAgain,
  type Outcome,
  outcomeFrom,
  saidByRule
} from "./outcome.js"
export { clean as cleanEvidence, promptVersion } from "./prompt.js"
export { citedIds } from "./reply.js"
