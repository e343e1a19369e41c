import fc from "fast-check"
import type { Quad } from "n3"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import type { RdfSource, SkosDocument } from "../../../../core/knowledge/vocabulary/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { complaintsAbout, statementsOf, turtleOf } from "../../../support/rdf.js"
import { runs } from "../../../support/runs.js"
import { byIri, ended, exported, openedIn, taken } from "../../../support/skos-world.js"

const folder = temporaryFolder("skos")

const opened = (): Promise<Engine> => openedIn(folder)

/** Returns the fields that must survive a round trip: all but time and author of a node's last change. */
const concepts = ({ "@graph": nodes }: SkosDocument) =>
  nodes
    .filter((node) => node["@type"] === "Concept")
    .map(({ changeNote: _note, conceptType: _type, modified: _at, wasAttributedTo: _by, ...rest }) => rest)
    .sort((a, b) => (a["@id"] < b["@id"] ? -1 : 1))

const turtle = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix : <https://example.org/> .
:scheme a skos:ConceptScheme ; skos:hasTopConcept :media .
:media a skos:Concept ; skos:prefLabel "Media"@en , "Medien"@de ; skos:inScheme :scheme .
:radio a skos:Concept ; skos:prefLabel "Radio"@fr , "radio"@en , "Rundfunk"@de ; skos:altLabel "wireless"@en ;
  skos:hiddenLabel "raido"@en ; skos:scopeNote "Sound, sent."@en , "Ton, gesendet."@de ; skos:notation "R1" ;
  skos:broader :media ; skos:related :press , :gone ; skos:inScheme :scheme .
:press a skos:Concept ; skos:prefLabel "Press"@en ; skos:broader :media ; skos:inScheme :scheme .
:telex a skos:Concept ; skos:prefLabel "Telex"@en ; owl:deprecated true ; dct:isReplacedBy :fax ; skos:inScheme :scheme .
:fax a skos:Concept ; skos:prefLabel "Fax"@en ; dct:isReplacedBy :mail ; skos:inScheme :scheme .
:mail a skos:Concept ; skos:prefLabel "Mail"@en ; skos:inScheme :scheme .
:nameless a skos:Concept ; skos:inScheme :scheme .
:group a skos:Collection ; skos:member :radio .
`
/**
 * Vocabulary with features of foreign ones: several schemes, notes of collections, codes of a kind, and some mistakes.
 */
const varied = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@base <https://example.org/> .
@prefix : <https://example.org/> .
<goods> a skos:ConceptScheme ; skos:prefLabel "Goods"@en-GB ; skos:definition "What is sold."@en ; skos:hasTopConcept :ware .
<trades> a skos:ConceptScheme ; skos:notation "T" ; dct:creator "Somebody" .
:ware a skos:Concept ; skos:prefLabel "Ware"@en-GB , "Ware"@de , "\u8ca8\u7269"@zh-Hans , "Wares"@en-gb ; skos:altLabel "Ware"@de ;
  skos:topConceptOf <goods> ; skos:inScheme <goods> , <trades> ;
  skos:notation "0815"^^<code> , "815"^^<other> , "W" ; skos:scopeNote "  Kept as it stands. "@en .
<#rope> a skos:Concept ; skos:prefLabel " Rope"@en ; skos:altLabel "${"long ".repeat(120)}"@en , "\uFEFFline"@en ; skos:inScheme <goods> ;
  skos:broader :ware ; skos:narrower :cord ; skos:related :ware , <#rope> , :tar ; skos:example <picture.png> .
:cord a skos:Concept ; skos:prefLabel "Cord"@en ; skos:inScheme <goods> ; skos:broader <#rope> ; skos:narrower <#rope> ;
  skos:broaderTransitive :ware .
:tar a skos:Concept ; skos:prefLabel "Tar"@en , "Tar"@fr ; skos:inScheme <trades> ; skos:related <#rope> ; skos:altLabel "Pitch"@en ; skos:hiddenLabel "Tarr" .
:oakum a skos:Concept ; skos:prefLabel "Oakum"@en ; skos:inScheme <trades> .
:stores a skos:Collection ; skos:inScheme <goods> ; skos:prefLabel "Stores"@en ; skos:altLabel "Stock"@en ;
  skos:scopeNote "Where they lie."@en , "Wo sie liegen."@de ; skos:notation "S1"^^<code> ; skos:editorialNote "Look again."@en ;
  skos:member :tar , :oakum , :order , :nobody .
:order a skos:OrderedCollection ; skos:prefLabel "By use"@en ; skos:changeNote "New."@en ; skos:member :oakum , <#rope> ; skos:memberList ( :oakum <#rope> ) .
`
/** A statement; languages are the same however they are written, and lists have no names. */
const lineOf = ({ object, predicate, subject }: Quad): string =>
  [subject, predicate, object]
    .map((term) =>
      term.termType === "BlankNode"
        ? "_"
        : term.termType === "Literal"
          ? `${JSON.stringify(term.value)} ${term.language.toLowerCase()} ${term.datatype.value}`
          : term.value
    )
    .join(" ")
const source: RdfSource = { format: "turtle", text: turtle }
const at = (name: string) => `https://example.org/${name}`

describe("an import of a vocabulary", () => {
  it("takes concepts, labels with their languages and links in, and tells what it left", async () => {
    const engine = await opened()
    const { foreseen, report } = await taken(engine, source)
    expect(report).toEqual(foreseen)
    expect(report).toMatchObject({
      created: 6,
      matched: 0,
      skipped: 1,
      relations: 3,
      collections: 1,
      conflicts: []
    })
    expect(report.problems).toEqual([
      { conceptId: at("nameless"), reason: "no_label", targetId: null },
      { conceptId: at("radio"), reason: "broken_link", targetId: at("gone") }
    ])
    const [radio] = (await engine.entities.resolve("wireless")).candidates
    const entity = await engine.entities.get(radio?.id ?? "")
    expect(entity).toMatchObject({
      name: "radio",
      type: "concept",
      origin: "import",
      description: "Sound, sent."
    })
    expect(entity.aliases).toEqual(["raido", "Rundfunk", "wireless"])
    expect((await engine.conceptOf(entity.id))?.texts).toContainEqual({
      kind: "prefLabel",
      language: "fr",
      text: "Radio"
    })
    expect((await engine.relations.list({ type: "broader" })).total).toBe(2)
    const out = await exported(engine)
    expect(byIri(out, at("radio"))).toMatchObject({
      prefLabel: { de: "Rundfunk", en: "radio", fr: "Radio" },
      altLabel: { en: ["wireless"] },
      hiddenLabel: { en: ["raido"] },
      scopeNote: { de: ["Ton, gesendet."], en: ["Sound, sent."] },
      notation: { "@none": ["R1"] },
      broader: [at("media")],
      related: [at("press")],
      inScheme: [at("scheme")]
    })
    expect(byIri(out, at("media"))).toMatchObject({ topConceptOf: [at("scheme")] })
    expect(byIri(out, at("telex"))).toMatchObject({ deprecated: true, isReplacedBy: at("fax") })
    expect(byIri(out, at("fax"))).toMatchObject({ deprecated: true, isReplacedBy: at("mail") })
    expect(await complaintsAbout(await statementsOf(out))).toEqual([])
    const again = await taken(engine, source)
    expect(again.report).toMatchObject({ created: 0, matched: 6, relations: 0 })
    expect(concepts(await exported(engine))).toEqual(concepts(out))
    await engine.close()
  })

  it("keeps mappings and collections, reads labels and notes that are nodes, and tells of what has no IRI", async () => {
    const rich: RdfSource = {
      format: "turtle",
      text: `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix : <https://example.org/> .
@prefix far: <https://far.example/> .
:hull a skos:Concept ; xl:prefLabel [ xl:literalForm "Rumpf"@de ] ; xl:altLabel :label ;
  skos:definition [ rdf:value "What floats."@en ] ; skos:note far:note ;
  skos:exactMatch far:hull ; skos:broadMatch far:hull , far:ship ; skos:closeMatch far:body , :hull .
:label xl:literalForm "Schiffskörper"@de .
:keel a skos:Concept ; skos:prefLabel "Keel"@en .
far:beam skos:broadMatch :keel .
[] a skos:Concept ; skos:prefLabel "Nobody finds me"@en .
:parts a skos:Collection ; skos:prefLabel "Parts"@en , "Teile"@de , "Pieces"@en ; skos:notation "P" ; skos:member :low , :hull .
:low a skos:OrderedCollection ; skos:prefLabel "From below"@en ; skos:memberList ( :keel :hull ) .
:both a skos:Concept , skos:Collection ; skos:prefLabel "Both"@en ; skos:member :keel .
:empty a skos:Collection ; skos:prefLabel "Empty"@en ; skos:member :nowhere .
`
    }
    const engine = await opened()
    const { foreseen, report } = await taken(engine, rich)
    expect(report).toEqual(foreseen)
    expect(report).toMatchObject({ created: 3, skipped: 1, collections: 4 })
    expect(report.problems).toMatchObject([{ reason: "no_iri", targetId: null }])
    const out = await exported(engine)
    expect(byIri(out, at("hull"))).toMatchObject({
      prefLabel: { de: "Rumpf" },
      altLabel: { de: ["Schiffskörper"] },
      definition: { en: ["What floats."] },
      // An exact match is not a broader one as well (S46).
      exactMatch: ["https://far.example/hull"],
      broadMatch: ["https://far.example/ship"],
      closeMatch: ["https://far.example/body"]
    })
    expect(byIri(out, at("keel"))).toMatchObject({ narrowMatch: ["https://far.example/beam"] })
    expect(byIri(out, at("parts"))).toMatchObject({
      "@type": "Collection",
      prefLabel: { de: "Teile", en: "Parts" },
      altLabel: { en: ["Pieces"] },
      notation: { "@none": ["P"] },
      member: [at("hull"), at("low")]
    })
    expect(byIri(out, at("low"))).toMatchObject({
      "@type": "OrderedCollection",
      memberList: [at("keel"), at("hull")]
    })
    expect(byIri(out, at("both"))).toMatchObject({ "@type": "Concept" })
    expect(byIri(out, at("empty"))).toBeUndefined()
    expect(await complaintsAbout(await statementsOf(out))).toEqual([])
    const copy = await opened()
    await taken(copy, { format: "json-ld", document: out })
    const collections = ({ "@graph": nodes }: SkosDocument) =>
      nodes.filter((node) => String(node["@type"]).endsWith("Collection"))
    const back = await exported(copy)
    expect([concepts(back), collections(back)]).toEqual([concepts(out), collections(out)])
    // A draft is not exported, and so no member of what is.
    await copy.entities.setLifecycle((await copy.entities.resolve("Keel")).candidates[0]?.id ?? "", "draft")
    expect(byIri(await exported(copy), at("low"))).toMatchObject({ memberList: [at("hull")] })
    await Promise.all([engine.close(), copy.close()])
  })

  it("tells every statement of SKOS again, or says which it did not keep", async () => {
    const engine = await opened()
    const { foreseen, report } = await taken(engine, { format: "turtle", text: varied })
    expect(report).toEqual(foreseen)
    expect(report).toMatchObject({ created: 5, skipped: 0, problems: [] })
    const back = new Set(
      (await statementsOf(await exported(engine))).getQuads(null, null, null, null).map(lineOf)
    )
    const missing = turtleOf(varied)
      .getQuads(null, null, null, null)
      .filter((quad) => !back.has(lineOf(quad)))
    /** Number of statements that are not kept unchanged, by property; types are counted by class. */
    const byWord = new Map<string, number>()
    for (const { object, predicate } of missing) {
      const word = predicate.value.endsWith("#type") ? object.value : predicate.value
      byWord.set(word, (byWord.get(word) ?? 0) + 1)
    }
    const told = new Map(report.notKept.map(({ count, word }) => [word, count]))
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(byWord))
    expect(report.notKept.map(({ reason, word }) => [word.replace(/^.*[#/]/, ""), reason]).sort()).toEqual([
      ["altLabel", "told_otherwise"],
      ["broaderTransitive", "other_word"],
      ["creator", "other_word"],
      ["example", "no_text"],
      ["member", "nothing_there"],
      ["prefLabel", "told_otherwise"],
      ["related", "told_otherwise"]
    ])
    const copy = await opened()
    await taken(copy, { format: "json-ld", document: await exported(engine) })
    const groups = ({ "@graph": nodes }: SkosDocument) =>
      nodes.filter((node) => node["@id"].startsWith("https://") && node["@type"] !== "Concept")
    expect(groups(await exported(copy))).toEqual(groups(await exported(engine)))
    await Promise.all([engine.close(), copy.close()])
  })

  it("proposes, and connects what is approved as it is approved", async () => {
    const engine = await opened()
    const { report } = await taken(engine, source, "propose")
    expect(report.created).toBe(6)
    expect(concepts(await exported(engine))).toEqual([])
    const open = await engine.changeRequests.list({ status: "open" })
    expect(open).toHaveLength(6)
    const named = (name: string) => open.find(({ payload }) => payload["name"] === name)?.id ?? ""
    expect((await taken(engine, source, "propose")).report).toMatchObject({ created: 0, skipped: 7 })
    await engine.changeRequests.reject(named("Press"))
    for (const name of ["radio", "Media", "Telex", "Fax", "Mail"])
      await engine.changeRequests.approve(named(name))
    await ended(engine, "skos_settle")
    const out = await exported(engine)
    expect(concepts(out).map((node) => node["@id"])).toEqual(
      ["fax", "mail", "media", "radio", "telex"].map(at)
    )
    expect(byIri(out, at("radio"))).toMatchObject({ broader: [at("media")], prefLabel: { fr: "Radio" } })
    expect(byIri(out, at("radio"))).not.toHaveProperty("related")
    expect(byIri(out, at("telex"))).toMatchObject({ isReplacedBy: at("fax") })
    await engine.close()
  })

  it("tells of a concept what was said of those that were merged into it", async () => {
    const engine = await opened()
    const text = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <https://example.org/> .
:mast a skos:Concept ; skos:prefLabel "Mast"@en ; skos:notation "M" ; skos:broadMatch <urn:far> ; skos:closeMatch :pole ; skos:inScheme :one .
:pole a skos:Concept ; skos:prefLabel "Pole"@en , "Stange"@de ; skos:altLabel "Spar"@en ; skos:inScheme :two ;
  skos:editorialNote "Once a list of its own."@en ; skos:exactMatch <urn:far> , :mast ; skos:notation "P"^^:code .
:rig a skos:Collection ; skos:prefLabel "Rig"@en ; skos:member :pole .
`
    await taken(engine, { format: "turtle", text })
    const idOf = async (name: string) => (await engine.entities.resolve(name)).candidates[0]?.id ?? ""
    const merged = await idOf("Pole")
    await engine.entities.merge(merged, await idOf("Mast"))
    const out = await exported(engine)
    expect(concepts(out)).toHaveLength(1)
    expect(byIri(out, at("mast"))).toMatchObject({
      prefLabel: { en: "Mast" },
      altLabel: { de: ["Stange"], en: ["Pole", "Spar"] },
      editorialNote: { en: ["Once a list of its own."] },
      notation: { "@none": ["M"] },
      typedNotation: [{ "@type": at("code"), "@value": "P" }],
      exactMatch: ["urn:far"],
      inScheme: [at("one"), at("two")],
      replaces: [at("pole")]
    })
    for (const gone of ["broadMatch", "closeMatch"]) expect(byIri(out, at("mast"))).not.toHaveProperty(gone)
    expect(byIri(out, at("rig"))).toMatchObject({ member: [at("mast")] })
    expect(await complaintsAbout(await statementsOf(out))).toEqual([])
    await engine.trash.restore(merged)
    const apart = await exported(engine)
    expect(byIri(apart, at("mast"))).toMatchObject({ broadMatch: ["urn:far"], inScheme: [at("one")] })
    expect(byIri(apart, at("mast"))).not.toHaveProperty("altLabel")
    expect(byIri(apart, at("rig"))).toMatchObject({ member: [at("pole")] })
    await engine.close()
  })

  it("knows names that are taken, and takes over those that came from no vocabulary", async () => {
    const engine = await opened()
    const media = await engine.entities.create({ name: "MEDIA", type: "concept" })
    const press = await engine.entities.create({ name: "Press", type: "concept" })
    await engine.entities.remove(press.id)
    const two = `${turtle}:other a skos:Concept ; skos:prefLabel "radio"@en .`
    const { report } = await taken(engine, { format: "turtle", text: two })
    expect(report).toMatchObject({ matched: 1, created: 6, conflicts: [] })
    expect(report.renamed).toEqual([{ conceptId: at("radio"), name: "radio (R1)" }])
    expect((await engine.conceptOf(media.id))?.iri).toBe(at("media"))
    await engine.close()
  })

  it.each([
    ["no RDF", { format: "turtle", text: "this is not turtle" }],
    ["no concept", { format: "json-ld", document: { "@context": {}, "@id": "urn:a", "urn:b": "c" } }],
    ["a context elsewhere", { format: "json-ld", document: { "@context": "https://example.org/context" } }]
  ] satisfies ReadonlyArray<readonly [string, RdfSource]>)("refuses %s", async (_what, bad) => {
    const engine = await opened()
    await expect(engine.importSkos(bad)).rejects.toMatchObject({ code: "invalid_body" })
    expect((await engine.jobs.list({ kind: "skos_import" })).total).toBe(0)
    await engine.close()
  })
})

it("comes back the same from a workspace that was empty", async () => {
  const label = fc.stringMatching(/^[A-Za-zÄß][a-zé]{1,6}$/)
  const language = fc.constantFrom("en", "de", "fr")
  const node = fc.record({
    pref: fc.dictionary(language, label, { minKeys: 1, maxKeys: 3 }),
    alt: fc.array(fc.tuple(language, label), { maxLength: 3 }),
    broader: fc.array(fc.nat(7), { maxLength: 2 }),
    related: fc.array(fc.nat(7), { maxLength: 2 }),
    deprecated: fc.boolean()
  })
  await fc.assert(
    fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 8 }), async (nodes) => {
      const graph = nodes.map(({ alt, broader, deprecated, pref, related }, place) => ({
        "@id": at(`c${place}`),
        "@type": "Concept",
        // One name for each, so that none is in conflict.
        prefLabel: { ...pref, en: `${pref["en"] ?? "name"} ${place}` },
        altLabel: alt.map(([tag, text]) => ({ "@language": tag, "@value": text })),
        broader: broader.map((other) => at(`c${other}`)),
        related: related.map((other) => at(`c${other}`)),
        deprecated
      }))
      const context = {
        "@vocab": "http://www.w3.org/2004/02/skos/core#",
        prefLabel: { "@container": "@language" },
        broader: { "@type": "@id" },
        related: { "@type": "@id" },
        deprecated: { "@id": "http://www.w3.org/2002/07/owl#deprecated" }
      }
      const [first, second] = [await opened(), await opened()]
      await taken(first, { format: "json-ld", document: { "@context": context, "@graph": graph } })
      const out = await exported(first)
      expect(concepts(out)).toHaveLength(nodes.length)
      await taken(second, { format: "json-ld", document: out })
      const back = await exported(second)
      expect(concepts(back)).toEqual(concepts(out))
      expect(await complaintsAbout(await statementsOf(back))).toEqual([])
      await Promise.all([first.close(), second.close()])
    }),
    { numRuns: runs(3) }
  )
})
