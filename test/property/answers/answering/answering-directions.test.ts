import fc from "fast-check"
import { expect, it } from "vitest"
import { matchesOf } from "../../../../core/language/languages/patterns.js"
import {
  directionsByPatterns,
  directionsOf,
  isStateWord,
  opposes,
  oppositeStates
} from "../../../../core/language/text-analysis/oppositions.js"
import { runs } from "../../../support/runs.js"

/** Words and phrases of all pairs, what is like them, and what stands between words. */
const word = fc.constantFrom(
  ..."rose Rising grew falls REDUCED lower lowering steigend gefallen baja subió before After vorher nach minimum MIN max über unter".split(
    " "
  ),
  ..."allowed forbid permis interdite enabled disabled open closed shut always never included excluded accept refuses".split(
    " "
  ),
  ..."required optional pflicht success fail failures unallowed enables_x reopen d'avant at no more less up au plus más de".split(
    " "
  ),
  ...["prior to", "at least", "at most", "no more than", "no fewer than", "less than", "up to", "mehr als"],
  ...[
    "bis zu",
    "au moins",
    "plus de",
    "moins de",
    "jusqu'à",
    "jusqu’au",
    "al menos",
    "como máximo",
    "au-dessus"
  ],
  ...["min.x", "max.5", "como mínimo", "menos de", "más de", "au-dessous", "weniger als", "fewer than"],
  ...["≥", "<", ">5", "K\u212aat lea\u017ft", "e\u0301", "東京", "x", "12"]
)
const gap = fc.constantFrom(" ", " ", " ", "", "-", ". ", ", ", "’", "\n", "/", "_")
const text = fc.oneof(
  fc
    .array(fc.tuple(word, gap), { maxLength: 8 })
    .map((parts) => parts.map(([said, between]) => said + between).join("")),
  fc.string({ unit: "grapheme", maxLength: 12 })
)

it("a text takes the directions that the patterns find in it", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      for (const each of [one, other]) expect(directionsOf(each)).toBe(directionsByPatterns(each))
      expect(opposes(one, other)).toBe(opposes(other, one))
    })
  )
})

it.each([
  ["allowed", "forbidden"],
  ["enabled", "disabled"],
  ["open", "closed"],
  ["always", "never"],
  ["included", "excluded"],
  ["accepted", "rejected"],
  ["mandatory", "optional"],
  ["succeeded", "failed"]
])("%s and %s are states of one thing", (one, other) => {
  for (const word of [one, other, "rises", "falling", "less"]) expect(isStateWord(word)).toBe(true)
  for (const word of ["before", "above", "minimum", "harbour"]) expect(isStateWord(word)).toBe(false)
  expect(oppositeStates(`It is ${one} here.`, `It is ${other}.`)).toEqual([one, other])
  expect(oppositeStates(`It is ${other}.`, `It is ${one} here.`)).toEqual([other, one])
  expect(oppositeStates(`It is ${one} here.`, `It is ${other} or ${one}.`)).toBeUndefined()
})

it("all matches of a pattern are those of matchAll", () => {
  const pattern = fc.constantFrom(/\p{L}+/gu, /a|b/gu, /x?/gu, /(?<!\p{L})\p{L}*/gu, /$/gu)
  fc.assert(
    fc.property(pattern, fc.oneof(text, fc.string({ unit: "binary", maxLength: 8 })), (of, given) => {
      const shown = (found: Iterable<RegExpMatchArray>) => [...found].map((one) => [one[0], one.index])
      expect(shown(matchesOf(of, given))).toEqual(shown(given.matchAll(of)))
    }),
    { numRuns: runs(20) }
  )
})
