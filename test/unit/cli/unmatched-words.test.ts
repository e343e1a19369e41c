import { expect, it } from "vitest"
import { unmatchedWords } from "../../../server/cli/unmatched.js"

it("names the words that no source carries, and nothing where the check knows none", () => {
  const text = "Corvo valves are painted red."
  const unmatched = [
    { start: 6, end: 12 },
    { start: 25, end: 28 }
  ]
  expect(unmatchedWords(text, unmatched)).toBe(" (no source says “valves”, “red”)")
  expect(unmatchedWords(text)).toBe("")
})
