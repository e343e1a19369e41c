/**
 * Whether a claim is carried by what it cites: the built-in verifier of vetoes (another value, name, order, denial,
 * opposite), and a judge's word beside it where a model is configured.
 */
export {
  type ClaimCheck,
  type ClaimStatus,
  checkClaim,
  checkGrounding,
  supportingSets,
  verifierId
} from "./grounding.js"
export { checkedBefore, counted, type Grounding, groundClaims } from "./judging.js"
export type { Veto } from "./vetoes.js"
