import type { CheckedClaim } from "../evidence/index.js"
import { abstention } from "./abstain.js"
import { isBelowFloor } from "./gate.js"
import type { Answered } from "./trace.js"

/** Leaves out an answer whose confidence is below the floor; its sentences count as withheld. */
export const withoutBelowFloor = (it: Answered): Answered => {
  const { asking, checked, found, judgment } = it
  if (!isBelowFloor(asking.mode, judgment)) return it
  const { checks, outcome, withheld } = checked
  const left = outcome.claims.flatMap((claim, place): ReadonlyArray<CheckedClaim> => {
    const check = checks[place]
    return check === undefined ? [] : [{ ...claim, status: check.status }]
  })
  return {
    ...it,
    checked: {
      outcome: { ...outcome, answerable: false, answer: abstention(found.evidence), claims: [] },
      checks: [],
      withheld: [...withheld, ...left]
    }
  }
}
