import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, expect } from "vitest"
import type { EntityStore } from "../../core/knowledge/entities/index.js"
import type { GraphStore } from "../../core/knowledge/graph/index.js"
import {
  type Concept,
  type Grouping,
  type ImportRun,
  noReport,
  RdfReader,
  type StoredConcept,
  VocabularyStore
} from "../../core/knowledge/vocabulary/index.js"
import { type Atomic, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { putEntity, putRelation } from "./seeds.js"
import { makeWorkspace } from "./workspace.js"

const base = "https://example.org/"

const details: StoredConcept["details"] = {
  schemes: [`${base}scheme`],
  topOf: [],
  nameLanguage: "en",
  described: { kind: "scopeNote", language: "de", text: "Größe 'é' 東京\u2028" },
  texts: [{ kind: "prefLabel", language: "", text: "Crane" }]
}

const concept = (name: string): Concept => ({
  iri: base + name,
  type: null,
  schemes: [],
  topOf: [],
  texts: [{ kind: "prefLabel", language: "fr", text: name }],
  broader: [`${base}top`],
  related: [],
  deprecated: false,
  replacedBy: null
})

const report = {
  ...noReport(),
  created: 1,
  matched: 2,
  conflicts: [],
  skipped: 3,
  relations: 4,
  collections: 5,
  problems: [{ conceptId: base, reason: "broken_link" as const, targetId: `${base}gone` }],
  notKept: [{ word: `${base}word`, reason: "other_word" as const, count: 2, example: "_:b0" }]
}

const runOf = (total: number, change: Partial<ImportRun> = {}) =>
  Effect.map(
    Ids,
    (ids): ImportRun => ({
      id: ids.make("job"),
      options: { mode: "propose", language: "en", type: "concept" },
      total,
      askedBy: "ann",
      activity: "api",
      nextConcept: 0,
      nextLink: 0,
      report,
      ...change
    })
  )

/** The laws of `VocabularyStore`. `layer` gives an empty store each time, beside the entities of the same database. */
export const vocabularyStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<VocabularyStore | EntityStore | GraphStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  vocabularyReaderLaws(name, layer)
  describe(`VocabularyStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("finds concepts by IRI and by entity, field by field", function* () {
      const [store, scope, ids] = [yield* VocabularyStore, yield* makeWorkspace, yield* Ids]
      const [first, second] = ["first", "second"].map(
        (one): StoredConcept => ({ entityId: ids.make("entity"), iri: base + one, details })
      )
      if (first === undefined || second === undefined) throw new RangeError("two")
      yield* store.add(scope, [first, second])
      yield* store.add(scope, [])
      expect(yield* store.byIri(scope, [second.iri, `${base}none`, second.iri])).toEqual([second])
      expect(yield* store.byEntity(scope, [first.entityId, ids.make("entity")])).toEqual([first])
      expect(yield* store.byIri(scope, [])).toEqual([])
      const changed = { ...second, details: { ...details, topOf: [`${base}scheme`] } }
      yield* store.replace(scope, changed)
      expect(yield* store.byEntity(scope, [first.entityId])).toEqual([first])
      expect(yield* store.byIri(scope, [second.iri])).toEqual([changed])
      const other = yield* makeWorkspace
      const inOrder = [first, changed].toSorted((a, b) => (a.iri < b.iri ? -1 : 1))
      expect(yield* store.page(scope, "", 9)).toEqual(inOrder)
      expect(yield* store.page(scope, inOrder[0]?.iri ?? "", 1)).toEqual(inOrder.slice(1))
      expect(yield* store.page(scope, inOrder[1]?.iri ?? "", 1)).toEqual([])
      expect(yield* store.page(other, "", 9)).toEqual([])
    })

    law("keeps an import with all that it brings, in order, and what became of each", function* () {
      const [store, scope, ids] = [yield* VocabularyStore, yield* makeWorkspace, yield* Ids]
      const run = yield* runOf(3)
      const concepts = ["c", "a", "b"].map(concept)
      yield* store.begin(scope, run, { concepts, groupings: [] })
      expect(yield* store.run(scope, run.id)).toEqual(run)
      const staged = yield* store.staged(scope, run.id, 0, 10)
      expect(staged).toEqual(
        concepts.map((one, place) => ({ place, concept: one, requestId: null, made: false }))
      )
      const requestId = ids.make("changeRequest")
      yield* store.note(scope, run.id, [
        { place: 1, requestId, made: false },
        { place: 2, requestId: null, made: true }
      ])
      expect(yield* store.staged(scope, run.id, 1, 1)).toMatchObject([{ place: 1, requestId }])
      expect(yield* store.staged(scope, run.id, 2, 9)).toMatchObject([{ place: 2, made: true }])
      expect(yield* store.proposed(scope, [`${base}a`, `${base}b`, `${base}a`])).toEqual([
        { iri: `${base}a`, requestId: expect.any(String) }
      ])
      const further = { ...run, nextConcept: 3, nextLink: 2, report: { ...report, created: 9 } }
      yield* store.saveRun(scope, further)
      expect(yield* store.run(scope, run.id)).toEqual(further)
    })

    law(
      "names imports that are done but for what is staged, and forgets those that are over when another begins",
      function* () {
        const [store, scope] = [yield* VocabularyStore, yield* makeWorkspace]
        const [under, waiting, next] = [yield* runOf(1), yield* runOf(2), yield* runOf(1)]
        yield* store.begin(scope, under, { concepts: [concept("under")], groupings: [] })
        yield* store.begin(scope, waiting, { concepts: ["w0", "w1"].map(concept), groupings: [] })
        yield* store.saveRun(scope, { ...waiting, nextConcept: 2, nextLink: 2 })
        expect((yield* store.waiting(scope)).map(({ id }) => id)).toEqual([waiting.id])
        yield* store.unstage(scope, waiting.id, [0])
        expect((yield* store.staged(scope, waiting.id, 0, 9)).map(({ place }) => place)).toEqual([1])
        yield* store.unstage(scope, waiting.id, [1])
        expect(yield* store.waiting(scope)).toEqual([])
        // Its report can be read until then.
        expect(yield* store.run(scope, waiting.id)).not.toBeNull()
        yield* store.begin(scope, next, { concepts: [concept("next")], groupings: [] })
        expect(yield* store.run(scope, waiting.id)).toBeNull()
        expect(yield* store.run(scope, under.id)).toEqual(under)
      }
    )

    law("shows nothing to another workspace, and lets it change nothing", function* () {
      const [store, scope, foreign] = [yield* VocabularyStore, yield* makeWorkspace, yield* makeWorkspace]
      const run = yield* runOf(1)
      const stored = { entityId: (yield* Ids).make("entity"), iri: `${base}own`, details }
      yield* store.begin(scope, run, { concepts: [concept("one")], groupings: [] })
      yield* store.add(scope, [stored])
      expect(yield* store.byIri(foreign, [stored.iri])).toEqual([])
      expect(yield* store.byEntity(foreign, [stored.entityId])).toEqual([])
      expect(yield* store.run(foreign, run.id)).toBeNull()
      expect(yield* store.staged(foreign, run.id, 0, 9)).toEqual([])
      yield* store.unstage(foreign, run.id, [0])
      yield* store.saveRun(foreign, { ...run, nextConcept: 1 })
      expect(yield* store.run(scope, run.id)).toEqual(run)
      expect(yield* store.staged(scope, run.id, 0, 9)).toHaveLength(1)
    })
  })
}

/** The laws of `VocabularyStore.reader`, which reads what the other stores of the same database hold. */
const vocabularyReaderLaws = <E>(
  name: string,
  layer: () => Layer.Layer<VocabularyStore | EntityStore | GraphStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`VocabularyStore.reader: ${name}`, () => {
    const law = contractTestsFor(layer)
    const all = <A>(stream: Stream.Stream<A>) => Effect.map(Stream.runCollect(stream), (found) => [...found])

    law(
      "tells the heads that are exported by id, with names, IRIs, links, notes and who certified them",
      Effect.scoped(
        Effect.gen(function* () {
          const [reader, store, scope] = [
            (yield* VocabularyStore).reader,
            yield* VocabularyStore,
            yield* makeWorkspace
          ]
          const crane = yield* putEntity(
            scope,
            "Crane",
            { authority: "certified" },
            { changeKind: "certify", note: "Seen." }
          )
          const old = yield* putEntity(scope, "Old crane", {
            lifecycle: "superseded",
            supersededBy: crane.id
          })
          const hoist = yield* putEntity(scope, "Hoist", { mergedInto: crane.id })
          const older = yield* putEntity(scope, "Older", { lifecycle: "superseded", supersededBy: hoist.id })
          for (const lifecycle of ["draft", "pending_review"] as const)
            yield* putEntity(scope, `A ${lifecycle}`, { lifecycle })
          yield* putEntity(scope, "Gone", { deletedAt: "2026-03-01T00:00:00.000Z" })
          yield* putRelation(scope, old.id, "broader", crane.id)
          yield* putRelation(scope, old.id, "used with", crane.id)
          const kept = { entityId: crane.id, iri: `${base}crane`, details }
          const brought = { entityId: hoist.id, iri: `${base}hoist`, details }
          yield* store.add(scope, [kept, brought])
          const moment = yield* reader.open(scope)
          const ids = [crane.id, old.id, older.id].sort()
          expect(yield* all(moment.exported)).toEqual(ids)
          expect(yield* all(moment.hierarchy)).toEqual([[old.id, crane.id]])
          expect(yield* all(moment.iris)).toContainEqual([crane.id, kept.iri])
          const told = (yield* all(moment.concepts)).flat()
          expect(told.map(({ entity }) => entity.id)).toEqual(ids)
          const head = told.find(({ entity }) => entity.id === crane.id)
          // Its successor was merged, so the head is the successor now.
          expect(told.find(({ entity }) => entity.id === older.id)).toMatchObject({ successor: crane.id })
          expect(head).toMatchObject({
            successor: null,
            related: [old.id],
            certifiedBy: "ann",
            notes: ["Seen."]
          })
          expect(head?.members.map(({ id }) => id)).toEqual([hoist.id])
          expect([...(head?.concepts ?? [])].sort((a, b) => (a.iri < b.iri ? -1 : 1))).toEqual([
            kept,
            brought
          ])
        })
      )
    )

    law(
      "tells what the newest import says of each scheme and collection, by IRI, to its workspace alone",
      Effect.scoped(
        Effect.gen(function* () {
          const [reader, store] = [(yield* VocabularyStore).reader, yield* VocabularyStore]
          const [scope, foreign] = [yield* makeWorkspace, yield* makeWorkspace]
          const grouping = (name: string, text: string): Grouping => ({
            iri: base + name,
            of: "collection",
            schemes: [`${base}scheme`],
            texts: [
              { kind: "notation", language: "", text, datatype: `${base}code` },
              { kind: "editorialNote", language: "de", text: "Größe 'é' 東京\u2028" }
            ]
          })
          const [b, a] = [grouping("b", "1"), grouping("a", "2")]
          yield* store.begin(scope, yield* runOf(0), { concepts: [], groupings: [b, a] })
          yield* store.begin(foreign, yield* runOf(0), { concepts: [], groupings: [grouping("b", "9")] })
          const newer = grouping("b", "3")
          yield* store.begin(scope, yield* runOf(0), { concepts: [], groupings: [newer] })
          expect(yield* all((yield* reader.open(scope)).groupings)).toEqual([a, newer])
        })
      )
    )

    law(
      "stays at one moment, whatever is written meanwhile, and at one workspace",
      Effect.scoped(
        Effect.gen(function* () {
          const [reader, scope, foreign] = [
            (yield* VocabularyStore).reader,
            yield* makeWorkspace,
            yield* makeWorkspace
          ]
          const { id } = yield* putEntity(scope, "Crane")
          const moment = yield* reader.open(scope)
          yield* putEntity(scope, "Later")
          expect(yield* all(moment.exported)).toEqual([id])
          expect((yield* all(moment.concepts)).flat().map(({ entity }) => entity.id)).toEqual([id])
          const other = yield* reader.open(foreign)
          expect([yield* all(other.exported), (yield* all(other.concepts)).flat()]).toEqual([[], []])
        })
      )
    )
  })
}

const turtle = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${base}> .
:radio a skos:Concept ; skos:prefLabel "Radio"@en , "Rundfunk"@de ; skos:broader :media .
:media a skos:Concept ; skos:prefLabel "Media"@en . :group a skos:Collection ; skos:member :radio .`

const jsonLd = {
  "@context": { "@vocab": "http://www.w3.org/2004/02/skos/core#", broader: { "@type": "@id" } },
  "@graph": [
    {
      "@id": `${base}radio`,
      "@type": "Concept",
      prefLabel: [
        { "@language": "en", "@value": "Radio" },
        { "@language": "de", "@value": "Rundfunk" }
      ],
      broader: `${base}media`
    },
    { "@id": `${base}media`, "@type": "Concept", prefLabel: { "@language": "en", "@value": "Media" } },
    { "@id": `${base}group`, "@type": "Collection", member: { "@id": `${base}radio` } }
  ]
}

/** The laws of `RdfReader`. */
export const rdfReaderContract = <E>(name: string, layer: () => Layer.Layer<RdfReader, E>): void => {
  describe(`RdfReader: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("reads the same vocabulary from each format", function* () {
      const { read } = yield* RdfReader
      const [told, other] = [
        yield* read({ format: "turtle", text: turtle }),
        yield* read({ format: "json-ld", document: jsonLd })
      ]
      const inOrder = (concepts: ReadonlyArray<Concept>) =>
        concepts
          .map((one) => ({
            ...one,
            texts: [...one.texts].sort((a, b) => (a.language < b.language ? -1 : 1))
          }))
          .sort((a, b) => (a.iri < b.iri ? -1 : 1))
      expect(told.collections).toBe(1)
      expect(other.collections).toBe(1)
      expect(inOrder(told.concepts)).toEqual(inOrder(other.concepts))
      expect(inOrder(told.concepts)).toMatchObject([
        { iri: `${base}media`, broader: [] },
        {
          iri: `${base}radio`,
          broader: [`${base}media`],
          texts: [
            { kind: "prefLabel", language: "de", text: "Rundfunk" },
            { kind: "prefLabel", language: "en", text: "Radio" }
          ]
        }
      ])
    })

    law("says what is wrong with what is no RDF, and fetches nothing", function* () {
      const { read } = yield* RdfReader
      const refused = (source: Parameters<typeof read>[0]) =>
        Effect.map(Effect.either(read(source)), Either.isLeft)
      expect(yield* refused({ format: "turtle", text: "this is not turtle" })).toBe(true)
      expect(yield* refused({ format: "n-triples", text: "<a> <b>" })).toBe(true)
      const elsewhere = { "@context": "https://example.org/context.jsonld", "@id": "urn:a" }
      expect(yield* refused({ format: "json-ld", document: elsewhere })).toBe(true)
    })
  })
}
