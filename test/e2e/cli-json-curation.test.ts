import { describe, expect, it } from "vitest"
import { CurationMeta, Entity, EntityPage } from "../../core/knowledge/entities/index.js"
import { Neighborhood } from "../../core/knowledge/graph/index.js"
import { RestoreAck } from "../../core/upkeep/trash/index.js"
import { kanon, vault } from "../support/cli.js"
import { failure, files, read } from "../support/cli-json.js"
import { curationShapes, IngestReport } from "../support/cli-shapes.js"

describe("entities in JSON", () => {
  const notes = vault(files)
  kanon(["init", "--vault", notes])

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
      "Kestrel is unchanged.\n"
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
})
