import type { Claim, Evidence } from "../evidence/index.js"
import { type CheckedCitations, checkCitations, type ModelReply, statementsOf } from "./reply.js"
import { type ProseRules, safeClaim } from "./safe-prose.js"

/** The source ids, boundary and texts against which the prose of a reply is cleaned. */
export const showRules = (evidence: Evidence, boundary: string): ProseRules => ({
  registry: new Set([...evidence.sources, ...evidence.data].map(({ id }) => id)),
  boundary,
  evidenceTexts: evidence.sources.map(({ text }) => text)
})

/** The claims of a reply as an answer shows them, one by one: a claim does not depend on the others. */
export const shownClaims = (
  reply: ModelReply,
  rules: ProseRules
): Omit<CheckedCitations, "claims"> & { readonly claims: ReadonlyArray<Claim> } => {
  const { claims, dropped, reasons } = checkCitations(statementsOf(reply), rules.registry)
  return {
    claims: claims
      .map(({ citations, text }) => ({ citations, text: safeClaim(text, rules) }))
      .filter(({ text }) => /[\p{L}\p{N}]/u.test(text)),
    dropped,
    reasons
  }
}
