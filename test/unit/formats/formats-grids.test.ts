import { strToU8, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { convertHere } from "../../../adapters/formats/convert.js"

// Tables whose cells span others: what is made of them is bounded by what was written.

const convert = (name: string, text: string | Uint8Array) =>
  convertHere({ name, bytes: typeof text === "string" ? new TextEncoder().encode(text) : text })

const table = (rows: string) => `<html><body><p>Before.</p><table>${rows}</table></body></html>`

describe("a table of HTML", () => {
  it("keeps each spanning cell in its first place", async () => {
    const { markdown } = await convert(
      "a.html",
      table(
        '<tr><th>Part</th><th colspan="2">Cost</th></tr><tr><td rowspan="2">Beam</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>'
      )
    )
    expect(markdown).toContain("| Part | Cost |  |\n| --- | --- | --- |\n| Beam | 1 | 2 |\n|  | 3 | 4 |")
  })

  it.each([
    ["side by side", 1, 3_000],
    ["below each other", 60, 60]
  ])(
    "of %s cells that span a hundred million keeps their texts and makes none of the others",
    async (_name, rows, cells) => {
      const row = `<tr>${'<td colspan="1000" rowspan="1000">x</td>'.repeat(cells)}</tr>`
      const html = table(`${row}${row.repeat(rows)}<tr><td>Last</td><td>cell</td></tr>`)
      const { markdown } = await convert("a.html", html)
      expect(markdown).toContain("| Last | cell |")
      expect(markdown.match(/x/g)).toHaveLength(cells * (rows + 1))
      expect(markdown.length).toBeLessThan(html.length)
    }
  )

  it("with one wide row and many narrow ones is not filled up", async () => {
    const html = table(
      `<tr>${"<th>h</th>".repeat(5_000)}</tr>${"<tr><td>a</td><td>b</td></tr>".repeat(5_000)}`
    )
    const { markdown } = await convert("a.html", html)
    expect(markdown.match(/\| a \| b \|/g)).toHaveLength(5_000)
    expect(markdown.length).toBeLessThan(html.length)
  })
})

describe("a sheet", () => {
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  const workbook = (sheet: string) =>
    zipSync({
      "xl/workbook.xml": strToU8(
        `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`
      ),
      "xl/_rels/workbook.xml.rels": strToU8(
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Target="worksheets/a.xml"/></Relationships>'
      ),
      "xl/worksheets/a.xml": strToU8(`<worksheet xmlns="${main}">${sheet}</worksheet>`)
    })
  const cell = (place: string) => `<c r="${place}" t="inlineStr"><is><t>${place}</t></is></c>`
  const row = (at: number, ...columns: ReadonlyArray<string>) =>
    `<row r="${at}">${columns.map((column) => cell(`${column}${at}`)).join("")}</row>`

  it("with one cell in its last corner is read", async () => {
    const sheet = `<sheetData>${row(1, "A", "B")}${row(2, "A", "B")}${row(3, "XFD")}</sheetData>`
    const { markdown } = await convert("a.xlsx", workbook(sheet))
    expect(markdown).toContain("A2")
  })

  it("whose rows span more cells than are read is refused before they are made", async () => {
    const rows = Array.from({ length: 2_000 }, (_, at) => row(at + 1, "A", "XFD")).join("")
    await expect(convert("a.xlsx", workbook(`<sheetData>${rows}</sheetData>`))).rejects.toMatchObject({
      code: "file_too_large"
    })
  })

  it("repeats merged cells a bounded number of times", async () => {
    const merges = '<mergeCell ref="A1:XFD1048576"/>'.repeat(1_000)
    const sheet = `<sheetData>${row(1, "A", "Z")}${row(500, "A", "Z")}</sheetData><mergeCells>${merges}</mergeCells>`
    const { markdown } = await convert("a.xlsx", workbook(sheet))
    expect(markdown.length).toBeLessThan(1_000_000)
  })
})

describe("a table without marks of headings", () => {
  const csv = (...rows: ReadonlyArray<string>) =>
    convertHere({ name: "a.csv", bytes: new TextEncoder().encode(rows.join("\n")) })
  const html = (table: string) =>
    convertHere({
      name: "a.html",
      bytes: new TextEncoder().encode(`<h1>Tables</h1><p>Facts of the mill.</p>${table}`)
    })

  it("has none where its first row holds a value as those below it", async () => {
    for (const rows of [
      ["Tank,12", "Ladder,38", "Due in francs,2475"],
      ["Rope,9.50 EUR", "Buoy,12 EUR"],
      ["2024-01-02,Ada,5", "2024-01-03,Bob,7"],
      ["Customer:,Ada Example", "Number:,D-883"],
      ["Mill,1998", "Lock,2003", "Pier,2011"]
    ])
      expect((await csv(...rows)).markdown).toMatch(
        new RegExp(`^(?:\\| {2})+\\|\\n(?:\\| --- )+\\|\\n\\| ${rows[0]?.split(",")[0]}`)
      )
    expect(
      (await html("<table><tr><td>Sand</td><td>21 t</td></tr><tr><td>Stone</td><td>8 t</td></tr></table>"))
        .markdown
    ).toContain("|  |  |\n| --- | --- |\n| Sand | 21 t |")
    expect(
      (await html("<table><tr><th>Built</th><td>by Ada</td></tr><tr><th>Owner</th><td>Bob</td></tr></table>"))
        .markdown
    ).toContain("|  |  |\n| --- | --- |\n| Built | by Ada |")
  })

  it("has those of years, of equal steps and of texts", async () => {
    for (const rows of [
      ["Part,2024,2025", "Pump,40,44", "Valve,55,60"],
      ["Week,1,2,3", "Pump,40,44,7", "Valve,55,60,9"],
      ["Part,Price", "Pump,40", "Valve,55"],
      ["Part,2026", "Pump,40", "Valve,55"]
    ])
      expect((await csv(...rows)).markdown).toContain(`| ${rows[0]?.replaceAll(",", " | ")} |\n| ---`)
    expect(
      (await html("<table><thead><tr><th>5</th><th>6</th></tr></thead><tr><td>7</td><td>8</td></tr></table>"))
        .markdown
    ).toContain("| 5 | 6 |\n| --- | --- |\n| 7 | 8 |")
  })
})
