import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import {
  CurationMeta,
  DeleteAck,
  DocumentPage,
  DocumentSaveResult,
  DocumentWithContent,
  Entity,
  EntityPage,
  JobPage,
  Neighborhood,
  SearchResponse,
  StructuredAnswer
} from "../../core/index.js"
import { kanon, vault, write } from "../support/cli.js"
import { IngestReport, RetriedJobs } from "../support/cli-shapes.js"

const files = {
  "birds/kestrel.md":
    "---\ntitle: Kestrel\naliases: [Windhover]\ntags: [falcon]\ntype: bird\n---\n\nThe kestrel hovers at a height of 25 metres. It hunts [[vole|voles]].\n",
  "mammals/vole.md":
    "---\ntitle: Vole\ntype: mammal\ntags: [prey]\n---\n\n# Vole\n\nA vole weighs 30 grams.\n",
  "broken.md": "---\ntitle: [unclosed\n---\n\n# Broken\n\nFront matter that is no YAML.\n"
}

/** Runs a command that must end well and print exactly one JSON document and nothing else. */
const read = <Schema extends z.ZodType>(schema: Schema, notes: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = kanon(["--json", ...args], { cwd: notes })
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: "" })
  expect(stdout.endsWith("\n")).toBe(true)
  expect(stdout.trimEnd()).not.toContain("\n")
  return schema.parse(JSON.parse(stdout))
}

/** The code and exit status of a command that must fail. */
const failure = (notes: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = kanon([...args, "--json"], { cwd: notes })
  expect(stdout).toBe("")
  expect(stderr.trim().split("\n")).toHaveLength(1)
  const { error, message } = z
    .strictObject({ error: z.string(), message: z.string() })
    .parse(JSON.parse(stderr))
  expect(message).not.toBe("")
  return [status, error]
}

describe("results in JSON", () => {
  const notes = vault(files)
  kanon(["init", "--vault", notes])
  const first = kanon(["ingest", "--json"], { cwd: notes })

  it("reports an ingest, with single failures and exit code 0", () => {
    expect(first.status).toBe(0)
    expect(first.stderr).toBe("")
    const report = IngestReport.parse(JSON.parse(first.stdout))
    expect(report.documents).toMatchObject({ created: 3, updated: 0, moved: 0, deleted: 0, failed: 0 })
    expect(report.chunks).toBeGreaterThanOrEqual(3)
    expect(report.entities).toBeGreaterThanOrEqual(2)
    expect(report.warnings.map(({ path }) => path)).toContain("broken.md")
    expect(read(IngestReport, notes, "ingest").documents).toMatchObject({ created: 0, unchanged: 3 })
  })

  it("searches, with every filter", () => {
    const found = read(SearchResponse, notes, "search", "kestrel")
    expect(found.query).toBe("kestrel")
    expect(found.results[0]).toMatchObject({ docPath: "birds/kestrel.md", docTitle: "Kestrel" })
    const paths = (...args: ReadonlyArray<string>) =>
      new Set(
        read(SearchResponse, notes, "search", "kestrel vole", ...args).results.map(({ docPath }) => docPath)
      )
    expect(paths()).toEqual(new Set(["birds/kestrel.md", "mammals/vole.md"]))
    expect(paths("--path-prefix", "mammals/")).toEqual(new Set(["mammals/vole.md"]))
    expect(paths("--tag", "falcon")).toEqual(new Set(["birds/kestrel.md"]))
    expect(paths("--verification", "certified")).toEqual(new Set())
    expect(read(SearchResponse, notes, "search", "kestrel vole", "--limit", "1").results).toHaveLength(1)
    expect(read(SearchResponse, notes, "search", "kestrel", "--rerank").results[0]?.docPath).toBe(
      "birds/kestrel.md"
    )
  })

  it("answers", () => {
    const answer = read(StructuredAnswer, notes, "ask", "At what height does the kestrel hover?")
    expect(answer.answer).toContain("25 metres")
    expect(answer.claims.length).toBeGreaterThan(0)
    for (const { citations } of answer.claims) expect(citations.length).toBeGreaterThan(0)
    expect(answer.policy).toMatchObject({ mode: "off", verdict: "answer" })
    const one = read(
      StructuredAnswer,
      notes,
      "ask",
      "At what height does the kestrel hover?",
      "--max-sources",
      "1"
    )
    expect(one.sources).toHaveLength(1)
  })

  it("does not invent an answer", () => {
    const answer = read(StructuredAnswer, notes, "ask", "What is the wingspan of the albatross Orinoco?")
    expect(answer.claims).toEqual([])
    expect(answer.answer).not.toBe("")
  })

  it("lists, shows, removes and restores documents", () => {
    const page = read(DocumentPage, notes, "documents", "list")
    expect(page.items.map(({ path }) => path)).toEqual(["birds/kestrel.md", "broken.md", "mammals/vole.md"])
    expect(page).toMatchObject({ total: 3, limit: 50, offset: 0 })
    expect(read(DocumentPage, notes, "documents", "list", "--limit", "1", "--offset", "1")).toMatchObject({
      items: [{ path: "broken.md" }],
      total: 3,
      limit: 1,
      offset: 1
    })
    expect(read(DocumentPage, notes, "documents", "list", "--tag", "prey").items).toHaveLength(1)
    expect(read(DocumentPage, notes, "documents", "list", "--path-prefix", "birds").items).toHaveLength(1)
    expect(read(DocumentPage, notes, "documents", "list", "--verification", "unverified").total).toBe(3)

    const shown = read(DocumentWithContent, notes, "documents", "show", "birds/kestrel.md")
    expect(shown).toMatchObject({ content: files["birds/kestrel.md"], missing: false })
    expect(read(DocumentWithContent, notes, "documents", "show", shown.id)).toEqual(shown)

    expect(read(DeleteAck, notes, "documents", "rm", "birds/kestrel.md")).toEqual({
      deleted: true,
      id: shown.id
    })
    expect(failure(notes, "documents", "show", shown.id)).toEqual([1, "not_found"])
    expect(read(SearchResponse, notes, "search", "hovers").results).toEqual([])
    expect(read(DocumentSaveResult, notes, "documents", "restore", shown.id)).toMatchObject({
      docId: shown.id,
      path: "birds/kestrel.md"
    })
    expect(read(SearchResponse, notes, "search", "hovers").results).toHaveLength(1)
  })

  it("lists and shows entities, by id, name and alias", () => {
    read(IngestReport, notes, "ingest")
    const page = read(EntityPage, notes, "entities", "list")
    expect(page.entities.map(({ name }) => name)).toEqual(expect.arrayContaining(["Kestrel", "Vole"]))
    expect(read(EntityPage, notes, "entities", "list", "--type", "mammal").entities).toMatchObject([
      { name: "Vole" }
    ])
    expect(
      read(EntityPage, notes, "entities", "list", "--limit", "1", "--offset", "1").entities
    ).toHaveLength(1)

    const Shown = Entity.extend({ curation: CurationMeta })
    const byName = read(Shown, notes, "entities", "show", "kestrel")
    expect(byName).toMatchObject({ name: "Kestrel", type: "bird", aliases: ["Windhover"] })
    expect(read(Shown, notes, "entities", "show", byName.id)).toEqual(byName)
    expect(read(Shown, notes, "entities", "show", "Windhover")).toEqual(byName)

    const around = read(Neighborhood, notes, "entities", "neighborhood", "Kestrel", "--depth", "1")
    expect(around.entity.id).toBe(byName.id)
    expect(around.nodes.map(({ name }) => name)).toContain("Vole")
    expect(around.edges.length).toBeGreaterThan(0)
    const capped = read(
      Neighborhood,
      notes,
      "entities",
      "neighborhood",
      "Kestrel",
      "--per-hop-cap",
      "1",
      "--total-cap",
      "1"
    )
    expect(capped).toMatchObject({ truncated: true })
  })

  it("lists jobs, and retries none where none is dead", () => {
    const page = read(JobPage, notes, "jobs", "list")
    expect(page.total).toBeGreaterThan(0)
    const [job] = page.items
    const kind = job?.kind ?? ""
    for (const one of read(JobPage, notes, "jobs", "list", "--kind", kind).items) expect(one.kind).toBe(kind)
    expect(read(JobPage, notes, "jobs", "list", "--status", "dead").items).toEqual([])
    expect(read(JobPage, notes, "jobs", "list", "--limit", "1").items).toHaveLength(1)
    expect(read(RetriedJobs, notes, "jobs", "retry")).toEqual({
      items: [],
      total: 0
    })
  })

  it("fails with a code for what is not there", () => {
    const ghost = "01arz3ndektsv4rrffq69g5fav".slice(0, 26)
    expect(failure(notes, "documents", "show", `doc_${ghost}`)).toEqual([1, "not_found"])
    expect(failure(notes, "documents", "show", "no/such.md")).toEqual([1, "not_found"])
    expect(failure(notes, "documents", "rm", "no/such.md")).toEqual([1, "not_found"])
    expect(failure(notes, "documents", "restore", `doc_${ghost}`)).toEqual([1, "not_found"])
    expect(failure(notes, "documents", "restore", "nonsense")).toEqual([2, "invalid_body"])
    expect(failure(notes, "entities", "show", `ent_${ghost}`)).toEqual([1, "not_found"])
    expect(failure(notes, "entities", "show", "Albatross")).toEqual([1, "not_found"])
    expect(failure(notes, "entities", "neighborhood", "Albatross")).toEqual([1, "not_found"])
    expect(failure(notes, "jobs", "retry", `job_${ghost}`)).toEqual([1, "not_found"])
    expect(failure(notes, "jobs", "retry", "nonsense")).toEqual([2, "invalid_body"])
    expect(failure(notes, "ingest", "../elsewhere")).toEqual([2, "invalid_usage"])
  })

  it("takes any text as a question or a query", () => {
    const texts = [
      `"quoted" 'words' NEAR(kestrel* -vole) title:kestrel AND OR NOT ^`,
      "🦅 how high? 🐭",
      "什么是红隼",
      "%_\\;--drop table documents",
      `${"kestrel ".repeat(500)}`.slice(0, 4000)
    ]
    for (const text of texts) {
      expect(read(SearchResponse, notes, "search", "--", text).query).toBe(text)
      expect(read(StructuredAnswer, notes, "ask", "--no-sync", "--", text).answer).not.toBe("")
    }
    expect(failure(notes, "ask", "k".repeat(4001))).toEqual([2, "invalid_usage"])
    expect(read(StructuredAnswer, notes, "ask", "--no-sync", "k".repeat(4000)).claims).toEqual([])
  })
})

describe("what the files do", () => {
  it("is followed by ask, and by search only after an ingest", () => {
    const notes = vault(files)
    kanon(["ingest"], { cwd: notes })
    kanon(["init", "--vault", notes])
    kanon(["ingest", "--vault", notes])
    rmSync(join(notes, "birds/kestrel.md"))
    write(notes, { "fish/pike.md": "# Pike\n\nThe pike grows to 130 centimetres.\n" })
    expect(read(SearchResponse, notes, "search", "hovers").results).toHaveLength(1)
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
