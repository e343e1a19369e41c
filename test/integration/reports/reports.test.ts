import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import type { WorkspaceId } from "../../../core/platform/kernel/index.js"
import { Report, reportHtml, reportMarkdown } from "../../../core/upkeep/overview/index.js"
import { startServer, type TestServer } from "../../support/server.js"
import { workOff } from "../../support/work-off.js"

let server: TestServer
let home: WorkspaceId
let key = ""
const call = (method: string, path: string, body?: unknown) =>
  server.call(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) })
const create = async (body: object) => {
  const { body: made, status } = await call("POST", "/reports", body)
  expect([status, made]).toEqual([201, expect.anything()])
  return Report.parse(made)
}
const rowsOf = (report: Report, id: string) => report.sections.find((one) => one.id === id)?.rows

beforeAll(async () => {
  server = await startServer()
  home = await server.workspace("home")
  key = await server.key(home)
  const write = async (path: string, content: string) =>
    z.object({ docId: z.string() }).parse((await call("POST", "/documents", { path, content })).body).docId
  await write("birds/heron.md", "# Heron\n\nThe [[Marsh]] heron nests in marsh number 10.\n")
  await write("birds/wren.md", "# Wren\n\nThe wren nests in marsh number 11, near the [[Heron]].\n")
  const marsh = await write("places/marsh.md", "# Marsh\n\nThe marsh is <b>wide</b> | and wet.\n")
  await call("POST", `/documents/${marsh}/verify`, { verification: "verified" })
  await server.as(home, workOff)
  for (const question of [
    "Where does the wren nest?",
    "Where does the wren nest?",
    "What does a unicorn cost?"
  ])
    expect((await call("POST", "/query", { question })).status).toBe(200)
})
afterAll(() => server.close())

describe("an engagement report", () => {
  it("counts questions and citations, and names what was not answered", async () => {
    const report = await create({ title: "Month" })
    expect(report).toMatchObject({ kind: "engagement", status: "ready", layoutVersion: 1, title: "Month" })
    const { highlights, ...numbers } = report.summary
    expect(numbers).toMatchObject({
      windowDays: 30,
      questions: 3,
      answered: 2,
      unanswered: 1,
      neverCitedDocuments: 3 - Number(numbers["citedDocuments"]),
      overdueCited: 0
    })
    expect(numbers["unverifiedCited"]).toBeGreaterThan(0)
    expect(highlights[0]).toBe("3 questions in the last 30 days: 67 % answered, 1 not.")
    expect(rowsOf(report, "unanswered")).toEqual([
      ["What does a unicorn cost?", 1, expect.any(String), expect.any(String)]
    ])
    expect(rowsOf(report, "sources")?.[0]).toEqual(["birds/wren.md", "Wren", 2, 1])
    expect(rowsOf(report, "riskySources")?.[0]?.[1]).toBe("unverified")
    for (const { columns, rows } of report.sections)
      for (const row of rows) expect(row).toHaveLength(columns.length)
  })

  it("archives the earlier one of its kind and title, and no other", async () => {
    const [first, other, coverage] = [
      await create({ title: "Week" }),
      await create({ title: "Other" }),
      await create({ title: "Week", kind: "coverage" })
    ]
    const second = await create({ title: "Week" })
    const statusOf = async ({ id }: Report) => Report.parse((await call("GET", `/reports/${id}`)).body).status
    expect(await Promise.all([first, other, coverage, second].map(statusOf))).toEqual([
      "archived",
      "ready",
      "ready",
      "ready"
    ])
    const listed = z
      .object({ items: z.array(z.record(z.string(), z.unknown())), total: z.number() })
      .parse((await call("GET", "/reports")).body)
    expect(listed.total).toBe(listed.items.length)
    expect(listed.items[0]).toMatchObject({ id: second.id, title: "Week", status: "ready" })
    expect(listed.items[0]).not.toHaveProperty("sections")
  })

  it("is refused without a title or of an unknown kind", async () => {
    for (const body of [{}, { title: "" }, { title: "x".repeat(201) }, { title: "x", kind: "other" }])
      expect(await call("POST", "/reports", body)).toMatchObject({
        status: 400,
        body: { error: "invalid_body" }
      })
    expect(await call("GET", "/reports/rep_00000000000000000000000000")).toMatchObject({ status: 404 })
  })
})

describe("a coverage report", () => {
  it("counts documents and mentions by concept, folder and tier", async () => {
    const report = await create({ title: "Coverage", kind: "coverage" })
    expect(report.summary).toMatchObject({ documents: 3 })
    const { cells, columns, rows } = report.coverage
    expect(columns.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["folder:birds", "folder:places", "tier:verified"])
    )
    expect(cells.length).toBeGreaterThan(0)
    for (const cell of cells) {
      expect(rows.some(({ id }) => id === cell.row)).toBe(true)
      expect(columns.some(({ id }) => id === cell.column)).toBe(true)
      expect(cell.documents).toBeGreaterThan(0)
      expect(cell.mentions).toBeGreaterThanOrEqual(cell.documents)
    }
    expect(rowsOf(report, "folders")).toEqual([
      ["birds", 2, 0],
      ["places", 1, 1]
    ])
  })

  it("is shown as one page without scripts or outside resources, and as Markdown", async () => {
    const report = await create({ title: "<script>alert(1)</script> & | more", kind: "coverage" })
    const html = reportHtml(report)
    expect(html).not.toMatch(/<script|<link|<img|src=|href=|url\(|@import|http/i)
    expect(html).toContain("&lt;script&gt;")
    expect(html).toContain("<svg")
    const markdown = reportMarkdown(report)
    expect(markdown).toContain("## Documents by folder")
    expect(markdown).toMatch(/\| birds \| 2 \| 0 \|/)
  })
})
