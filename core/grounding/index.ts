/**
 * Grounding checks of claims against cited evidence: the built-in verifier with its vetoes (other value, name, order,
 * negation, opposite), combined with an LLM judge where one is configured.
 */
export { type ClaimCheck, type ClaimStatus, checkClaim, checkGrounding, verifierId } from "./grounding.js"
export { checkedBefore, counted, type Grounding, groundClaims } from "./judging.js"
export type { Veto } from "./vetoes.js"
