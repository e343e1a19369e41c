/** Values that files of other formats hold reach Markdown unchanged: raised digits, struck prices, marks of notes. */

import { readFileSync } from "node:fs"
import { strToU8, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { numberText } from "../../../adapters/formats/cell-text.js"
import { convertHere } from "../../../adapters/formats/convert.js"

const textOf = async (name: string, file: string | Uint8Array) =>
  (await convertHere({ name, bytes: typeof file === "string" ? strToU8(file) : file })).markdown

const zipped = (parts: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

const docx = (body: string, parts: Readonly<Record<string, string>> = {}) =>
  zipped({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="m" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": `<w:document xmlns:w="${word}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:r="${relations}"><w:body>${body}</w:body></w:document>`,
    ...parts
  })

const odt = (body: string, styles = "", parts: Readonly<Record<string, string>> = {}) =>
  zipped({
    "content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:style="s" xmlns:fo="f" xmlns:draw="d" xmlns:xlink="x" xmlns:table="b"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    ...parts
  })

const pptx = (shapes: string, parts: Readonly<Record<string, string>> = {}) =>
  zipped({
    "ppt/presentation.xml":
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
    "ppt/_rels/presentation.xml.rels":
      '<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/></Relationships>',
    "ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:a="a" xmlns:m="m" xmlns:a14="a14" xmlns:mc="mc"><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    ...parts
  })

const shape = (paragraphs: string, placeholder = "") =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`

const xlsx = (
  rows: string,
  { book = "", strings = "", styles = "" }: { book?: string; strings?: string; styles?: string } = {}
) =>
  zipped({
    "xl/workbook.xml": `<workbook xmlns:r="r">${book}<sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": rows.startsWith("<worksheet")
      ? rows
      : `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    "xl/sharedStrings.xml": `<sst>${strings}</sst>`,
    "xl/styles.xml": `<styleSheet>${styles}</styleSheet>`
  })

const epub = (chapter: string, parts: Readonly<Record<string, string>> = {}, title = "") =>
  zipped({
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    "b.opf": `<package><metadata xmlns:dc="d"><dc:title>${title}</dc:title></metadata><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>`,
    "c.xhtml": `<html xmlns:epub="e"><body>${chapter}</body></html>`,
    ...parts
  })

const raisedCases = [
  ["10<sup>12</sup> drops", "10^12 drops"],
  ["10<sup>-3</sup> m", "10^-3 m"],
  ["10<sup>−6</sup> m", "10^−6 m"],
  ["10<sup>5.5</sup> m", "10^5.5 m"],
  ["x<sup>n+1</sup>", "x^(n+1)"],
  ["x<sup>n</sup>", "x^n"],
  ["10<sup>−</sup><sup>3</sup>", "10^−3"],
  ["log<sub>2</sub>8", "log_(2)8"],
  ["CO<sub>2</sub> and x<sub>n+1</sub>", "CO2 and x_(n+1)"],
  ["The 1<sup>st</sup> of M<sup>me</sup> K", "The 1st of Mme K"],
  ['10<span style="vertical-align: super">6</span> l', "10^6 l"],
  ['<style>.up{vertical-align:super}</style>10<span class="up">6</span> l', "10^6 l"]
] as const

describe("raised and lowered text", () => {
  it.each(raisedCases)("of HTML %s reads %s", async (html, shown) => {
    expect(await textOf("a.html", `<main><p>${html}</p></main>`)).toBe(shown)
  })

  it("of Word keeps its mark, also by a character style", async () => {
    const run = (text: string, properties = "") =>
      `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`
    const raised = '<w:vertAlign w:val="superscript"/>'
    const body = `<w:p>${run("10")}${run("-3", raised)}${run(" m, 2")}${run("10", '<w:rStyle w:val="Up"/>')}${run(" bytes")}</w:p>`
    const styles = `<w:styles xmlns:w="${word}"><w:style w:type="character" w:styleId="Up"><w:rPr>${raised}</w:rPr></w:style></w:styles>`
    expect(await textOf("a.docx", docx(body, { "word/styles.xml": styles }))).toBe("10^-3 m, 2^10 bytes")
  })

  it("of OpenDocument keeps its mark", async () => {
    const style = (name: string, position: string) =>
      `<style:style style:name="${name}"><style:text-properties style:text-position="${position}"/></style:style>`
    const styles = style("U", "super 58%") + style("V", "33% 58%") + style("L", "-8% 58%")
    const span = (name: string, text: string) => `<text:span text:style-name="${name}">${text}</text:span>`
    const body = `<text:p>3 × 10${span("U", "8")}, 2${span("V", "10")} bytes, x${span("L", "1")}, x${span("L", "i")}</text:p>`
    expect(await textOf("a.odt", odt(body, styles))).toBe("3 × 10^8, 2^10 bytes, x1, x_i")
  })

  it("of slides keeps its mark, in tables too", async () => {
    const runs =
      '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:r><a:t> per s</a:t></a:r></a:p>'
    const table = `<p:graphicFrame><a:tbl><a:tr><a:tc>${runs}</a:tc><a:tc><a:p><a:r><a:t>b</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>`
    expect(await textOf("a.pptx", pptx(shape(runs) + table))).toBe(
      "## Slide 1\n\n10^6 per s\n\n| 10^6 per s | b |\n| --- | --- |"
    )
  })

  it("of sheets keeps its mark", async () => {
    const strings =
      '<si><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r><r><t xml:space="preserve"> per s</t></r></si><si><t>Rate</t></si>'
    const rows = '<row r="1"><c r="A1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="s"><v>0</v></c></row>'
    expect(await textOf("a.xlsx", xlsx(rows, { strings }))).toContain("| 10^6 per s |")
  })
})

describe("marks of notes", () => {
  it.each([
    '<a href="n.xhtml#f1" class="footnote-ref" id="r1" epub:type="noteref">1</a>',
    '<a href="#f1" role="doc-noteref">1</a>',
    '<a href="#f1" epub:type="noteref"><sup>1</sup></a>',
    '<a class="sdfootnoteanc" href="#s1"><sup>1</sup></a>',
    '<sup class="footnote">[<a class="footnote" href="#f1">1</a>]</sup>',
    "<sup>[1]</sup>"
  ])("are no digits of the number before them: %s", async (mark) => {
    const text = `<p>The pump costs 40${mark} euros.</p>`
    expect(await textOf("a.epub", epub(text))).toBe("The pump costs 40 [1] euros.")
    expect(await textOf("a.html", `<main>${text}</main>`)).toBe("The pump costs 40 [1] euros.")
  })

  it("are known by the style sheet of a book", async () => {
    const book = epub('<p>In 2019<a class="up" href="#n">2</a> it held 10<span class="up">6</span> l.</p>', {
      "s.css": ".up { font-size: 60%; vertical-align: super }"
    })
    expect(await textOf("a.epub", book)).toBe("In 2019 [2] it held 10^6 l.")
  })
})

describe("struck text", () => {
  it.each([
    "<strike>40</strike>",
    "<s>4</s><s>0</s>",
    "<del>40</del>",
    '<span style="text-decoration: line-through">40</span>',
    '<style>.old{text-decoration:line-through}</style><span class="old">40</span>'
  ])("of HTML keeps its mark: %s", async (struck) => {
    expect(await textOf("a.html", `<main><p>It costs ${struck} 44 euros.</p></main>`)).toBe(
      "It costs ~~40~~ 44 euros."
    )
  })

  it("of Word, OpenDocument, slides and sheets keeps its mark", async () => {
    const double = docx(
      '<w:p><w:r><w:rPr><w:dstrike/></w:rPr><w:t xml:space="preserve">40 </w:t></w:r><w:r><w:t>44</w:t></w:r></w:p>'
    )
    expect(await textOf("a.docx", double)).toBe("~~40~~ 44")
    const styles =
      '<style:style style:name="S"><style:text-properties style:text-line-through-type="single"/></style:style>'
    expect(
      await textOf("a.odt", odt('<text:p><text:span text:style-name="S">40</text:span> 44</text:p>', styles))
    ).toBe("~~40~~ 44")
    const slide = shape(
      '<a:p><a:r><a:rPr strike="sngStrike"/><a:t>40</a:t></a:r><a:r><a:t> 44</a:t></a:r></a:p>'
    )
    expect(await textOf("a.pptx", pptx(slide))).toContain("~~40~~ 44")
    const struckCell = xlsx(
      '<row r="1"><c r="A1" t="inlineStr"><is><t>Old</t></is></c><c r="B1" t="inlineStr"><is><t>New</t></is></c></row><row r="2"><c r="A2" s="1"><v>40</v></c><c r="B2" s="0"><v>44</v></c></row>',
      {
        styles:
          '<fonts><font/><font><strike/></font></fonts><cellXfs><xf numFmtId="0" fontId="0"/><xf numFmtId="0" fontId="1"/></cellXfs>'
      }
    )
    expect(await textOf("a.xlsx", struckCell)).toContain("| ~~40~~ | 44 |")
  })
})

const runOf = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`
const nary = (properties: string, sub: string, sup: string) =>
  `<m:nary><m:naryPr>${properties}</m:naryPr><m:sub>${sub}</m:sub><m:sup>${sup}</m:sup><m:e>${runOf("f")}</m:e></m:nary>`
const fractionOf = (above: string, below: string, properties = "") =>
  `<m:f>${properties}<m:num>${runOf(above)}</m:num><m:den>${runOf(below)}</m:den></m:f>`
const matrix = `<m:m><m:mr><m:e>${runOf("1")}</m:e><m:e>${runOf("2")}</m:e></m:mr><m:mr><m:e>${runOf("3")}</m:e><m:e>${runOf("4")}</m:e></m:mr></m:m>`
const fence = (begin: string, inner: string, end: string) =>
  `<m:d><m:dPr><m:begChr m:val="${begin}"/><m:endChr m:val="${end}"/></m:dPr><m:e>${inner}</m:e></m:d>`

/** Formulas as Office files write them, with what they show. */
const officeFormulas = [
  [nary('<m:chr m:val="∏"/>', runOf("k"), ""), "∏_k f"],
  [nary("", runOf("0"), runOf("1")), "∫_0^1 f"],
  [nary('<m:chr m:val="∬"/>', "", ""), "∬ f"],
  [nary('<m:chr m:val="∑"/>', runOf("k=1"), runOf("n")), "∑_(k=1)^n f"],
  [fence("|", runOf("x"), "|"), "|x|"],
  [
    fence("{", `<m:eqArr><m:e>${runOf("1, x")}</m:e><m:e>${runOf("0, y")}</m:e></m:eqArr>`, ""),
    "{1, x; 0, y"
  ],
  [fence("(", matrix, ")"), "(1, 2; 3, 4)"],
  [matrix, "[1, 2; 3, 4]"],
  [`<m:acc><m:e>${runOf("y")}</m:e></m:acc>`, "ŷ"],
  [`<m:bar><m:barPr><m:pos m:val="top"/></m:barPr><m:e>${runOf("AB")}</m:e></m:bar>`, "bar(AB)"],
  [fence("(", fractionOf("n", "k", '<m:fPr><m:type m:val="noBar"/></m:fPr>'), ")"), "binom(n, k)"],
  [`${runOf("3")}${fractionOf("1", "2")}`, "3 1/2"]
] as const

describe("formulas", () => {
  it.each(officeFormulas)("of Word and slides: %s", async (formula, shown) => {
    const body = `<w:p><m:oMath>${formula}</m:oMath></w:p>`
    expect((await textOf("a.docx", docx(body))).replaceAll("\\", "")).toBe(shown)
    const paragraph = `<a:p><mc:AlternateContent><mc:Choice><a14:m><m:oMathPara><m:oMath>${formula}</m:oMath></m:oMathPara></a14:m></mc:Choice></mc:AlternateContent></a:p>`
    const { markdown } = await convertHere({ name: "a.pptx", bytes: pptx(shape(paragraph)) })
    expect(markdown.replaceAll("\\", "")).toBe(`## Slide 1\n\n${shown}`)
  })

  it.each([
    ["<mover accent='true'><mi>v</mi><mo>⃗</mo></mover>", "v⃗"],
    [
      "<mrow><mo>(</mo><mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></mrow>",
      "(binom(n, k))"
    ],
    ["<mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "3 1/2"],
    ["<munderover><mo>∑</mo><mi>k</mi><mi>n</mi></munderover><msub><mi>a</mi><mi>k</mi></msub>", "∑_k^n a_k"],
    ["<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup><mi>f</mi>", "∫_0^1 f"],
    ["<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "_6^14 C"]
  ])("of pages and OpenDocument: %s", async (formula, shown) => {
    const math = `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow>${formula}</mrow><annotation encoding="StarMath 5.0">x</annotation></semantics></math>`
    const plain = (text: string) => text.replaceAll("\\", "")
    expect(plain(await textOf("a.html", `<main><p>It is ${math}.</p></main>`))).toBe(`It is ${shown}.`)
    const object = '<text:p>It is <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>.</text:p>'
    expect(plain(await textOf("a.odt", odt(object, "", { "Object 1/content.xml": math })))).toBe(
      `It is ${shown}.`
    )
  })
})

describe("broken XML", () => {
  it("is refused instead of read as another document", async () => {
    const wrong = odt("<text:p>Part</text:h><text:p>Pump</text:p>")
    await expect(textOf("a.odt", wrong)).rejects.toMatchObject({ code: "file_broken" })
    const wrongWord = docx("<w:p><w:r><w:t>Part</w:t></w:p></w:r>")
    await expect(textOf("a.docx", wrongWord)).rejects.toMatchObject({ code: "file_broken" })
  })
})

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/formats-reports/${name}`, import.meta.url)))

describe("dates, times and numbers of sheets", () => {
  it("show minutes, seconds and their fractions", async () => {
    const { markdown } = await convertHere({ name: "sprint.xlsx", bytes: fixture("sprint.xlsx") })
    expect(markdown).toContain("| Ada | 00:09.58 |\n| Bob | 00:09.63 |\n| Cy | 04:35.40 |")
    const seconds = (count: number, pattern: string) => numberText(count / 86_400, pattern, "excel")
    expect(seconds(9.58, "mm:ss")).toBe("00:10")
    expect(seconds(75.25, "m:ss.0")).toBe("01:15.3")
    expect(seconds(9.58, "ss.0")).toBe("09.6")
    expect(seconds(90.5, "[m]:ss.0")).toBe("1:30.5")
    expect(seconds(90_061.25, "[h]:mm:ss.00")).toBe("25:01:01.25")
    expect(seconds(59.999, "h:mm:ss.00")).toBe("00:01:00.00")
    expect(numberText(45000.25, "d mmm hh:mm:ss.000", "excel")).toBe("2023-03-15 06:00:00.000")
    expect(numberText(45000, "mm/dd", "excel")).toBe("2023-03-15")
  })

  it("count days as the workbook does, also before 1900", async () => {
    expect(numberText(11, "yyyy-mm-dd", "calendar")).toBe("1900-01-10")
    expect(numberText(-18_137, "yyyy-mm-dd", "calendar")).toBe("1850-05-04")
    expect(numberText(-1460, "yyyy-mm-dd", "1904")).toBe("1900-01-01")
    const styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    const rows = '<row r="1"><c r="A1" s="1"><v>11</v></c><c r="B1" s="1"><v>46083</v></c></row>'
    const book = '<workbookPr date1904="false" dateCompatibility="false"/>'
    expect(await textOf("a.xlsx", xlsx(rows, { styles, book }))).toContain("| 1900-01-10 | 2026-03-02 |")
    expect(await textOf("a.xlsx", xlsx(rows, { styles }))).toContain("| 1900-01-11 | 2026-03-02 |")
  })

  it("read stored dates in the format of their cells, and styles of columns", async () => {
    const styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    const cells =
      '<row r="1"><c r="A1" s="1" t="d"><v>2026-03-02T01:00:00.000Z</v></c><c r="B1"><v>46083</v></c><c r="C1"><v>7</v></c></row>'
    const sheet = `<worksheet><cols><col min="2" max="2" style="1"/></cols><sheetData>${cells}</sheetData></worksheet>`
    expect(await textOf("a.xlsx", xlsx(sheet, { styles }))).toContain("| 2026-03-02 | 2026-03-02 | 7 |")
    // A number with a style of its own: the others of the column are plain by intent.
    const mixed = sheet.replace(
      "</row>",
      '</row><row r="2"><c r="A2"><v>1</v></c><c r="B2" s="1"><v>46083</v></c></row>'
    )
    expect(await textOf("a.xlsx", xlsx(mixed, { styles }))).toContain("| 46083 |")
  })

  it("leave out zeros that a library stored for formulas it cannot compute, with a warning", async () => {
    const { markdown, warnings } = await convertHere({
      name: "a.xlsx",
      bytes: fixture("xlsxwriter-zero-results.xlsx")
    })
    expect(markdown).toMatch(/\| Total \|\s+\|/)
    expect(markdown).not.toMatch(/\| Total \| 0 \|/)
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: "formulas_without_results",
        message: expect.stringContaining("B4, C4")
      })
    )
    const row = '<row r="1"><c r="A1"><f>B1-B1</f><v>0</v></c><c r="B1"><v>4</v></c></row>'
    expect(await textOf("a.xlsx", xlsx(row))).toContain("| 0 | 4 |")
  })

  it("hide values below merged cells, and keep tables with merged headers apart", async () => {
    const text = (place: string, shown: string) =>
      `<c r="${place}" t="inlineStr"><is><t>${shown}</t></is></c>`
    const number = (place: string, shown: number) => `<c r="${place}"><v>${shown}</v></c>`
    const sheet = (rows: string, merges: ReadonlyArray<string>) =>
      `<worksheet><sheetData>${rows}</sheetData><mergeCells>${merges.map((ref) => `<mergeCell ref="${ref}"/>`).join("")}</mergeCells></worksheet>`
    const total = sheet(
      `<row r="1">${text("A1", "Part")}${text("B1", "Q1")}${text("C1", "Q2")}${text("D1", "Sum")}</row><row r="2">${text("A2", "Pump")}${number("B2", 1)}${number("C2", 2)}${number("D2", 3)}</row><row r="3">${text("A3", "Total")}${number("B3", 12)}${number("C3", 99)}${number("D3", 41)}</row>`,
      ["A3:C3"]
    )
    const markdown = await textOf("a.xlsx", xlsx(total))
    expect(markdown).toContain("| Total | Total | Total | 41 |")
    expect(markdown).not.toContain("99")
    const beside = sheet(
      `<row r="1">${text("A1", "Region")}${text("B1", "2025")}${text("D1", "2026")}${text("G1", "Kind")}${text("H1", "Price")}</row><row r="2">${text("B2", "Pieces")}${text("C2", "EUR")}${text("D2", "Pieces")}${text("E2", "EUR")}${text("G2", "PB-7")}${number("H2", 400)}</row><row r="3">${text("A3", "North")}${number("B3", 3)}${number("C3", 40)}${number("D3", 5)}${number("E3", 44)}${text("G3", "PB-8")}${number("H3", 450)}</row>`,
      ["A1:A2", "B1:C1", "D1:E1"]
    )
    const apart = await textOf("a.xlsx", xlsx(beside))
    expect(apart).toContain("| Region | 2025 Pieces | 2025 EUR | 2026 Pieces | 2026 EUR |")
    expect(apart).toContain("| North | 3 | 40 | 5 | 44 |")
    expect(apart).toContain("| Kind | Price |\n| --- | --- |\n| PB-7 | 400 |\n| PB-8 | 450 |")
  })
})

describe("tables of R", () => {
  it("have their values under their headings where rows have names", async () => {
    expect(await textOf("a.tsv", fixture("r-row-names.tsv"))).toBe(
      "|  | mpg | cyl | disp |\n| --- | --- | --- | --- |\n| Mazda RX4 | 21 | 6 | 160 |\n| Mazda RX4 Wag | 21 | 6 | 160 |\n| Datsun 710 | 22.8 | 4 | 108 |"
    )
    expect(await textOf("a.csv", "a,b\n1,2,\n3,4,\n")).toContain("| a | b |")
  })
})

describe("numbers of lists and headings", () => {
  const item = (text: string, attributes = "") =>
    `<text:list-item${attributes}><text:p>${text}</text:p></text:list-item>`
  const listStyle = (name: string, levels: string) =>
    `<text:list-style style:name="${name}">${levels}</text:list-style>`
  const numberLevel = (level: number, format: string, more = "") =>
    `<text:list-level-style-number text:level="${level}" style:num-format="${format}" style:num-suffix="." ${more}/>`
  const bulletLevel = (level: number) => `<text:list-level-style-bullet text:level="${level}"/>`

  it("of OpenDocument go on, begin again and start where the file says", async () => {
    const styles =
      listStyle("N", numberLevel(1, "1") + bulletLevel(2)) +
      listStyle("F", numberLevel(1, "1", 'text:start-value="5"')) +
      listStyle("B", bulletLevel(1) + numberLevel(2, "1"))
    const list = (style: string, items: string, more = "") =>
      `<text:list text:style-name="${style}"${more}>${items}</text:list>`
    const inner =
      "<text:list-item><text:p>d</text:p><text:list><text:list-item><text:p>x</text:p></text:list-item></text:list></text:list-item>"
    const body =
      list("N", item("a") + item("b"), ' xml:id="l1"') +
      "<text:p>Between</text:p>" +
      list(
        "B",
        "<text:list-item><text:p>o</text:p><text:list><text:list-item><text:p>s</text:p></text:list-item></text:list></text:list-item>"
      ) +
      list("N", item("c") + inner, ' text:continue-list="l1"') +
      "<text:p>Between</text:p>" +
      list("N", item("e"), ' text:continue-numbering="true"') +
      "<text:p>Between</text:p>" +
      list("N", item("f", ' text:start-value="7"') + item("g")) +
      "<text:p>Between</text:p>" +
      list("F", item("h"))
    expect((await textOf("a.odt", odt(body, styles))).match(/^ *(?:\d+\.|-) .*$/gm)).toEqual([
      "1. a",
      "2. b",
      "- o",
      "  1. s",
      "3. c",
      "4. d",
      "   - x",
      "5. e",
      "7. f",
      "8. g",
      "5. h"
    ])
  })

  it("of OpenDocument headings and lettered lists are shown", async () => {
    const styles = listStyle(
      "L",
      numberLevel(1, "a", "") +
        '<text:list-level-style-number text:level="2" style:num-format="i" style:num-prefix="(" style:num-suffix=")"/>'
    )
    const outline =
      '<office:document-styles xmlns:office="o" xmlns:text="t" xmlns:style="s"><office:styles><text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style></office:styles></office:document-styles>'
    const heading = (level: number, text: string) => `<text:h text:outline-level="${level}">${text}</text:h>`
    const body = `${heading(1, "Pumps")}${heading(1, "Limits")}${heading(2, "Pressure")}<text:list text:style-name="L">${item("first")}<text:list-item><text:p>second</text:p><text:list>${item("x") + item("y")}</text:list></text:list-item></text:list>`
    expect(await textOf("a.odt", odt(body, styles, { "styles.xml": outline }))).toBe(
      "# 1 Pumps\n\n# 2 Limits\n\n## 2.1 Pressure\n\n- a. first\n- b. second\n  - (i) x\n  - (ii) y"
    )
  })

  it("of Word headings and lettered lists are shown", async () => {
    const level = (at: number, format: string, text: string, style = "") =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${style}<w:lvlText w:val="${text}"/></w:lvl>`
    const numbering = `<w:numbering xmlns:w="${word}"><w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1", '<w:pStyle w:val="H1"/>')}${level(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/>')}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level(0, "lowerLetter", "%1)")}${level(1, "lowerRoman", "(%2)")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
    const style = (id: string, name: string) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`
    const styles = `<w:styles xmlns:w="${word}">${style("H1", "heading 1")}${style("H2", "heading 2")}</w:styles>`
    const paragraph = (properties: string, text: string) =>
      `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
    const heading = (id: string, text: string) => paragraph(`<w:pStyle w:val="${id}"/>`, text)
    const listed = (at: number, text: string) =>
      paragraph(`<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="2"/></w:numPr>`, text)
    const body = [
      heading("H1", "Pumps"),
      heading("H1", "Limits"),
      heading("H2", "Pressure"),
      listed(0, "first"),
      listed(1, "x"),
      listed(0, "second")
    ].join("")
    const parts = {
      "word/numbering.xml": numbering,
      "word/styles.xml": styles,
      "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="${relations}/styles" Target="styles.xml"/><Relationship Id="n" Type="${relations}/numbering" Target="numbering.xml"/></Relationships>`
    }
    expect(await textOf("a.docx", docx(body, parts))).toBe(
      "# 1 Pumps\n\n# 2 Limits\n\n## 2.1 Pressure\n\n- a) first\n  - (i) x\n- b) second"
    )
  })

  it("of pages keep letters, and headings in numbered lists", async () => {
    const list = '<ol type="a" start="3"><li>third</li><li>fourth</li></ol>'
    const chapters = '<ol><li><h1>Pumps</h1></li></ol><p>Text</p><ol start="2"><li><h1>Limits</h1></li></ol>'
    expect(await textOf("a.html", `<main>${chapters}${list}</main>`)).toBe(
      "# 1. Pumps\n\nText\n\n# 2. Limits\n\n- c. third\n- d. fourth"
    )
  })

  it("of slides count on, also in placeholders without a type", async () => {
    const line = (text: string, properties = "") => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`
    const numbered = (text: string, more = "", level = 0) =>
      line(text, `<a:pPr lvl="${level}"><a:buAutoNum type="arabicPeriod"${more}/></a:pPr>`)
    const lettered = line("x", '<a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr>')
    const slide =
      shape(line("one") + line("inner", '<a:pPr lvl="1"/>'), '<p:ph idx="1"/>') +
      shape(numbered("a", ' startAt="3"') + lettered + numbered("b", ' startAt="3"'))
    expect(await textOf("a.pptx", pptx(slide))).toBe(
      "## Slide 1\n\n- one\n  - inner\n\n3. a\n   - a) x\n4. b"
    )
  })
})

describe("notes and titles", () => {
  it("of slides are kept, also in plain boxes, and named by the deck", async () => {
    const parts = {
      "ppt/slides/_rels/slide1.xml.rels":
        '<Relationships><Relationship Id="r1" Type="x/notesSlide" Target="../notesSlides/notesSlide1.xml"/></Relationships>',
      "ppt/notesSlides/notesSlide1.xml": `<p:notes xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>${shape("<a:p><a:r><a:t>Say 40 euros.</a:t></a:r></a:p>")}${shape("<a:p><a:fld><a:t>7</a:t></a:fld></a:p>", '<p:ph type="sldNum"/>')}</p:spTree></p:cSld></p:notes>`,
      "docProps/core.xml":
        '<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>PptxGenJS Presentation</dc:title></cp:coreProperties>'
    }
    const title = shape("<a:p><a:r><a:t>Tides_of May</a:t></a:r></a:p>", '<p:ph type="title"/>')
    const deck = await convertHere({ name: "a.pptx", bytes: pptx(title, parts) })
    expect(deck.markdown).toContain("**Notes:** Say 40 euros.")
    expect(deck.markdown).not.toContain("7")
    expect(deck.title).toBe("Tides_of May")
  })

  it("of books are those of the book", async () => {
    const book = epub("<h1>First knot</h1><p>Text</p>", {}, "Knots of the quay")
    expect(await textOf("a.epub", book)).toBe("# Knots of the quay\n\n# First knot\n\nText")
    const same = epub("<h1>Knots of the quay</h1><p>Text</p>", {}, "Knots of the quay")
    expect(await textOf("a.epub", same)).toBe("# Knots of the quay\n\nText")
  })
})
