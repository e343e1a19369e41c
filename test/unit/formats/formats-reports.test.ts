import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { strToU8, zipSync } from "fflate"
import iconv from "iconv-lite"
import { describe, expect, it } from "vitest"
import { numberText } from "../../../adapters/formats/cell-text.js"
import { convertHere } from "../../../adapters/formats/convert.js"
import { detectCharset } from "../../../adapters/formats/decode-text.js"
import { zipNames } from "../../../adapters/formats/zip-names.js"
import { readMultistatus } from "../../../adapters/sources/library/listings.js"
import { readItems } from "../../../adapters/sources/markdown-upload/items.js"
import { runEffect } from "../../support/run.js"
import { openCrawler } from "../../support/sources/crawling.js"

const folder = new URL("../../fixtures/formats-reports/", import.meta.url)
const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))
const converted = (name: string, bytes = bytesOf(name)) => convertHere({ name, bytes })
const textOf = async (name: string, text: string) =>
  (await converted(name, new TextEncoder().encode(text))).markdown

const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

/** A Word document of the elements of its body and further parts. */
const docx = (body: string, parts: Readonly<Record<string, string | Uint8Array>> = {}) => {
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  const all = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="html" ContentType="text/html"/><Default Extension="rtf" ContentType="application/rtf"/><Default Extension="docx" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="m" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": `<w:document xmlns:w="${word}" xmlns:r="${relations}"><w:body>${body}</w:body></w:document>`,
    ...parts
  }
  return zipSync(
    Object.fromEntries(
      Object.entries(all).map(([name, part]) => [name, typeof part === "string" ? strToU8(part) : part])
    )
  )
}

describe("workbooks", () => {
  it("show numbers in their formats", async () => {
    const { markdown } = await converted("formats.xlsx")
    for (const shown of [
      "7.5%",
      "$1,234.50",
      "56,701.03 €",
      "-5 kg",
      "30:15",
      "09:05",
      "2026-03-15 14:30:00"
    ])
      expect(markdown).toContain(shown)
    expect(markdown).not.toContain("1899")
  })

  it("show times, durations and dates by the clock", () => {
    // 14:30 as a binary fraction lies a little below.
    expect(numberText(0.604166666666666, "h:mm", "excel")).toBe("14:30")
    expect(numberText(0.378472222222222, "h:mm AM/PM", "excel")).toBe("09:05")
    expect(numberText(1.26041666666667, "[h]:mm", "excel")).toBe("30:15")
    expect(numberText(-0.5, "[h]:mm:ss", "excel")).toBe("-12:00:00")
    expect(numberText(0, "d/m/yyyy", "1904")).toBe("1904-01-01")
    expect(numberText(45000, "mmm yy", "excel")).toBe("2023-03")
    expect(numberText(45000.25, "dd.mm.yyyy hh:mm", "excel")).toBe("2023-03-15 06:00")
    expect(numberText(1, "yyyy-mm-dd", "excel")).toBe("1900-01-01")
    expect(numberText(0.1 + 0.2, "General", "excel")).toBe("0.3")
    expect(numberText(1234.5, "#,##0.00 [$€-407];[Red]-#,##0.00 [$€-407]", "excel")).toBe("1,234.50 €")
    expect(numberText(12, "no [format", "excel")).not.toBe("")
  })

  it("have tables below their titles, several on a sheet", async () => {
    const { markdown } = await converted("titlerow.xlsx")
    expect(markdown).toContain("PROJECT PROGRESS 2026\n\n| Task | Owner | Status |")
    expect(markdown).toContain("Budget\n\n| Item | EUR |\n| --- | --- |\n| Paint | 400 |")
  })

  it("repeat merged cells in what they cover", async () => {
    const { markdown } = await converted("merged.xlsx")
    expect(markdown).toContain("| Region | 2025 Q1 | 2025 Q2 | 2026 Q1 | 2026 Q2 |")
    expect(markdown).toContain("| North | 20 | 21 | 22 | 23 |")
  })

  it("warn of formulas without results", async () => {
    const { warnings } = await converted("formula-nocache.xlsx")
    expect(warnings).toContainEqual(expect.objectContaining({ code: "formulas_without_results" }))
    expect(warnings[0]?.message).toContain("C2, D2, D3")
  })
})

describe("tables of values", () => {
  it("begin at their header, below lines about the whole", async () => {
    expect((await converted("preamble.csv")).markdown).toBe(
      "Report: Stock\n\nDate: 2024-05-01\n\n| Item | Qty | Price |\n| --- | --- | --- |\n| Rope | 4 | 12 |\n| Paint | 9 | 7 |"
    )
  })

  it("keep a gap of empty rows within one table", async () => {
    expect(await textOf("a.csv", "Name,Age\nAda,36\n\nAlan,41\n")).toContain("| Ada | 36 |\n| Alan | 41 |")
    expect(await textOf("a.csv", "Name,Town\nAda,London\n\nAlan,Wilmslow\n")).toContain(
      "| Ada | London |\n| Alan | Wilmslow |"
    )
  })
})

describe("messages", () => {
  it("are read in the charset that they are in, whatever they declare", async () => {
    expect((await converted("m-8bit.eml")).markdown).toContain("Das Schloß hat größere Türme.")
    expect((await converted("m-utf8raw.eml")).markdown).toContain("größer als früher")
    const utf16 = Buffer.from("\ufeffFrom: a@b.example\r\nSubject: Plan\r\n\r\nGrößer\r\n", "utf16le")
    expect((await converted("a.eml", new Uint8Array(utf16))).markdown).toContain("Größer")
    expect(detectCharset(Buffer.from("Привет, мир. Как дела сегодня?", "utf8"))).toBe("utf-8")
  })

  it("have attachments whose names are bytes of any charset", async () => {
    const names = [
      ["größe.csv", "latin1"],
      ["größe.csv", "utf8"],
      ["отчёт за март.csv", "koi8-r"],
      ["отчёт за март.csv", "windows-1251"],
      ["報告書.csv", "shift_jis"],
      ["보고서.csv", "euc-kr"]
    ] as const
    for (const [name, charset] of names) {
      const bytes = Buffer.concat([
        Buffer.from(
          'From: a@b.example\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="'
        ),
        iconv.encode(name, charset),
        Buffer.from('"\r\n\r\na,b\r\n1,2\r\n--b--\r\n')
      ])
      const { attachments } = await converted("a.eml", new Uint8Array(bytes))
      expect(attachments.map((one) => one.name)).toEqual([name])
    }
  })

  it("say what, when and where of an invitation", async () => {
    const { attachments, markdown } = await converted("m-invite.eml")
    expect(markdown).toContain("- **Where:** Room Gault 4")
    expect(markdown).toContain("- **Begins:** 2024-05-14 14:00 (Europe/Oslo)")
    expect(attachments).toEqual([])
  })
})

describe("pages", () => {
  it("keep answers that open below their questions, and no other hidden text", async () => {
    expect((await converted("faq.html")).markdown).toContain("The warranty lasts 24 months.")
    const page =
      "<style>.x{display:none}</style><main><p>Seen</p><p class=x>Unseen</p><h3><button aria-expanded=false>Why?</button></h3><div class=x>Because.</div></main>"
    expect(await textOf("a.html", page)).toBe("Seen\n\n### Why?\n\nBecause.")
  })

  it("write formulas on a line", async () => {
    const { markdown } = await converted("super.html")
    expect(markdown).toContain("Energy is E=mc^2. Half is 1/2.")
  })

  it("are refused when they are nested too deeply, before they are parsed", async () => {
    const deep = new TextEncoder().encode("<div>".repeat(1_800_000))
    await expect(converted("a.html", deep)).rejects.toMatchObject({ code: "file_too_large" })
  })
})

describe("Office files", () => {
  it("keep equations and the results of fields", async () => {
    expect((await converted("super.docx")).markdown).toContain("Energy is E=mc^2 for all bodies.")
  })

  it("go on counting items after a table, and after another list", async () => {
    const { markdown } = await converted("numbering.docx")
    expect(markdown.match(/^\d+\. .*$/gm)).toEqual([
      "1. Product, price and remarks",
      "2. Quality and liability",
      "3. Delivery",
      "4. Payment within 30 days"
    ])
    const item = (list: number, level: number, text: string) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
    const levels = ["decimal", "decimal"]
      .map(
        (format, at) =>
          `<w:lvl w:ilvl="${at}"><w:start w:val="${at + 1}"/><w:numFmt w:val="${format}"/></w:lvl>`
      )
      .join("")
    const numbering = `<w:numbering xmlns:w="${word}"><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num><w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
    const body = [
      item(1, 0, "one"),
      item(1, 1, "inner two"),
      item(1, 0, "two"),
      item(3, 0, "bullet"),
      item(1, 0, "three"),
      "<w:p><w:r><w:t>Between</w:t></w:r></w:p>",
      item(2, 0, "seven")
    ].join("")
    expect((await converted("a.docx", docx(body, { "word/numbering.xml": numbering }))).markdown).toBe(
      "1. one\n   2. inner two\n2. two\n\n- bullet\n\n3. three\n\nBetween\n\n7. seven"
    )
  })

  it("keep a table whose cells hold tables", async () => {
    expect((await converted("tables.docx")).markdown).toContain(
      "| Part | Details |\n| --- | --- |\n| Pump | Seal: Ferrol 12; Oil: 3.2 litres |"
    )
  })

  it("keep documents that are embedded in their text, and tell of those that cannot be read", async () => {
    const chunk = (id: string) => `<w:altChunk r:id="${id}"/>`
    const relation = (id: string, target: string) =>
      `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk" Target="${target}"/>`
    const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
    const bytes = docx(
      [paragraph("Before."), chunk("h1"), paragraph("Between."), chunk("d1"), chunk("r1")].join(""),
      {
        "word/_rels/document.xml.rels": `<Relationships>${relation("h1", "part.html")}${relation("d1", "/word/part.docx")}${relation("r1", "part.rtf")}</Relationships>`,
        "word/part.html": "<h2>Inner page</h2><p>It holds <b>tides</b>.</p>",
        "word/part.docx": docx(paragraph("Inner document.")),
        "word/part.rtf": "{\\rtf1 Lost}"
      }
    )
    const { markdown, warnings } = await converted("a.docx", bytes)
    expect(markdown).toBe("Before.\n\n## Inner page\n\nIt holds **tides**.\n\nBetween.\n\nInner document.")
    expect(warnings).toEqual([{ code: "parts_skipped", message: "Embedded documents were left out: 1." }])
  })

  it("keep the figures of charts and the texts of diagrams", async () => {
    const parts = {
      "ppt/presentation.xml":
        '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
      "ppt/_rels/presentation.xml.rels":
        '<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/></Relationships>',
      "ppt/slides/slide1.xml": '<p:sld xmlns:p="p"><p:cSld><p:spTree/></p:cSld></p:sld>',
      "ppt/slides/_rels/slide1.xml.rels":
        '<Relationships><Relationship Id="r1" Type="x/chart" Target="../charts/chart1.xml"/><Relationship Id="r2" Type="x/diagramData" Target="../diagrams/data1.xml"/></Relationships>',
      "ppt/charts/chart1.xml":
        '<c:chartSpace xmlns:c="c"><c:ser><c:tx><c:v>2025</c:v></c:tx><c:cat><c:pt idx="0"><c:v>East</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>20</c:v></c:pt></c:val></c:ser></c:chartSpace>',
      "ppt/diagrams/data1.xml":
        '<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:pt><a:t>Manager</a:t></dgm:pt></dgm:dataModel>'
    }
    const bytes = zipSync(
      Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))
    )
    const { markdown } = await converted("a.pptx", bytes)
    expect(markdown).toContain("|  | 2025 |\n| --- | --- |\n| East | 20 |")
    expect(markdown).toContain("- Manager")
  })
})

describe("uploads", () => {
  const file = (path: string, bytes: Uint8Array = strToU8("# Text\n")) => ({
    path,
    bytes,
    url: null,
    author: null,
    modifiedAt: null
  })

  it("read the names in archives of Windows", async () => {
    expect((await readItems([file("cp437.zip", bytesOf("cp437.zip"))])).map(({ path }) => path)).toEqual([
      "Größe.md"
    ])
  })

  it("read the names in archives of Korea, China, Japan and Russia", () => {
    const names = [
      ["부두 안내.md", "euc-kr"],
      ["회의록 2024.md", "cp949"],
      ["会议记录.md", "gbk"],
      ["报告.md", "gbk"],
      ["岸壁の手引き.md", "shift_jis"],
      ["отчёт.md", "cp866"]
    ] as const
    for (const [name, page] of names) {
      const raw = iconv.encode(name, page)
      const placeholder = "A".repeat(raw.length)
      const archive = Buffer.from(zipSync({ [placeholder]: strToU8("x") }))
      for (let at = archive.indexOf(placeholder); at >= 0; at = archive.indexOf(placeholder, at + 1))
        raw.copy(archive, at)
      expect([...zipNames(archive).values()]).toEqual([name])
    }
  })

  it("put a hyphen for what a path may not hold", async () => {
    const items = await readItems([file("q?:*.md"), file('Länge "alt".md')])
    expect(items.map(({ path }) => path)).toEqual(["q---.md", "Länge -alt-.md"])
  })

  it("say which name had to change, and refuse one whose new name is that of another file", async () => {
    const items = await readItems([file("a\\b.md"), file("c:d.md"), file("c-d.md"), file("plain.md")])
    expect(items.map((item) => [item.path, "refusal" in item ? item.refusal : item.warnings])).toEqual([
      ["a-b.md", ["A document cannot have the name a\\b.md, so it became a-b.md."]],
      ["c:d.md", "The path leads out of the folder of the connector."],
      ["c-d.md", []],
      ["plain.md", []]
    ])
    const [clash] = await readItems([file("x\\y.md"), file("x-y.md")])
    expect(clash).toMatchObject({ path: "x\\y.md", refusal: expect.stringContaining("x-y.md") })
  })

  it("fail one archive that cannot be read alone, not the files beside it", () =>
    runEffect(
      Effect.scoped(
        Effect.gen(function* () {
          const upload = { files: [file("good.md"), file("broken.zip"), file("other.md")], isComplete: false }
          const crawler = yield* openCrawler({ provider: "markdown_upload" }, { upload, pageSize: 100 })
          expect((yield* crawler.changes(null)).changes.map(({ externalId }) => externalId)).toEqual([
            "good.md",
            "broken.zip",
            "other.md"
          ])
          expect((yield* crawler.fetch("good.md")).path).toBe("good.md")
          expect(yield* Effect.flip(crawler.fetch("broken.zip"))).toMatchObject({ _tag: "ItemUnreadable" })
        })
      )
    ))

  it("fail each file that is refused, by name", () =>
    runEffect(
      Effect.scoped(
        Effect.gen(function* () {
          const refused = ["../evil.md", ".hidden.md", "pic.png", "plain"]
          const upload = { files: [...refused, "good.md"].map((path) => file(path)), isComplete: true }
          const crawler = yield* openCrawler({ provider: "markdown_upload" }, { upload, pageSize: 100 })
          const { changes } = yield* crawler.changes(null)
          expect(changes.map(({ externalId }) => externalId)).toEqual([...refused, "good.md"])
          for (const path of refused)
            expect(yield* Effect.flip(crawler.fetch(path))).toMatchObject({
              _tag: "ItemUnreadable",
              isPermanent: true
            })
          expect((yield* crawler.fetch("good.md")).path).toBe("good.md")
        })
      )
    ))
})

describe("listings", () => {
  const root = "http://dav.example/files/"
  const listing = (body: string) => ({
    root,
    bytes: strToU8(`<d:multistatus xmlns:d="DAV:">${body}</d:multistatus>`)
  })
  const entry = (name: string) =>
    `<d:response><d:href>/files/${name}</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag></d:prop></d:propstat></d:response>`

  it("name folders and documents", () => {
    const folderEntry =
      "<d:response><d:href>/files/a%20b/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop></d:propstat></d:response>"
    const entries = readMultistatus(listing(folderEntry + entry("x.md") + entry("x.bin")))
    expect(entries.map(({ isFolder, path }) => [path, isFolder])).toEqual([
      ["a b", true],
      ["x.md", false]
    ])
  })

  it("are refused with too many elements or too deep, before they are kept", () => {
    expect(() => readMultistatus(listing(entry("x.md").repeat(130_000)))).toThrow(/more than 500000 elements/)
    expect(() => readMultistatus(listing("<d:prop>".repeat(300_000)))).toThrow(/nested more than 50 deep/)
  })
})
