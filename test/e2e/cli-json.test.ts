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
  RestoreAck,
  SearchResponse,
  StructuredAnswer,
  TrashPage
} from "../../core/index.js"
import { kanon, vault, write } from "../support/cli.js"
import { curationShapes, IngestReport, RetriedJobs } from "../support/cli-shapes.js"
import { governanceShapes } from "../support/governance-shapes.js"

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

  it("vouches for entities, looks after them and shows what became of them", () => {
    const act = (...args: ReadonlyArray<string>) => read(curationShapes.curation, notes, "entities", ...args)
    expect(act("certify", "Kestrel", "--note", "seen")).toMatchObject({ authority: "certified", version: 2 })
    expect(act("authority", "Kestrel", "certified").version).toBe(2)
    expect(act("authority", "Kestrel", "asserted").version).toBe(3)
    expect(act("review", "windhover", "--as", "ann")).toMatchObject({ authority: "asserted", version: 4 })
    expect(act("lifecycle", "Kestrel", "draft", "--note", "not yet").lifecycleStatus).toBe("draft")
    expect(act("lifecycle", "Kestrel", "published").lifecycleStatus).toBe("published")
    const owned = act("owner", "Kestrel", "--owner", "ann", "--steward", "bob", "--steward", "cyd")
    expect(owned).toMatchObject({ ownerId: "ann", stewardIds: ["bob", "cyd"] })
    expect(act("owner", "Kestrel", "--nobody")).toMatchObject({ ownerId: null, stewardIds: ["bob", "cyd"] })
    expect(act("owner", "Kestrel", "--no-stewards")).toMatchObject({ ownerId: null, stewardIds: [] })
  })

  it("tells what became of an entity, and refuses what no verb can mean", () => {
    expect(failure(notes, "entities", "owner", "Kestrel")).toEqual([2, "invalid_usage"])
    expect(failure(notes, "entities", "lifecycle", "Kestrel", "deprecated")).toEqual([2, "invalid_usage"])
    expect(failure(notes, "entities", "certify", "No such bird")).toEqual([1, "not_found"])
    expect(failure(notes, "entities", "certify", "Kestrel", "--as", " ")).toEqual([2, "invalid_body"])
    const { revisions } = read(
      curationShapes.history,
      notes,
      "entities",
      "history",
      "Kestrel",
      "--limit",
      "2"
    )
    expect(revisions.map(({ changeKind }) => changeKind)).toEqual(["set_owner", "set_owner"])
    const all = read(curationShapes.history, notes, "entities", "history", "Kestrel").revisions
    expect(all.find(({ changeKind }) => changeKind === "review")).toMatchObject({ changedBy: "ann" })
    expect(kanon(["entities", "history", "Kestrel"], { cwd: notes }).stdout).toContain(
      "version 3  set authority"
    )
    expect(kanon(["entities", "authority", "Kestrel", "asserted"], { cwd: notes }).stdout).toBe(
      "Kestrel is as it was: nothing to change.\n"
    )
  })

  it("proposes changes, shows what they would do, and lets those decide who may", () => {
    const on = (...args: ReadonlyArray<string>) => ["requests", ...args]
    const words = ["--name", "Common kestrel", "--alias", "Hoverer, small", "--alias", "Windhover"]
    const asked = ["update", "--entity", "Kestrel", ...words, "--note", "its name", "--as", "dan"]
    const request = read(curationShapes.request, notes, ...on("propose", ...asked))
    expect(request).toMatchObject({
      status: "open",
      proposedBy: "dan",
      entityName: "Kestrel",
      note: "its name"
    })
    read(curationShapes.curation, notes, "entities", "owner", "Kestrel", "--owner", "ann")
    const shown = read(curationShapes["request-shown"], notes, ...on("show", request.id))
    expect(shown).toMatchObject({
      preview: {
        diff: { name: { from: "Kestrel", to: "Common kestrel" } },
        applicable: false,
        blockedBy: "reviewer_required"
      },
      discussion: [{ changeKind: "set_owner" }]
    })
    expect(shown.impact.relations).toBeGreaterThan(0)
    const { stdout } = kanon(on("show", request.id, "--as", "ann"), { cwd: notes })
    for (const line of ["  name", "    - Kestrel", "    + Common kestrel", "    + Hoverer, small"])
      expect(stdout.split("\n")).toContain(line)
    expect(stdout).toContain("It can be approved.")
    expect(failure(notes, ...on("approve", request.id))).toEqual([1, "reviewer_required"])
    const approved = read(
      curationShapes["request-approved"],
      notes,
      ...on("approve", request.id, "--as", "ann", "--note", "yes")
    )
    expect(approved).toMatchObject({ request: { status: "approved", reviewedBy: "ann", reviewNote: "yes" } })
    expect(failure(notes, ...on("reject", request.id))).toEqual([1, "not_open"])
    const born = read(
      curationShapes.request,
      notes,
      ...on(
        "propose",
        "create",
        "--name",
        "Hobby",
        "--type",
        "bird",
        "--lifecycle",
        "draft",
        "--description",
        "x"
      )
    )
    expect(read(curationShapes.request, notes, ...on("reject", born.id, "--note", "no")).status).toBe(
      "rejected"
    )
    const gone = read(curationShapes.request, notes, ...on("propose", "delete", "--entity", "Vole"))
    expect(read(curationShapes.request, notes, ...on("withdraw", gone.id)).status).toBe("withdrawn")
    const list = (...args: ReadonlyArray<string>) =>
      read(curationShapes.requests, notes, ...on("list", ...args)).requests.map(({ id }) => id)
    expect(list()).toEqual([gone.id, born.id, request.id])
    expect(list("--status", "approved")).toEqual([request.id])
    expect(failure(notes, ...on("propose", "update", "--entity", "Vole", "--lifecycle", "draft"))).toEqual([
      2,
      "invalid_body"
    ])
    expect(read(Entity, notes, "entities", "restore-revision", "Common kestrel", "1").name).toBe("Kestrel")
  })

  it("retires and merges entities, after a look at what that would bring", () => {
    const bird = read(Entity.extend({ curation: CurationMeta }), notes, "entities", "show", "Kestrel")
    expect(failure(notes, "entities", "merge", "Vole", "Kestrel")).toEqual([1, "reviewer_required"])
    const merge = (...args: ReadonlyArray<string>) =>
      read(curationShapes.merged, notes, "entities", "merge", "Vole", "Kestrel", "--as", "ann", ...args)
    const foretold = merge("--dry-run")
    expect(read(EntityPage, notes, "entities", "list", "--type", "mammal").total).toBe(1)
    const done = merge("--note", "one thing")
    expect({ ...foretold, curation: done.curation }).toEqual(done)
    expect(done).toMatchObject({ canonicalId: bird.id, aliasesAdded: ["Vole"] })
    read(RestoreAck, notes, "trash", "restore", done.mergedId)
    const retire = ["entities", "deprecate", "Vole", "--superseded-by", "Kestrel", "--note", "old"]
    expect(read(curationShapes.curation, notes, ...retire)).toMatchObject({
      lifecycleStatus: "superseded",
      supersededBy: bird.id
    })
    expect(failure(notes, "entities", "deprecate", "Vole")).toEqual([1, "invalid_transition"])
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
    for (const prefix of ["doc", "ent", "rel"])
      expect(failure(notes, "trash", "restore", `${prefix}_${ghost}`)).toEqual([1, "not_found"])
    expect(failure(notes, "trash", "restore", "nonsense")).toEqual([2, "invalid_body"])
    expect(failure(notes, "trash", "restore", `ent_${ghost}`, "--path", "a.md")).toEqual([2, "invalid_body"])
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
