/** The text of an answer: prompt, reply of the model, its claims and citations, safe prose, abstention. */
export { abstentionText, titleLabel } from "./abstain.js"
export { type OnText, TextListener } from "./answer-text.js"
export { changeText } from "./changes-text.js"
export { markersIn } from "./markers.js"
export {
  cachedOutcome,
  type Outcome,
  outcomeFrom,
  ruleOutcome
} from "./outcome.js"
export { cleanEvidence, fencedEvidence, promptVersion } from "./prompt.js"
export { citedIds, modelReplySchema, parseReply } from "./reply.js"
export { safeProse } from "./safe-prose.js"
export { claimsAsWritten, ReplyListener } from "./written-sentences.js"
