import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type Document, DocumentStore } from "../../core/files/documents/index.js"
import { EntityStore, newRecord, surfaceKey } from "../../core/knowledge/entities/index.js"

import { GraphStore } from "../../core/knowledge/graph/index.js"
import { type Atomic, Ids, Storage } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { document as newDocument } from "./document-store-world.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

const document = (path: string, change: Partial<Document> = {}) =>
  newDocument(path, {
    frontMatter: { title: null, aliases: [], tags: ["Blue", "red"], type: null, other: {} },
    ...change
  })

const chunk = (documentId: Document["id"], label: number) =>
  Effect.map(Ids, (ids) => ({
    id: ids.derive("chunk", `${documentId} ${label}`),
    documentId,
    label,
    ordinal: label,
    headingPath: [],
    text: "text",
    start: 0,
    end: 4
  }))

type Base = WorkspaceStore | Atomic | Ids

/** The contract of `DocumentStore.inspection`, beside the `DocumentStore` of the same database. */
export const documentInspectionLaws = <E>(
  name: string,
  layer: () => Layer.Layer<DocumentStore | Base, E>
): void => {
  describe(`DocumentStore.inspection: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("pages through documents, live and trashed, by id, and derives their filing", function* () {
      const [store, inspection, scope, other] = [
        yield* DocumentStore,
        (yield* DocumentStore).inspection,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const [one, two] = [yield* document("A.md"), yield* document("b.md", { deletedAt: at })]
      yield* store.save(
        scope,
        [one, two].map((after) => ({ before: null, after }))
      )
      const first = yield* inspection.documentsAfter(scope, "", 1)
      expect(first.map(({ id }) => id)).toEqual([one.id])
      expect((yield* inspection.documentsAfter(scope, one.id, 5)).map(({ id }) => id)).toEqual([two.id])
      expect(yield* inspection.documentsAfter(other, "", 5)).toEqual([])
      expect(yield* inspection.filing(scope, one.id)).toEqual(
        Option.some({ pathKey: "a.md", tags: ["blue", "red"] })
      )
      expect(yield* inspection.filing(other, one.id)).toEqual(Option.none())
      yield* inspection.refile(scope, {
        ...one,
        path: "C.md",
        frontMatter: { ...one.frontMatter, tags: [] }
      })
      expect(yield* inspection.filing(scope, one.id)).toEqual(Option.some({ pathKey: "c.md", tags: [] }))
      yield* inspection.refile(scope, { ...two, deletedAt: null, path: "c.md" })
      expect(yield* inspection.filing(scope, two.id)).toEqual(
        Option.some({ pathKey: "c.md", tags: ["blue", "red"] })
      )
      expect(yield* inspection.feedEnd(scope)).toBe(2)
      expect(yield* inspection.feedEnd(other)).toBe(0)
      expect(yield* inspection.hasText(scope, two.contentHash)).toBe(true)
      expect(yield* inspection.hasText(other, two.contentHash)).toBe(false)
    })

    law("finds rows of documents that do not exist, and removes derived ones", function* () {
      const [store, inspection, scope, other] = [
        yield* DocumentStore,
        (yield* DocumentStore).inspection,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const [live, gone] = [yield* document("a.md"), yield* document("b.md")]
      yield* store.save(scope, [{ before: null, after: live }])
      const added = [yield* chunk(live.id, 1), yield* chunk(gone.id, 2), yield* chunk(gone.id, 3)]
      yield* store.changeChunks(scope, { removed: [], kept: [], added })
      const bytes = new Uint8Array([1, 2])
      yield* store.keepContent(
        scope,
        [live, gone].map(({ id }) => ({ id, bytes }))
      )
      expect(yield* inspection.labelsAfter(scope, 1, 9)).toEqual([2, 3])
      expect(yield* inspection.labelsAfter(scope, 0, 2)).toEqual([1, 2])
      const found = yield* inspection.passagesOfIds(
        scope,
        added.slice(1).map(({ id }) => id)
      )
      expect(found.map(({ label }) => label).sort()).toEqual([2, 3])
      const passages = { kind: "passages", documentId: gone.id, count: 2 } as const
      const content = { kind: "content", documentId: gone.id, count: 1 } as const
      expect(yield* inspection.orphans(scope, 9)).toEqual([passages, content])
      expect(yield* inspection.orphans(other, 9)).toEqual([])
      yield* inspection.removeOrphan(other, passages)
      yield* inspection.removeOrphan(scope, passages)
      expect(yield* inspection.orphans(scope, 9)).toEqual([content])
      expect(yield* inspection.content(scope, live.id)).toEqual(Option.some(bytes))
      expect(yield* inspection.content(scope, gone.id)).toEqual(Option.some(bytes))
      expect(yield* inspection.content(other, live.id)).toEqual(Option.none())
    })

    law(
      "raises counters that stand below numbers in use, and counts them alone when it is asked to",
      function* () {
        const [store, inspection, scope] = [
          yield* DocumentStore,
          (yield* DocumentStore).inspection,
          yield* makeWorkspace
        ]
        const live = yield* document("a.md")
        yield* store.save(scope, [{ before: null, after: live }])
        expect(yield* inspection.raiseCounters(scope, { dryRun: true })).toBe(0)
        yield* store.changeChunks(scope, { removed: [], kept: [], added: [yield* chunk(live.id, 41)] })
        expect(yield* inspection.raiseCounters(scope, { dryRun: true })).toBe(1)
        expect(yield* inspection.raiseCounters(scope, { dryRun: false })).toBe(1)
        expect(yield* inspection.raiseCounters(scope, { dryRun: true })).toBe(0)
        expect(yield* store.takeLabels(scope, 1)).toBe(42)
      }
    )
  })
}

/** The contract of `EntityStore.inspection`, beside the `EntityStore` of the same database. */
export const entityInspectionLaws = <E>(
  name: string,
  layer: () => Layer.Layer<EntityStore | Base, E>
): void => {
  describe(`EntityStore.inspection: ${name}`, () => {
    contractTestsFor(layer)("gives the keys of entities and derives them again", function* () {
      const [store, inspection, ids, scope, other] = [
        yield* EntityStore,
        (yield* EntityStore).inspection,
        yield* Ids,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const after = newRecord(
        {
          id: ids.make("entity"),
          name: "Öl Wanne",
          type: "part",
          origin: "manual",
          authority: "asserted",
          aliases: ["Sump"]
        },
        at
      )
      const revision = { diff: {}, snapshot: {}, activity: "ui", changedBy: "x", note: null, createdAt: at }
      yield* store.commit(scope, [{ before: null, after, revision: { ...revision, changeKind: "create" } }])
      const filing = {
        nameNorm: after.nameNorm,
        nameKey: surfaceKey(after.name),
        aliases: [{ alias: "Sump", norm: "sump", key: "sump" }]
      }
      expect(yield* inspection.filings(scope, [after.id])).toEqual(new Map([[after.id, filing]]))
      expect(yield* inspection.filings(other, [after.id])).toEqual(new Map())
      yield* inspection.refile(scope, { ...after, name: "Pan", aliases: [] })
      expect(yield* inspection.filings(scope, [after.id])).toEqual(
        new Map([[after.id, { nameNorm: "pan", nameKey: "pan", aliases: [] }]])
      )
    })
  })
}

const none = new Uint32Array()

/** The contract of `GraphStore.inspection`, beside the stores of the same database. */
export const graphInspectionLaws = <E>(
  name: string,
  layer: () => Layer.Layer<GraphStore | EntityStore | DocumentStore | Base, E>
): void => {
  describe(`GraphStore.inspection: ${name}`, () => {
    contractTestsFor(layer)(
      "finds rows that belong to no live document, entity or relation, and wrong edges",
      function* () {
        const [graph, readingStore, claimStore, extraction, inspection, ids, scope, other] = [
          yield* GraphStore,
          (yield* GraphStore).records,
          (yield* GraphStore).claims,
          (yield* GraphStore).extraction,
          (yield* GraphStore).inspection,
          yield* Ids,
          yield* makeWorkspace,
          yield* makeWorkspace
        ]
        const [a, b, gone] = [ids.make("entity"), ids.make("entity"), ids.make("document")]
        const words = Uint32Array.from([3, 5])
        yield* readingStore.putReadings(scope, [
          {
            documentId: gone,
            path: "a.md",
            title: "A",
            aliases: [],
            nameKey: "a",
            nameType: "document",
            entityId: null,
            references: [],
            tags: [],
            hidden: [],
            stated: [],
            targets: null,
            words,
            small: none
          }
        ])
        const claim = { documentId: gone, role: "self", type: "document", name: "A", subject: "" } as const
        yield* claimStore.changeClaims(scope, {
          removed: [],
          added: [{ ...claim, key: "a", prose: 0, headings: 0 }]
        })
        const evidence = [{ label: 1, quote: "here" }]
        const drawn = { srcId: a, type: "links_to", dstId: b, srcHead: a, dstHead: b, evidence }
        yield* extraction.setRelations(scope, gone, [drawn], { id: () => ids.make("relation"), at })
        expect(yield* inspection.words(scope, [gone])).toEqual(new Map([[gone, { words, small: none }]]))
        expect(yield* inspection.words(other, [gone])).toEqual(new Map())
        expect(yield* inspection.evidence(scope, gone)).toEqual([
          { srcId: a, type: "links_to", dstId: b, label: 1, quote: "here" }
        ])
        expect(yield* inspection.keysAfter(scope, "", 9)).toEqual(["a"])
        expect(yield* inspection.keysAfter(scope, "a", 9)).toEqual([])
        expect(yield* inspection.misdrawnEdges(scope)).toBe(0)
        expect(yield* inspection.miscounted(scope)).toBe(0)
        // Neither entity is there, nor is the document that was read.
        expect(yield* inspection.misheaded(scope)).toBe(1)
        expect(yield* inspection.orphanCount(scope)).toBeGreaterThan(0)
        expect(yield* inspection.orphanCount(other)).toBe(0)
        expect(yield* inspection.removeOrphans(scope)).toEqual(["a"])
        expect(yield* inspection.orphanCount(scope)).toBe(0)
        expect(yield* inspection.miscounted(scope)).toBe(1)
        yield* inspection.rebuildRelations(scope)
        expect(yield* graph.allEdges(scope)).toEqual([])
        expect(
          (yield* inspection.miscounted(scope)) +
            (yield* inspection.misheaded(scope)) +
            (yield* inspection.misdrawnEdges(scope))
        ).toBe(0)
      }
    )
  })
}

/** The contract of `Storage`, over a database that is whole. */
export const storageContract = <E>(name: string, layer: () => Layer.Layer<Storage | Base, E>): void => {
  describe(`Storage: ${name}`, () => {
    contractTestsFor(layer)(
      "finds no problem in a sound database, before and after its indexes are rebuilt",
      function* () {
        const [storage, scope] = [yield* Storage, yield* makeWorkspace]
        expect(yield* storage.integrity).toEqual([])
        expect(yield* storage.unreadable(scope)).toEqual([])
        expect(yield* storage.unreadablePrincipals(scope)).toEqual([])
        yield* storage.rebuildIndexes
        yield* storage.emptyUnreadable(scope)
        expect(yield* storage.integrity).toEqual([])
      }
    )
  })
}
