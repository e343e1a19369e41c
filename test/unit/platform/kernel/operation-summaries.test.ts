import { describe, expect, it } from "vitest"
import { operations } from "../../../../core/operations.js"

// People and models choose operations by these sentences: each says what the operation does, verb first.

const verbs =
  /^(?:Add|Allow|Answer|Approve|Cancel|Certify|Check|Compare|Create|Delete|Deprecate|Export|Find|Get|Import|Label|List|Mark|Measure|Merge|Move|Pool|Propose|Queue|Reject|Replace|Restore|Revoke|Run|Search|Set|Start|Store|Stream|Suggest|Summarize|Update|Withdraw|Write) /
const charsMax = 100

describe("the summary of an operation", () => {
  // The rooms export helpers beside their operations.
  const summaries = Object.values(operations).flatMap((one) =>
    "summary" in one ? [[one.name, one.summary] as const] : []
  )
  it.each(summaries)("of %s begins with a verb and is one short sentence", (_, summary) => {
    expect(summary).toMatch(verbs)
    expect(summary).toMatch(/^[^.]+\.$/)
    expect(summary.length).toBeLessThanOrEqual(charsMax)
  })
})
