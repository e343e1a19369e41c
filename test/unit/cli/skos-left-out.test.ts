import { describe, expect, it } from "vitest"
import { noReport, type SkosImportReport } from "../../../core/knowledge/vocabulary/index.js"
import { leftOut } from "../../../server/cli/skos.js"

// When `kanon import skos --strict` exits 1.

const none = noReport()
const withTotals = (totals: Partial<SkosImportReport["totals"]>): SkosImportReport => ({
  ...none,
  totals: { ...none.totals, ...totals }
})
const withStatement = (reason: SkosImportReport["notKept"][number]["reason"]): SkosImportReport => ({
  ...none,
  notKept: [{ word: "urn:word", reason, count: 3, example: "urn:a" }]
})

describe("what an import left out", () => {
  it("is nothing where all is held, proposed already, no SKOS, or kept under another word", () => {
    expect(leftOut({ ...none, created: 9, joined: 2, matched: 3 }, false)).toBe(0)
    expect(leftOut(withTotals({ problems: 5, proposedAlready: 5 }), false)).toBe(0)
    expect(leftOut(withTotals({ renamed: 4, notKept: 9 }), false)).toBe(0)
    for (const reason of ["other_word", "told_otherwise"] as const)
      expect(leftOut(withStatement(reason), false)).toBe(0)
  })

  it("is each concept, link and statement of SKOS, also beyond the end of a list", () => {
    expect(leftOut(withTotals({ conflicts: 1200 }), false)).toBe(1200)
    expect(leftOut(withTotals({ problems: 1500, brokenLinks: 900, proposedAlready: 100 }), false)).toBe(1400)
    for (const reason of ["one_only", "nothing_there", "no_text", "limit", "unread"] as const)
      expect(leftOut(withStatement(reason), true)).toBe(3)
  })

  it("is each difference of a newer edition that was not applied", () => {
    expect(leftOut(withTotals({ differences: 7 }), false)).toBe(7)
    expect(leftOut(withTotals({ differences: 7 }), true)).toBe(0)
  })
})
