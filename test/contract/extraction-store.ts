import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { wordHash } from "../../core/knowledge/extraction/index.js"
import { type ExtractionRecord, GraphStore, type NameClaim } from "../../core/knowledge/graph/index.js"
import { type DocumentId, Ids } from "../../core/platform/kernel/index.js"
import { contractTestsFor } from "./contract-tests.js"
import type { GraphStores } from "./graph-store-world.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

const hashes = (...words: ReadonlyArray<string>) =>
  Uint32Array.from(words.map((word) => wordHash(word) ?? 0)).sort()

const readingOf = (documentId: DocumentId, more: Partial<ExtractionRecord> = {}): ExtractionRecord => ({
  documentId,
  path: `${documentId}.md`,
  title: "Kite 🪁 'of' \"words\"",
  aliases: ["Red kite", ""],
  nameKey: "kite of words",
  nameType: "document",
  entityId: null,
  references: [
    { type: "links_to", to: { link: { kind: "wiki", target: "Quay" } }, start: 3, quote: "" },
    { type: "requires", to: { value: 7 }, start: null, quote: "requires: 7" }
  ],
  tags: ["bird"],
  hidden: [0, 4],
  stated: [],
  targets: null,
  ...more
})

const claimOf = (
  documentId: DocumentId,
  role: NameClaim["role"],
  key: string,
  more: Partial<NameClaim> = {}
): NameClaim => ({
  documentId,
  key,
  role,
  type: "concept",
  name: key.toUpperCase(),
  subject: "",
  prose: 2,
  headings: 1,
  ...more
})

const subject = Effect.gen(function* () {
  const ids = yield* Ids
  const [readingStore, claimStore, extraction] = [
    (yield* GraphStore).records,
    (yield* GraphStore).claims,
    (yield* GraphStore).extraction
  ]
  const scope = yield* makeWorkspace
  const [first, second, third] = [ids.make("document"), ids.make("document"), ids.make("document")]
  const put = (reading: ExtractionRecord, words = hashes(), small = hashes()) =>
    readingStore.putReadings(scope, [{ ...reading, words, small }])
  return {
    ids,
    readingStore,
    claimStore,
    extraction,
    scope,
    first,
    second,
    third,
    put,
    graph: yield* GraphStore,
    unresolved: (yield* GraphStore).unresolved,
    entity: ids.make("entity")
  }
})

/** Orders items by their fields, whatever the order of these. */
const sorted = <A extends object | string>(items: ReadonlyArray<A>) => {
  const fieldsOf = (item: A) => JSON.stringify(Object.entries(item).sort())
  return [...items].sort((a, b) => (fieldsOf(a) < fieldsOf(b) ? -1 : 1))
}

/** The laws of `GraphStore.claims`, `GraphStore.extraction` and their records by themselves; `graphStoreContract` calls it. */
export const extractionStoreLaws = <E>(name: string, layer: () => Layer.Layer<GraphStores, E>): void => {
  describe(`what extraction keeps: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back readings as they were put, the last one of each document, in pages by id", function* () {
      const { entity, first, put, readingStore, scope, second, third } = yield* subject
      for (const id of [first, second, third]) yield* put(readingOf(id))
      const changed = readingOf(second, { title: "Anew", references: [], aliases: [] })
      yield* put(changed)
      expect(sorted(yield* readingStore.readings(scope, [third, second, second]))).toEqual(
        sorted([readingOf(third), changed])
      )
      const order = [first, second, third].sort()
      const page = yield* readingStore.readingsAfter(scope, "", 2)
      expect(page.map(({ documentId }) => documentId)).toEqual(order.slice(0, 2))
      const rest = yield* readingStore.readingsAfter(scope, page[1]?.documentId ?? "", 2)
      expect(rest.map(({ documentId }) => documentId)).toEqual(order.slice(2))
      const { aliases, path, title } = changed
      expect(yield* readingStore.addresses(scope)).toContainEqual({ id: second, aliases, path, title })
      yield* readingStore.setEntities(scope, [{ documentId: first, entityId: entity }])
      expect(yield* readingStore.readings(scope, [first])).toEqual([readingOf(first, { entityId: entity })])
      yield* readingStore.removeReadings(scope, [first, second])
      expect((yield* readingStore.addresses(scope)).map(({ id }) => id)).toEqual([third])
    })

    law("knows which references nobody has followed, and who links to a document", function* () {
      const { first, put, readingStore, scope, second, third } = yield* subject
      yield* put(readingOf(first))
      yield* put(readingOf(second, { targets: [third, third] }))
      const unfollowed = Effect.map(readingStore.unfollowed(scope, 5), (all) =>
        all.map((one) => one.documentId)
      )
      expect(yield* unfollowed).toEqual([first])
      yield* readingStore.setTargets(scope, [{ documentId: first, targets: [null, third] }])
      expect(yield* unfollowed).toEqual([])
      expect((yield* readingStore.readings(scope, [first]))[0]?.targets).toEqual([null, third])
      expect(sorted(yield* readingStore.linkers(scope, [third]))).toEqual(sorted([first, second]))
      yield* put(readingOf(first))
      expect(yield* unfollowed).toEqual([first])
      yield* readingStore.removeReadings(scope, [second])
      expect(yield* readingStore.linkers(scope, [third])).toEqual([])
    })

    law(
      "finds claims by key, document, subject and word, and removes exactly those it is told to",
      function* () {
        const { claimStore, first, put, readingStore, scope, second } = yield* subject
        for (const id of [first, second]) yield* put(readingOf(id))
        const self = claimOf(first, "self", "kite")
        const alias = claimOf(first, "alias", "red bird", { subject: "kite" })
        const link = claimOf(first, "link", "quay")
        const [term, words] = [claimOf(second, "term", "kite"), claimOf(second, "term", "red kite")]
        yield* claimStore.changeClaims(scope, { removed: [], added: [self, alias, link, term, words] })
        expect(sorted(yield* claimStore.claims(scope, ["kite", "kite", "none"]))).toEqual(
          sorted([self, term])
        )
        expect(sorted(yield* claimStore.claimsOfDocuments(scope, [first]))).toEqual(
          sorted([self, alias, link])
        )
        expect(yield* claimStore.linkClaims(scope, [first, second])).toEqual([link])
        expect(yield* claimStore.aliasClaims(scope, ["kite"])).toEqual([alias])
        expect(sorted(yield* claimStore.claimants(scope, ["kite", "red bird", "quay"]))).toEqual(
          sorted([
            { documentId: first, role: "self" },
            { documentId: first, role: "link" }
          ])
        )
        expect(yield* claimStore.termsOfWords(scope, [...hashes("kite", "red")])).toEqual(["kite"])
        yield* claimStore.changeClaims(scope, { removed: [self], added: [] })
        expect(yield* claimStore.claims(scope, ["kite"])).toEqual([term])
        yield* readingStore.removeReadings(scope, [second])
        expect(yield* claimStore.claims(scope, ["kite", "red kite"])).toEqual([])
      }
    )

    law(
      "finds every document that may hold a phrase, unless it is stale, and counts words in small letters",
      function* () {
        const { first, put, readingStore, scope, second, third } = yield* subject
        yield* put(readingOf(first), hashes("red", "kite"), hashes("red"))
        yield* put(readingOf(second), hashes("red", "kites"), hashes("red", "kites"))
        yield* put(readingOf(third), hashes("kite"), hashes())
        expect(yield* readingStore.holders(scope, ["red kite"])).toEqual([])
        yield* readingStore.clearStale(scope, [first, second, third])
        expect(sorted(yield* readingStore.holders(scope, ["red kite"]))).toEqual(sorted([first, second]))
        expect(yield* readingStore.holders(scope, ["gull"])).toEqual([])
        const small = yield* readingStore.smallWords(scope, [second, third])
        expect([small.get(second), small.get(third)]).toEqual([hashes("red", "kites"), hashes()])
        const [red = 0, gull = 0] = [...hashes("red"), ...hashes("gull")]
        expect(yield* readingStore.smallCounts(scope, [red, gull])).toEqual(
          new Map([
            [red, 2],
            [gull, 0]
          ])
        )
      }
    )

    law(
      "marks each reading stale when it is put, and keeps marks and undecided names once each",
      function* () {
        const { first, put, readingStore, scope, second, unresolved } = yield* subject
        for (const id of [first, second]) yield* put(readingOf(id))
        expect([yield* readingStore.staleCount(scope), (yield* readingStore.stale(scope, 1)).length]).toEqual(
          [2, 1]
        )
        yield* readingStore.clearStale(scope, [first, first])
        expect(yield* readingStore.stale(scope, 5)).toEqual([second])
        yield* readingStore.markStale(scope, [second, first])
        yield* readingStore.clearStale(scope, [second])
        expect(yield* readingStore.stale(scope, 5)).toEqual([first])
        yield* put(readingOf(second))
        expect(yield* readingStore.staleCount(scope)).toBe(2)
        yield* unresolved.add(scope, ["kite", "quay", "kite"])
        yield* unresolved.add(scope, ["kite"])
        expect(sorted(yield* unresolved.list(scope, 5))).toEqual(sorted(["kite", "quay"]))
        expect(yield* unresolved.list(scope, 1)).toHaveLength(1)
        yield* unresolved.remove(scope, ["kite", "none"])
        expect(yield* unresolved.list(scope, 5)).toEqual(["quay"])
      }
    )

    law("forgets on `clear` all that was read and found, and keeps what people stated", function* () {
      const { claimStore, entity, extraction, first, graph, ids, put, readingStore, scope, unresolved } =
        yield* subject
      const [other, fresh] = [ids.make("entity"), { id: () => ids.make("relation"), at }]
      const surface = { entityId: entity, key: "kite", headId: other }
      const drawn = { type: "links_to", evidence: [{ label: 1, quote: "x" }] }
      const between = { srcId: entity, dstId: other, srcHead: entity, dstHead: other }
      const back = { srcId: other, dstId: entity, srcHead: other, dstHead: entity }
      yield* put(readingOf(first))
      yield* claimStore.changeClaims(scope, { removed: [], added: [claimOf(first, "self", "kite")] })
      yield* extraction.changeSurfaces(scope, {
        removed: [],
        added: [surface, { ...surface, key: "gull" }]
      })
      yield* extraction.changeSurfaces(scope, { removed: [{ ...surface, key: "gull" }], added: [] })
      expect(yield* extraction.surfaces(scope, [entity, entity, other])).toEqual([surface])
      yield* unresolved.add(scope, ["kite"])
      yield* extraction.setState(scope, { documentCursor: 5, entityCursor: 6, relink: true })
      expect(yield* extraction.state(scope)).toEqual({ documentCursor: 5, entityCursor: 6, relink: true })
      const mention = {
        documentId: first,
        label: 1,
        start: 0,
        end: 4,
        entityId: entity,
        key: "kite",
        confidence: 1,
        runId: null
      }
      yield* extraction.setMentions(scope, first, [mention])
      const stated = {
        ...between,
        type: "links_to",
        origin: "manual",
        note: null,
        deletedAt: null
      } as const
      yield* graph.saveRelation(scope, { ...stated, id: fresh.id(), evidenceCount: 0, createdAt: at })
      yield* extraction.setRelations(
        scope,
        first,
        [
          { ...drawn, ...between },
          { ...drawn, ...back }
        ],
        fresh
      )
      expect(yield* graph.allEdges(scope)).toHaveLength(2)
      yield* extraction.clear(scope)
      expect([
        yield* readingStore.addresses(scope),
        yield* claimStore.claims(scope, ["kite"]),
        yield* extraction.surfaces(scope, [entity]),
        yield* unresolved.list(scope, 5),
        yield* extraction.mentioning(scope, [surface])
      ]).toEqual([[], [], [], [], []])
      expect(yield* extraction.state(scope)).toEqual({ documentCursor: 0, entityCursor: 0, relink: false })
      expect(yield* graph.allEdges(scope)).toEqual([
        { src: entity, type: "links_to", dst: other, mentionCount: 1 }
      ])
      expect(yield* graph.counts(scope)).toEqual({ relations: 1, mentions: 0, byType: { links_to: 1 } })
    })

    law("neither shows nor lets another workspace change what was read", function* () {
      const { claimStore, entity, extraction, first, put, readingStore, scope, second, unresolved } =
        yield* subject
      const foreign = yield* makeWorkspace
      const claim = claimOf(first, "link", "kite")
      const alias = claimOf(first, "alias", "bird", { subject: "kite" })
      const term = claimOf(first, "term", "kite")
      const surface = { entityId: entity, key: "kite", headId: entity }
      yield* put(readingOf(first, { targets: [second] }), hashes("kite"), hashes("kite"))
      yield* claimStore.changeClaims(scope, { removed: [], added: [claim, alias, term] })
      yield* extraction.changeSurfaces(scope, { removed: [], added: [surface] })
      yield* unresolved.add(scope, ["kite"])
      const [kite = 0] = hashes("kite")
      const all = (workspace: typeof scope) =>
        Effect.all([
          readingStore.readings(workspace, [first]),
          readingStore.readingsAfter(workspace, "", 5),
          readingStore.addresses(workspace),
          claimStore.claims(workspace, ["kite"]),
          claimStore.claimsOfDocuments(workspace, [first]),
          claimStore.linkClaims(workspace, [first]),
          claimStore.aliasClaims(workspace, ["kite"]),
          claimStore.claimants(workspace, ["kite"]),
          readingStore.linkers(workspace, [second]),
          claimStore.termsOfWords(workspace, [kite]),
          extraction.surfaces(workspace, [entity]),
          unresolved.list(workspace, 5),
          readingStore.stale(workspace, 5),
          Effect.map(readingStore.smallWords(workspace, [first]), (found) => [...found.keys()])
        ])
      const before = yield* all(scope)
      expect(before.every((found) => found.length > 0)).toBe(true)
      expect((yield* all(foreign)).every((found) => found.length === 0)).toBe(true)
      expect([
        yield* readingStore.staleCount(foreign),
        (yield* readingStore.smallCounts(foreign, [kite])).get(kite)
      ]).toEqual([0, 0])
      yield* claimStore.changeClaims(foreign, { removed: [claim, alias, term], added: [] })
      yield* extraction.changeSurfaces(foreign, { removed: [surface], added: [] })
      yield* unresolved.remove(foreign, ["kite"])
      yield* readingStore.clearStale(foreign, [first])
      yield* readingStore.setTargets(foreign, [{ documentId: first, targets: [] }])
      yield* readingStore.setEntities(foreign, [{ documentId: first, entityId: entity }])
      yield* readingStore.removeReadings(foreign, [first])
      yield* extraction.clear(foreign)
      expect(yield* all(scope)).toEqual(before)
      yield* readingStore.clearStale(scope, [first])
      expect(yield* readingStore.holders(scope, ["kite"])).toEqual([first])
      expect(yield* readingStore.holders(foreign, ["kite"])).toEqual([])
    })
  })
}
