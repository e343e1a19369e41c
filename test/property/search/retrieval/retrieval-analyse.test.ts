import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { analyse, analyseForIndex, analyseQuery } from "../../../../core/language/tokenization/index.js"

const terms = (text: string) => analyse(text).map(({ term }) => term)
/** Returns the terms of a query that the index holds for a text. */
const common = (query: string, text: string) => {
  const held = new Set(analyseForIndex(text).map(({ term }) => term))
  return analyseQuery(query).terms.filter(({ term }) => held.has(term))
}
const finds = (query: string, text: string) => common(query, text).length === analyseQuery(query).terms.length

const words = fc.array(
  fc.oneof(
    fc.constantFrom(
      "The",
      "café",
      "Zürich's",
      "don’t",
      "東京都",
      "KX-2041",
      "foo_bar",
      "v1.2.3",
      "ไทย",
      "서울",
      "é",
      "ｶﾞ",
      "l’eau"
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.string({ unit: "grapheme", maxLength: 6 })
  ),
  { maxLength: 30 }
)

describe("analysis of text", () => {
  it("points at the text it was given, in order, and never into the middle of a character", () => {
    fc.assert(
      fc.property(words, fc.constantFrom(" ", "", "-", "."), (parts, glue) => {
        const text = parts.join(glue)
        let before = { position: 0, start: 0 }
        for (const token of analyseForIndex(text)) {
          expect(token.term).not.toBe("")
          expect(token.start).toBeLessThan(token.end)
          expect(token.end).toBeLessThanOrEqual(text.length)
          expect(token.position).toBeGreaterThanOrEqual(before.position)
          expect(token.start).toBeGreaterThanOrEqual(before.start)
          const slice = text.slice(token.start, token.end)
          if (text.isWellFormed()) expect(slice.isWellFormed()).toBe(true)
          before = token
        }
      })
    )
  })

  it("leaves out the stop words and keeps the places of the rest", () => {
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join(" ")
        const all = analyseForIndex(text)
        expect(analyse(text)).toEqual(all.filter(({ kind }) => kind === "word" || kind === "whole"))
      })
    )
    expect(analyse("Bank of America").map(({ position, term }) => [position, term])).toEqual([
      [0, "bank"],
      [2, "america"]
    ])
  })

  it("gives a word the same term wherever it stands", () => {
    fc.assert(
      fc.property(fc.constantFrom("straße", "Ωmega", "running", "Ёлка", "ﬁne"), words, (word, around) => {
        const alone = terms(word)
        expect(terms(`${around.join(" ")} ${word} ${around.join(" ")}`)).toEqual(
          expect.arrayContaining([...alone])
        )
      })
    )
  })

  it("finds every text by a piece of itself", () => {
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (parts, a, b) => {
        const [from, to] = [a % (parts.length + 1), b % (parts.length + 1)].sort((x, y) => x - y)
        expect(finds(parts.slice(from, to).join(" "), parts.join(" "))).toBe(true)
      })
    )
  })

  it.each([
    ["Zurich", "Zürich"],
    ["Zürich", "zurich"],
    ["STRASSE", "Straße"],
    ["etre", "être"],
    ["елка", "ёлка"],
    ["ΟΔΌΣ", "οδος"],
    ["ABC", "ＡＢＣ"],
    ["fine", "ﬁne"],
    ["homme", "l’homme"],
    ["Kanon", "Kanon's"],
    ["obrien", "O'Brien"],
    ["connected", "connections"],
    ["محمد", "مُحَمَّد"],
    ["KX-2041", "the KX-2041 pump"],
    ["KX2041", "the KX-2041 pump"],
    ["kx 2041", "the KX-2041 pump"],
    ["2041", "the KX2041 pump"],
    ["EIP-1559", "see EIP1559"],
    ["v1.2.3", "since v1.2.3"],
    ["foobar", "call foo_bar()"],
    ["bar", "call foo_bar()"],
    ["camelcase", "camelCase"],
    ["case", "camelCase"],
    ["httpserver", "HTTPServer"],
    ["server", "HTTPServer"],
    ["1000", "1,000 euros"],
    ["京", "東京都に行く"],
    ["都", "東京都に行く"],
    ["東京", "私は東京都に行く"],
    ["に", "東京都に行く"],
    ["ไทย", "ภาษาไทยง่าย"],
    ["서울", "서울에서 만나요"],
    ["東", "東"],
    ["ガ", "ｶﾞｷﾞ"],
    ["𠮷", "𠮷野家"]
  ])("finds %s in %s", (query, text) => {
    expect(common(query, text)).not.toEqual([])
    expect(finds(query, text)).toBe(true)
  })

  it("finds a word that is written with and without capitals inside", () => {
    expect(common("JavaScript", "a javascript engine")).toEqual([{ term: "javascript", count: 0.5 }])
  })

  it.each([
    ["й", "и"],
    ["東都", "東京都"],
    ["cat", "catalog"]
  ])("does not take %s for %s", (query, text) => {
    expect(common(query, text)).toEqual([])
  })

  it("keeps versions apart", () => {
    expect(terms("1.2.3")).toContain("1.2.3")
    expect(terms("12.3")).not.toContain("1.2.3")
  })

  it("does not read on into another word across a point", () => {
    expect(terms("the end.Start again")).toEqual(["end", "start"])
    expect(terms("end-to-end")).toEqual(["end", "end"])
  })

  it("stays within linear work on hostile text", () => {
    for (const unit of [
      "a",
      "a-",
      "1.",
      "aB",
      "l'",
      "'",
      "a\u0301",
      "\u0301",
      "京",
      "京\u0301",
      "\ud800",
      "é",
      "_",
      "ﷺ"
    ]) {
      const text = unit.repeat(200_000)
      const found = analyseForIndex(text)
      expect(found.length).toBeLessThanOrEqual(2 * text.length)
      for (const { term } of found.slice(0, 3)) expect(term.length).toBeLessThanOrEqual(64)
    }
  })
})

describe("analysis of a query", () => {
  it("counts what is said twice and keeps the order", () => {
    const { sequence, terms: asked } = analyseQuery("lift and drag, and lift again of wings")
    expect(asked).toEqual([
      { term: "lift", count: 2 },
      { term: "drag", count: 1 },
      { term: "wing", count: 1 }
    ])
    expect(sequence).toEqual(["lift", "drag", "lift", "wing"])
  })

  it.each([
    ["When did the storm begin?", "The storm began at noon."],
    ["Who wrote the report?", "She writes a report each week."],
    ["children", "one child"]
  ])("finds irregular forms of a word: %s", (query, text) => {
    expect(common(query, text).length).toBe(2 - Number(query === "children"))
  })

  it("keeps what was founded apart from what was found", () => {
    expect(finds("founded", "It can be found in the archive.")).toBe(false)
    expect(finds("find", "It can be found in the archive.")).toBe(true)
  })

  it("searches stop words when there is nothing else", () => {
    expect(analyseQuery("to be or not to be").terms.map(({ term }) => term)).toEqual([
      "to",
      "be",
      "or",
      "not"
    ])
    expect(finds("The Who", "a concert of The Who")).toBe(true)
  })

  it("shares the weight of a code among its whole and its parts", () => {
    expect(analyseQuery("KX-2041 pump").terms).toEqual([
      { term: "kx2041", count: 0.5 },
      { term: "kx", count: 0.5 },
      { term: "2041", count: 0.5 },
      { term: "pump", count: 1 }
    ])
  })

  it("takes all syntax as ordinary text", () => {
    const asked = (text: string) => analyseQuery(text).terms.map(({ term }) => term)
    expect(asked('"wing* NEAR(lift)" -drag title:flow (😀 AND')).toEqual(
      asked("wing near lift drag title flow")
    )
    expect(analyseQuery('"*-:() 😀').terms).toEqual([])
  })

  it("reads no more than 4,000 characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 0, maxLength: 50 }), (unit) => {
        const { sequence, terms: asked } = analyseQuery(unit.repeat(5000))
        expect(asked.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(8000)
        expect(sequence.length).toBeLessThanOrEqual(4000)
      }),
      { numRuns: 20 }
    )
  })
})
