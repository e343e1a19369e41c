import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { type Cut, cutBy } from "../../../../core/files/documents/index.js"

const text = "One two. 🦉 Three."
const asked = {
  path: "a.md",
  text,
  bodyStart: 4,
  blocks: [],
  pageStarts: [],
  maxChars: 1500,
  overlapChars: 0
}
const cutting = (cut: () => unknown, of = asked) =>
  cutBy({ name: "own", version: "1", cut: cut as () => ReadonlyArray<Cut> }, of)
const one = { start: 4, end: 8, headingPath: ["A"] }

describe("passages of a chunker of the host", () => {
  it("are slices of the text, numbered, and equal ones are told apart", () => {
    expect(cutting(() => [one, one])).toEqual(
      Either.right([
        { ...one, text: "two.", ordinal: 0, occurrence: 0 },
        { ...one, text: "two.", ordinal: 1, occurrence: 1 }
      ])
    )
  })

  it.each<readonly [string, () => unknown, RegExp]>([
    ["that throws", () => JSON.parse("{"), /failed: /],
    ["of no list", () => "passages", /no list/],
    ["of null", () => [null], /no object \(passage 0\)/],
    ["of half an offset", () => [{ ...one, start: 4.5 }], /whole offsets/],
    ["of no number", () => [{ ...one, end: Number.NaN }], /whole offsets/],
    ["in the front matter", () => [{ ...one, start: 0 }], /front matter/],
    ["out of order", () => [{ ...one, start: 5 }, one], /before the one before it.*passage 1/],
    ["behind the end", () => [{ ...one, end: text.length + 1 }], /outside the text/],
    ["without text", () => [{ ...one, start: 8, end: 9 }], /without text/],
    ["turned round", () => [{ ...one, start: 8, end: 4 }], /without text/],
    ["inside an emoji", () => [{ ...one, start: 10, end: 14 }], /splits a character/],
    ["under no headings", () => [{ start: 4, end: 8 }], /heading path/],
    ["under a number", () => [{ ...one, headingPath: [1] }], /heading path/],
    ["in too many pieces", () => Array.from({ length: 1000 }, () => one), /1000 passages, more than 66/]
  ])("%s are refused with a reason", (_, cut, why) => {
    expect(Either.getOrElse(cutting(cut), (fault) => fault)).toMatch(why)
  })

  it("have at most 20,000 characters", () => {
    const long = { ...asked, text: "a".repeat(30_000), bodyStart: 0 }
    const whole = [{ start: 0, end: 20_001, headingPath: [] }]
    expect(
      Either.getOrElse(
        cutting(() => whole, long),
        (fault) => fault
      )
    ).toMatch(/more than 20000/)
  })
})
