import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { convertHere } from "../../../adapters/formats/convert.js"

const converted = (name: string) =>
  convertHere({
    name,
    bytes: new Uint8Array(readFileSync(new URL(`../../fixtures/formats/made/${name}`, import.meta.url)))
  })

describe("raised numbers of a PDF", () => {
  it.each([
    ["typst", "whose font has raised digits on the line", ["3 × 10^13", "10^-7 metres", "2^9 drops"]],
    ["luatex", "which are as high as their line", ["10^13 litres", "10^-6 metres", "2^11 drops"]],
    ["wkhtmltopdf", "which are lines of their own", ["3 × 10^13", "10^-9 metres", "2^11 drops"]],
    ["xetex", "in a line that the library drops", ["3 × 10^11", "10^-8 metres", "2^7 drops"]]
  ])("of %s, %s", async (program, _what, texts) => {
    const { markdown } = await converted(`pdf/${program}-report.pdf`)
    for (const text of texts) expect(markdown).toContain(text)
  })
})

describe("columns of a PDF without rules", () => {
  it("are told by their heads where no row fills all of them", async () => {
    const { markdown } = await converted("pdf/prawn-statement.pdf")
    expect(markdown).toContain("| Day | Text | Out | In |")
    expect(markdown).toContain("| 02-04 | Order QX-17 | 250.65 |  |")
    expect(markdown).toContain("| 02-06 | Rent |  | 3,834.92 |")
  })

  it("have their heads at the left and their numbers at the right in sheets", async () => {
    const { markdown } = await converted("pdf/calc-book.pdf")
    expect(markdown).toContain("| Part | Since | Count | Price | Share | Run | Change |")
    expect(markdown).toContain("| 0042 | 2023-02-02 | 1,203 | 7,831.56 | 91.9% | 16:33 |  |")
  })
})

it("letters of items come from levels that a list has of its own, and from style sheets", async () => {
  const docx = await converted("docx/writer-report.docx")
  expect(docx.markdown).toMatch(/- a\. form B-\d\d\n +- b\. the receipt/)
  const epub = await converted("epub/sphinx-report.epub")
  expect(epub.markdown).toMatch(/- a\. form B-\d\d\n +- b\. the receipt/)
})

it("smaller text that a book moves up is raised, and what it moves down is not", async () => {
  const { markdown } = await converted("epub/writer-report.epub")
  expect(markdown).toContain("3 × 10^13 litres at a rate of 10^-4 metres, and the sea takes up CO2 ")
})
