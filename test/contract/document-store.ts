import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { describe, expect } from "vitest"
import { DocumentStore } from "../../core/files/documents/index.js"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { documentKeptLaws } from "./document-kept.js"
import { chunk, document, stored } from "./document-store-world.js"
import { documentInspectionLaws } from "./inspections.js"
import { proposalStoreLaws } from "./proposal-store.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

/** The laws of `DocumentStore`. `layer` gives an empty store each time. */
export const documentStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<DocumentStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  documentInspectionLaws(name, layer)
  proposalStoreLaws(name, layer)
  describe(`DocumentStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back what was saved, field by field, with a rising place in the feed", function* () {
      const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
      const frontMatter = {
        title: "T",
        aliases: ["é"],
        tags: ["x"],
        type: "note",
        other: { a: [1, { b: null }] }
      }
      const one = yield* document("a.md", { frontMatter, verifiedBy: "m", verification: "verified" })
      const two = yield* document("b.md")
      yield* store.save(scope, [
        { before: null, after: one },
        { before: null, after: two }
      ])
      const [first, second] = [yield* stored(scope, one.id), yield* stored(scope, two.id)]
      expect({ ...first, seq: 0 }).toEqual(one)
      expect(second.seq).toBeGreaterThan(first.seq)
      expect((yield* store.changesSince(scope, first.seq, 10)).map(({ id }) => id)).toEqual([two.id])
    })

    law("gives back the times of files to the last bit, of however many at once", function* () {
      const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
      // Milliseconds as a file system tells them, with what they have of a fraction.
      const timeOf = (n: number) => 1_763_900_123_456.789 + n * 0.25
      const all = yield* Effect.forEach(
        Array.from({ length: 700 }, (_, n) => n),
        (n) => document(`${n}.md`)
      )
      const made = all.map((one, n) => ({ before: null, after: { ...one, mtimeMs: timeOf(n) } }))
      yield* store.save(scope, made)
      const times = Effect.map(
        store.stamps(scope),
        (stamps) => new Map(stamps.map(({ id, mtimeMs, sizeBytes }) => [id, [mtimeMs, sizeBytes]]))
      )
      expect(yield* times).toEqual(
        new Map(made.map(({ after }) => [after.id, [after.mtimeMs, after.sizeBytes]]))
      )
      yield* store.touch(
        scope,
        all.map(({ id }, n) => ({ id, mtimeMs: timeOf(n + 0.125), sizeBytes: 3_000_000 + n }))
      )
      expect(yield* times).toEqual(new Map(all.map(({ id }, n) => [id, [timeOf(n + 0.125), 3_000_000 + n]])))
    })

    law(
      "keeps what a document was converted from, with the pages of its passages, and compares the hash of its file",
      function* () {
        const [store, scope, ids] = [yield* DocumentStore, yield* makeWorkspace, yield* Ids]
        const after = yield* document("a.pdf", {
          file: { mediaType: "application/pdf", hash: ids.sha256("file") },
          source: {
            url: "https://example.org/a.pdf",
            author: "Ida",
            createdAt: "2024-01-30T09:00:00.000Z",
            modifiedAt: null,
            title: "A",
            pageStarts: [0, 12]
          }
        })
        yield* store.save(scope, [{ before: null, after }])
        expect({ ...(yield* stored(scope, after.id)), seq: 0 }).toEqual(after)
        expect((yield* store.stamps(scope)).map(({ contentHash }) => contentHash)).toEqual([
          ids.sha256("file")
        ])
        const label = yield* store.takeLabels(scope, 2)
        const paged = { ...(yield* chunk(after, label, 0, "on a page")), page: 2 }
        const bare = yield* chunk(after, label + 1, 1, "on none")
        yield* store.changeChunks(scope, { removed: [], added: [paged, bare], kept: [] })
        expect(yield* store.chunks(scope, after.id)).toEqual([paged, bare])
        yield* store.changeChunks(scope, { removed: [], added: [], kept: [{ ...paged, page: 3 }] })
        expect((yield* store.passages(scope, [label])).map(({ page }) => page)).toEqual([3])
      }
    )

    law("sets the stamp of a touched file without a change of the document", function* () {
      const [store, scope, foreign] = [yield* DocumentStore, yield* makeWorkspace, yield* makeWorkspace]
      const after = yield* document("a.md")
      yield* store.save(scope, [{ before: null, after }])
      const before = yield* stored(scope, after.id)
      yield* store.touch(foreign, [{ id: after.id, sizeBytes: 99, mtimeMs: 99 }])
      expect(yield* stored(scope, after.id)).toEqual(before)
      yield* store.touch(scope, [{ id: after.id, sizeBytes: 11, mtimeMs: 2.5 }])
      expect(yield* stored(scope, after.id)).toEqual({ ...before, sizeBytes: 11, mtimeMs: 2.5 })
    })

    law("tells of a running ingest in its workspace, until it ends or its note has lapsed", function* () {
      const [store, scope, foreign] = [yield* DocumentStore, yield* makeWorkspace, yield* makeWorkspace]
      const [before, until, after] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00.000Z", "2026-01-02"]
      const told = (at: string, workspace = scope) =>
        Effect.map(store.indexing(workspace, at), Option.getOrNull)
      expect(yield* told(before)).toBeNull()
      yield* store.noteIndexing(scope, { done: 0, total: 3, until })
      yield* store.noteIndexing(scope, { done: 2, total: 3, until })
      expect(yield* told(before)).toEqual({ done: 2, total: 3 })
      expect([yield* told(until), yield* told(after), yield* told(before, foreign)]).toEqual([
        null,
        null,
        null
      ])
      yield* store.noteIndexing(foreign, null)
      expect(yield* told(before)).toEqual({ done: 2, total: 3 })
      yield* store.noteIndexing(scope, null)
      expect(yield* told(before)).toBeNull()
    })

    law("lets one of many writers of the same row win", function* () {
      const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
      const after = yield* document("a.md")
      yield* store.save(scope, [{ before: null, after }])
      const before = yield* stored(scope, after.id)
      const tries = Array.from({ length: 8 }, (_, version) =>
        Effect.option(atomically(store.save(scope, [{ before, after: { ...before, version: version + 2 } }])))
      )
      const won = yield* Effect.all(tries, { concurrency: 8 })
      expect(won.filter(Option.isSome)).toHaveLength(1)
    })

    law("has one live document a path, without regard to case, and any number in the trash", function* () {
      const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
      const [gone, live, twin] = [
        yield* document("Straße.md", { deletedAt: at }),
        yield* document("straße.md"),
        yield* document("STRASSE.md")
      ]
      yield* store.save(scope, [
        { before: null, after: gone },
        { before: null, after: live }
      ])
      const fault = yield* Effect.flip(atomically(store.save(scope, [{ before: null, after: twin }])))
      expect(fault._tag).toBe("Conflict")
      expect(Option.map(yield* store.findByPath(scope, "STRASSE.md"), ({ id }) => id)).toEqual(
        Option.some(live.id)
      )
      expect((yield* store.trashed(scope, { limit: 9, offset: 0 })).items.map(({ id }) => id)).toEqual([
        gone.id
      ])
      const { contentHash, id, mtimeMs, path, sizeBytes } = gone
      const { seq } = Option.getOrThrow(yield* store.find(scope, id))
      const stamp = { id, path, contentHash, sizeBytes, mtimeMs, seq, isOutdated: false }
      expect(yield* store.trashStamps(scope)).toEqual([stamp])
    })

    law("numbers file operations one after the other, and knows the last one when it is done", function* () {
      const store = yield* DocumentStore
      const [scope, other] = [yield* makeWorkspace, yield* makeWorkspace]
      expect(yield* store.lastIntent(scope)).toBe(0)
      const intent = {
        kind: "write" as const,
        documentId: (yield* document("a.md")).id,
        path: "a.md",
        from: null,
        contentHash: "h",
        expects: ""
      }
      const first = yield* atomically(store.openIntent(scope, intent))
      const second = yield* atomically(store.openIntent(scope, intent))
      expect(second).toBeGreaterThan(first)
      yield* store.closeIntent(scope, first, second)
      expect([yield* store.lastIntent(scope), yield* store.lastIntent(other)]).toEqual([second, 0])
    })

    law("saves all rows of a change or none", function* () {
      const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
      const [one, two] = [yield* document("a.md"), yield* document("A.md")]
      yield* Effect.flip(
        atomically(
          store.save(scope, [
            { before: null, after: one },
            { before: null, after: two }
          ])
        )
      )
      expect(yield* store.counts(scope)).toEqual({ documents: 0, chunks: 0 })
    })

    law("lists in path order by bytes, by prefix, tag and verification", function* () {
      const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
      const tagged = { title: null, aliases: [], tags: ["Größe", "x"], type: null, other: {} }
      const all = [
        yield* document("b.md", { frontMatter: tagged }),
        yield* document("a/ü.md", { verification: "certified" }),
        yield* document("a/z.md", { frontMatter: tagged }),
        yield* document("B.md2/é.md"),
        yield* document("a.md")
      ]
      yield* store.save(
        scope,
        all.map((after) => ({ before: null, after }))
      )
      const paths = (filter: Parameters<typeof store.list>[2], limit = 10, offset = 0) =>
        Effect.map(store.list(scope, { limit, offset }, filter), ({ items, total }) => [
          total,
          ...items.map(({ path }) => path)
        ])
      expect(yield* paths({})).toEqual([5, "B.md2/é.md", "a.md", "a/z.md", "a/ü.md", "b.md"])
      expect(yield* paths({}, 2, 1)).toEqual([5, "a.md", "a/z.md"])
      expect(yield* paths({ pathPrefix: "a/" })).toEqual([2, "a/z.md", "a/ü.md"])
      expect(yield* paths({ tag: "GRÖSSE" })).toEqual([2, "a/z.md", "b.md"])
      expect(yield* paths({ verification: "certified" })).toEqual([1, "a/ü.md"])
      expect((yield* store.stamps(scope)).map(({ path }) => path)).toEqual((yield* paths({})).slice(1))
    })

    law("adds, keeps and removes chunks, and shows them with their live document only", function* () {
      const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
      const owner = yield* document("a.md")
      yield* store.save(scope, [{ before: null, after: owner }])
      const first = yield* store.takeLabels(scope, 3)
      const [one, two, three] = [
        yield* chunk(owner, first, 0, "one"),
        yield* chunk(owner, first + 1, 1, "two"),
        yield* chunk(owner, first + 2, 1, "three 🎉")
      ]
      yield* store.changeChunks(scope, { removed: [], added: [one, two], kept: [] })
      yield* store.changeChunks(scope, {
        removed: [one],
        added: [three],
        kept: [{ ...two, ordinal: 0, start: 7 }]
      })
      expect(yield* store.chunks(scope, owner.id)).toEqual([{ ...two, ordinal: 0, start: 7 }, three])
      const leads = [two, three].map(({ documentId, label }) => ({ documentId, label }))
      expect(yield* store.firstLabels(scope, [owner.id], 2)).toEqual(leads)
      expect(yield* store.firstLabels(scope, [owner.id], 1)).toEqual(leads.slice(0, 1))
      expect(yield* store.firstLabels(scope, [], 2)).toEqual([])
      const labels = [one.label, two.label, three.label]
      expect((yield* store.passages(scope, labels)).map(({ text }) => text).sort()).toEqual([
        "three 🎉",
        "two"
      ])
      expect(Option.map(yield* store.passageById(scope, three.id), ({ docPath }) => docPath)).toEqual(
        Option.some("a.md")
      )
      const before = yield* stored(scope, owner.id)
      yield* store.save(scope, [{ before, after: { ...before, deletedAt: at } }])
      expect(yield* store.passages(scope, labels)).toEqual([])
      expect(yield* store.labels(scope, {})).toEqual([])
      expect([...(yield* Stream.runCollect(store.allPassages(scope)))]).toEqual([])
    })

    law("shows nothing to another workspace", function* () {
      const [store, scope, foreign] = [yield* DocumentStore, yield* makeWorkspace, yield* makeWorkspace]
      const owner = yield* document("a.md", {
        frontMatter: { title: null, aliases: [], tags: ["t"], type: null, other: {} }
      })
      yield* store.save(scope, [{ before: null, after: owner }])
      const one = yield* chunk(owner, yield* store.takeLabels(scope, 1), 0, "one")
      yield* store.changeChunks(scope, { removed: [], added: [one], kept: [] })
      yield* store.keepContent(scope, [{ id: owner.id, bytes: new Uint8Array(1) }])
      expect(Option.isNone(yield* store.find(foreign, owner.id))).toBe(true)
      expect(yield* store.findMany(foreign, [owner.id])).toEqual([])
      expect((yield* store.findMany(scope, [owner.id, one.documentId])).map(({ path }) => path)).toEqual([
        "a.md"
      ])
      expect(yield* store.sizes(foreign, [owner.id])).toEqual([])
      expect(yield* store.sizes(scope, [owner.id])).toEqual([{ id: owner.id, sizeBytes: owner.sizeBytes }])
      expect(yield* store.firstLabels(foreign, [owner.id], 9)).toEqual([])
      expect(Option.isNone(yield* store.findByPath(foreign, "a.md"))).toBe(true)
      expect(Option.isNone(yield* store.content(foreign, owner.id))).toBe(true)
      expect(Option.isNone(yield* store.passageById(foreign, one.id))).toBe(true)
      expect(yield* store.passages(foreign, [one.label])).toEqual([])
      expect(yield* store.chunks(foreign, owner.id)).toEqual([])
      expect(yield* store.labels(foreign, { tag: "t" })).toEqual([])
      expect(yield* store.changesSince(foreign, 0, 10)).toEqual([])
      expect(yield* store.counts(foreign)).toEqual({ documents: 0, chunks: 0 })
    })
  })
  documentKeptLaws(name, layer)
}
