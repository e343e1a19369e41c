import { describe, expect, it } from "vitest"
import { answersIn, isRight, readVaults } from "../../../support/asked-vaults.js"

/**
 * Share of given answers that are right, and of questions with an answer that get one, over all vaults of a file:
 * docs/answers-quality.md. The first four hold wrong answers that were reported, each with a small vault, and more of
 * their kinds; the questions of the next two were written before the
 * method. `pages` are forms of real documentation: questions and answers, steps, records, code, marks of tools.
 */
const figures = [
  ["kinds", 1, 0.95],
  ["variants", 0.92, 0.9],
  ["handbooks", 0.83, 0.8],
  ["vaults", 0.94, 0.9],
  ["later", 0.91, 0.8],
  ["pages", 0.93, 0.92]
] as const

describe("vaults with questions", () => {
  it.each(figures)("are answered rightly or not at all: %s", async (name, rightMin, answeredMin) => {
    let [given, right, answerable, answered] = [0, 0, 0, 0]
    const wrong: Array<string> = []
    for (const [, vault] of readVaults(name)) {
      const said = await answersIn(vault)
      for (const [at, check] of vault.checks.entries()) {
        const text = said[at] ?? "NONE"
        const isAnswered = text !== "NONE"
        if (!isRight(check, "NONE")) {
          answerable += 1
          answered += isAnswered ? 1 : 0
        }
        if (!isAnswered) continue
        given += 1
        if (isRight(check, text)) right += 1
        else wrong.push(`${check.ask} ${text}`)
      }
    }
    expect(right / given, wrong.join("\n")).toBeGreaterThanOrEqual(rightMin)
    expect(answered / answerable).toBeGreaterThanOrEqual(answeredMin)
  })
})
