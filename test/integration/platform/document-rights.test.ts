import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations } from "../../../core/operations.js"
import { createEngine, type Engine, importWorkspace } from "../../support/database.js"
import { temporaryFolder } from "../../support/folders.js"

/** One workspace in which the folder `hr` is for a group. */
const files = {
  "handbook.md": "# Handbook\n\nEveryone works at Nordwind. Apollo Station stores batteries for ten days.\n",
  "hr/salaries.md":
    "# Salaries\n\nThe salary of Greta Vogel is 91,000 euros. Falkenprojekt is secret. See [[handbook]].\n",
  "hr/plan.md":
    "---\naliases: [Handbook Takeover]\n---\n# Takeover Plan\n\nFalkenprojekt buys Nordwind. Greta Vogel signs the [[handbook]].\n"
}
const rules = { folders: [{ path: "hr", read: ["group:hr"] }] }

describe("rights per document", () => {
  let engine: Engine
  let ids: Readonly<Record<string, string>> = {}
  const as = (...groups: ReadonlyArray<string>) =>
    engine.as({ principals: groups.map((name) => `group:${name}`) })
  const paths = async (calls: Pick<Engine, "documents">) =>
    (await calls.documents.list({})).items.map(({ path }) => path)
  const access = (path: string, read?: ReadonlyArray<string> | null) =>
    engine.call(operations.setDocumentAccess, { id: ids[path], ...(read === undefined ? {} : { read }) })

  beforeAll(async () => {
    const vault = temporaryFolder("rights")
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(vault, path)), { recursive: true })
      writeFileSync(join(vault, path), text)
    }
    engine = await createEngine({ vault, data: join(vault, ".kanon"), worker: true })
    await engine.ingest({ wait: true })
    ids = Object.fromEntries((await engine.documents.list({})).items.map(({ id, path }) => [path, id]))
    await engine.updateWorkspace({ access: rules })
  })
  afterAll(() => engine.close())

  it("hide documents from callers whom no list names", async () => {
    expect(await paths(as("sales"))).toEqual(["handbook.md"])
    expect(await paths(as("hr"))).toEqual(["handbook.md", "hr/plan.md", "hr/salaries.md"])
    expect(await paths(engine)).toEqual(["handbook.md", "hr/plan.md", "hr/salaries.md"])
    await expect(as("sales").documents.get(ids["hr/plan.md"] ?? "")).rejects.toMatchObject({
      code: "not_found"
    })
    expect((await engine.documents.get(ids["hr/plan.md"] ?? "")).access).toEqual({ read: ["group:hr"] })
  })

  it("hide names, aliases and mentions that only hidden documents have", async () => {
    const shown = JSON.stringify([
      await as("sales").entities.list({ limit: 200 }),
      (await as("sales").entities.resolve("Falkenprojekt")).candidates,
      (await as("sales").entities.resolve("Greta Vogel")).candidates,
      (await as("sales").entities.resolve("Handbook")).candidates
    ])
    expect(shown).not.toMatch(/Falken|Greta|Takeover/)
    expect(shown).toContain("Handbook")
  })

  it("leave concepts of hidden documents out of an exported vocabulary", async () => {
    const exported = async (calls: ReturnType<Engine["as"]>) =>
      JSON.stringify(await calls.call(operations.exportSkos, {}))
    expect(await exported(as("hr"))).toMatch(/Falkenprojekt/)
    expect(await exported(as("sales"))).toMatch(/Handbook/)
    expect(await exported(as("sales"))).not.toMatch(/Falken|Greta|Takeover|Salaries/)
  })

  it("let nobody change what is hidden, and tell nothing of it", async () => {
    const id = ids["hr/plan.md"] ?? ""
    for (const change of [
      () => as("sales").documents.replace(id, "# Mine"),
      () => as("sales").documents.move(id, "mine.md"),
      () => as("sales").documents.remove(id)
    ])
      await expect(change()).rejects.toMatchObject({ code: "not_found" })
    const error: unknown = await as("sales")
      .documents.create({ path: "hr/plan.md", content: "# Mine\n" })
      .catch((fault) => fault)
    expect(error).toMatchObject({ code: "conflict" })
    expect(JSON.stringify(error)).not.toContain(id)
  })

  it("hold at the next call: a list of its own, everybody, and again the folder", async () => {
    await access("hr/plan.md", ["group:sales"])
    expect(await paths(as("sales"))).toEqual(["handbook.md", "hr/plan.md"])
    expect(await paths(as("hr"))).toEqual(["handbook.md", "hr/salaries.md"])
    await access("hr/plan.md", null)
    expect(await paths(as("none"))).toEqual(["handbook.md", "hr/plan.md"])
    await access("hr/plan.md")
    expect(await paths(as("sales"))).toEqual(["handbook.md"])
  })

  it("follow a document to another folder, without regard to case", async () => {
    const made = await engine.documents.create({ path: "HR/new.md", content: "# New\n\nApollo Station.\n" })
    expect(await paths(as("sales"))).toEqual(["handbook.md"])
    await engine.documents.move(made.docId, "open.md")
    expect(await paths(as("sales"))).toEqual(["handbook.md", "open.md"])
    await engine.documents.remove(made.docId)
  })

  it("take the longest pattern of several", async () => {
    await engine.updateWorkspace({
      access: { folders: [...rules.folders, { path: "hr/sal*.md", read: ["group:board"] }] }
    })
    expect(await paths(as("hr"))).toEqual(["handbook.md", "hr/plan.md"])
    expect(await paths(as("board"))).toEqual(["handbook.md", "hr/salaries.md"])
    await engine.updateWorkspace({ access: rules })
  })

  it("answer no question from what is hidden, from the cache either", async () => {
    await engine.updateWorkspace({ cacheMode: "on" })
    const ask = async (calls: ReturnType<Engine["as"]>) =>
      JSON.stringify(await calls.call(operations.query, { question: "What is the salary of Greta Vogel?" }))
    expect(await ask(as("hr"))).toContain("91,000")
    expect(await ask(as("hr"))).toContain("91,000")
    expect(await ask(as("sales"))).not.toMatch(/91,000|salaries|Falken/)
  })

  it("tell nothing through history, embeds, corrections, curation, errors and the trash", async () => {
    const secret = /Falken|Greta|Takeover|91,000|salaries are|hr\/plan|hr\/salaries/i
    const at = async (call: Promise<unknown>) =>
      JSON.stringify(await call.catch((fault: unknown) => [String(fault), fault]))
    const sales = as("sales")
    const before = new Date().toISOString()
    const open = await engine.documents.create({
      path: "open.md",
      content: "# Open\n\nNordwind is near. ![[salaries]] and [[plan]].\n"
    })
    const gone = await engine.documents.create({
      path: "hr/gone.md",
      content: "# Gone\n\nGreta Vogel works for Nordwind until Falkenprojekt ends.\n"
    })
    await engine.ingest({ wait: true })
    const named = async (name: string) => (await engine.entities.resolve(name)).candidates[0]?.id ?? ""
    const greta = await named("Greta Vogel")
    await engine.documents.remove(gone.docId)
    expect(await at(engine.call(operations.listTrash, {}))).toContain("hr/gone.md")
    const reads: ReadonlyArray<() => Promise<unknown>> = [
      () => sales.call(operations.getDocument, { id: open.docId, render: "html" }),
      () => sales.call(operations.getDocumentLineage, { id: open.docId }),
      () => sales.call(operations.listTrash, {}),
      () => sales.call(operations.listAuditEvents, { limit: 200 }),
      () => sales.call(operations.getManifest, {}),
      () => sales.call(operations.listDuplicates, { minScore: 0.1 }),
      () => sales.call(operations.listContradictions, {}),
      () => sales.call(operations.listJobs, { limit: 200 }),
      ...["Gretta Vogl", "Falkenprojektt", "Nordwind takeover", '"Greta Vogel"'].flatMap((q) =>
        // The answer repeats the query.
        [{ q }, { q, asOf: before }].map((input) => async () => ({
          ...(await sales.call(operations.search, input)),
          query: ""
        }))
      ),
      () => sales.call(operations.query, { question: "Who works for Nordwind?", asOf: before }),
      () => sales.call(operations.resolveEntities, { q: "Gre" }),
      () => sales.call(operations.resolveEntities, { q: "Nordwind" }),
      () => sales.call(operations.listRevisions, { id: greta }),
      () => sales.call(operations.getNeighborhood, { id: greta, asOf: before }),
      () => sales.call(operations.listRelations, { entityId: greta })
    ]
    for (const [place, read] of reads.entries())
      expect([place, await at(read())]).toEqual([place, expect.not.stringMatching(secret)])
    const unknown = `ent_${"0".repeat(26)}`
    const changes: ReadonlyArray<(id: string) => Promise<unknown>> = [
      (id) => sales.entities.update(id, { description: "Mine." }),
      (id) => sales.entities.remove(id),
      (id) => sales.entities.get(id)
    ]
    for (const change of changes)
      expect((await at(change(greta))).replaceAll(greta, unknown)).toBe(await at(change(unknown)))
    await engine.documents.remove(open.docId)
  })

  it("show rules of folders to administrators alone", async () => {
    const view = await as("sales").call(operations.getWorkspace, {})
    expect(view.settings.access).toEqual({ folders: [] })
  })

  it("are in exports and imports, and are inspected", async () => {
    await access("handbook.md", ["group:hr"])
    const lines: Array<Uint8Array> = []
    for await (const line of engine.export()) lines.push(line)
    const target = temporaryFolder("rights-import")
    const vault = join(target, "vault")
    await importWorkspace(
      (async function* () {
        yield* lines
      })(),
      { vault, data: join(target, "data") }
    )
    const copy = await createEngine({ vault, data: join(target, "data"), worker: false })
    try {
      expect(await paths(copy.as({ principals: ["group:sales"] }))).toEqual([])
      expect(await paths(copy.as({ principals: ["group:hr"] }))).toEqual([
        "handbook.md",
        "hr/plan.md",
        "hr/salaries.md"
      ])
      await copy.updateWorkspace({ access: { folders: [...rules.folders, { path: "gone/**", read: [] }] } })
      const { findings } = await copy.doctor()
      expect(findings.filter(({ code }) => /readers|rule/.test(code))).toMatchObject([
        { code: "rule_unused", subject: "gone/**" }
      ])
    } finally {
      await copy.close()
    }
    await access("handbook.md")
  })
})
