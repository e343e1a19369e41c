import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

let folder = ""
let vault = ""
let engine: Engine

beforeEach(async () => {
  folder = temporaryFolder("ingest")
  vault = join(folder, "vault")
  for (const path of ["notes/deep", "other"]) mkdirSync(join(vault, path), { recursive: true })
  for (const path of ["notes/a.md", "notes/deep/b.md", "other/c.md", "other/d.md"])
    writeFileSync(join(vault, path), `# Page ${path}\n\nWhat stands in ${path}.\n`)
  engine = await createEngine({ vault, data: ":memory:" })
})
afterEach(() => engine.close())

const counts = { created: 0, updated: 0, moved: 0, deleted: 0, unchanged: 0, failed: 0 }
const noWait = { wait: false } as const

describe("an ingest", () => {
  it("tells new, changed, moved, removed, unreadable and untouched files apart, all at once", async () => {
    writeFileSync(join(vault, "other/e.md"), "# Page e\n\nIt will not be readable for long.\n")
    expect((await engine.ingest(noWait)).documents).toEqual({ ...counts, created: 5 })

    writeFileSync(join(vault, "new.md"), "# New\n\nA page that was not there.\n")
    writeFileSync(join(vault, "notes/a.md"), "# Page notes/a.md\n\nOther words.\n")
    renameSync(join(vault, "other/c.md"), join(vault, "notes/c.md"))
    rmSync(join(vault, "other/d.md"))
    writeFileSync(join(vault, "other/e.md"), Buffer.from([0x23, 0x20, 0xff, 0xfe]))
    const report = await engine.ingest(noWait)
    expect(report.documents).toEqual({
      created: 1,
      updated: 1,
      moved: 1,
      deleted: 1,
      unchanged: 1,
      failed: 1
    })
    expect(report.errors).toEqual([
      { path: "other/e.md", code: "invalid_encoding", message: "The bytes are not UTF-8." }
    ])
    // An unreadable file does not count as removed: its document stays.
    expect((await engine.documents.list()).items.map(({ path }) => path)).toEqual([
      "new.md",
      "notes/a.md",
      "notes/c.md",
      "notes/deep/b.md",
      "other/e.md"
    ])
  })

  it.each(["notes", "notes/"])("of %j looks at that folder only", async (path) => {
    expect((await engine.ingest({ ...noWait, path })).documents).toEqual({ ...counts, created: 2 })
    rmSync(join(vault, "notes/deep"), { recursive: true })
    expect((await engine.ingest({ ...noWait, path })).documents).toEqual({
      ...counts,
      deleted: 1,
      unchanged: 1
    })
  })

  it("says so when nothing is or was at the path that was named", async () => {
    const report = await engine.ingest({ ...noWait, path: "nots" })
    expect(report.documents).toEqual(counts)
    expect(report.warnings).toEqual([
      { path: "nots", code: "nothing_there", message: "There is no Markdown file at or under this path." }
    ])
    await engine.ingest(noWait)
    rmSync(join(vault, "notes"), { recursive: true })
    const removal = await engine.ingest({ ...noWait, path: "notes" })
    expect([removal.documents.deleted, removal.warnings]).toEqual([2, []])
  })

  it.each(["..", "../outside", "notes/../../outside", "/etc", ".kanon", "notes//deep", "a\\b", "\0"])(
    "refuses %j, which names no part of the vault",
    async (path) => {
      mkdirSync(join(folder, "outside"))
      writeFileSync(join(folder, "outside/secret.md"), "# Secret\n")
      await expect(engine.ingest({ ...noWait, path })).rejects.toMatchObject({ code: "invalid_body" })
    }
  )

  it("follows no symbolic link on the way to the path, inside or out of the vault", async () => {
    mkdirSync(join(folder, "outside/deep"), { recursive: true })
    writeFileSync(join(folder, "outside/deep/secret.md"), "# Secret\n")
    symlinkSync(join(folder, "outside"), join(vault, "out"))
    symlinkSync(join(vault, "notes"), join(vault, "in"))
    for (const link of ["out", "in"]) {
      const report = await engine.ingest({ ...noWait, path: `${link}/deep` })
      expect(report.documents).toEqual({ ...counts, failed: 1 })
      expect(report.errors.map(({ code, path }) => [path, code])).toEqual([[link, "linked_folder"]])
    }
  })
})
