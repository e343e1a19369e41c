import { describe, expect, it } from "vitest"
import { answersIn, isRight, readVaults } from "../../support/asked-vaults.js"

/**
 * Kinds of wrong answers that were reported, each with a small vault, and more of the same kinds. A check holds what
 * the answer must match and what it must not; silence is right only where the check says so.
 */
describe.each(["kinds", "variants", "handbooks"])("reported kinds of wrong answers: %s", (name) => {
  it.each(readVaults(name))("%s", async (_, vault) => {
    const said = await answersIn(vault)
    const wrong = vault.checks.flatMap((check, at) =>
      isRight(check, said[at] ?? "") ? [] : [{ ...check, said: said[at] }]
    )
    expect(wrong).toEqual([])
  })
})

/** Share of given answers that are right, and of questions with an answer that get one: docs/answers-quality.md. */
const written = [
  ["vaults", 0.95, 0.9],
  ["later", 0.94, 0.88]
] as const

describe("vaults whose questions and answers were written before the rules", () => {
  it.each(written)("are answered rightly or not at all: %s", async (name, rightMin, answeredMin) => {
    let [given, right, answerable, answered] = [0, 0, 0, 0]
    for (const [, vault] of readVaults(name)) {
      const said = await answersIn(vault)
      for (const [at, check] of vault.checks.entries()) {
        const text = said[at] ?? "NONE"
        const isAnswered = text !== "NONE"
        if (!isRight(check, "NONE")) {
          answerable += 1
          answered += isAnswered ? 1 : 0
        }
        given += isAnswered ? 1 : 0
        right += isAnswered && isRight(check, text) ? 1 : 0
      }
    }
    expect(right / given).toBeGreaterThanOrEqual(rightMin)
    expect(answered / answerable).toBeGreaterThanOrEqual(answeredMin)
  })
})
