import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { hasTornRows, withLostText } from "../../../adapters/formats/conserved-text.js"
import { convertHere } from "../../../adapters/formats/convert.js"
import type { PdfItem, PdfPage } from "../../../adapters/formats/pdf-page.js"
import { withRaisedDigits } from "../../../adapters/formats/pdf-raised.js"
import { rightToLeftText } from "../../../adapters/formats/pdf-rtl.js"
import { withKoreanJoined, withLigaturesJoined } from "../../../adapters/formats/pdf-words.js"

const converted = (name: string) =>
  convertHere({
    name,
    bytes: new Uint8Array(readFileSync(new URL(`../../fixtures/formats-reports/${name}`, import.meta.url)))
  })

/** Words of a line of ten points, each as wide as said. */
const line = (y: number, ...words: ReadonlyArray<readonly [string, number, number]>): PdfItem => ({
  text: words.map(([text]) => text).join(" "),
  x: words[0]?.[1] ?? 0,
  y,
  width: 0,
  height: 10,
  fontName: "Serif",
  words: words.map(([text, x, width]) => ({ text, x, y, width, height: 10 }))
})

const page = (textItems: ReadonlyArray<PdfItem>, more: Partial<PdfPage> = {}): PdfPage => ({
  pageNum: 1,
  markdown: "",
  textItems,
  ...more
})

describe("raised digits of a PDF", () => {
  it("are told from the number before them", async () => {
    const { markdown } = await converted("super.pdf")
    for (const text of [
      "1.2 × 10^6 litres and covers 45 m^2",
      "30 euros^1 per day",
      "In 2019^4 the dam was closed for 12^5 days.",
      "5.3 × 10^-9 seconds",
      "| Oslo | 709,037^1 |",
      "| Riga | 605,273^2 |"
    ])
      expect(markdown).toContain(text)
    expect(markdown).toContain("CO2 is measured")
  })

  it("stay where they are, with a warning, when a number can be read in two ways", () => {
    // Half a digit narrower than four digits: one small one, or two less small ones.
    const tall = { text: "2345", x: 60, y: 7, width: 17.8, height: 13 }
    const item = line(10, ["Only", 0, 20], ["12", 30, 10])
    const text = "Only 12 2345"
    const result = withRaisedDigits([page([{ ...item, words: [...(item.words ?? []), tall] }])], [text])
    expect(result).toEqual({ texts: [text], uncertain: [1] })
  })

  it("are found where the text has them glued to the word before", async () => {
    const { markdown } = await converted("chromium-raised.pdf")
    for (const text of [
      "10^12 drops",
      "2^10 bytes",
      "400 litres",
      "25^12 euros",
      "30^13 euros",
      "2019^4",
      "44^1 euros"
    ])
      expect(markdown).toContain(text)
  })

  it("are told by the place of each sign where the sizes of words allow two readings", async () => {
    const { markdown, warnings } = await converted("weasyprint-wrong-mark.pdf")
    expect(markdown).toContain("moves 10^12 drops. It needs 2^10 bytes")
    expect(markdown).toContain("12 valves, and 400 litres")
    expect(warnings).toEqual([])
  })

  it("are not seen in numbers of larger type", () => {
    const larger = { text: "125", x: 60, y: 7, width: 19.5, height: 13 }
    const item = line(10, ["Page", 0, 20], ["12", 30, 10])
    const result = withRaisedDigits(
      [page([{ ...item, words: [...(item.words ?? []), larger] }])],
      ["Page 12 125"]
    )
    expect(result).toEqual({ texts: ["Page 12 125"], uncertain: [] })
  })
})

describe("fractions of a PDF", () => {
  it("are told of in a warning where a number is lost", async () => {
    expect((await converted("super.pdf")).warnings).toContainEqual({
      code: "text_uncertain",
      message: "Fractions without one of their numbers, on pages 1."
    })
  })
})

describe("text from right to left", () => {
  it("is read in its order, letters composed, words of other scripts among it", async () => {
    const { markdown, warnings } = await converted("arabic.pdf")
    for (const text of [
      "تحسين الإنتاجية وحل المشكلات من خلال البرمجة بلغة R وPython",
      "تعتبر البرمجة بلغة R و Python من الأدوات القوية",
      "أيضاً إلى اتخاذ قرارات أكثر دقة بناءً على",
      "مكتبة pandas في Python"
    ])
      expect(markdown).toContain(text)
    expect(warnings).toContainEqual(expect.objectContaining({ code: "text_uncertain" }))
  })

  it("composes letters of presentation forms, and reads the right column first", () => {
    const column = (x: number, words: ReadonlyArray<string>) =>
      words.map((text, at) => line(at * 12, [text, x, 40]))
    const text = rightToLeftText(
      page([...column(0, ["ה", "ו", "ז", "ח"]), ...column(100, ["א", "ב", "ﻻ", "ד"])])
    )
    expect(text.replace(/\s+/g, " ")).toBe("א ב لا ד ה ו ז ח")
  })
})

describe("words of a PDF", () => {
  it("are joined where large type cuts them at a ligature", () => {
    const items = [line(0, ["Ef", 0, 20]), line(0, ["ficient", 20.2, 60], ["type", 90, 30], ["of", 130, 20])]
    expect(withLigaturesJoined("# Ef ficient type of", page(items))).toBe("# Efficient type of")
  })

  it("are joined in Korean where the document has the whole word, else told of", () => {
    const items = [
      line(0, ["국내", 0, 20], ["확진자는", 30, 40], ["많다", 80, 20]),
      line(12, ["오늘", 0, 20], ["국내", 30, 20], ["확", 60, 10]),
      line(24, ["진자는", 0, 30], ["매우", 40, 20], ["신", 70, 10]),
      line(36, ["규보험은", 0, 40], ["없다", 50, 20])
    ]
    const text = "국내 확진자는 많다 오늘 국내 확 진자는 매우 신 규보험은 없다"
    expect(withKoreanJoined([page(items)], [text])).toEqual({
      texts: ["국내 확진자는 많다 오늘 국내 확진자는 매우 신 규보험은 없다"],
      uncertain: [1]
    })
  })
})

describe("values of a PDF", () => {
  const pageOf = (plain: string, markdown: string, number = 1) => ({ number, plain, markdown })

  it("are put back where they stood", async () => {
    const { markdown, warnings } = await converted("total-near-edge.pdf")
    expect(markdown).toContain("| Total in euros | 1250 |\n\nThank you.")
    expect(warnings).toEqual([])
    const fraction = await converted("latex-three-and-a-half.pdf")
    expect(fraction.markdown).toContain("*p =* 3 1 euros\n\n2")
    expect(fraction.warnings).toContainEqual(expect.objectContaining({ code: "text_uncertain" }))
    const watermark = await converted("watermark.pdf")
    expect(watermark.markdown).toContain(
      "The valve 16 closes at six bar and opens again at two. The valve 17 closes at six bar and opens again at two. The valve 18"
    )
    expect(watermark.warnings).toEqual([])
  })

  it("are in doubt where the cells of a row stand apart", () => {
    const markdown = "| Part | 2024 | 2025 |\n| --- | --- | --- |\n| Pump | 40 | 44 |"
    expect(hasTornRows({ plain: "Part    2024    2025\nPump    40    44", markdown })).toBe(false)
    expect(
      hasTornRows({
        plain: "Part    2024    2025\nPump    40    44",
        markdown: "Part Pump\n\n2024 40\n\n2025 44"
      })
    ).toBe(true)
  })

  it("stay in lines that differ from page to page, unlike headers and page numbers", () => {
    const pages = ["1,250.00", "2,300.00", "3,475.50"].map((amount, at) =>
      pageOf(
        `The Pump Company, since 1912\nBalance: ${amount} EUR\nThe text of the page goes on.\nPage ${at + 1} of 3`,
        "The text of the page goes on.",
        at + 1
      )
    )
    expect(withLostText(pages).texts).toEqual(
      ["1,250.00", "2,300.00", "3,475.50"].map(
        (amount) => `Balance: ${amount} EUR\n\nThe text of the page goes on.`
      )
    )
  })

  it("are put back into sentences and cells", () => {
    const sentence =
      "The fee is due.\nThe berth fee was 30-40 euros in 2026 and it is due on arrival.\nPay it at the gate."
    expect(withLostText([pageOf(sentence, "The fee is due. Pay it at the gate.")])).toEqual({
      texts: [
        "The fee is due. The berth fee was 30-40 euros in 2026 and it is due on arrival. Pay it at the gate."
      ],
      uncertain: [1]
    })
    const table = "| Part | Count |\n| --- | --- |\n| Pump | 40 |\n| Gear |  |"
    expect(withLostText([pageOf("Part    Count\nPump    40\nGear    9", table)])).toEqual({
      texts: ["| Part | Count |\n| --- | --- |\n| Pump | 40 |\n| Gear | 9 |"],
      uncertain: [1]
    })
  })

  it("are not doubled where Markdown writes them in another way", () => {
    const markdown =
      "# 1. Limits\n\nIt holds 10^6 litres, *3* **4**, 1\\. [5](https://a.example/77) and 1 200,50 euros."
    const plain = "1. Limits\nIt holds 106 litres, 3 4, 1. 5 and 1 200,50\neuros."
    expect(withLostText([pageOf(plain, markdown)])).toEqual({ texts: [markdown], uncertain: [] })
  })
})
