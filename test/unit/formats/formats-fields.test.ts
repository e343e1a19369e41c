/** Numbers that programs keep apart, and fields that show another text than they hold. */

import { strToU8, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { numberText } from "../../../adapters/formats/cell-text.js"
import { convertHere } from "../../../adapters/formats/convert.js"

const zipped = (parts: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))

const converted = (name: string, file: string | Uint8Array) =>
  convertHere({ name, bytes: typeof file === "string" ? strToU8(file) : file })

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

const docx = (body: string) =>
  zipped({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="m" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
  })

const odt = (body: string) =>
  zipped({
    "content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text>${body}</office:text></office:body></office:document-content>`
  })

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const mark = (kind: string) => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`
const field = (instruction: string, result: string) =>
  `${mark("begin")}<w:r><w:instrText>${instruction}</w:instrText></w:r>${mark("separate")}${result}${mark("end")}`

describe("fields of Word", () => {
  it("show their results, not those of fields in their instructions", async () => {
    const nested = `${mark("begin")}<w:r><w:instrText> IF </w:instrText></w:r>${field(" MERGEFIELD sum ", run("999"))}<w:r><w:instrText> &gt; 9 "67" "" </w:instrText></w:r>${mark("separate")}${run("67")}${mark("end")}`
    const { markdown, warnings } = await converted(
      "a.docx",
      docx(
        `<w:p>${run("Pay ")}${nested}${run(" euros, see page ")}${field(" PAGEREF x ", run("12"))}${run(".")}</w:p>`
      )
    )
    expect(markdown).toBe("Pay 67 euros, see page 12.")
    expect(warnings).toEqual([])
  })

  it("show the entry that is chosen in a list", async () => {
    const list =
      '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="40 euros"/><w:listEntry w:val="44 euros"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    expect((await converted("a.docx", docx(`<w:p>${run("Fee: ")}${list}</w:p>`))).markdown).toBe(
      "Fee: 44 euros"
    )
  })

  it("hold words without the marks where they may be parted", async () => {
    expect(
      (
        await converted(
          "a.docx",
          docx(`<w:p><w:r><w:t>co</w:t><w:softHyphen/><w:t>operate</w:t></w:r></w:p>`)
        )
      ).markdown
    ).toBe("cooperate")
  })
})

describe("fields of OpenDocument", () => {
  it("keep what they do not show, and readings stand in parentheses", async () => {
    const { markdown } = await converted(
      "a.odt",
      odt(
        '<text:p>Pay <text:variable-set text:display="none">99</text:variable-set><text:variable-get>66</text:variable-get> to <text:ruby><text:ruby-base>76</text:ruby-base><text:ruby-text>seven six</text:ruby-text></text:ruby>.</text:p>'
      )
    )
    expect(markdown).toBe("Pay 66 to 76 (seven six).")
  })

  it("leave a table whose cells hold a table whole", async () => {
    const cell = (content: string) => `<table:table-cell>${content}</table:table-cell>`
    const row = (...cells: ReadonlyArray<string>) =>
      `<table:table-row>${cells.map(cell).join("")}</table:table-row>`
    const inner = `<table:table>${row("<text:p>85</text:p>", "<text:p>86</text:p>")}</table:table>`
    const text = (words: string) => `<text:p>${words}</text:p>`
    expect(
      (
        await converted(
          "a.odt",
          odt(`<table:table>${row(text("Part"), text("Price"))}${row(text("Pump"), inner)}</table:table>`)
        )
      ).markdown
    ).toBe("| Part | Price |\n| --- | --- |\n| Pump | 85: 86 |")
  })
})

describe("slides and books", () => {
  it("do not show cells below merged ones", async () => {
    const cell = (text: string, merge = "") =>
      `<a:tc ${merge}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`
    const row = (...cells: ReadonlyArray<string>) => `<a:tr>${cells.join("")}</a:tr>`
    const table = `<a:tbl>${row(cell("Part"), cell("Price"))}${row(cell("Pump", 'rowSpan="2"'), cell("61"))}${row(cell("99", 'vMerge="1"'), cell("63"))}</a:tbl>`
    const { markdown, warnings } = await converted(
      "a.pptx",
      zipped({
        "ppt/presentation.xml":
          '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
        "ppt/_rels/presentation.xml.rels":
          '<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/></Relationships>',
        "ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:graphicFrame><a:graphic><a:graphicData>${table}</a:graphicData></a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>`
      })
    )
    expect(markdown).toContain("| Part | Price |\n| --- | --- |\n| Pump | 61 |\n|  | 63 |")
    expect(warnings).toEqual([])
  })

  it("hide what the style sheet of a book hides, and the numbers of printed pages", async () => {
    const { markdown } = await converted(
      "a.epub",
      zipped({
        "META-INF/container.xml":
          '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
        "b.opf":
          '<package><metadata/><manifest><item id="c" href="c.xhtml"/><item id="s" href="s.css" media-type="text/css"/></manifest><spine><itemref idref="c"/></spine></package>',
        "s.css": ".gone { display: none }",
        "c.xhtml":
          '<html xmlns:epub="e"><head><link rel="stylesheet" href="s.css"/></head><body><p>It costs 40<span class="gone">99</span> euros in 2<span epub:type="pagebreak">65</span>026.</p><aside class="gone" epub:type="footnote">Of 7 parts.</aside></body></html>'
      })
    )
    expect(markdown).toBe("It costs 40 euros in 2026.\n\nOf 7 parts.")
  })
})

describe("numbers of a page", () => {
  const textOf = async (html: string) =>
    (await converted("a.html", `<main><p>Prices of the mill.</p>${html}</main>`)).markdown
  it.each([
    ["<details><summary>Costs 7</summary>5 euros</details>", "Costs 7\n\n5 euros"],
    ["<style>.row{display:flex}</style><div class=row><span>12</span><span>50</span></div>", "12 50"],
    ['<p><span style="display:block">31</span><span style="display:block">32</span></p>', "31 32"],
    ["<p><span>41</span><b>42</b></p>", "41**42**"]
  ])("stay apart where the page shows them apart: %s", async (html, shown) => {
    expect(await textOf(html)).toBe(`Prices of the mill.\n\n${shown}`)
  })

  it("stand below all rows of their headings", async () => {
    expect(
      await textOf(
        "<table><thead><tr><th rowspan=2>Part</th><th colspan=2>2024</th></tr><tr><th>In</th><th>Out</th></tr></thead><tr><td>Pump</td><td>70</td><td>71</td></tr></table>"
      )
    ).toContain("| Part | 2024 In | 2024 Out |\n| --- | --- | --- |\n| Pump | 70 | 71 |")
  })
})

describe("spans of time in sheets", () => {
  it("of days and hours are no dates", () => {
    expect(numberText(2.25, 'd "days" h "h"', "excel")).toBe("2 days 6 h")
  })
})
