import { describe, expect, it } from "vitest"
import { answersIn, isRight, readVaults } from "../../support/asked-vaults.js"

/**
 * Kinds of wrong answers that were reported, each with a small vault, and more of the same kinds. A check holds what
 * the answer must match and what it must not; silence is right only where the check says so.
 */
describe.each(["kinds", "variants"])("reported kinds of wrong answers: %s", (name) => {
  it.each(readVaults(name))("%s", async (_, vault) => {
    const said = await answersIn(vault)
    const wrong = vault.checks.flatMap((check, at) =>
      isRight(check, said[at] ?? "") ? [] : [{ ...check, said: said[at] }]
    )
    expect(wrong).toEqual([])
  })
})

describe("vaults whose questions and answers were written before the rules", () => {
  it("are answered rightly or not at all", async () => {
    let [given, right, answerable, answered] = [0, 0, 0, 0]
    for (const [, vault] of readVaults("vaults")) {
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
    // docs/answers-quality.md has the numbers.
    expect(right / given).toBeGreaterThanOrEqual(0.95)
    expect(answered / answerable).toBeGreaterThanOrEqual(0.9)
  })
})
