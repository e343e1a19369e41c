import { readFileSync } from "node:fs"
import { deflateSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { convertHere } from "../../../adapters/formats/convert.js"
import { withAccents } from "../../../adapters/formats/pdf-accents.js"
import { withTables } from "../../../adapters/formats/pdf-layout.js"
import type { PdfItem, PdfPage } from "../../../adapters/formats/pdf-page.js"
import { signsBeyond } from "../../../adapters/formats/pdf-signs.js"
import { pdfOfContent } from "../../support/scanned-pages.js"

const converted = (path: string) =>
  convertHere({
    name: path,
    bytes: new Uint8Array(readFileSync(new URL(`../../fixtures/${path}`, import.meta.url)))
  })
const truth = (name: string) => converted(`formats/truth/${name}`)

/** Words of a line of ten points, each as wide as five points a letter. */
const line = (y: number, ...words: ReadonlyArray<readonly [string, number]>): PdfItem => ({
  text: words.map(([text]) => text).join(" "),
  x: words[0]?.[1] ?? 0,
  y,
  width: 0,
  height: 10,
  words: words.map(([text, x]) => ({ text, x, y, width: text.length * 5, height: 10 }))
})

const page = (textItems: ReadonlyArray<PdfItem>, more: Partial<PdfPage> = {}): PdfPage => ({
  pageNum: 1,
  markdown: "",
  textItems,
  ...more
})

describe("tables of a PDF", () => {
  it("follow their drawn rules, also two on one page with a sentence between", async () => {
    const { markdown, warnings } = await converted("formats-reports/two-ruled-tables.pdf")
    expect(markdown).toBe(
      [
        "# Costs",
        "| Part | 2024 | 2025 | 2026 |\n| --- | --- | --- | --- |\n| Pump | 40 | 44 | 48 |\n| Valve | 50 | 55 | 60 |",
        "The risks of the year are these.",
        "| Risk | Measure | Owner |\n| --- | --- | --- |\n| The valve does not close | Check it each year | Bob Sample |\n| The pump leaks | Call the service | Ada Example |"
      ].join("\n\n")
    )
    expect(warnings).toEqual([])
  })

  it("keep rows with empty cells apart, with rules and without", async () => {
    const rows = ["| 2023 | 310 |  | 41,200 |", "| 2024 |  | 905 | 43,750 |", "| 2025 | 355 | 1,010 |  |"]
    for (const name of ["weasyprint-empty-plain.pdf", "groff-box-t3.pdf", "gs-groff-allbox-t3.pdf"]) {
      const { markdown } = await truth(name)
      for (const row of rows) expect(markdown, name).toContain(row)
    }
  })

  it("keep a heading without rules, rows between coloured ones, and cells with dotted rules or space around them", async () => {
    const known = z
      .record(z.string(), z.object({ tables: z.array(z.array(z.array(z.string()))) }))
      .parse(
        JSON.parse(readFileSync(new URL("../../fixtures/formats/truth/truth.json", import.meta.url), "utf8"))
      )
    const names = [
      "jspdf-open-head.pdf",
      "chromium-zebra.pdf",
      "chromium-dotted.pdf",
      "wkhtmltopdf-separate.pdf",
      "pdfmake-header-line.pdf",
      "reportlab-labels.pdf"
    ]
    for (const name of names) {
      const { markdown, warnings } = await truth(name)
      const tables = known[name]?.tables ?? []
      expect(tables.length, name).toBeGreaterThan(0)
      for (const [head = [], ...rows] of tables)
        expect(markdown, name).toContain(
          [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")
        )
      expect(warnings, name).toEqual([])
    }
  })

  it("have no headings where their first row is a value like the others; text above them stays above", async () => {
    const { markdown } = await truth("reportlab-labels.pdf")
    expect(markdown).toMatch(
      /in March\.\n\n\| {2}\| {2}\|\n\| --- \| --- \|\n\| Plank \| 71 \|\n[\s\S]*\| 12\.50 \|\n\nPayable/
    )
  })

  it("have the text of a cell that spans others in the first of them", async () => {
    const { markdown } = await truth("reportlab-span.pdf")
    expect(markdown).toContain(
      "| Quay | Summer |  | Winter |  |\n| --- | --- | --- | --- | --- |\n|  | Boats | Fee |"
    )
  })

  it("have their headings on each page that they go on to", async () => {
    const { markdown, pageStarts } = await truth("latex-longtable.pdf")
    expect(pageStarts.length).toBeGreaterThan(1)
    for (const start of pageStarts)
      expect(markdown.slice(start).startsWith("| Code | Boat | Owner | Metres |\n|")).toBe(true)
  })

  it("are told from two columns of prose, lists and tables of contents", () => {
    const prose = Array.from({ length: 6 }, (_, at) =>
      line(at * 12, ["the pump moves water", 0], ["the valve closes again", 200])
    )
    const list = ["one", "two", "three", "four"].map((text, at) =>
      line(at * 12, [`${at + 1}.`, 0], [text, 30])
    )
    const contents = [1, 2, 3, 4].map((at) =>
      line(at * 12, [`Part${at}`, 0], ["......", 100], [`${at}0`, 300])
    )
    for (const items of [prose, list, contents]) {
      const text = items.map((item) => item.text).join(" ")
      expect(
        withTables(text, page(items, { blocks: [{ kind: "paragraph", text, bbox: boxOf(items) }] }))
      ).toBe(text)
    }
    const rows = [
      line(0, ["Part", 0], ["Price", 100]),
      line(12, ["Pump", 0], ["40", 100]),
      line(24, ["Valve", 0], ["50", 100])
    ]
    const text = rows.map((item) => item.text).join(" ")
    expect(withTables(text, page(rows, { blocks: [{ kind: "paragraph", text, bbox: boxOf(rows) }] }))).toBe(
      "| Part | Price |\n| --- | --- |\n| Pump | 40 |\n| Valve | 50 |"
    )
  })
})

const boxOf = (items: ReadonlyArray<PdfItem>) => ({ x: 0, y: 0, width: 400, height: items.length * 12 })

describe("text of a PDF", () => {
  it("holds the values of filled forms with their labels", async () => {
    const { markdown } = await truth("reportlab-form.pdf")
    expect(markdown).toContain("- Boat: Gull 7\n- Nights: 12\n- Total: 546.00\n- [x] Agreed\n- Kind: Express")
  })

  it("leaves out the numbers of lines in the margin", async () => {
    const { markdown, warnings } = await truth("groff-nm.pdf")
    expect(markdown).toContain(
      "The harbour has 86 berths, of which 14 are for guests; in summer up to 120 boats lie here on one night, side by side."
    )
    expect(markdown).not.toMatch(/\b[1-9] (?=[a-z])/)
    expect(warnings).toEqual([])
  })

  it("has the headings of its tags, and no others, and what they say of pictures", async () => {
    const { markdown } = await converted("formats-reports/tagged-headings.pdf")
    expect(markdown).toMatch(/^# Tide report\n\nKeep clear of the gate\n\nThe tide of /)
    expect(markdown).toContain("the keeper.\n\n## Low water\n\nThe least depth was 2.4 metres")
    expect(markdown).toContain("lay outside.\n\n### Winds of the month\n\nThey came")
    expect(markdown).toMatch(/\n\nPicture: Chart: depth of 2\.4 m on day 17, of 5\.1 m on day 29$/)
  })

  it("is in doubt where a page shows more: a picture with a footer, or letters that are drawn", async () => {
    const text = (y: number) => `BT /F 10 Tf 60 ${y} Td (Received on 3 May by the office) Tj ET`
    const letters = Array.from({ length: 90 }, (_, at) => {
      const [x, y] = [60 + (at % 30) * 8, 600 - Math.floor(at / 30) * 20]
      return `${x} ${y} m ${x + 6} ${y} ${x + 6} ${y + 8} ${x} ${y + 8} c f`
    }).join("\n")
    const picture = "q 595 0 0 842 0 0 cm /I Do Q"
    const messages = async (content: string) =>
      (await convertHere({ name: "a.pdf", bytes: new Uint8Array(pdfOfContent(content)) })).warnings
        .filter(({ code }) => code === "text_uncertain")
        .map(({ message }) => message)
    const doubt = ["Text of pictures or drawn shapes that may be missing, on pages 1."]
    expect(await messages(`${picture}\n${text(30)}`)).toEqual(doubt)
    expect(await messages(`${letters}\n${text(400)}`)).toEqual(doubt)
    // A slide with its text on a picture, and a page with some marks.
    expect(await messages(`${picture}\n${text(400)}`)).toEqual([])
    expect(await messages(`${letters.slice(0, 1200)}\n${text(400)}`)).toEqual([])
  })

  it("is no heading where all type is bold", async () => {
    const { markdown } = await converted("formats-reports/ghostscript-headings.pdf")
    expect(markdown).not.toContain("#")
    expect(markdown).toContain("The pump moves water from the tank")
  })

  it("has letters and accents put together, also where the accent stands at the end of a line", () => {
    const items = [line(10, ["Ubergr¨oße", 0], ["kostet", 60], ["12", 95], ["Euro", 110]), line(7, ["¨", 0])]
    expect(withAccents("Ubergr¨oße kostet 12 Euro ¨", page(items))).toBe("Übergröße kostet 12 Euro")
    expect(withAccents("na¨ıve Dvoˇr´ak, code `a` and 5´", page([]))).toBe("naïve Dvořák, code `a` and 5´")
  })

  it("is in doubt where fonts hold signs that it lacks", async () => {
    expect((await truth("chromium-mathml.pdf")).warnings).toContainEqual({
      code: "text_uncertain",
      message: "Signs of the file that its text lacks: 𝑝 𝑥."
    })
  })

  it("is searched for such signs in small tables alone", () => {
    const stream = (text: string) =>
      Buffer.concat([
        Buffer.from("1 0 obj\n<</Filter/FlateDecode>>\nstream\n"),
        deflateSync(Buffer.from(text)),
        Buffer.from("\nendstream\n")
      ])
    const map = "/CIDInit /ProcSet findresource begin\nbegincmap\n<0001> <D835DC5D>\n"
    expect(signsBeyond(stream(map))).toEqual(["𝑝"])
    expect(signsBeyond(stream(map + " ".repeat(40_000_000)))).toEqual([])
    expect(signsBeyond(stream("BT (no table) Tj ET <D835DC5D>"))).toEqual([])
  })
})
