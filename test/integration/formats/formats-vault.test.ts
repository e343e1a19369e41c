import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Engine } from "../../../adapters/sqlite/index.js"
import { createEngine, rowsBeside } from "../../support/database.js"
import { temporaryFolder } from "../../support/folders.js"

const fixtures = fileURLToPath(new URL("../../fixtures/formats/", import.meta.url))

let folder = ""
let vault = ""
let engine: Engine

// One converter for all: to start it takes longer than most of what it is asked.
beforeAll(async () => {
  folder = temporaryFolder("formats")
  vault = join(folder, "vault")
  mkdirSync(join(vault, "reports"), { recursive: true })
  writeFileSync(
    join(vault, "index.md"),
    "# Index\n\nThe [harbour minutes](reports/minutes.docx) are kept here.\n"
  )
  copyFileSync(join(fixtures, "docx/01-pandoc.docx"), join(vault, "reports/guide.docx"))
  copyFileSync(join(fixtures, "pdf/09-reportlab.pdf"), join(vault, "reports/pages.pdf"))
  engine = await createEngine({ vault, data: ":memory:" })
})
afterAll(() => engine.close())

const noWait = { wait: false } as const
const counts = { created: 0, updated: 0, moved: 0, deleted: 0, unchanged: 0, failed: 0 }
const byPath = async (path: string) => {
  const { items } = await engine.documents.list()
  const found = items.find((one) => one.path === path)
  if (found === undefined) throw new Error(`There is no document ${path}.`)
  return engine.documents.get(found.id)
}

describe("a vault with files of other formats", () => {
  it("shows their text as Markdown under their own path, with media type, author and pages", async () => {
    expect((await engine.ingest(noWait)).documents).toEqual({ ...counts, created: 3 })
    const guide = await byPath("reports/guide.docx")
    expect(guide).toMatchObject({
      title: "Battery storage guide",
      mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      source: { author: "Ida Lindqvist", url: null },
      missing: false
    })
    expect(guide.content).toContain("| LFP | 12 | 5–25 °C |")
    expect((await byPath("index.md")).mediaType).toBe("text/markdown")
    const { results } = await engine.search("buoys")
    expect(results[0]).toMatchObject({ docPath: "reports/pages.pdf", page: 2 })
    const answer = await engine.ask("What does page two tell of?")
    expect(answer.sources.find(({ docPath }) => docPath === "reports/pages.pdf")?.page).toBeGreaterThan(0)
    expect((await engine.ingest(noWait)).documents).toEqual({ ...counts, unchanged: 3 })
  })

  it("refuses to replace the text; moves, deletes and restores the original file", async () => {
    const { id } = await byPath("reports/guide.docx")
    await expect(engine.documents.replace(id, "# Other")).rejects.toMatchObject({
      fault: { _tag: "Conflict" }
    })
    await expect(engine.documents.move(id, "reports/guide.md")).rejects.toMatchObject({
      fault: { _tag: "InvalidInput" }
    })
    await engine.documents.move(id, "archive/guide.docx")
    expect(existsSync(join(vault, "archive/guide.docx"))).toBe(true)
    expect((await byPath("archive/guide.docx")).id).toBe(id)
    await engine.documents.remove(id)
    expect(existsSync(join(vault, "archive/guide.docx"))).toBe(false)
    await engine.documents.restore(id)
    expect(existsSync(join(vault, "archive/guide.docx"))).toBe(true)
    expect((await byPath("archive/guide.docx")).content).toContain("Battery storage guide")
    expect((await engine.ingest(noWait)).documents).toEqual({ ...counts, unchanged: 3 })
    expect((await engine.doctor()).findings.filter(({ severity }) => severity !== "remark")).toEqual([])
  })

  it("converts a changed file anew, follows a move, and finds a removed file gone", async () => {
    const before = await byPath("archive/guide.docx")
    copyFileSync(join(fixtures, "docx/02-pandoc-german.docx"), join(vault, "archive/guide.docx"))
    renameSync(join(vault, "reports/pages.pdf"), join(vault, "pages.pdf"))
    expect((await engine.ingest(noWait)).documents).toEqual({ ...counts, updated: 1, moved: 1, unchanged: 1 })
    const after = await byPath("archive/guide.docx")
    expect(after.id).toBe(before.id)
    expect(after.version).toBe(before.version + 1)
    expect(after.content).toContain("undichter Dichtungen")
    rmSync(join(vault, "pages.pdf"))
    expect((await engine.ingest(noWait)).documents).toMatchObject({ deleted: 1 })
  })

  it("shows the attachments of a message as sections of its text", async () => {
    copyFileSync(join(fixtures, "eml/03-python-attachment.eml"), join(vault, "delivery.eml"))
    copyFileSync(join(fixtures, "eml/04-octet-stream-attachments.eml"), join(vault, "report.eml"))
    const { warnings } = await engine.ingest(noWait)
    expect((await byPath("delivery.eml")).content).toContain("## Attachment: werte.csv\n\n| k | v |")
    expect((await byPath("report.eml")).content).toContain("The crane K2 is taken out of service")
    expect(warnings.find(({ code }) => code === "attachment_skipped")?.message).toMatch(/^tool\.exe: /)
  })

  it("lists a file that cannot be converted at every ingest, and takes it in once it can", async () => {
    copyFileSync(join(fixtures, "hostile/encrypted.pdf"), join(vault, "secret.pdf"))
    for (const _ of [1, 2])
      expect((await engine.ingest(noWait)).errors).toEqual([
        { path: "secret.pdf", code: "file_encrypted", message: "The PDF is protected by a password." }
      ])
    copyFileSync(join(fixtures, "pdf/10-reportlab-table.pdf"), join(vault, "secret.pdf"))
    const report = await engine.ingest(noWait)
    expect(report.errors).toEqual([])
    expect(report.documents).toMatchObject({ created: 1, failed: 0 })
  })

  it("reads Markdown in UTF-16, which stays as it is", async () => {
    const bytes = Buffer.from(
      "\ufeff# Größe\n\nThe lantern of the größten pier burns for 40 hours.\n",
      "utf16le"
    )
    writeFileSync(join(vault, "wide.md"), bytes)
    writeFileSync(join(vault, "big-endian.md"), Buffer.from(bytes).swap16())
    const { documents, errors } = await engine.ingest(noWait)
    expect([documents.created, errors]).toEqual([2, []])
    for (const path of ["wide.md", "big-endian.md"]) {
      const document = await byPath(path)
      expect(document).toMatchObject({ title: "Größe", mediaType: "text/markdown", missing: false })
      expect(document.content).toContain("größten pier")
      await expect(engine.documents.replace(document.id, "# Other")).rejects.toMatchObject({
        fault: { _tag: "Conflict" }
      })
    }
    const wide = await byPath("wide.md")
    await engine.documents.remove(wide.id)
    await engine.documents.restore(wide.id)
    expect(readFileSync(join(vault, "wide.md"))).toEqual(bytes)
    expect((await byPath("wide.md")).content).toContain("größten pier")
    expect((await engine.ingest(noWait)).documents).toMatchObject({ created: 0, updated: 0, failed: 0 })
    expect((await engine.doctor()).findings.filter(({ severity }) => severity !== "remark")).toEqual([])
  })
})

describe("files that an older version converted", () => {
  it("are converted again by the next ingest, with progress; their documents stay", async () => {
    const place = temporaryFolder("reader")
    const [data, files] = [join(place, "data"), join(place, "vault")]
    mkdirSync(files)
    copyFileSync(join(fixtures, "pdf/10-reportlab-table.pdf"), join(files, "table.pdf"))
    copyFileSync(join(fixtures, "csv/16-one-column.csv"), join(files, "list.csv"))
    writeFileSync(join(files, "note.md"), "# Note\n\nIt is short.\n")
    const open = () => createEngine({ vault: files, data })
    const first = await open()
    expect((await first.ingest(noWait)).documents).toEqual({ ...counts, created: 3 })
    const [before] = (await first.documents.list()).items.filter(({ path }) => path === "table.pdf")
    await first.close()
    // As an older version left it: another text, and no word of who read it.
    await rowsBeside(
      data,
      `update document set source = replace(source, '"reader":"', '"was":"'), content_hash = 'old' where path = 'table.pdf'`
    )
    const second = await open()
    try {
      expect((await second.ingest(noWait)).documents).toEqual({ ...counts, updated: 1, unchanged: 2 })
      const [after] = (await second.documents.list()).items.filter(({ path }) => path === "table.pdf")
      expect(after).toMatchObject({ id: before?.id, version: (before?.version ?? 0) + 1 })
      expect(after?.contentHash).toBe(before?.contentHash)
      expect((await second.ingest(noWait)).documents).toEqual({ ...counts, unchanged: 3 })
    } finally {
      await second.close()
    }
  })
})
