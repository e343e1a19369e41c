import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import type { RdfSource } from "../../../../core/knowledge/vocabulary/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { complaintsAbout, statementsOf } from "../../../support/rdf.js"
import { byIri, ended, exported, openedIn, taken } from "../../../support/skos-world.js"

// Concepts that share a name, within a vocabulary and between two.

const folder = temporaryFolder("skos-names")

const prefixes = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix x: <https://example.org/> .
@prefix y: <https://other.example/> .
`
const turtle = (text: string): RdfSource => ({ format: "turtle", text: `${prefixes}${text}` })
const x = (name: string) => `https://example.org/${name}`
const y = (name: string) => `https://other.example/${name}`

const withEngine = async (use: (engine: Engine) => Promise<void>) => {
  const engine = await openedIn(folder)
  try {
    await use(engine)
  } finally {
    await engine.close()
  }
}

const namesOf = async (engine: Engine) =>
  (await engine.entities.list({ limit: 200 })).entities.map(({ name }) => name).sort()

/** A term that was withdrawn and issued again under its own name. */
const reissued = `
x:old12 a skos:Concept ; skos:prefLabel "Bilge pump"@en ; skos:altLabel "Bilger"@en ; owl:deprecated true ; dct:isReplacedBy x:new7 .
x:new7 a skos:Concept ; skos:prefLabel "Bilge pump"@en ; skos:altLabel "Lenzpumpe"@de ;
  skos:definition "A pump that takes water out of the bilge."@en ; skos:broader x:pump .
x:pump a skos:Concept ; skos:prefLabel "Pump"@en .
x:strum a skos:Concept ; skos:prefLabel "Strum box"@en ; skos:related x:old12 .
`

describe("concepts with one name", () => {
  it("are one concept where isReplacedBy joins them: the one in use, with the labels and links of both", () =>
    withEngine(async (engine) => {
      const { foreseen, report } = await taken(engine, turtle(reissued))
      expect(report).toEqual(foreseen)
      expect(report).toMatchObject({ created: 3, joined: 1, conflicts: [], problems: [], relations: 2 })
      expect(await namesOf(engine)).toEqual(["Bilge pump", "Pump", "Strum box"])
      for (const label of ["Lenzpumpe", "Bilger"]) {
        const [found] = (await engine.entities.resolve(label)).candidates
        expect(await engine.entities.get(found?.id ?? "")).toMatchObject({
          name: "Bilge pump",
          description: "A pump that takes water out of the bilge.",
          curation: { lifecycleStatus: "published" }
        })
      }
      const out = await exported(engine)
      expect(byIri(out, x("new7"))).toMatchObject({
        prefLabel: { en: "Bilge pump" },
        altLabel: { de: ["Lenzpumpe"], en: ["Bilger"] },
        broader: [x("pump")],
        related: [x("strum")],
        replaces: [x("old12")]
      })
      expect(await complaintsAbout(await statementsOf(out))).toEqual([])
      const again = await taken(engine, turtle(reissued))
      expect(again.report).toMatchObject({ created: 0, matched: 4, joined: 0, relations: 0, differences: [] })
    }))

  it("are one as well once a person has approved the one that is proposed", () =>
    withEngine(async (engine) => {
      const { report } = await taken(engine, turtle(reissued), "propose")
      expect(report).toMatchObject({ created: 3, joined: 1, conflicts: [] })
      expect((await taken(engine, turtle(reissued), "propose")).report).toMatchObject({
        created: 0,
        joined: 0,
        skipped: 4
      })
      for (const { id } of await engine.changeRequests.list({ status: "open" }))
        await engine.changeRequests.approve(id)
      await ended(engine, "skos_settle")
      expect(await namesOf(engine)).toEqual(["Bilge pump", "Pump", "Strum box"])
      expect(byIri(await exported(engine), x("new7"))).toMatchObject({
        replaces: [x("old12")],
        related: [x("strum")]
      })
    }))

  it("are kept all where nothing joins them: one in use before retired ones, the others under a qualified name", () =>
    withEngine(async (engine) => {
      const text = `
x:a1 a skos:Concept ; skos:prefLabel "Valve"@en ; owl:deprecated true .
x:b2 a skos:Concept ; skos:prefLabel "Valve"@en , "Ventil"@de ; skos:inScheme x:hull .
x:c3 a skos:Concept ; skos:prefLabel "valve"@en ; skos:notation "V-3" ; skos:inScheme x:hull ; skos:broader x:b2 .
x:d4 a skos:Concept ; skos:prefLabel "Valve"@en ; skos:inScheme x:engine ; skos:related x:a1 .
x:engine a skos:ConceptScheme ; skos:prefLabel "Engine"@en .
x:hull a skos:ConceptScheme .
`
      const { foreseen, report } = await taken(engine, turtle(text))
      expect(report).toEqual(foreseen)
      expect(report).toMatchObject({ created: 4, joined: 0, conflicts: [], problems: [], relations: 2 })
      expect(report.totals).toMatchObject({ renamed: 3, conflicts: 0 })
      const names = Object.fromEntries(report.renamed.map(({ conceptId, name }) => [conceptId, name]))
      expect(names).toEqual({
        [x("a1")]: "Valve (a1)",
        [x("c3")]: "valve (V-3)",
        [x("d4")]: "Valve (Engine)"
      })
      const out = await exported(engine)
      expect(byIri(out, x("a1"))).toMatchObject({ prefLabel: { en: "Valve" }, deprecated: true })
      expect(byIri(out, x("b2"))).toMatchObject({
        prefLabel: { de: "Ventil", en: "Valve" },
        narrower: [x("c3")]
      })
      expect(byIri(out, x("c3"))).toMatchObject({
        prefLabel: { en: "valve" },
        notation: { "@none": ["V-3"] }
      })
      expect(byIri(out, x("d4"))).toMatchObject({ prefLabel: { en: "Valve" }, related: [x("a1")] })
      for (const name of ["a1", "c3", "d4"]) expect(byIri(out, x(name))).not.toHaveProperty("altLabel")
      const copy = await openedIn(folder)
      await taken(copy, { format: "json-ld", document: out })
      const back = await exported(copy)
      for (const name of ["a1", "b2", "c3", "d4"])
        expect(byIri(back, x(name))?.prefLabel).toEqual(byIri(out, x(name))?.prefLabel)
      await copy.close()
      // A name that a person gives is the label from then on, and one merged away is no label of the other.
      const idOf = async (name: string) => (await engine.entities.resolve(name)).candidates[0]?.id ?? ""
      await engine.entities.update(await idOf("Valve (Engine)"), { name: "Engine valve" })
      await engine.entities.merge(await idOf("valve (V-3)"), await idOf("Ventil"))
      const later = await exported(engine)
      expect(byIri(later, x("d4"))).toMatchObject({ prefLabel: { en: "Engine valve" } })
      expect(JSON.stringify(later)).not.toContain("(V-3)")
    }))

  it("are kept where they differ in case or form alone", () =>
    withEngine(async (engine) => {
      const pairs = [
        ["Polish", "polish"],
        ["Turkey", "turkey"],
        ["Flow in m²", "Flow in m2"],
        ["10⁵", "105"],
        ["H₂O", "H2O"],
        ["straße", "strasse"]
      ]
      const labels = pairs.flat()
      const text = labels
        .map((label, place) => `x:n${place} a skos:Concept ; skos:prefLabel "${label}"@en .`)
        .join("\n")
      const { report } = await taken(engine, turtle(text))
      expect(report).toMatchObject({
        created: labels.length,
        conflicts: [],
        totals: { renamed: pairs.length }
      })
      const out = await exported(engine)
      expect(labels.map((_, place) => byIri(out, x(`n${place}`))?.prefLabel?.["en"])).toEqual(labels)
    }))

  it("of a second vocabulary are kept beside the first, and are one where exactMatch joins them", () =>
    withEngine(async (engine) => {
      await taken(
        engine,
        turtle(`x:b a skos:Concept ; skos:prefLabel "Bilge pump"@en ; skos:inScheme x:first .
x:k a skos:Concept ; skos:prefLabel "Keel"@en ; skos:inScheme x:first ; skos:exactMatch y:8 .
x:m a skos:Concept ; skos:prefLabel "Mast"@en ; skos:inScheme x:first .`)
      )
      const { foreseen, report } = await taken(
        engine,
        turtle(`y:second a skos:ConceptScheme ; skos:prefLabel "Boats"@en .
y:9 a skos:Concept ; skos:prefLabel "Bilge pump"@en , "Lenzpumpe"@de ; skos:exactMatch x:b ; skos:inScheme y:second .
y:8 a skos:Concept ; skos:prefLabel "Keel"@en , "Kiel"@de ; skos:inScheme y:second .
y:7 a skos:Concept ; skos:prefLabel "Mast"@en ; skos:inScheme y:second ; skos:related y:9 .`)
      )
      expect(report).toEqual(foreseen)
      expect(report).toMatchObject({
        created: 1,
        joined: 2,
        conflicts: [],
        problems: [],
        gone: 0,
        relations: 1
      })
      expect(report.renamed).toEqual([{ conceptId: y("7"), name: "Mast (Boats)" }])
      const out = await exported(engine)
      expect(byIri(out, x("b"))).toMatchObject({ replaces: [y("9")], altLabel: { de: ["Lenzpumpe"] } })
      expect(byIri(out, x("k"))).toMatchObject({ replaces: [y("8")], altLabel: { de: ["Kiel"] } })
      expect(byIri(out, y("7"))).toMatchObject({ prefLabel: { en: "Mast" }, related: [x("b")] })
    }))

  it("are counted without end, while the lists end at 1,000", () =>
    withEngine(async (engine) => {
      const concepts = Array.from({ length: 1100 }, (_, place) => [
        `x:p${place} a skos:Concept ; skos:prefLabel "Part ${place}"@en .`,
        `x:q${place} a skos:Concept ; skos:prefLabel "Part ${place}"@en ; skos:broader x:none${place} .`
      ])
      const { foreseen } = await (async () => {
        const { jobId: _job, ...foreseen } = await engine.importSkos(turtle(concepts.flat().join("\n")), {
          mode: "apply",
          dryRun: true
        })
        return { foreseen }
      })()
      expect(foreseen).toMatchObject({
        created: 2200,
        conflicts: [],
        totals: { conflicts: 0, renamed: 1100, brokenLinks: 1100, problems: 1100 }
      })
      expect([foreseen.renamed.length, foreseen.problems.length]).toEqual([1000, 1000])
    }))
})

describe("what is read of a concept", () => {
  it("is its rdfs:label where it has no other", () =>
    withEngine(async (engine) => {
      const { report } = await taken(
        engine,
        turtle(`x:a a skos:Concept ; rdfs:label "Hand pump"@en ; owl:deprecated true ; dct:isReplacedBy x:b .
x:b a skos:Concept ; skos:prefLabel "Pump"@en ; rdfs:label "Pump"@en , "Pumpe"@de .`)
      )
      expect(report).toMatchObject({ created: 2, skipped: 0 })
      expect(byIri(await exported(engine), x("a"))).toMatchObject({
        prefLabel: { en: "Hand pump" },
        isReplacedBy: x("b")
      })
      expect(
        report.notKept.find(({ word }) => word.endsWith("#label") && word.includes("rdf-schema"))
      ).toMatchObject({
        reason: expect.stringMatching(/other_word|told_otherwise/)
      })
    }))

  it("counts each lost statement: labels in several languages, a withdrawn status, nodes of labels, own schemes", () =>
    withEngine(async (engine) => {
      const { report } = await taken(
        engine,
        turtle(`@prefix adms: <http://www.w3.org/ns/adms#> . @prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
x:wind a skos:Concept , skos:ConceptScheme ; skos:prefLabel "Wind"@en ; skos:inScheme x:wind ; skos:topConceptOf x:wind ;
  skos:hasTopConcept x:gust ; rdfs:label "Wind"@en , "Vent"@fr , "Vind"@da .
x:gust a skos:Concept ; xl:prefLabel x:label ; skos:inScheme x:wind ; adms:status <http://purl.org/adms/status/Withdrawn> .
x:label xl:literalForm "Gust"@en .`)
      )
      expect(report).toMatchObject({ created: 2, skipped: 0 })
      const lost = Object.fromEntries(
        report.notKept.map(({ count, reason, word }) => [`${word.replace(/^.*[#/]/, "")} ${reason}`, count])
      )
      expect(lost).toEqual({
        "inScheme told_otherwise": 2,
        "topConceptOf told_otherwise": 1,
        "hasTopConcept told_otherwise": 1,
        "ConceptScheme nothing_there": 1,
        "label other_word": 3,
        "prefLabel told_otherwise": 1,
        "literalForm told_otherwise": 1,
        "status told_otherwise": 1
      })
      expect(report.totals.notKept).toBe(11)
      expect(await complaintsAbout(await statementsOf(await exported(engine)))).toEqual([])
    }))

  it("reports JSON-LD with relative ids, terms without a meaning and blanks in IRIs", () =>
    withEngine(async (engine) => {
      const { report } = await taken(engine, {
        format: "json-ld",
        document: {
          "@context": {
            skos: "http://www.w3.org/2004/02/skos/core#",
            Concept: "skos:Concept",
            prefLabel: "skos:prefLabel",
            broader: { "@id": "skos:broader", "@type": "@id" }
          },
          "@graph": [
            { "@id": "pump", "@type": "Concept", prefLabel: "Pump" },
            { "@id": "https://example.org/hand pump", "@type": "Concept", prefLabel: "Hand pump" },
            { "@id": x("valve"), "@type": "Concept", prefLabel: "Valve", colour: "red", broader: "pump" }
          ]
        }
      })
      expect(report).toMatchObject({ created: 1, skipped: 2 })
      expect(
        report.problems.filter(({ reason }) => reason === "no_iri").map(({ conceptId }) => conceptId)
      ).toEqual(["https://example.org/hand pump", "pump"])
      expect(report.notKept).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ word: "colour", reason: "unread", count: 1 }),
          expect.objectContaining({ word: expect.stringContaining("broader"), reason: "nothing_there" })
        ])
      )
    }))
})
