import { describe, expect, it } from "vitest"
import { answersIn, isRight, readVaults } from "../../support/asked-vaults.js"

/**
 * Small vaults with questions, each with what the answer must match and what it must not; silence is right only where
 * the check says so. Reported kinds of wrong answers and their variants, handbooks, and vaults whose questions were
 * written before anything was asked. The floors lie a little below the measured shares (docs/answers-quality.md):
 * given answers that are right, and questions with an answer that are answered rightly.
 */
const floors = [
  ["kinds", 0.92, 0.75],
  ["variants", 0.92, 0.88],
  ["handbooks", 0.9, 0.78],
  ["vaults", 0.85, 0.86],
  ["later", 0.88, 0.8]
] as const

describe("small vaults", () => {
  it.each(floors)("are answered rightly or not at all: %s", async (name, rightMin, answeredMin) => {
    let [given, right, answerable, answered] = [0, 0, 0, 0]
    for (const [, vault] of readVaults(name)) {
      const said = await answersIn(vault)
      for (const [at, check] of vault.checks.entries()) {
        const text = said[at] ?? "NONE"
        const isGiven = text !== "NONE"
        const isOk = isGiven && isRight(check, text)
        given += isGiven ? 1 : 0
        right += isOk ? 1 : 0
        if (isRight(check, "NONE")) continue
        answerable += 1
        answered += isOk ? 1 : 0
      }
    }
    expect(right / given).toBeGreaterThanOrEqual(rightMin)
    expect(answered / answerable).toBeGreaterThanOrEqual(answeredMin)
  })
})
