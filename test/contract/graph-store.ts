import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import type { DocumentStore } from "../../core/files/documents/index.js"
import type { EntityStore } from "../../core/knowledge/entities/index.js"
import type { Relation } from "../../core/knowledge/graph/index.js"
import type { Atomic, EntityId } from "../../core/platform/kernel/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { extractionStoreLaws } from "./extraction-store.js"
import { graphMentionLaws } from "./graph-mentions.js"
import { type GraphStores, page, subject } from "./graph-store-world.js"
import { graphInspectionLaws } from "./inspections.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

/**
 * The laws of `GraphStore`, and of `GraphStore.claims`, `GraphStore.extraction` and their records.
 * `layer` gives empty stores each time.
 */
export const graphStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<GraphStores | EntityStore | DocumentStore | Atomic, E>
): void => {
  graphInspectionLaws(name, layer)
  describe(`GraphStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("counts a relation by all documents that carry it, and lets it go with the last", function* () {
      const { a, b, document, drawn, extraction, fresh, graph, other, scope } = yield* subject
      expect(yield* extraction.setRelations(scope, document, [drawn(a, b, ["one", "two"])], fresh)).toBe(true)
      expect(yield* extraction.setRelations(scope, document, [drawn(a, b, ["one", "two"])], fresh)).toBe(
        false
      )
      yield* extraction.setRelations(scope, other, [drawn(a, b, ["three"])], fresh)
      expect(yield* graph.allEdges(scope)).toEqual([{ src: a, type: "links_to", dst: b, mentionCount: 3 }])
      const told: Array<unknown> = []
      yield* graph.edgesBySource(scope, (src) => (dst, mentionCount) => told.push({ src, dst, mentionCount }))
      expect(told).toEqual([{ src: a, dst: b, mentionCount: 3 }])
      yield* extraction.setRelations(scope, document, [], fresh)
      expect((yield* graph.strongestEdges(scope, [b], 5))[0]?.incoming).toEqual([{ id: a, mentionCount: 1 }])
      yield* extraction.setRelations(scope, other, [], fresh)
      expect(yield* graph.allEdges(scope)).toEqual([])
      expect((yield* graph.relations(scope, {}, page)).total).toBe(0)
    })

    law("keeps what a person stated or deleted, whatever documents say", function* () {
      const { a, b, c, document, drawn, extraction, fresh, graph, ids, scope } = yield* subject
      const stated: Relation = {
        id: ids.make("relation"),
        srcId: a,
        type: "links_to",
        dstId: b,
        origin: "manual",
        note: "because",
        srcHead: a,
        dstHead: b,
        evidenceCount: 0,
        deletedAt: null,
        createdAt: at
      }
      yield* graph.saveRelation(scope, stated)
      expect(yield* graph.statedAbout(scope, [a, b, c])).toEqual(expect.arrayContaining([a, b]))
      yield* extraction.setRelations(scope, document, [drawn(a, b, ["x"]), drawn(a, c, ["y"])], fresh)
      expect(yield* graph.findRelation(scope, stated.id)).toEqual(
        Option.some({ ...stated, evidenceCount: 1 })
      )
      expect((yield* graph.strongestEdges(scope, [a], 5))[0]?.outgoing).toEqual([
        { id: b, mentionCount: 2 },
        { id: c, mentionCount: 1 }
      ])
      yield* graph.saveRelation(scope, { ...stated, evidenceCount: 1, deletedAt: at })
      yield* extraction.setRelations(scope, document, [drawn(a, b, ["x", "z"])], fresh)
      expect(yield* graph.allEdges(scope)).toEqual([])
      expect(Option.isSome(yield* graph.relationBetween(scope, a, "links_to", b))).toBe(true)
    })

    law("moves edges to the head, drops those of the deleted, and gives back exactly what was", function* () {
      const { a, b, c, document, drawn, extraction, fresh, graph, scope } = yield* subject
      yield* extraction.setRelations(
        scope,
        document,
        [drawn(a, b, ["1"]), drawn(c, b, ["2"]), drawn(a, c, ["3"])],
        fresh
      )
      const before = yield* graph.edgesAmong(scope, [a, b, c])
      yield* graph.rehead(scope, [{ id: c, head: a }])
      expect(yield* graph.allEdges(scope)).toEqual([{ src: a, type: "links_to", dst: b, mentionCount: 2 }])
      const [first] = [...(yield* graph.relations(scope, {}, page)).items].filter(({ dstId }) => dstId === b)
      expect(yield* graph.relationAlong(scope, a, "links_to", b)).toEqual(Option.fromNullable(first))
      expect(Option.isNone(yield* graph.relationAlong(scope, a, "links_to", a))).toBe(true)
      expect(Option.isNone(yield* graph.relationAlong(scope, b, "links_to", a))).toBe(true)
      yield* graph.rehead(scope, [{ id: b, head: null }])
      expect(yield* graph.allEdges(scope)).toEqual([])
      yield* graph.rehead(scope, [
        { id: b, head: b },
        { id: c, head: c }
      ])
      expect(yield* graph.edgesAmong(scope, [a, b, c])).toEqual(before)
    })

    law("gives the evidence of relations, so many places each, with and without a passage", function* () {
      const { a, b, c, document, drawn, extraction, fresh, graph, other, scope } = yield* subject
      const foreign = yield* makeWorkspace
      const bare = { ...drawn(a, c, []), evidence: [{ label: null, quote: "requires: 7" }] }
      yield* extraction.setRelations(scope, document, [drawn(a, b, ["1", "2"]), bare], fresh)
      yield* extraction.setRelations(scope, other, [drawn(a, b, ["3"])], fresh)
      const idOf = (dst: EntityId) =>
        Effect.map(graph.relationBetween(scope, a, "links_to", dst), (found) => Option.getOrThrow(found).id)
      const [toB, toC] = [yield* idOf(b), yield* idOf(c)]
      const all = yield* graph.evidence(scope, [toB, toC], 10)
      expect(all).toHaveLength(4)
      expect(all).toEqual(
        expect.arrayContaining([
          { relationId: toB, documentId: document, label: 1, quote: "1" },
          { relationId: toB, documentId: document, label: 1, quote: "2" },
          { relationId: toB, documentId: other, label: 1, quote: "3" },
          { relationId: toC, documentId: document, label: null, quote: "requires: 7" }
        ])
      )
      const few = yield* graph.evidence(scope, [toB, toC], 1)
      expect(few.map(({ relationId }) => relationId).sort()).toEqual([toB, toC].sort())
      expect(yield* graph.evidence(foreign, [toB], 10)).toEqual([])
    })

    law("counts edges and relations at heads, and names their types, the most carried first", function* () {
      const { a, b, c, document, drawn, extraction, fresh, graph, other, scope } = yield* subject
      const foreign = yield* makeWorkspace
      const own = [drawn(a, b, ["1", "2"]), drawn(a, b, ["3"], "cites"), drawn(c, a, ["4"])]
      yield* extraction.setRelations(scope, document, own, fresh)
      yield* extraction.setRelations(scope, other, [drawn(c, b, ["5", "6"], "cites")], fresh)
      const counted = (...heads: ReadonlyArray<EntityId>) =>
        Effect.all([graph.edgeCount(scope, heads), graph.relationCount(scope, heads)])
      expect([yield* counted(a), yield* counted(a, b), yield* counted()]).toEqual([
        [3, 3],
        [4, 4],
        [0, 0]
      ])
      const types = yield* graph.edgeTypes(scope, [a, b], 5)
      expect(new Map(types.map((one) => [one.entityId, one.types]))).toEqual(
        new Map([
          [a, ["links_to", "cites"]],
          [b, ["cites", "links_to"]]
        ])
      )
      expect(yield* graph.edgeTypes(scope, [b], 1)).toEqual([{ entityId: b, types: ["cites"] }])
      expect(yield* graph.counts(scope)).toEqual({
        relations: 4,
        mentions: 0,
        byType: { cites: 2, links_to: 2 }
      })
      expect((yield* graph.relations(scope, { type: "cites", entityId: a }, page)).total).toBe(1)
      expect((yield* graph.relations(scope, { origin: "manual" }, page)).total).toBe(0)
      yield* graph.rehead(scope, [{ id: b, head: null }])
      expect(yield* counted(a, b)).toEqual([1, 1])
      expect((yield* graph.counts(scope)).byType).toEqual({ links_to: 1 })
      expect([
        yield* graph.edgeCount(foreign, [a, b]),
        yield* graph.relationCount(foreign, [a, b]),
        yield* graph.edgeTypes(foreign, [a], 5),
        yield* graph.counts(foreign)
      ]).toEqual([0, 0, [], { relations: 0, mentions: 0, byType: {} }])
    })

    law("finds the other ends of the strongest edges of many heads as edge by edge", function* () {
      const { drawn, extraction, fresh, graph, ids, scope } = yield* subject
      const heads = Array.from({ length: 7 }, () => ids.make("entity"))
      const documents = Array.from({ length: 3 }, () => ids.make("document"))
      const pairs = heads.flatMap((src, i) =>
        heads.map((dst, j) => ({ src, dst, weight: (i * 5 + j * 3) % 4 }))
      )
      for (const [place, document] of documents.entries()) {
        const relations = pairs.flatMap(({ dst, src, weight }) => {
          if (src === dst || weight <= place) return []
          const quotes = Array.from({ length: weight }, (_, quote) => `${place}/${quote}`)
          return [drawn(src, dst, quotes), ...(weight === 3 ? [drawn(src, dst, ["more"], "a type, of")] : [])]
        })
        yield* extraction.setRelations(scope, document, relations, fresh)
      }
      const edges = yield* graph.allEdges(scope)
      for (const limit of [1, 2, 5, 100]) {
        const asked = [...heads, ids.make("entity")]
        const found = yield* graph.strongestEnds(scope, asked, limit)
        const directed = yield* graph.strongestEdges(scope, asked, limit)
        for (const head of heads) {
          const [out, into] = [
            edges
              .filter(({ src }) => src === head)
              .map(({ dst, mentionCount }) => ({ id: dst, mentionCount })),
            edges
              .filter(({ dst }) => dst === head)
              .map(({ mentionCount, src }) => ({ id: src, mentionCount }))
          ]
          const strongest = (ends: typeof out) =>
            [...ends]
              .sort((a, b) => b.mentionCount - a.mentionCount || (a.id < b.id ? -1 : 1))
              .slice(0, limit)
          expect(found.find((one) => one.head === head)?.ends ?? []).toEqual(strongest([...out, ...into]))
          const both = directed.find((one) => one.head === head)
          expect(both?.outgoing ?? []).toEqual(strongest(out))
          expect(both?.incoming ?? []).toEqual(strongest(into))
        }
      }
      expect(yield* graph.strongestEnds(scope, [], 3)).toEqual([])
    })

    law("names the types of all edges of a head, whatever came and went, as edge by edge", function* () {
      const { drawn, extraction, fresh, graph, ids, scope } = yield* subject
      const heads = Array.from({ length: 5 }, () => ids.make("entity"))
      const [first = "", second = first] = heads as ReadonlyArray<EntityId>
      const [one, other] = [ids.make("document"), ids.make("document")]
      const relations = (seed: number) =>
        heads.flatMap((src, i) =>
          heads.flatMap((dst, j) => {
            const times = (i * 7 + j * 3 + seed) % 5
            if (src === dst || times === 0) return []
            const quotes = Array.from({ length: times }, (_, quote) => `${seed}/${quote}`)
            return drawn(src, dst, quotes, `type ${(i + j * seed) % 4}`)
          })
        )
      const agree = Effect.gen(function* () {
        const edges = yield* graph.allEdges(scope)
        const wanted = heads.flatMap((head) => {
          const sums = new Map<string, number>()
          for (const { dst, mentionCount, src, type } of edges)
            if (src === head || dst === head) sums.set(type, (sums.get(type) ?? 0) + mentionCount)
          const types = [...sums].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([type]) => type)
          return types.length === 0 ? [] : [{ entityId: head, types }]
        })
        const found = yield* graph.edgeTypes(scope, heads, 100)
        expect(new Map(found.map((each) => [each.entityId, each.types]))).toEqual(
          new Map(wanted.map((each) => [each.entityId, each.types]))
        )
        return edges.length
      })
      const steps = [
        extraction.setRelations(scope, one, relations(1), fresh),
        extraction.setRelations(scope, other, relations(2), fresh),
        graph.rehead(scope, [{ id: first, head: second }]),
        extraction.setRelations(scope, one, relations(3).slice(4), fresh),
        graph.rehead(scope, [{ id: first, head: first }]),
        extraction.setRelations(scope, other, [], fresh),
        graph.rehead(scope, [{ id: second, head: null }]),
        extraction.clear(scope)
      ]
      const counts: Array<number> = []
      for (const step of steps) {
        yield* step
        counts.push(yield* agree)
      }
      expect(counts.at(-1)).toBe(0)
      expect(Math.min(...counts.slice(0, -1))).toBeGreaterThan(3)
    })

    law("shows nothing to another workspace", function* () {
      const { a, b, document, drawn, extraction, fresh, graph, scope, unresolved } = yield* subject
      const foreign = yield* makeWorkspace
      yield* extraction.setRelations(scope, document, [drawn(a, b, ["1"])], fresh)
      yield* unresolved.add(scope, ["x"])
      yield* extraction.setState(scope, { documentCursor: 5, entityCursor: 6, relink: true })
      expect(yield* graph.allEdges(foreign)).toEqual([])
      const reached = yield* graph.strongestEdges(foreign, [a, b], 5)
      expect(reached.flatMap(({ incoming, outgoing }) => [...incoming, ...outgoing])).toEqual([])
      expect((yield* graph.strongestEnds(foreign, [a, b], 5)).flatMap(({ ends }) => ends)).toEqual([])
      expect((yield* graph.relations(foreign, {}, page)).total).toBe(0)
      const relation = Option.getOrThrow(yield* graph.relationBetween(scope, a, "links_to", b))
      expect(Option.isNone(yield* graph.relationBetween(foreign, a, "links_to", b))).toBe(true)
      expect(Option.isNone(yield* graph.findRelation(foreign, relation.id))).toBe(true)
      expect(Option.isNone(yield* graph.relationAlong(foreign, a, "links_to", b))).toBe(true)
      expect(yield* graph.edgesAmong(foreign, [a, b])).toEqual([])
      yield* graph.saveRelation(scope, { ...relation, origin: "manual" })
      expect([yield* graph.statedAbout(scope, [a]), yield* graph.statedAbout(foreign, [a])]).toEqual([
        [a],
        []
      ])
      yield* graph.rehead(foreign, [{ id: b, head: null }])
      yield* extraction.setRelations(foreign, document, [], fresh)
      yield* extraction.setMentions(foreign, document, [])
      expect(yield* extraction.mentioning(foreign, [{ entityId: a, key: "foo" }])).toEqual([])
      expect(yield* unresolved.list(foreign, 5)).toEqual([])
      expect(yield* extraction.state(foreign)).toEqual({
        documentCursor: 0,
        entityCursor: 0,
        relink: false
      })
      yield* extraction.clear(foreign)
      expect(yield* graph.allEdges(scope)).toHaveLength(1)
    })
  })
  graphMentionLaws(name, layer)
  extractionStoreLaws(name, layer)
}
