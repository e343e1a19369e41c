import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { columnsOf, graphemesOf, wrap } from "../../../server/cli/text.js"
import { runs } from "../../support/runs.js"

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const flag = "\u{1f1e9}\u{1f1ea}"
const family = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}"
const pieces = [
  "a",
  " ",
  "\r\n",
  "e\u0301",
  "\u0301",
  flag,
  "\u{1f1e9}",
  family,
  "\u200d",
  "漢",
  "\ud800",
  "각"
]
/** Longer than what is cut at once, most of the time. */
const text = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 700 })), {
    minLength: 1,
    maxLength: 6
  })
  .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(""))

describe("the characters of a text", () => {
  it("are those of the whole, however long it is", () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect([...graphemesOf(whole)]).toEqual(
          Array.from(segmenter.segment(whole), ({ segment }) => segment)
        )
      }),
      { numRuns: runs(60) }
    )
  })
})

describe("a wrapped text", () => {
  it("fits the columns and loses nothing but blanks", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 90 }), (whole, columns) => {
        const wrapped = wrap(whole, columns)
        expect(wrapped.replace(/[ \r\n]/gu, "")).toBe(whole.replace(/[ \r\n]/gu, ""))
        for (const line of wrapped.split("\n")) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
      }),
      { numRuns: runs(30) }
    )
  })
})
