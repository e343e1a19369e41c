import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { StructuredAnswer } from "../../core/answers/answering/index.js"
import { EntityPage } from "../../core/knowledge/entities/index.js"
import { JobPage } from "../../core/platform/jobs/index.js"
import { SearchResponse } from "../../core/search/retrieval/index.js"
import { kanon, vault, write } from "../support/cli.js"
import { files, read } from "../support/cli-json.js"
import { IngestReport } from "../support/cli-shapes.js"

describe("what the files do", () => {
  it("is followed by ask, and by search only after an ingest", () => {
    const notes = vault(files)
    kanon(["ingest"], { cwd: notes })
    kanon(["init", "--vault", notes])
    kanon(["ingest", "--vault", notes])
    rmSync(join(notes, "birds/kestrel.md"))
    write(notes, { "fish/pike.md": "# Pike\n\nThe pike grows to 130 centimetres.\n" })
    expect(read(SearchResponse, notes, "search", "hovers").results).toHaveLength(1)
    expect(kanon(["search", "hovers"], { cwd: notes }).stdout.trimEnd().split("\n").at(-1)).toBe(
      "2 files have changed since the last ingest and may not be found: kanon ingest"
    )
    expect(read(StructuredAnswer, notes, "ask", "--no-sync", "How long does the pike grow?").claims).toEqual(
      []
    )
    const answer = read(StructuredAnswer, notes, "ask", "How long does the pike grow?")
    expect(answer.answer).toContain("130 centimetres")
    expect(read(SearchResponse, notes, "search", "hovers").results).toEqual([])
    const names = read(EntityPage, notes, "entities", "list").entities.map(({ name }) => name)
    expect(names).toContain("Pike")
    expect(names).not.toContain("Kestrel")
  })

  it("is brought in for one folder alone, from where one stands", () => {
    const notes = vault(files)
    kanon(["init"], { cwd: notes })
    expect(read(IngestReport, notes, "ingest", "mammals").documents.created).toBe(1)
    expect(read(IngestReport, join(notes, "birds"), "ingest", ".").documents.created).toBe(1)
    expect(read(IngestReport, join(notes, "birds"), "ingest", "../broken.md").documents.created).toBe(1)
    expect(read(IngestReport, join(notes, "birds"), "ingest", "mammals").documents.unchanged).toBe(1)
    expect(read(IngestReport, notes, "ingest").documents).toMatchObject({ created: 0, unchanged: 3 })
  })

  it("is searchable at once with --no-wait, and the rest follows with the next ingest", () => {
    const notes = vault(files)
    kanon(["init"], { cwd: notes })
    const brief = read(IngestReport, notes, "ingest", "--no-wait")
    expect(brief).toMatchObject({ documents: { created: 3 }, entities: 0 })
    expect(read(JobPage, notes, "jobs", "list", "--status", "queued").total).toBeGreaterThan(0)
    expect(read(SearchResponse, notes, "search", "hovers").results).toMatchObject([{ channels: ["fts"] }])
    const whole = read(IngestReport, notes, "ingest")
    expect(whole.documents).toMatchObject({ created: 0, unchanged: 3 })
    expect(whole.entities).toBeGreaterThan(0)
    expect(read(JobPage, notes, "jobs", "list", "--status", "queued").total).toBe(0)
  })

  it("is listed where a file cannot be read, and the others are there", () => {
    const notes = vault({ ...files, "bad.md": "" })
    write(notes, { "huge.md": "x".repeat(5 * 1024 * 1024 + 1) })
    kanon(["init"], { cwd: notes })
    const report = read(IngestReport, notes, "ingest")
    expect(report.documents.failed).toBe(1)
    expect(report.errors).toMatchObject([{ path: "huge.md" }])
    const { status, stdout } = kanon(["ingest"], { cwd: notes })
    expect(status).toBe(0)
    expect(stdout).toContain("huge.md")
    expect(kanon(["ask", "What does a vole weigh?"], { cwd: notes }).stderr).toContain(
      "1 file could not be read"
    )
  })
})
