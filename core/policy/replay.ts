import { decideGate } from "./decide.js"
import type { PolicyDecision } from "./decision.js"

/** Returns whether the features of a decision give the same decision again. */
export const isReplayable = ({
  caveats,
  confidence,
  features,
  gate,
  reasons,
  verdict
}: PolicyDecision): boolean => {
  const again = decideGate(features)
  return (
    again.gate === gate &&
    again.verdict === verdict &&
    again.confidence === confidence &&
    again.reasons.join("\n") === reasons.join("\n") &&
    again.caveats.map(({ code }) => code).join() === caveats.map(({ code }) => code).join()
  )
}
