import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { expect, it } from "vitest"
import { newRecord, type StoredEntity } from "../../../../core/knowledge/entities/index.js"
import {
  type ConceptText,
  type ExportedConcept,
  SkosDocument,
  skosText,
  textKinds,
  VocabularyStore
} from "../../../../core/knowledge/vocabulary/index.js"
import { Caller, type EntityId, scopeOf, WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { complaintsAbout, skos, statementsOf, turtleOf } from "../../../support/rdf.js"
import { runs } from "../../../support/runs.js"

const workspace = WorkspaceId.parse("ws_7zzzzzzzzzzzzzzzzzzzzzzzzz")
const idAt = (place: number) => `ent_${String(place).padStart(26, "0")}` as EntityId

interface World {
  readonly concepts: ReadonlyArray<ExportedConcept>
  /** Hierarchical edges by place, narrower first, and the others. */
  readonly broader: ReadonlyArray<readonly [number, number]>
  readonly related: ReadonlyArray<readonly [number, number]>
}

const word = fc.constantFrom("Radio", "radio", "Wireless", "Funk", "Ether", "Strom")
const text: fc.Arbitrary<ConceptText> = fc.record({
  kind: fc.constantFrom(...textKinds),
  language: fc.constantFrom("", "en", "de", "fr", "zh-hant"),
  text: word
})
const lifecycle = fc.constantFrom("published", "deprecated", "superseded", "draft", "pending_review")

const entityAt = fc.record({
  name: word,
  aliases: fc.array(word, { maxLength: 4 }),
  extractedAliases: fc.array(word, { maxLength: 2 }),
  description: fc.option(word),
  lifecycle,
  ownerId: fc.option(fc.constantFrom("ada", "grace hopper")),
  type: fc.constantFrom("concept", "a type / of two"),
  texts: fc.option(fc.array(text, { maxLength: 12 })),
  nameLanguage: fc.constantFrom("", "en", null),
  successor: fc.nat(9)
})

const world: fc.Arbitrary<World> = fc
  .record({
    entities: fc.array(entityAt, { minLength: 1, maxLength: 10 }),
    broader: fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 16 }),
    related: fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 16 })
  })
  .map(({ broader, entities, related }) => ({
    broader,
    related,
    concepts: entities.map(({ nameLanguage, successor, texts, ...given }, place): ExportedConcept => {
      const id = idAt(place)
      const record = newRecord(
        {
          ...given,
          id,
          origin: "import",
          authority: "asserted",
          supersededBy: given.lifecycle === "superseded" ? idAt(successor) : null
        },
        "2027-01-31T08:00:00.000Z"
      )
      const entity: StoredEntity = { ...record, headId: id, pagerank: null, seq: place }
      const details = { schemes: [], topOf: [], nameLanguage, described: null, texts: texts ?? [] }
      return {
        entity,
        successor: entity.supersededBy,
        members: [],
        concepts: texts === null ? [] : [{ entityId: id, iri: `https://example.org/${place}`, details }],
        related: related.flatMap(([a, b]) => (a === place ? [idAt(b)] : b === place ? [idAt(a)] : [])),
        certifiedBy: null,
        notes: []
      }
    })
  }))

const isExported = ({ entity }: ExportedConcept): boolean =>
  entity.lifecycle !== "draft" && entity.lifecycle !== "pending_review"

const exportOf = async ({ broader, concepts }: World) => {
  const told = concepts.filter(isExported)
  const reader = {
    open: () =>
      Effect.succeed({
        workspaceName: "The same",
        hierarchy: Stream.fromIterable(broader.map(([low, high]) => [idAt(low), idAt(high)] as const)),
        iris: Stream.fromIterable(
          told.flatMap(({ concepts: [kept], entity }) =>
            kept === undefined ? [] : [[entity.id, kept.iri] as const]
          )
        ),
        groupings: Stream.empty,
        exported: Stream.fromIterable(told.map(({ entity }) => entity.id)),
        concepts: Stream.make(told)
      })
  }
  const pieces = await Effect.runPromise(
    Stream.runCollect(skosText).pipe(
      // The export asks the reader alone.
      Effect.provideService(VocabularyStore, { reader } as unknown as VocabularyStore["Type"]),
      Effect.provideService(Caller, { workspace: scopeOf(workspace), actor: "local", activity: "ui" })
    )
  )
  return [...pieces].join("")
}

/** Places above each place over one step or more, by brute force. */
const above = ({ broader, concepts }: World): ReadonlyArray<ReadonlySet<number>> => {
  const there = new Set(concepts.flatMap((one, place) => (isExported(one) ? [place] : [])))
  const reach = concepts.map(
    (_, place) =>
      new Set(
        broader.flatMap(([low, high]) =>
          low === place && low !== high && there.has(low) && there.has(high) ? [high] : []
        )
      )
  )
  for (let changed = true; changed; ) {
    changed = false
    for (const own of reach)
      for (const place of [...own])
        for (const next of reach[place] ?? [])
          if (!own.has(next)) {
            own.add(next)
            changed = true
          }
  }
  return reach
}

it("keeps every condition of SKOS, whatever the graph", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (made) => {
      const whole = await exportOf(made)
      expect(await exportOf(made)).toBe(whole)
      const document = SkosDocument.parse(JSON.parse(whole))
      const told = await statementsOf(document)
      expect(await complaintsAbout(told)).toEqual([])
      const reach = above(made)
      const iris = made.concepts.map(({ concepts: [kept], entity }) => kept?.iri ?? urnOf(entity.id))
      const iriOf = (place: number) => iris[place] ?? ""
      const isThere = (place: number) =>
        made.concepts[place] !== undefined && isExported(made.concepts[place])
      for (const [low, high] of made.broader.filter(
        ([low, high]) => low !== high && isThere(low) && isThere(high)
      )) {
        expect(told.countQuads(iriOf(low), `${skos}broader`, iriOf(high), null)).toBe(1)
        expect(told.countQuads(iriOf(high), `${skos}narrower`, iriOf(low), null)).toBe(1)
      }
      for (const [a, b] of made.related.filter(([a, b]) => a !== b && isThere(a) && isThere(b))) {
        const isHierarchy = reach[a]?.has(b) === true || reach[b]?.has(a) === true
        expect(told.countQuads(iriOf(a), `${skos}related`, iriOf(b), null)).toBe(isHierarchy ? 0 : 1)
        expect(told.countQuads(iriOf(b), `${skos}related`, iriOf(a), null)).toBe(isHierarchy ? 0 : 1)
      }
      expect(
        told.countQuads(null, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", `${skos}Concept`, null)
      ).toBe(made.concepts.filter(isExported).length)
    }),
    { numRuns: runs(60) }
  )
})

/** The UUID of an id of digits, as a URN. */
const urnOf = (id: string): string => {
  const value = [...id.slice(4)].reduce((sum, char) => sum * 32n + BigInt(Number.parseInt(char, 36)), 0n)
  return `urn:uuid:${value
    .toString(16)
    .padStart(32, "0")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`
}

const prefixes = `@prefix skos: <${skos}> . @prefix dct: <http://purl.org/dc/terms/> . @prefix : <https://example.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . :s a skos:ConceptScheme . `
const concept = (name: string, more = "") =>
  `:${name} a skos:Concept ; skos:inScheme :s ; skos:prefLabel "${name}"@en ; dct:modified "2027-01-31T08:00:00Z"^^xsd:dateTime ${more} . `

it.each([
  ["S9", concept("a", "; a skos:ConceptScheme")],
  ["S13", concept("a", '; skos:altLabel "a"@en')],
  ["S13", concept("a", '; skos:altLabel "b"@en ; skos:hiddenLabel "b"@en')],
  ["S13", concept("a", '; skos:hiddenLabel "a"@en')],
  ["S14", concept("a", '; skos:prefLabel "b"@en')],
  [
    "S27",
    `${concept("a", "; skos:broader :b ; skos:related :c")}${concept("b", "; skos:broader :c")}${concept("c")}`
  ],
  ["S27", `${concept("a", "; skos:related :b")}${concept("b", "; skos:broader :a")}`],
  ["S27", `${concept("a", "; skos:narrower :b")}${concept("b", "; skos:related :a")}`],
  [
    "S36",
    `${concept("a")}${concept("b")}:l a skos:OrderedCollection ; skos:member :a ; skos:memberList ( :a :b ) .`
  ],
  ["S37", `${concept("a")}:l a skos:Collection , skos:Concept .`],
  ["S37", ":l a skos:Collection , skos:ConceptScheme ."],
  ["S46", `${concept("a", "; skos:exactMatch :b ; skos:broadMatch :b")}${concept("b")}`],
  ["S46", `${concept("a", "; skos:exactMatch :b ; skos:relatedMatch :b")}${concept("b")}`],
  ["Kanon", concept("a", "; skos:broader :gone")]
])("has shapes that catch what breaks %s: %s", async (condition, broken) => {
  expect(await complaintsAbout(turtleOf(prefixes + concept("good", '; skos:altLabel "fine"@en')))).toEqual([])
  const complaints = await complaintsAbout(turtleOf(prefixes + broken))
  expect(complaints.map((one) => one.split(" ")[0])).toContain(condition)
})
