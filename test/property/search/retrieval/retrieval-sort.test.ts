import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sortTexts } from "../../../../core/search/segments/sort-texts.js"
import { runs } from "../../../support/runs.js"

/** Texts that begin alike, end early, hold a NUL, or go beyond ASCII at each place. */
const text = fc.oneof(
  fc.array(fc.constantFrom("a", "b", "~", "}", "\0", "\x7f", "é", "東", "\ud83d", "\uffff"), {
    maxLength: 8
  }),
  fc.string({ unit: "binary", maxLength: 7 }).map((one) => [one])
)

describe("texts sorted as numbers", () => {
  it("stand as `sort` puts them, equal ones in their order", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), (parts) => {
        const texts = parts.map((one) => one.join(""))
        const places = sortTexts(texts)
        expect(places.map((place) => texts[place])).toEqual([...texts].sort())
        const equalsInOrder = places.every(
          (place, at) =>
            at === 0 || texts[place] !== texts[places[at - 1] ?? 0] || place > (places[at - 1] ?? 0)
        )
        expect(equalsInOrder).toBe(true)
      }),
      { numRuns: runs(2000) }
    )
  })
})
