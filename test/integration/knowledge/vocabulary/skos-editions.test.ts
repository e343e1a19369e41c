import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import type { RdfSource } from "../../../../core/knowledge/vocabulary/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"
import { byIri, exported, openedIn, taken } from "../../../support/skos-world.js"

// Newer editions of a vocabulary that is there already.

const folder = temporaryFolder("skos-editions")

const turtle = (text: string): RdfSource => ({
  format: "turtle",
  text: `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix x: <https://example.org/> .
${text}`
})
const x = (name: string) => `https://example.org/${name}`

const withEngine = async (use: (engine: Engine) => Promise<void>) => {
  const engine = await openedIn(folder)
  try {
    await use(engine)
  } finally {
    await engine.close()
  }
}

const first = turtle(`
x:valve a skos:Concept ; skos:prefLabel "Valve"@en ; skos:inScheme x:s .
x:pump a skos:Concept ; skos:prefLabel "Pump"@en ; skos:definition "Moves liquids."@en ; skos:inScheme x:s .
x:bilge a skos:Concept ; skos:prefLabel "Bilge pump"@en ; skos:broader x:valve ; skos:related x:hand ; skos:inScheme x:s .
x:hand a skos:Concept ; skos:prefLabel "Hand pump"@en ; skos:altLabel "Lever pump"@en ; skos:inScheme x:s .
x:ram a skos:Concept ; skos:prefLabel "Ram pump"@en ; skos:inScheme x:s .
`)
/** A label and a definition change, a parent moves, one concept is retired without a label, one is left out. */
const second = turtle(`
x:valve a skos:Concept ; skos:prefLabel "Valve"@en ; skos:inScheme x:s .
x:pump a skos:Concept ; skos:prefLabel "Pumps"@en , "Pumpe"@de ; skos:definition "Moves liquids and gases."@en ; skos:inScheme x:s .
x:bilge a skos:Concept ; skos:prefLabel "Bilge pump"@en ; skos:broader x:pump ; skos:inScheme x:s .
x:hand a skos:Concept ; rdfs:label "Hand pump"@en ; owl:deprecated true ; dct:isReplacedBy x:bilge ; skos:inScheme x:s .
`)
const differences = [
  { conceptId: x("bilge"), change: "changed" },
  { conceptId: x("bilge"), change: "moved" },
  { conceptId: x("hand"), change: "changed" },
  { conceptId: x("hand"), change: "retired" },
  { conceptId: x("pump"), change: "changed" },
  { conceptId: x("ram"), change: "gone" }
]
const inOrder = <Item extends { readonly conceptId: string; readonly change: string }>(
  all: ReadonlyArray<Item>
) => all.toSorted((a, b) => (`${a.conceptId} ${a.change}` < `${b.conceptId} ${b.change}` ? -1 : 1))

const entityOf = async (engine: Engine, name: string) => {
  const [found] = (await engine.entities.resolve(name)).candidates
  return engine.entities.get(found?.id ?? "")
}

describe("a newer edition", () => {
  it("is counted and changes nothing without update; a moved concept gets no second parent", () =>
    withEngine(async (engine) => {
      await taken(engine, first)
      const before = await exported(engine)
      const { foreseen, report } = await taken(engine, second)
      expect(report).toEqual(foreseen)
      expect(report).toMatchObject({
        created: 0,
        matched: 4,
        changed: 3,
        moved: 1,
        retired: 1,
        gone: 1,
        relations: 0,
        totals: { differences: 6 }
      })
      expect(inOrder(report.differences)).toEqual(differences)
      expect(await exported(engine)).toEqual(before)
      // The comparison stays with the edition that was taken in.
      expect((await taken(engine, second)).report).toMatchObject({ moved: 1, retired: 1, gone: 1 })
    }))

  it("is applied with update: texts, parents, retirements, concepts left out", () =>
    withEngine(async (engine) => {
      await taken(engine, first)
      const { foreseen, report } = await taken(engine, second, "apply", { update: true })
      expect(report).toEqual(foreseen)
      expect(inOrder(report.differences)).toEqual(differences)
      const out = await exported(engine)
      expect(byIri(out, x("pump"))).toMatchObject({
        prefLabel: { de: "Pumpe", en: "Pumps" },
        definition: { en: ["Moves liquids and gases."] }
      })
      expect(byIri(out, x("pump"))).not.toHaveProperty("altLabel")
      expect(await entityOf(engine, "Pumpe")).toMatchObject({ name: "Pumps", aliases: ["Pumpe"] })
      expect(byIri(out, x("bilge"))).toMatchObject({ broader: [x("pump")] })
      expect(byIri(out, x("bilge"))).not.toHaveProperty("related")
      expect(byIri(out, x("hand"))).toMatchObject({ deprecated: true, isReplacedBy: x("bilge") })
      expect(byIri(out, x("ram"))).toMatchObject({ deprecated: true })
      expect((await taken(engine, second, "apply", { update: true })).report).toMatchObject({
        created: 0,
        matched: 4,
        relations: 0,
        differences: []
      })
      // The first edition again: the parent and the related concept come back, the texts too.
      const back = await taken(engine, first, "apply", { update: true })
      expect(back.report).toMatchObject({ moved: 1, retired: 0, gone: 0 })
      const again = await exported(engine)
      expect(byIri(again, x("bilge"))).toMatchObject({ broader: [x("valve")], related: [x("hand")] })
      expect(byIri(again, x("pump"))).toMatchObject({ prefLabel: { en: "Pump" } })
    }))

  it("leaves alone what people changed here", () =>
    withEngine(async (engine) => {
      await taken(engine, first)
      const pump = await entityOf(engine, "Pump")
      await engine.entities.update(pump.id, { description: "Ours.", aliases: ["Our pump"] })
      const ram = await entityOf(engine, "Ram pump")
      await engine.relations.create({ srcEntityId: ram.id, type: "broader", dstEntityId: pump.id })
      await taken(engine, second, "apply", { update: true })
      expect(await entityOf(engine, "Our pump")).toMatchObject({
        name: "Pumps",
        description: "Ours.",
        aliases: ["Our pump", "Pumpe"]
      })
      expect((await engine.relations.list({ entityId: ram.id })).total).toBe(1)
    }))

  it("is proposed in the mode propose, once", () =>
    withEngine(async (engine) => {
      await taken(engine, first)
      await taken(engine, second, "propose", { update: true })
      const open = await engine.changeRequests.list({ status: "open" })
      expect(open.map(({ entityName, kind }) => `${kind} ${entityName}`).sort()).toEqual([
        "deprecate Ram pump",
        "supersede Hand pump",
        "update Hand pump",
        "update Pump"
      ])
      expect(await entityOf(engine, "Hand pump")).toMatchObject({
        curation: { lifecycleStatus: "published" }
      })
      await taken(engine, second, "propose", { update: true })
      expect(await engine.changeRequests.list({ status: "open" })).toHaveLength(4)
      for (const { id } of open.toReversed()) await engine.changeRequests.approve(id)
      const out = await exported(engine)
      expect(byIri(out, x("pump"))).toMatchObject({ prefLabel: { de: "Pumpe", en: "Pumps" } })
      expect(byIri(out, x("hand"))).toMatchObject({ isReplacedBy: x("bilge") })
    }))

  it("does not call concepts of another vocabulary, or of the workspace, left out", () =>
    withEngine(async (engine) => {
      await taken(engine, first)
      await engine.entities.create({ name: "Keel", type: "concept" })
      const other = turtle(`<https://other.example/1> a skos:Concept ; skos:prefLabel "Sail"@en .`)
      expect((await taken(engine, other)).report).toMatchObject({ created: 1, gone: 0 })
      expect((await taken(engine, first)).report).toMatchObject({ gone: 0, differences: [] })
      const own = await taken(engine, { format: "json-ld", document: await exported(engine) })
      expect(own.report).toMatchObject({ created: 0, relations: 0, moved: 0, retired: 0, gone: 0 })
    }))
})

it("gives the parents of the last edition, over any number of editions", async () => {
  const names = ["a", "b", "c", "d", "e"]
  const edition = fc.tuple(...names.map(() => fc.uniqueArray(fc.nat(4), { maxLength: 2 })))
  await fc.assert(
    fc.asyncProperty(fc.array(edition, { minLength: 2, maxLength: 4 }), (editions) =>
      withEngine(async (engine) => {
        const parentsIn = (all: ReadonlyArray<ReadonlyArray<number>>, place: number) =>
          (all[place] ?? []).filter((other) => other !== place).map((other) => x(names[other] ?? ""))
        for (const all of editions) {
          const text = names
            .map((name, place) => {
              const broader = parentsIn(all, place).map((iri) => ` ; skos:broader <${iri}>`)
              return `x:${name} a skos:Concept ; skos:prefLabel "Thing ${name}"@en${broader.join("")} .`
            })
            .join("\n")
          await taken(engine, turtle(text), "apply", { update: true })
          const out = await exported(engine)
          for (const [place, name] of names.entries())
            expect(byIri(out, x(name))?.broader ?? []).toEqual(parentsIn(all, place).sort())
        }
      })
    ),
    { numRuns: runs(3) }
  )
})
