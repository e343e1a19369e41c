import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import type { Mention } from "../../core/knowledge/graph/index.js"
import type { DocumentId, EntityId } from "../../core/platform/kernel/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { type GraphStores, page, subject } from "./graph-store-world.js"
import { makeWorkspace } from "./workspace.js"

const none = new Uint32Array()

/** The laws of `GraphStore` about mentions. */
export const graphMentionLaws = <E>(name: string, layer: () => Layer.Layer<GraphStores, E>): void => {
  describe(`GraphStore, mentions: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("counts one place once for a head, whatever names of it stand there", function* () {
      const { a, b, document, extraction, graph, scope } = yield* subject
      const mention = (entityId: EntityId, start: number): Mention => ({
        documentId: document,
        label: 1,
        start,
        end: start + 3,
        entityId,
        key: "foo",
        confidence: 0.5,
        runId: null
      })
      expect(
        yield* extraction.setMentions(scope, document, [mention(a, 0), mention(b, 0), mention(a, 9)])
      ).toBe(true)
      expect(
        yield* extraction.setMentions(scope, document, [mention(a, 9), mention(b, 0), mention(a, 0)])
      ).toBe(false)
      expect((yield* graph.mentions(scope, { entityIds: [a, b] }, page)).total).toBe(2)
      expect((yield* graph.mentions(scope, { documentId: document }, page)).total).toBe(3)
      expect(yield* extraction.mentioning(scope, [{ entityId: b, key: "foo" }])).toEqual([document])
      yield* extraction.setMentions(scope, document, [mention(a, 9)])
      expect((yield* graph.mentions(scope, { documentId: document }, page)).items).toEqual([mention(a, 9)])
    })

    law("lists them by passage, place and id, in whichever order they came", function* () {
      const { a, b, document, extraction, graph, other, scope } = yield* subject
      const mention = (
        documentId: DocumentId,
        label: number,
        start: number,
        entityId: EntityId
      ): Mention => ({
        documentId,
        label,
        start,
        end: start + 3,
        entityId,
        key: "foo",
        confidence: entityId === a ? 0.5 : 1,
        runId: null
      })
      yield* extraction.setMentions(scope, other, [mention(other, 7, 4, b), mention(other, 7, 4, a)])
      yield* extraction.setMentions(scope, document, [mention(document, 3, 9, b), mention(document, 3, 1, a)])
      const [first, second] = [mention(document, 3, 1, a), mention(document, 3, 9, b)]
      const twice = [mention(other, 7, 4, a), mention(other, 7, 4, b)]
      const listed = (
        filter: { entityIds?: ReadonlyArray<EntityId>; documentId?: DocumentId },
        from = page
      ) => Effect.map(graph.mentions(scope, filter, from), ({ items }) => items)
      expect(yield* listed({ documentId: other })).toEqual(twice)
      expect(yield* listed({ entityIds: [b] })).toEqual([second, twice[1]])
      const both = [first, second, { ...mention(other, 7, 4, a), confidence: 1 }]
      expect(yield* listed({ entityIds: [b, a] })).toEqual(both)
      for (const [offset, one] of both.entries())
        expect(yield* listed({ entityIds: [a, b] }, { limit: 1, offset })).toEqual([one])
      expect(yield* listed({ entityIds: [a, b], documentId: document })).toEqual([first, second])
      const labels = [
        { entityId: a, label: 3 },
        { entityId: b, label: 3 },
        { entityId: a, label: 7 },
        { entityId: b, label: 7 }
      ]
      expect(yield* graph.mentionLabels(scope, [b, a], 9)).toEqual(labels)
      expect(yield* graph.mentionLabels(scope, [a, b], 2)).toEqual(labels.slice(0, 2))
      expect(yield* graph.mentionLabels(scope, [b], 9)).toEqual([labels[1], labels[3]])
    })

    law(
      "names the run that wrote a mention for as long as the mention stands, also when others find it again",
      function* () {
        const { a, b, document, extraction, graph, ids, scope } = yield* subject
        const [first, second] = [ids.make("job"), ids.make("job")]
        const mention = (entityId: EntityId, start: number, runId: Mention["runId"]): Mention => ({
          documentId: document,
          label: 1,
          start,
          end: start + 3,
          entityId,
          key: "foo",
          confidence: 1,
          runId
        })
        const runs = Effect.map(graph.mentions(scope, { documentId: document }, page), ({ items }) =>
          items.map(({ runId, start }) => [start, runId])
        )
        yield* extraction.setMentions(scope, document, [mention(a, 0, first), mention(a, 9, null)])
        expect(yield* runs).toEqual([
          [0, first],
          [9, null]
        ])
        const again = [mention(a, 0, second), mention(a, 9, second), mention(b, 20, second)]
        expect(yield* extraction.setMentions(scope, document, again)).toBe(true)
        expect(yield* runs).toEqual([
          [0, first],
          [9, null],
          [20, second]
        ])
        expect(
          (yield* graph.mentions(scope, { entityIds: [a, b] }, page)).items.map(({ runId }) => runId)
        ).toEqual([first, null, second])
        yield* extraction.setMentions(scope, document, [])
        yield* extraction.setMentions(scope, document, [mention(a, 0, second)])
        expect(yield* runs).toEqual([[0, second]])
      }
    )

    law("counts mentions by entity and document, and for the entity that a document is about", function* () {
      const { a, b, c, document, extraction, graph, other, readingStore, scope } = yield* subject
      const foreign = yield* makeWorkspace
      const mention = (documentId: Mention["documentId"], entityId: EntityId, start: number): Mention => ({
        documentId,
        label: 1,
        start,
        end: start + 3,
        entityId,
        key: "foo",
        confidence: 1,
        runId: null
      })
      const own = [mention(document, a, 0), mention(document, a, 9), mention(document, b, 20)]
      yield* extraction.setMentions(scope, document, own)
      yield* extraction.setMentions(scope, other, [mention(other, a, 0)])
      expect(yield* graph.mentionEdges(scope)).toEqual([])
      const about = { path: "x.md", title: "X", aliases: [], nameKey: "x", nameType: "document", tags: [] }
      const unread = { references: [], hidden: [], stated: [], targets: [], words: none, small: none }
      yield* readingStore.putReadings(scope, [{ ...about, ...unread, documentId: document, entityId: null }])
      expect(yield* graph.mentionEdges(scope)).toEqual([])
      yield* readingStore.setEntities(scope, [{ documentId: document, entityId: c }])
      const counts = yield* graph.mentionCounts(scope, [a, b, c, a])
      expect(counts).toHaveLength(3)
      expect(counts).toEqual(
        expect.arrayContaining([
          { entityId: a, documentId: document, count: 2 },
          { entityId: a, documentId: other, count: 1 },
          { entityId: b, documentId: document, count: 1 }
        ])
      )
      const edges = yield* graph.mentionEdges(scope)
      expect(edges).toHaveLength(2)
      expect(edges).toEqual(
        expect.arrayContaining([
          { src: c, dst: a, mentionCount: 2 },
          { src: c, dst: b, mentionCount: 1 }
        ])
      )
      expect((yield* graph.counts(scope)).mentions).toBe(4)
      expect([yield* graph.mentionCounts(foreign, [a]), yield* graph.mentionEdges(foreign)]).toEqual([[], []])
      expect((yield* graph.mentions(foreign, { entityIds: [a] }, page)).total).toBe(0)
    })
  })
}
