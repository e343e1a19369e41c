import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnchorField } from "../../../../core/language/text-analysis/anchors.js"
import { holdsAntonym, isOpposed, opposes } from "../../../../core/language/text-analysis/oppositions.js"
import { ReadText } from "../../../../core/language/text-analysis/read-text.js"
import { TermLookup } from "../../../../core/language/text-analysis/term-coverage.js"
import { TermSet } from "../../../../core/language/text-analysis/terms.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { findValues } from "../../../../core/language/values/values.js"
import { runs } from "../../../support/runs.js"

const term = fc.constantFrom(
  ...[
    "invoic",
    "bill",
    "director",
    "directorate",
    "frist",
    "kündigungsfrist",
    "x1",
    "urlaub",
    "urlaubstag",
    "fee"
  ]
)
const language = fc.constantFrom("en" as const, "de" as const)

describe("what is looked up once for many", () => {
  it("is what each set says of each term, alone and within a wider set", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(term, { maxLength: 6 }),
        fc.array(fc.array(term, { maxLength: 4 }), { maxLength: 4 }),
        language,
        (terms, lists, of) => {
          const sought = new TermLookup(terms, of)
          const sets = lists.map((list) => new TermSet(list))
          const whole = TermSet.union(sets)
          for (const set of sets) {
            const matches = terms.map((one) => set.match(one, of))
            expect(sought.rowWithin(set, whole)).toEqual(matches)
            expect(sought.rowOf(set)).toEqual(matches)
            // A term that the union of the sets does not match is matched by none of them.
            for (const one of terms) if (whole.match(one, of) === 0) expect(set.match(one, of)).toBe(0)
          }
        }
      ),
      { numRuns: runs(200) }
    )
  })

  it("finds a code however it is written", () => {
    const piece = fc.stringMatching(/^[A-Za-z]{1,4}$/u)
    const figures = fc.stringMatching(/^[0-9]{1,4}$/u)
    const sign = fc.constantFrom("", "-", "_", ".", " ", "–")
    const code = fc.tuple(piece, sign, figures, sign, fc.oneof(piece, figures)).map((parts) => parts.join(""))
    fc.assert(
      fc.property(
        fc.array(code, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(" ", ", ", " | "),
        (codes, by) => {
          const text = codes.join(by)
          for (const value of findValues(text))
            if (value.kind === "code")
              expect(new AnchorField(text).has({ kind: "code", text: "otherwise", code: value.code })).toBe(
                true
              )
        }
      ),
      { numRuns: runs(300) }
    )
  })

  it("tells opposites of texts that are read as of texts", () => {
    const word = fc.constantFrom(
      ...[
        "valid",
        "invalid",
        "paid",
        "unpaid",
        "unless",
        "less",
        "at least",
        "at most",
        "before",
        "after",
        "first",
        "last"
      ]
    )
    const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(" "))
    fc.assert(
      fc.property(text, text, (one, other) => {
        const said = opposes(one, other) || holdsAntonym(one, other)
        expect(isOpposed(new ReadText(one, analyse), new ReadText(other, analyse))).toBe(said)
      }),
      { numRuns: runs(200) }
    )
  })
})
