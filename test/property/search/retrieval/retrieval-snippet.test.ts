import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { analyseQuery } from "../../../../core/language/tokenization/index.js"
import { snippetLine, snippetsFor } from "../../../../core/search/retrieval/index.js"

const snippetOf = (text: string, query: string): string =>
  snippetsFor(new Map(analyseQuery(query).terms.map(({ term }) => [term, 1])))(snippetLine(text))

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom("wing", "lift", "東京都", "😀😀😀", "e\u0301", "\n", "word"),
      fc.string({ unit: "grapheme", maxLength: 12 })
    ),
    {
      maxLength: 200
    }
  )
  .chain((parts) => fc.constantFrom(" ", "").map((glue) => parts.join(glue)))

describe("a snippet", () => {
  it("is a short whole piece of the text on one line", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom("wing", "東京", "lift wing", ""), (text, query) => {
        const snippet = snippetOf(text, query)
        const line = text.replace(/\s+/gu, " ").trim()
        expect(snippet.length).toBeLessThanOrEqual(242)
        expect(snippet).not.toMatch(/\n/u)
        if (text.isWellFormed()) expect(snippet.isWellFormed()).toBe(true)
        if (line.length <= 240) expect(snippet).toBe(line)
        else expect(line.includes(snippet.replace(/^…|…$/gu, ""))).toBe(true)
      })
    )
  })

  it("shows the place where the words of the query stand together", () => {
    fc.assert(
      fc.property(
        fc.nat(120),
        fc.nat(120),
        fc.constantFrom("ipsum ", "東京。", "ünïcödé "),
        (before, after, filler) => {
          const text = `${filler.repeat(before)}lift here, then ${filler.repeat(20)} the wing has lift ${filler.repeat(after)}`
          expect(snippetOf(text, "wing lift")).toContain("wing has lift")
        }
      )
    )
  })

  it("shows a match in a text without spaces", () => {
    const text = `${"あいうえお".repeat(100)}東京都${"かきくけこ".repeat(100)}`
    const snippet = snippetOf(text, "東京")
    expect(snippet).toContain("東京都")
    expect(snippet).toMatch(/^….*…$/u)
  })

  it("cuts at words", () => {
    const words = Array.from({ length: 200 }, (_, i) => `word${i}`)
    const shown = snippetOf(words.join(" "), "word77").replace(/…/gu, "").split(" ")
    expect(shown).toContain("word77")
    for (const word of shown) expect(words).toContain(word)
  })

  it("begins at the beginning when nothing matches", () => {
    const text = "first words and then ".repeat(40)
    expect(snippetOf(text, "unicorn")).toMatch(/^first words/u)
  })

  it("is quick on a text that is one endless word", () => {
    for (const unit of ["a", "😀", "\u0301", "wing "]) {
      const snippet = snippetOf(unit.repeat(1_000_000), "wing")
      expect(snippet.length).toBeLessThanOrEqual(242)
      expect(snippet.isWellFormed()).toBe(true)
    }
  })
})
