import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { AnswerStore, type CacheBounds, type CacheEntry } from "../../core/answers/answering/index.js"
import { type Document, DocumentStore } from "../../core/files/documents/index.js"
import { EntityStore } from "../../core/knowledge/entities/index.js"
import { invalidationCounts } from "../../core/platform/caching/index.js"
import {
  type Atomic,
  atomically,
  type EntityId,
  Ids,
  type WorkspaceScope
} from "../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { document } from "./document-store-world.js"
import { putEntity } from "./seeds.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

const later = "2026-01-08T00:00:00.000Z"
const wide: CacheBounds = { entries: 100, bytes: 1_000_000 }

const putDocument = (scope: WorkspaceScope, path: string) =>
  Effect.gen(function* () {
    const [store, after] = [yield* DocumentStore, yield* document(path)]
    yield* store.save(scope, [{ before: null, after }])
    return after.id
  })

const changeDocument = (scope: WorkspaceScope, id: Document["id"], change: Partial<Document>) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const before = yield* Effect.flatten(store.find(scope, id))
    yield* store.save(scope, [{ before, after: { ...before, ...change } }])
  })

const entryAt = (createdAt: string, change: Partial<CacheEntry> = {}) =>
  Effect.map(
    Ids,
    (ids): CacheEntry => ({
      id: ids.sha256(ids.make("answer")),
      scope: "scope",
      evidence: "evidence",
      versions: "v1",
      question: "Wie lange? 'é 東京 🎉",
      kept: {
        answer: "Ten years [S1].",
        claims: [{ text: "Ten years.", citations: ["S1"] }],
        checks: [{ supported: true, status: "supported", support: 0.9 }],
        sources: [{ id: "S1", chunkId: ids.make("chunk") }],
        entityIds: [],
        verdict: "answer"
      },
      createdAt,
      expiresAt: later,
      ...change
    })
  )

const like = { scope: "scope", evidence: "evidence", at }

/** The laws of `AnswerStore.cache`. `layer` gives empty stores over one database each time. */
export const answerCacheStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<AnswerStore | DocumentStore | EntityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`AnswerStore.cache: ${name}`, () => {
    const law = contractTestsFor(layer)

    law(
      "gives back what was kept for a scope and evidence, the last used first, until it expires",
      function* () {
        const [store, scope] = [(yield* AnswerStore).cache, yield* makeWorkspace]
        const documents = [yield* putDocument(scope, "a.md")]
        const [old, young] = [yield* entryAt(at), yield* entryAt("2026-01-02T00:00:00.000Z")]
        const strange = yield* entryAt(at, { evidence: "other" })
        for (const entry of [old, young, strange])
          expect(yield* store.put(scope, entry, { documents, entities: [] }, wide)).toBe(true)
        expect(yield* store.like(scope, like, 10)).toEqual([young, old])
        yield* store.use(scope, old.id, "2026-01-03T00:00:00.000Z")
        expect(yield* store.like(scope, like, 1)).toEqual([old])
        expect(yield* store.like(scope, { ...like, scope: "none" }, 10)).toEqual([])
        expect(yield* store.like(scope, { ...like, at: later }, 10)).toEqual([])
      }
    )

    law("keeps one entry of an id, and none that rests on what is not there", function* () {
      const [store, scope, ids] = [(yield* AnswerStore).cache, yield* makeWorkspace, yield* Ids]
      const document = yield* putDocument(scope, "a.md")
      const entry = yield* entryAt(at)
      const rests = { documents: [document, document], entities: [] }
      yield* store.put(scope, entry, rests, wide)
      yield* store.put(scope, { ...entry, question: "Again?" }, rests, wide)
      expect((yield* store.like(scope, like, 10)).map(({ question }) => question)).toEqual(["Again?"])
      expect(yield* store.countOf(scope, document)).toBe(1)
      const missing = { documents: [document, ids.make("document")], entities: [] }
      expect(yield* store.put(scope, yield* entryAt(at), missing, wide)).toBe(false)
      const unknown = { documents: [document], entities: [ids.make("entity")] }
      expect(yield* store.put(scope, yield* entryAt(at), unknown, wide)).toBe(false)
      expect(yield* store.put(scope, yield* entryAt(at), { documents: [], entities: [] }, wide)).toBe(false)
      yield* changeDocument(scope, document, { deletedAt: at })
      expect(yield* store.put(scope, entry, rests, wide)).toBe(false)
      expect((yield* store.like(scope, like, 10)).length).toBe(0)
    })

    law(
      "loses an entry with the first change of a document that it rests on, and counts it once",
      function* () {
        const [store, scope] = [(yield* AnswerStore).cache, yield* makeWorkspace]
        const one = yield* putDocument(scope, "a.md")
        const two = yield* putDocument(scope, "b.md")
        const [first, second] = [yield* entryAt(at), yield* entryAt(at)]
        const both = { documents: [one, two], entities: [] }
        const changes: ReadonlyArray<Partial<Document>> = [
          { version: 2 },
          { verification: "verified" },
          { path: "c.md", title: "c" },
          { deletedAt: at }
        ]
        for (const change of changes) {
          yield* store.put(scope, first, both, wide)
          yield* store.put(scope, second, { documents: [two], entities: [] }, wide)
          const documents = yield* DocumentStore
          yield* documents.touch(scope, [{ id: one, mtimeMs: 7, sizeBytes: 7 }])
          expect(yield* store.countOf(scope, one)).toBe(1)
          yield* changeDocument(scope, one, change)
          expect((yield* store.like(scope, like, 10)).map(({ id }) => id)).toEqual([second.id])
          expect(yield* store.countOf(scope, one)).toBe(0)
          expect(yield* store.countOf(scope, two)).toBe(1)
          if (change.deletedAt !== undefined) yield* changeDocument(scope, one, { deletedAt: null })
        }
        expect(yield* store.counts(scope)).toEqual({ [invalidationCounts.byDocument]: changes.length })
      }
    )

    law(
      "loses an entry with the first change of an entity that it rests on, not with its rank",
      function* () {
        const [store, scope, entities] = [
          (yield* AnswerStore).cache,
          yield* makeWorkspace,
          yield* EntityStore
        ]
        const documents = [yield* putDocument(scope, "a.md")]
        const entity = yield* putEntity(scope, "Orlin")
        const other = yield* putEntity(scope, "Merrow")
        const entry = yield* entryAt(at)
        const put = store.put(scope, entry, { documents, entities: [entity.id] }, wide)
        const left = Effect.map(store.countOf(scope, entity.id), (n) => n === 1)
        yield* put
        yield* entities.setRanks(scope, [{ id: entity.id, pagerank: 0.5 }])
        expect(yield* left).toBe(true)
        yield* entities.setHead(scope, [entity.id], other.id)
        expect(yield* left).toBe(false)
        yield* put
        yield* rename(scope, entity.id)
        expect(yield* left).toBe(false)
        expect(yield* store.counts(scope)).toEqual({ [invalidationCounts.byEntity]: 2 })
      }
    )

    law("loses all entries with settings that answers follow, and none with others", function* () {
      const [store, scope, workspaces] = [
        (yield* AnswerStore).cache,
        yield* makeWorkspace,
        yield* WorkspaceStore
      ]
      const documents = [yield* putDocument(scope, "a.md")]
      const entry = yield* entryAt(at)
      yield* store.put(scope, entry, { documents, entities: [] }, wide)
      const now = yield* workspaces.get(scope)
      const { settings } = now
      yield* workspaces.update(
        { ...now, name: "x", settings: { ...settings, cacheMode: "on", reviewIntervalDays: 7 } },
        at
      )
      expect((yield* store.like(scope, like, 10)).length).toBe(1)
      const models = { ...settings.models, fallbackToExtractive: false }
      yield* workspaces.update({ ...now, settings: { ...settings, models } }, at)
      expect(yield* store.like(scope, like, 10)).toEqual([])
      expect(yield* store.counts(scope)).toEqual({ [invalidationCounts.byPolicy]: 1 })
    })

    law(
      "forgets what expired, and then what was not used for longest, until it is within its bounds",
      function* () {
        const [store, scope] = [(yield* AnswerStore).cache, yield* makeWorkspace]
        const rests = { documents: [yield* putDocument(scope, "a.md")], entities: [] }
        const day = (n: number) => `2026-01-0${n}T00:00:00.000Z`
        const entries = yield* Effect.forEach([1, 2, 3, 4], (n) => entryAt(day(n)))
        for (const entry of entries) yield* store.put(scope, entry, rests, wide)
        yield* store.use(scope, entries[0]?.id ?? "", day(5))
        const fifth = yield* entryAt(day(5))
        yield* store.put(scope, fifth, rests, { entries: 3, bytes: 1_000_000 })
        const left = Effect.map(
          store.like(scope, { ...like, at: day(1) }, 10),
          (found) => new Set(found.map(({ id }) => id))
        )
        expect(yield* left).toEqual(new Set([entries[0]?.id, entries[3]?.id, fifth.id]))
        const present = { versions: "v1", at }
        const { bytes } = yield* store.summary(scope, present)
        const sixth = yield* entryAt(day(6))
        yield* store.put(scope, sixth, rests, { entries: 100, bytes: bytes - 1 })
        expect((yield* store.summary(scope, present)).bytes).toBeLessThan(bytes)
        expect((yield* left).has(sixth.id)).toBe(true)
        const last = yield* entryAt(later, { expiresAt: "2026-01-15T00:00:00.000Z" })
        yield* store.put(scope, last, rests, wide)
        expect(yield* store.summary(scope, present)).toMatchObject({ entries: 1, oldestAt: later })
        expect(yield* store.expire(scope, later)).toBe(0)
        expect(yield* store.expire(scope, "2026-01-15T00:00:00.000Z")).toBe(1)
      }
    )

    law("sums up: entries, bytes, moments, and those that are expired or of other versions", function* () {
      const [store, scope] = [(yield* AnswerStore).cache, yield* makeWorkspace]
      const nothing = { entries: 0, stale: 0, bytes: 0, oldestAt: null, newestAt: null }
      expect(yield* store.summary(scope, { versions: "v1", at })).toEqual(nothing)
      const rests = { documents: [yield* putDocument(scope, "a.md")], entities: [] }
      yield* store.put(scope, yield* entryAt(at), rests, wide)
      yield* store.put(scope, yield* entryAt("2026-01-02T00:00:00.000Z", { versions: "v2" }), rests, wide)
      const found = yield* store.summary(scope, { versions: "v1", at })
      expect(found).toMatchObject({
        entries: 2,
        stale: 1,
        oldestAt: at,
        newestAt: "2026-01-02T00:00:00.000Z"
      })
      expect(found.bytes).toBeGreaterThan(100)
      expect((yield* store.summary(scope, { versions: "v1", at: later })).stale).toBe(2)
      expect(yield* store.clear(scope)).toBe(2)
      expect(yield* store.clear(scope)).toBe(0)
    })

    law("gives every entry once, by id, whatever its scope", function* () {
      const [store, scope] = [(yield* AnswerStore).cache, yield* makeWorkspace]
      const rests = { documents: [yield* putDocument(scope, "a.md")], entities: [] }
      const made = [yield* entryAt(at), yield* entryAt(at, { scope: "other" })]
      for (const entry of made) yield* store.put(scope, entry, rests, wide)
      const [first, ...more] = yield* store.after(scope, "", 1)
      expect(more).toEqual([])
      const rest = yield* store.after(scope, first?.id ?? "", 10)
      const byId = [...made].sort((a, b) => (a.id < b.id ? -1 : 1))
      expect([first, ...rest]).toEqual(byId)
      expect(yield* store.after(scope, byId[1]?.id ?? "", 10)).toEqual([])
    })

    law("adds counts up", function* () {
      const [store, scope] = [(yield* AnswerStore).cache, yield* makeWorkspace]
      expect(yield* store.counts(scope)).toEqual({})
      yield* store.add(scope, { hits: 1, misses: 2 })
      yield* store.add(scope, { hits: 3 })
      yield* store.add(scope, {})
      expect(yield* store.counts(scope)).toEqual({ hits: 4, misses: 2 })
    })

    law("keeps nothing of a unit of work that fails, and loses nothing with it", function* () {
      const [store, scope] = [(yield* AnswerStore).cache, yield* makeWorkspace]
      const document = yield* putDocument(scope, "a.md")
      const rests = { documents: [document], entities: [] }
      const [kept, lost] = [yield* entryAt(at), yield* entryAt(at)]
      yield* store.put(scope, kept, rests, wide)
      const failing = <A, E2, R>(work: Effect.Effect<A, E2, R>) =>
        Effect.flip(atomically(Effect.zipRight(Effect.orDie(work), Effect.fail("no"))))
      yield* failing(store.put(scope, lost, rests, wide))
      yield* failing(changeDocument(scope, document, { version: 2 }))
      expect(yield* store.like(scope, like, 10)).toEqual([kept])
      expect(yield* store.counts(scope)).toEqual({})
    })

    law("finds nothing astray in what it kept itself", function* () {
      const [store, scope] = [(yield* AnswerStore).cache, yield* makeWorkspace]
      const documents = [yield* putDocument(scope, "a.md")]
      const entities = [(yield* putEntity(scope, "Orlin")).id]
      const entry = yield* entryAt(at)
      yield* store.put(scope, entry, { documents, entities }, wide)
      expect(yield* store.astray(scope, 10)).toEqual([])
      yield* store.remove(scope, [entry.id])
      expect(yield* store.like(scope, like, 10)).toEqual([])
      for (const id of [...documents, ...entities]) expect(yield* store.countOf(scope, id)).toBe(0)
    })

    law("shows nothing to another workspace, and loses nothing by it", function* () {
      const [store, scope, foreign] = [(yield* AnswerStore).cache, yield* makeWorkspace, yield* makeWorkspace]
      const document = yield* putDocument(scope, "a.md")
      const twin = yield* putDocument(foreign, "a.md")
      const entry = yield* entryAt(at)
      yield* store.put(scope, entry, { documents: [document], entities: [] }, wide)
      expect(yield* store.put(foreign, entry, { documents: [document], entities: [] }, wide)).toBe(false)
      expect(yield* store.like(foreign, like, 10)).toEqual([])
      yield* store.put(foreign, entry, { documents: [twin], entities: [] }, wide)
      yield* store.add(foreign, { hits: 1 })
      yield* changeDocument(foreign, twin, { version: 2 })
      expect(yield* store.countOf(foreign, document)).toBe(0)
      yield* store.use(foreign, entry.id, later)
      yield* store.remove(foreign, [entry.id])
      yield* store.clear(foreign)
      yield* store.expire(foreign, "2999-01-01T00:00:00.000Z")
      expect(yield* store.astray(foreign, 10)).toEqual([])
      expect(yield* store.like(scope, like, 10)).toEqual([entry])
      expect(yield* store.counts(scope)).toEqual({})
    })
  })
}

const rename = (scope: WorkspaceScope, id: EntityId) =>
  Effect.gen(function* () {
    const store = yield* EntityStore
    const before = Option.getOrThrow(yield* store.find(scope, id))
    const after = { ...before, name: "Orlin 2", nameNorm: "orlin 2", version: before.version + 1 }
    const revision = {
      changeKind: "update",
      diff: {},
      snapshot: {},
      activity: "ui",
      changedBy: "ann",
      note: null,
      createdAt: at
    } as const
    yield* store.commit(scope, [{ before, after, revision }])
  })
