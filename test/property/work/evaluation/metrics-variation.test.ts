import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { randomFrom, shuffled } from "../../../../bench/random.js"
import { variations } from "../../../../bench/vary.js"

const texts = fc.array(
  fc
    .array(
      fc.constantFrom("gas", "storage", "transaction", "opcode", "contract", "## Title", "`code`", "\n"),
      {
        maxLength: 40
      }
    )
    .map((words) => words.join(" ")),
  { minLength: 1, maxLength: 6 }
)

describe("inputs made from a seed", () => {
  it("are the same for the same seed", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 5 }), (corpus, seed, copy) => {
        const [one, other] = [variations(corpus, seed), variations(corpus, seed)]
        for (const text of corpus) expect(one(text, copy)).toBe(other(text, copy))
      })
    )
  })

  it("keep everything but the words, and the first copy whole", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 5 }), (corpus, seed, copy) => {
        const vary = variations(corpus, seed)
        const shape = (text: string) => text.replace(/\p{L}+/gu, "w")
        for (const text of corpus) {
          expect(vary(text, 0)).toBe(text)
          expect(shape(vary(text, copy))).toBe(shape(text))
        }
      })
    )
  })

  it("exchange about a third of the kinds of words in each copy, alike everywhere", () => {
    const words = Array.from(
      { length: 400 },
      (_, i) => `word${"abcdefghijklmnopqrst"[i % 20]}${"abcdefghijklmnopqrst"[Math.floor(i / 20)]}`
    )
    const vary = variations(words, 1)
    const changed = words.filter((word) => vary(word, 1) !== word)
    expect(changed.length).toBeGreaterThan(80)
    expect(changed.length).toBeLessThan(160)
    for (const word of changed)
      expect(vary(`${word} and ${word}`, 1)).toBe(`${vary(word, 1)} and ${vary(word, 1)}`)
    expect(words.map((word) => vary(word, 2))).not.toEqual(words.map((word) => vary(word, 1)))
  })

  it("spread evenly, and shuffle without loss", () => {
    const random = randomFrom(7)
    const numbers = Array.from({ length: 10_000 }, random)
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    expect(Math.abs(numbers.reduce((sum, number) => sum + number, 0) / 10_000 - 0.5)).toBeLessThan(0.02)
    const items = Array.from({ length: 50 }, (_, i) => i)
    expect(shuffled(items, 3)).not.toEqual(items)
    expect([...shuffled(items, 3)].sort((a, b) => a - b)).toEqual(items)
  })
})
