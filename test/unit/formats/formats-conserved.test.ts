/** What a file says is what its Markdown says: each number stands in it, or a warning names it. */

import fc from "fast-check"
import { strToU8, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { convertHere } from "../../../adapters/formats/convert.js"

const zipped = (parts: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

/** A piece of a line: its text, and whether it is raised. */
interface Piece {
  readonly text: string
  readonly raised: boolean
}
/** A paragraph, the items of a list, or the rows of a table. */
interface Block {
  readonly kind: "paragraph" | "list" | "table"
  readonly lines: ReadonlyArray<ReadonlyArray<Piece>>
}

const number = fc.oneof(
  fc.integer({ min: 0, max: 99_999 }).map(String),
  fc.integer({ min: -999, max: -1 }).map(String),
  fc
    .tuple(
      fc.integer({ min: 1, max: 999 }),
      fc.integer({ min: 100, max: 999 }),
      fc.integer({ min: 10, max: 99 })
    )
    .map(([thousands, rest, cents]) => `${thousands},${rest}.${cents}`),
  fc.constantFrom(
    "2026-03-02",
    "10:45",
    "PB-9",
    "1.5e-7",
    "§ 12",
    "50%",
    "3*4",
    "1_2",
    "[7]",
    "<8>",
    "#9",
    "3.",
    "+4"
  )
)
const piece = fc.record({
  text: fc
    .tuple(fc.constantFrom("", "costs ", "euros, ", "a "), number, fc.constantFrom("", " ", " days ", "."))
    .map((parts) => parts.join("")),
  raised: fc.boolean()
})
const blocks: fc.Arbitrary<ReadonlyArray<Block>> = fc.array(
  fc.record({
    kind: fc.constantFrom("paragraph" as const, "list" as const, "table" as const),
    lines: fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  }),
  { minLength: 1, maxLength: 6 }
)

/** The lines of a block; each cell is one. */
const linesOf = ({ kind, lines }: Block): Block["lines"] =>
  kind === "table" ? lines.flatMap((line) => line.map((one) => [one])) : lines

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const html = (document: ReadonlyArray<Block>) =>
  document
    .map(({ kind, lines }) => {
      const inline = (line: ReadonlyArray<Piece>) =>
        line.map(({ raised, text }) => (raised ? `<sup>${escaped(text)}</sup>` : escaped(text))).join("")
      if (kind === "paragraph") return lines.map((line) => `<p>${inline(line)}</p>`).join("")
      if (kind === "list") return `<ol>${lines.map((line) => `<li>${inline(line)}</li>`).join("")}</ol>`
      return `<table>${lines.map((line) => `<tr>${line.map((one) => `<td>${inline([one])}</td>`).join("")}</tr>`).join("")}</table>`
    })
    .join("")

const docx = (document: ReadonlyArray<Block>) => {
  const paragraph = (line: ReadonlyArray<Piece>) =>
    `<w:p>${line
      .map(
        ({ raised, text }) =>
          `<w:r>${raised ? '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>' : ""}<w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`
      )
      .join("")}</w:p>`
  const body = document
    .map(({ kind, lines }) =>
      kind === "table"
        ? `<w:tbl>${lines.map((line) => `<w:tr>${line.map((one) => `<w:tc>${paragraph([one])}</w:tc>`).join("")}</w:tr>`).join("")}</w:tbl><w:p/>`
        : lines.map(paragraph).join("")
    )
    .join("")
  return wordFile(body)
}

const wordFile = (body: string) =>
  zipped({
    "[Content_Types].xml":
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="m" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": `<w:document xmlns:w="${word}" xmlns:v="urn:schemas-microsoft-com:vml"><w:body>${body}</w:body></w:document>`
  })

const odt = (document: ReadonlyArray<Block>) => {
  const paragraph = (line: ReadonlyArray<Piece>) =>
    `<text:p>${line.map(({ raised, text }) => `<text:span${raised ? ' text:style-name="R"' : ""}>${escaped(text)}</text:span>`).join("")}</text:p>`
  const body = document
    .map(({ kind, lines }) =>
      kind === "table"
        ? `<table:table>${lines.map((line) => `<table:table-row>${line.map((one) => `<table:table-cell>${paragraph([one])}</table:table-cell>`).join("")}</table:table-row>`).join("")}</table:table>`
        : kind === "list"
          ? `<text:list>${lines.map((line) => `<text:list-item>${paragraph(line)}</text:list-item>`).join("")}</text:list>`
          : lines.map(paragraph).join("")
    )
    .join("")
  return openDocument(body)
}

const openDocument = (body: string) =>
  zipped({
    "content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:style="s" xmlns:table="b"><office:automatic-styles><style:style style:name="R"><style:text-properties style:text-position="super 58%"/></style:style></office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`
  })

const pptx = (document: ReadonlyArray<Block>) => {
  const paragraphs = document
    .flatMap(linesOf)
    .map(
      (line) =>
        `<a:p>${line.map(({ raised, text }) => `<a:r><a:rPr${raised ? ' baseline="30000"' : ""}/><a:t>${escaped(text)}</a:t></a:r>`).join("")}</a:p>`
    )
    .join("")
  return zipped({
    "ppt/presentation.xml":
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
    "ppt/_rels/presentation.xml.rels":
      '<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/></Relationships>',
    "ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:nvPr/></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`
  })
}

const epub = (document: ReadonlyArray<Block>) =>
  zipped({
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    "b.opf":
      '<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
    "c.xhtml": `<html><body>${html(document)}</body></html>`
  })

const mail = (body: string, type = "text/html") =>
  strToU8(`From: a@b.example\r\nSubject: Prices\r\nContent-Type: ${type}; charset=utf-8\r\n\r\n${body}`)

const makers: ReadonlyArray<readonly [name: string, make: (document: ReadonlyArray<Block>) => Uint8Array]> = [
  ["a.html", (document) => strToU8(`<main>${html(document)}</main>`)],
  ["a.docx", docx],
  ["a.odt", odt],
  ["a.pptx", pptx],
  ["a.epub", epub],
  ["a.eml", (document) => mail(html(document))],
  [
    "a.csv",
    (document) =>
      strToU8(
        `name,value\n${document
          .flatMap(({ lines }) => lines.flat())
          .map(({ text }, at) => `row ${at},"${text}"`)
          .join("\n")}`
      )
  ]
]

/** The digits between which nothing stands but digits, signs of thousands and points, in order of the text. */
const digitsOf = (text: string) => text.match(/\d+(?:[.,:]\d+)*/g) ?? []

const without = (all: ReadonlyArray<string>, taken: ReadonlyArray<string>) => {
  const left = [...taken]
  return all.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

describe("conserved values", () => {
  for (const [name, make] of makers)
    it(`stand in the text or in a warning: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(blocks, async (document) => {
          const { markdown, warnings } = await convertHere({ name, bytes: make(document) })
          const values = document
            .flatMap(linesOf)
            .flatMap((line) =>
              digitsOf(name === "a.csv" ? line.map(({ text }) => text).join("\n") : shown(line))
            )
          const lost = without(values, digitsOf(markdown.replaceAll("\\", "")))
          const isWarned = warnings.some(({ code }) => code === "text_uncertain")
          expect(isWarned ? [] : lost, markdown).toEqual([])
        }),
        { numRuns: 30 }
      )
    }, 60_000)

  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
  const uncertain = async (name: string, bytes: Uint8Array) => {
    const { markdown, warnings } = await convertHere({ name, bytes })
    return [markdown, warnings.filter(({ code }) => code === "text_uncertain").map(({ message }) => message)]
  }

  it("of Word stand in directions, readings, and behind all kinds of tabs and breaks", async () => {
    const body = `<w:p>${run("Price ")}<w:dir w:val="rtl">${run("40")}</w:dir></w:p>
      <w:p><w:r><w:ruby><w:rt>${run("12")}</w:rt><w:rubyBase>${run("50")}</w:rubyBase></w:ruby></w:r></w:p>
      <w:p><w:r><w:t>7</w:t><w:ptab/><w:t>8</w:t><w:cr/><w:t>9</w:t></w:r></w:p>`
    expect(await uncertain("a.docx", wordFile(body))).toEqual(["Price 40\n\n50 (12)\n\n7 8  \n9", []])
  })

  it("of OpenDocument stand apart in tables of text boxes", async () => {
    const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
    const body = `<text:p>Box<draw:text-box xmlns:draw="d"><table:table><table:table-row>${cell("45")}${cell("46")}</table:table-row></table:table></draw:text-box></text:p>`
    expect(await uncertain("a.odt", openDocument(body))).toEqual(["Box  \n45 46", []])
  })

  it("of long raised text stand apart, and so do readings of HTML", async () => {
    const page = "<main><p>40<sup>5 euros and more, as was agreed</sup></p><ruby>6<rt>7</rt></ruby></main>"
    expect(await uncertain("a.html", strToU8(page))).toEqual([
      "40 5 euros and more, as was agreed\n\n6 (7)",
      []
    ])
  })

  it("that two texts glue together, and text that is lost, are named in a warning", async () => {
    expect(await uncertain("a.html", strToU8('<main><p>Page <a href="#x">9</a>10</p></main>'))).toEqual([
      "Page 910",
      ["The text may lack what the file holds: “Page 9 10”. Numbers that may be two: 910."]
    ])
    const drawn = `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps"><w:txbxContent><w:p>${run("Amount due: 4,711.00")}</w:p></w:txbxContent></mc:Choice></mc:AlternateContent>`
    expect(await uncertain("a.docx", wordFile(`<w:p>${run("Invoice 7")}<w:r>${drawn}</w:r></w:p>`))).toEqual([
      "Invoice 7",
      ["The text may lack what the file holds: “Invoice 7 Amount due: 4,711.00”."]
    ])
  })

  it("that are hidden or deleted are not missed", async () => {
    const body = `<w:p>${run("Price 40")}<w:r><w:rPr><w:vanish/></w:rPr><w:t>41</w:t></w:r><w:del><w:r><w:delText>42</w:delText></w:r></w:del><w:moveFrom>${run("43")}</w:moveFrom></w:p>`
    expect(await uncertain("a.docx", wordFile(body))).toEqual(["Price 40", []])
  })

  it("of a long hostile text are compared in bounded time", async () => {
    const text = `${"`[*\\-1 ".repeat(40_000)}`
    const started = performance.now()
    await convertHere({ name: "a.eml", bytes: mail(text, "text/plain") })
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

/** A line as readers see it: pieces of one height are one text. */
const shown = (line: ReadonlyArray<Piece>) =>
  line
    .map(({ raised, text }, at) => (at > 0 && line[at - 1]?.raised !== raised ? `\n${text}` : text))
    .join("")
