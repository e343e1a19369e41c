import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sentences } from "../../../../core/language/text-analysis/sentences.js"
import { textUnits } from "../../../../core/language/text-analysis/units.js"

const split = (text: string) => sentences(text).map(({ start, end }) => text.slice(start, end))

describe("sentences", () => {
  it.each([
    ["One. Two! Three?", ["One.", "Two!", "Three?"]],
    ["It costs 3.5 EUR. Pay by card.", ["It costs 3.5 EUR.", "Pay by card."]],
    ["Dr. Smith met Mr. J. Doe. They spoke.", ["Dr. Smith met Mr. J. Doe.", "They spoke."]],
    ["Use e.g. tea, i.e. a drink. Stop.", ["Use e.g. tea, i.e. a drink.", "Stop."]],
    ["Ask Dr. Marsh (ext. 4471). She knows.", ["Ask Dr. Marsh (ext. 4471).", "She knows."]],
    [
      "See No. 5 and Fig. 2. The answer is no. We go.",
      ["See No. 5 and Fig. 2.", "The answer is no.", "We go."]
    ],
    [
      "Der Antrag geht am 3. März ein, z. B. per Post. Danach gilt er.",
      ["Der Antrag geht am 3. März ein, z. B. per Post.", "Danach gilt er."]
    ],
    ["Height is 1.5 m. The master may say no.", ["Height is 1.5 m.", "The master may say no."]],
    ["Es war 2020. Dann kam 2021.", ["Es war 2020.", "Dann kam 2021."]],
    ["今日は晴れです。明日は雨。", ["今日は晴れです。", "明日は雨。"]],
    ["He said “Go.” Then he left.", ["He said “Go.”", "Then he left."]],
    ["Run `a. B` first. Then stop.", ["Run `a. B` first.", "Then stop."]],
    ["Is it version 1.2.3? Yes.", ["Is it version 1.2.3?", "Yes."]]
  ])("splits %j", (text, expected) => {
    expect(split(text)).toEqual(expected)
  })

  it("covers everything but white space, in order, without overlap", () => {
    const piece = fc.constantFrom(
      ...'. ! ? 。 ` `` a B 3 Dr. e.g. \n ( ) " ” 你 z.B. U.S. \u00a0 '.split(" "),
      " ",
      " "
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(piece).map((parts) => parts.join(""))
        ),
        (text) => {
          let at = 0
          for (const { start, end } of sentences(text)) {
            expect(text.slice(at, start).trim()).toBe("")
            expect(end).toBeGreaterThan(start)
            at = end
          }
          expect(text.slice(at).trim()).toBe("")
        }
      )
    )
  })
})

describe("textUnits", () => {
  const shown = (markdown: string) => textUnits(markdown).map(({ kind, text }) => [kind, text])

  it("reads paragraphs without their markup", () => {
    expect(
      shown("## Owner\nThe **platform team** owns [Orlin](https://x.y/a.b). See `a_b`.\nIt is\nfine.")
    ).toEqual([
      ["sentence", "The platform team owns Orlin."],
      ["sentence", "See a_b."],
      ["sentence", "It is fine."]
    ])
    expect(textUnits("## Owner\nText.")[0]?.heading).toBe("Owner")
  })

  it("gives a table row its header names", () => {
    expect(shown("| Plan | Price |\n|---|:--:|\n| Basic | 10 \\| 12 EUR |\n| Pro |  |")).toEqual([
      ["row", "Plan: Basic; Price: 10 | 12 EUR"],
      ["row", "Plan: Pro"]
    ])
  })

  it("reads two cells without headings as a label and its value", () => {
    expect(
      shown("|  |  |\n| --- | --- |\n| Pump: | 40 |\n| Total in euros | 1,250.00 |\n| Remark |  |")
    ).toEqual([
      ["row", "Pump: 40"],
      ["row", "Total in euros: 1,250.00"],
      ["row", "Remark"]
    ])
    expect(shown("|  |  |  |\n|---|---|---|\n| Pump | 40 | 44 |")).toEqual([["row", "Pump; 40; 44"]])
  })

  it("gives a short list whole, with its lead-in, and by item", () => {
    const units = textUnits("To restore:\n\n1. open the console\n2. press **restore**. Wait.\n")
    expect(units.map(({ kind, text }) => [kind, text])).toEqual([
      ["sentence", "To restore:"],
      ["list", "To restore: open the console; press restore. Wait."],
      ["item", "open the console"],
      ["item", "press restore."],
      ["item", "Wait."]
    ])
    expect(units[2]?.lead).toBe("To restore:")
  })

  it("keeps code whole and reads front matter as fields", () => {
    expect(
      shown("---\ntitle: A\nstatus: Final\n---\n```ts\nlet a = 1. B\n\n# no heading\n```\nEnd.")
    ).toEqual([
      ["field", "title: A"],
      ["field", "status: Final"],
      ["code", "let a = 1. B\n\n# no heading"],
      ["sentence", "End."]
    ])
  })

  it("stays inside the text, in order of start, whatever it is given", () => {
    const line = fc.constantFrom(
      "# H",
      "- a. B",
      "1. x",
      "| a | b |",
      "|---|---|",
      "```",
      "~~~",
      "    code",
      "> q",
      "---",
      "",
      "Text. More",
      "[^1]: n",
      "<!-- c",
      "$$",
      "===",
      "\t",
      "* * *"
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(line).map((lines) => lines.join("\n"))
        ),
        (text) => {
          let last = 0
          for (const { start, end, text: said } of textUnits(text)) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeLessThanOrEqual(text.length)
            expect(end).toBeGreaterThan(start)
            expect(said).toMatch(/[\p{L}\p{N}]/u)
            last = start
          }
        }
      )
    )
  })

  it.each([
    ["a single line of 1 MB", "a. ".repeat(350_000)],
    ["many backticks", "`".repeat(200_000) + " ``` ".repeat(20_000)],
    ["many brackets", "[".repeat(200_000) + "](".repeat(100_000)],
    ["many bars", "|".repeat(200_000)],
    ["many list marks", "- ".repeat(200_000)],
    ["many blanks", `#${" ".repeat(300_000)}x`],
    ["many rules", `${"- - ".repeat(100_000)}x`],
    ["many lists", "- a\n\n".repeat(50_000)]
  ])("is done with %s", (_, text) => {
    expect(Array.isArray(textUnits(text))).toBe(true)
  })
})
