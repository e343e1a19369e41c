import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { type Claim, ExtractionStore, GraphStore, type Reading, wordHash } from "../../core/graph/index.js"
import { type DocumentId, Ids } from "../../core/kernel/index.js"
import type { WorkspaceStore } from "../../core/workspace/index.js"
import { lawsOver } from "./laws.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

const hashes = (...words: ReadonlyArray<string>) =>
  Uint32Array.from(words.map((word) => wordHash(word) ?? 0)).sort()

const readingOf = (documentId: DocumentId, more: Partial<Reading> = {}): Reading => ({
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
  targets: null,
  ...more
})

const claimOf = (
  documentId: DocumentId,
  role: Claim["role"],
  key: string,
  more: Partial<Claim> = {}
): Claim => ({
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
  const store = yield* ExtractionStore
  const scope = yield* makeWorkspace
  const [first, second, third] = [ids.make("document"), ids.make("document"), ids.make("document")]
  const put = (reading: Reading, words = hashes(), small = hashes()) =>
    store.putReadings(scope, [{ ...reading, words, small }])
  return {
    ids,
    store,
    scope,
    first,
    second,
    third,
    put,
    graph: yield* GraphStore,
    entity: ids.make("entity")
  }
})

const sorted = <A>(items: ReadonlyArray<A>) => items.map((item) => JSON.stringify(item)).sort()

/** The laws of `ExtractionStore` by itself; `graphStoreContract` calls it. */
export const extractionStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<GraphStore | ExtractionStore | WorkspaceStore | Ids, E>
): void => {
  describe(`ExtractionStore: ${name}`, () => {
    const law = lawsOver(layer)

    law(
      "gives back readings as they were put, the last one of each document, in pages by id",
      Effect.gen(function* () {
        const { entity, first, put, scope, second, store, third } = yield* subject
        for (const id of [first, second, third]) yield* put(readingOf(id))
        const changed = readingOf(second, { title: "Anew", references: [], aliases: [] })
        yield* put(changed)
        expect(sorted(yield* store.readings(scope, [third, second, second]))).toEqual(
          sorted([readingOf(third), changed])
        )
        const order = [first, second, third].sort()
        const page = yield* store.readingsAfter(scope, "", 2)
        expect(page.map(({ documentId }) => documentId)).toEqual(order.slice(0, 2))
        const rest = yield* store.readingsAfter(scope, page[1]?.documentId ?? "", 2)
        expect(rest.map(({ documentId }) => documentId)).toEqual(order.slice(2))
        const { aliases, path, title } = changed
        expect(yield* store.addresses(scope)).toContainEqual({ id: second, aliases, path, title })
        yield* store.setEntities(scope, [{ documentId: first, entityId: entity }])
        expect(yield* store.readings(scope, [first])).toEqual([readingOf(first, { entityId: entity })])
        yield* store.removeReadings(scope, [first, second])
        expect((yield* store.addresses(scope)).map(({ id }) => id)).toEqual([third])
      })
    )

    law(
      "knows which references nobody has followed, and who links to a document",
      Effect.gen(function* () {
        const { first, put, scope, second, store, third } = yield* subject
        yield* put(readingOf(first))
        yield* put(readingOf(second, { targets: [third, third] }))
        const unfollowed = Effect.map(store.unfollowed(scope, 5), (all) => all.map((one) => one.documentId))
        expect(yield* unfollowed).toEqual([first])
        yield* store.setTargets(scope, [{ documentId: first, targets: [null, third] }])
        expect(yield* unfollowed).toEqual([])
        expect((yield* store.readings(scope, [first]))[0]?.targets).toEqual([null, third])
        expect(sorted(yield* store.linkers(scope, [third]))).toEqual(sorted([first, second]))
        yield* put(readingOf(first))
        expect(yield* unfollowed).toEqual([first])
        yield* store.removeReadings(scope, [second])
        expect(yield* store.linkers(scope, [third])).toEqual([])
      })
    )

    law(
      "finds claims by key, document, subject and word, and removes exactly those it is told to",
      Effect.gen(function* () {
        const { first, put, scope, second, store } = yield* subject
        for (const id of [first, second]) yield* put(readingOf(id))
        const self = claimOf(first, "self", "kite")
        const alias = claimOf(first, "alias", "red bird", { subject: "kite" })
        const link = claimOf(first, "link", "quay")
        const [term, words] = [claimOf(second, "term", "kite"), claimOf(second, "term", "red kite")]
        yield* store.changeClaims(scope, { removed: [], added: [self, alias, link, term, words] })
        expect(sorted(yield* store.claims(scope, ["kite", "kite", "none"]))).toEqual(sorted([self, term]))
        expect(sorted(yield* store.claimsOfDocuments(scope, [first]))).toEqual(sorted([self, alias, link]))
        expect(yield* store.linkClaims(scope, [first, second])).toEqual([link])
        expect(yield* store.aliasClaims(scope, ["kite"])).toEqual([alias])
        expect(sorted(yield* store.claimants(scope, ["kite", "red bird", "quay"]))).toEqual(
          sorted([
            { documentId: first, role: "self" },
            { documentId: first, role: "link" }
          ])
        )
        expect(yield* store.termsOfWords(scope, [...hashes("kite", "red")])).toEqual(["kite"])
        yield* store.changeClaims(scope, { removed: [self], added: [] })
        expect(yield* store.claims(scope, ["kite"])).toEqual([term])
        yield* store.removeReadings(scope, [second])
        expect(yield* store.claims(scope, ["kite", "red kite"])).toEqual([])
      })
    )

    law(
      "finds every document that may hold a phrase, unless it is stale, and counts words in small letters",
      Effect.gen(function* () {
        const { first, put, scope, second, store, third } = yield* subject
        yield* put(readingOf(first), hashes("red", "kite"), hashes("red"))
        yield* put(readingOf(second), hashes("red", "kites"), hashes("red", "kites"))
        yield* put(readingOf(third), hashes("kite"), hashes())
        expect(yield* store.holders(scope, ["red kite"])).toEqual([])
        yield* store.clearStale(scope, [first, second, third])
        expect(sorted(yield* store.holders(scope, ["red kite"]))).toEqual(sorted([first, second]))
        expect(yield* store.holders(scope, ["gull"])).toEqual([])
        const small = yield* store.smallWords(scope, [second, third])
        expect([small.get(second), small.get(third)]).toEqual([hashes("red", "kites"), hashes()])
        const [red = 0, gull = 0] = [...hashes("red"), ...hashes("gull")]
        expect(yield* store.smallCounts(scope, [red, gull])).toEqual(
          new Map([
            [red, 2],
            [gull, 0]
          ])
        )
      })
    )

    law(
      "marks each reading stale when it is put, and keeps marks and undecided names once each",
      Effect.gen(function* () {
        const { first, put, scope, second, store } = yield* subject
        for (const id of [first, second]) yield* put(readingOf(id))
        expect([yield* store.staleCount(scope), (yield* store.stale(scope, 1)).length]).toEqual([2, 1])
        yield* store.clearStale(scope, [first, first])
        expect(yield* store.stale(scope, 5)).toEqual([second])
        yield* store.markStale(scope, [second, first])
        yield* store.clearStale(scope, [second])
        expect(yield* store.stale(scope, 5)).toEqual([first])
        yield* put(readingOf(second))
        expect(yield* store.staleCount(scope)).toBe(2)
        yield* store.addUndecided(scope, ["kite", "quay", "kite"])
        yield* store.addUndecided(scope, ["kite"])
        expect(sorted(yield* store.undecided(scope, 5))).toEqual(sorted(["kite", "quay"]))
        expect(yield* store.undecided(scope, 1)).toHaveLength(1)
        yield* store.removeUndecided(scope, ["kite", "none"])
        expect(yield* store.undecided(scope, 5)).toEqual(["quay"])
      })
    )

    law(
      "forgets on `clear` all that was read and found, and keeps what people stated",
      Effect.gen(function* () {
        const { entity, first, graph, ids, put, scope, store } = yield* subject
        const [other, fresh] = [ids.make("entity"), { id: () => ids.make("relation"), at }]
        const surface = { entityId: entity, key: "kite", headId: other }
        const drawn = { type: "links_to", evidence: [{ label: 1, quote: "x" }] }
        const between = { srcId: entity, dstId: other, srcHead: entity, dstHead: other }
        const back = { srcId: other, dstId: entity, srcHead: other, dstHead: entity }
        yield* put(readingOf(first))
        yield* store.changeClaims(scope, { removed: [], added: [claimOf(first, "self", "kite")] })
        yield* store.changeSurfaces(scope, { removed: [], added: [surface, { ...surface, key: "gull" }] })
        yield* store.changeSurfaces(scope, { removed: [{ ...surface, key: "gull" }], added: [] })
        expect(yield* store.surfaces(scope, [entity, entity, other])).toEqual([surface])
        yield* store.addUndecided(scope, ["kite"])
        yield* store.setState(scope, { documentCursor: 5, entityCursor: 6, relink: true })
        expect(yield* store.state(scope)).toEqual({ documentCursor: 5, entityCursor: 6, relink: true })
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
        yield* store.setMentions(scope, first, [mention])
        const stated = {
          ...between,
          type: "links_to",
          origin: "manual",
          note: null,
          deletedAt: null
        } as const
        yield* graph.saveRelation(scope, { ...stated, id: fresh.id(), evidenceCount: 0, createdAt: at })
        yield* store.setRelations(
          scope,
          first,
          [
            { ...drawn, ...between },
            { ...drawn, ...back }
          ],
          fresh
        )
        expect(yield* graph.allEdges(scope)).toHaveLength(2)
        yield* store.clear(scope)
        expect([
          yield* store.addresses(scope),
          yield* store.claims(scope, ["kite"]),
          yield* store.surfaces(scope, [entity]),
          yield* store.undecided(scope, 5),
          yield* store.mentioning(scope, [surface])
        ]).toEqual([[], [], [], [], []])
        expect(yield* store.state(scope)).toEqual({ documentCursor: 0, entityCursor: 0, relink: false })
        expect(yield* graph.allEdges(scope)).toEqual([
          { src: entity, type: "links_to", dst: other, mentionCount: 1 }
        ])
        expect(yield* graph.counts(scope)).toEqual({ relations: 1, mentions: 0, byType: { links_to: 1 } })
      })
    )

    law(
      "neither shows nor lets another workspace change what was read",
      Effect.gen(function* () {
        const { entity, first, put, scope, second, store } = yield* subject
        const foreign = yield* makeWorkspace
        const claim = claimOf(first, "link", "kite")
        const alias = claimOf(first, "alias", "bird", { subject: "kite" })
        const term = claimOf(first, "term", "kite")
        const surface = { entityId: entity, key: "kite", headId: entity }
        yield* put(readingOf(first, { targets: [second] }), hashes("kite"), hashes("kite"))
        yield* store.changeClaims(scope, { removed: [], added: [claim, alias, term] })
        yield* store.changeSurfaces(scope, { removed: [], added: [surface] })
        yield* store.addUndecided(scope, ["kite"])
        const [kite = 0] = hashes("kite")
        const all = (workspace: typeof scope) =>
          Effect.all([
            store.readings(workspace, [first]),
            store.readingsAfter(workspace, "", 5),
            store.addresses(workspace),
            store.claims(workspace, ["kite"]),
            store.claimsOfDocuments(workspace, [first]),
            store.linkClaims(workspace, [first]),
            store.aliasClaims(workspace, ["kite"]),
            store.claimants(workspace, ["kite"]),
            store.linkers(workspace, [second]),
            store.termsOfWords(workspace, [kite]),
            store.surfaces(workspace, [entity]),
            store.undecided(workspace, 5),
            store.stale(workspace, 5),
            Effect.map(store.smallWords(workspace, [first]), (found) => [...found.keys()])
          ])
        const before = yield* all(scope)
        expect(before.every((found) => found.length > 0)).toBe(true)
        expect((yield* all(foreign)).every((found) => found.length === 0)).toBe(true)
        expect([
          yield* store.staleCount(foreign),
          (yield* store.smallCounts(foreign, [kite])).get(kite)
        ]).toEqual([0, 0])
        yield* store.changeClaims(foreign, { removed: [claim, alias, term], added: [] })
        yield* store.changeSurfaces(foreign, { removed: [surface], added: [] })
        yield* store.removeUndecided(foreign, ["kite"])
        yield* store.clearStale(foreign, [first])
        yield* store.setTargets(foreign, [{ documentId: first, targets: [] }])
        yield* store.setEntities(foreign, [{ documentId: first, entityId: entity }])
        yield* store.removeReadings(foreign, [first])
        yield* store.clear(foreign)
        expect(yield* all(scope)).toEqual(before)
        yield* store.clearStale(scope, [first])
        expect(yield* store.holders(scope, ["kite"])).toEqual([first])
        expect(yield* store.holders(foreign, ["kite"])).toEqual([])
      })
    )
  })
}
