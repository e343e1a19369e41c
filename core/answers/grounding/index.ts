/**
 * Grounding checks of claims against cited evidence: the built-in verifier with its vetoes (other value, name, order,
 * negation, opposite), combined with an LLM judge where one is configured.
 */

export { checkedBefore, type Grounding, groundClaims, withCounts } from "./ground-claims.js"
export {
  type ClaimCheck,
  checkClaim,
  checkGrounding,
  noteChecks,
  supportingSets,
  verifierId
} from "./grounding.js"
export { quotesOf } from "./quotes.js"
