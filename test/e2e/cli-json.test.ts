import { describe, expect, it } from "vitest"
import { StructuredAnswer } from "../../core/answers/answering/index.js"
import { DocumentPage, DocumentSaveResult, DocumentWithContent } from "../../core/files/documents/index.js"
import { JobPage } from "../../core/platform/jobs/index.js"
import { DeleteAck } from "../../core/platform/kernel/index.js"
import { SearchResponse } from "../../core/search/retrieval/index.js"
import { RestoreAck, TrashPage } from "../../core/upkeep/trash/index.js"
import { kanon, vault, write } from "../support/cli.js"
import { failure, files, read } from "../support/cli-json.js"
import { IngestReport, RetriedJobs } from "../support/cli-shapes.js"
import { governanceShapes } from "../support/governance-shapes.js"

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
    expect(answer.policy).toMatchObject({ mode: "shadow", conflicts: [] })
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

  it("says what documents are worth, what rests on them, and what needs a steward", () => {
    const verify = (...args: ReadonlyArray<string>) =>
      read(governanceShapes.verified, notes, "documents", "verify", "birds/kestrel.md", ...args)
    const verified = verify("verified", "--as", "ann")
    expect(verified).toMatchObject({ verification: "verified", verifiedBy: "ann" })
    const traced = read(governanceShapes.lineage, notes, "documents", "lineage", verified.docId)
    expect(traced).toMatchObject({
      origin: { kind: "vault", recentSyncRuns: [] },
      governance: { verification: "verified", verifiedBy: "ann", reviewDue: false }
    })
    expect(traced.audit[0]).toMatchObject({ action: "document.verify", actor: "ann" })
    expect(traced.derived.concepts.map(({ name }) => name)).toContain("Kestrel")
    const { stdout } = kanon(["documents", "lineage", "birds/kestrel.md"], { cwd: notes })
    expect(stdout).toContain("verification  verified by ann")
    expect(verify("unverified")).toMatchObject({ verification: "unverified", verifiedBy: null })
    expect(failure(notes, "documents", "verify", "birds/kestrel.md", "doubtful")).toEqual([
      2,
      "invalid_usage"
    ])
    const todo = (...args: ReadonlyArray<string>) =>
      read(governanceShapes.stewardship, notes, "stewardship", ...args)
    expect(todo()).toMatchObject({ view: "overdue", total: 0 })
    expect(todo("--view", "ownerless", "--limit", "1").items).toHaveLength(1)
    expect(todo("--view", "never_reviewed", "--owner", "ann").total).toBe(0)
    expect(todo("--view", "contested", "--offset", "0").counts.documentsDue).toBe(0)
    expect(failure(notes, "stewardship", "--view", "ownerless", "--owner", "ann")).toEqual([
      2,
      "invalid_body"
    ])
    const twins = (...args: ReadonlyArray<string>) =>
      read(governanceShapes.duplicates, notes, "entities", "duplicates", ...args)
    expect(twins("--min-score", "0.9", "--limit", "5").total).toBe(0)
    expect(twins("--entity", "Kestrel", "--offset", "0").total).toBe(0)
    expect(failure(notes, "entities", "duplicates", "--min-score", "2")).toEqual([2, "invalid_usage"])
  })

  it("lists the trash, and restores from it, to another path where the old one is taken", () => {
    const { id } = read(DocumentWithContent, notes, "documents", "show", "mammals/vole.md")
    expect(read(TrashPage, notes, "trash", "list")).toEqual({ items: [], total: 0 })
    read(DeleteAck, notes, "documents", "rm", id)
    const item = { id, kind: "document", label: "mammals/vole.md", deletedBy: "local", purgeAt: null }
    const listed = read(TrashPage, notes, "trash", "list", "--kind", "document", "--limit", "1")
    expect(listed).toMatchObject({ items: [{ ...item, restorable: true, blockedBy: null }], total: 1 })
    expect(read(TrashPage, notes, "trash", "list", "--offset", "1")).toEqual({ items: [], total: 1 })
    expect(read(TrashPage, notes, "trash", "list", "--kind", "relation").total).toBe(0)
    write(notes, { "mammals/vole.md": "# Another vole" })
    expect(read(TrashPage, notes, "trash", "list").items).toMatchObject([
      { restorable: false, blockedBy: null }
    ])
    read(IngestReport, notes, "ingest")
    const other = read(DocumentWithContent, notes, "documents", "show", "mammals/vole.md")
    expect(read(TrashPage, notes, "trash", "list").items).toMatchObject([
      { restorable: false, blockedBy: other.id }
    ])
    expect(failure(notes, "trash", "restore", id)).toEqual([1, "conflict"])
    expect(read(RestoreAck, notes, "trash", "restore", id, "--path", "mammals/old vole.md")).toEqual({
      id,
      kind: "document",
      restored: true
    })
    expect(read(DocumentWithContent, notes, "documents", "show", "mammals/old vole.md").id).toBe(id)
    expect(failure(notes, "trash", "restore", id)).toEqual([1, "not_found"])
    expect(kanon(["trash", "list"], { cwd: notes }).stdout).toBe("The trash is empty.\n")
    read(DeleteAck, notes, "documents", "rm", other.id)
    expect(kanon(["trash", "list"], { cwd: notes }).stdout).toContain("mammals/vole.md  document")
    expect(kanon(["documents", "rm", id], { cwd: notes }).status).toBe(0)
    read(RestoreAck, notes, "trash", "restore", other.id)
    expect(failure(notes, "trash", "restore", id, "--path", "mammals/vole.md")).toEqual([1, "conflict"])
    write(notes, { "mammals/vole.md": files["mammals/vole.md"] })
    read(IngestReport, notes, "ingest")
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
    expect(failure(notes, "documents", "restore", "nonsense")).toEqual([1, "not_found"])
    for (const prefix of ["doc", "ent", "rel"])
      expect(failure(notes, "trash", "restore", `${prefix}_${ghost}`)).toEqual([1, "not_found"])
    expect(failure(notes, "trash", "restore", "nonsense")).toEqual([1, "not_found"])
    expect(failure(notes, "trash", "restore", `ent_${ghost}`, "--path", "a.md")).toEqual([2, "invalid_body"])
    expect(failure(notes, "entities", "show", `ent_${ghost}`)).toEqual([1, "not_found"])
    expect(failure(notes, "entities", "show", "Albatross")).toEqual([1, "not_found"])
    expect(failure(notes, "entities", "neighborhood", "Albatross")).toEqual([1, "not_found"])
    expect(failure(notes, "jobs", "retry", `job_${ghost}`)).toEqual([1, "not_found"])
    expect(failure(notes, "jobs", "retry", "nonsense")).toEqual([1, "not_found"])
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
