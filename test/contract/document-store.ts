import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { describe, expect } from "vitest"
import { type Chunk, type Document, DocumentStore, type IntentFilter } from "../../core/documents/index.js"
import { type Atomic, atomically, Ids, type WorkspaceScope } from "../../core/kernel/index.js"
import type { WorkspaceStore } from "../../core/workspace/index.js"
import { lawsOver } from "./laws.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

const document = (path: string, change: Partial<Document> = {}) =>
  Effect.map(
    Ids,
    (ids): Document => ({
      id: ids.make("document"),
      path,
      title: path,
      contentHash: ids.sha256(path),
      version: 1,
      sizeBytes: 10,
      mtimeMs: 1.5,
      frontMatter: { title: null, aliases: [], tags: [], type: null, other: {} },
      verification: "unverified",
      verifiedBy: null,
      verifiedAt: null,
      nextVerifyAt: null,
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
      seq: 0,
      ...change
    })
  )

const chunk = (of: Document, label: number, ordinal: number, text: string) =>
  Effect.map(
    Ids,
    (ids): Chunk => ({
      id: ids.derive("chunk", `${of.id}${label}`),
      documentId: of.id,
      label,
      ordinal,
      headingPath: ["Top", "Part"],
      text,
      start: ordinal * 10,
      end: ordinal * 10 + text.length
    })
  )

const stored = (scope: WorkspaceScope, id: Document["id"]) =>
  Effect.flatMap(DocumentStore, (store) => Effect.flatten(store.find(scope, id)))

/** The laws of `DocumentStore`. `layer` gives an empty store each time. */
export const documentStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<DocumentStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`DocumentStore: ${name}`, () => {
    const law = lawsOver(layer)

    law(
      "gives back what was saved, field by field, with a rising place in the feed",
      Effect.gen(function* () {
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
    )

    law(
      "sets the stamp of a touched file without a change of the document",
      Effect.gen(function* () {
        const [store, scope, foreign] = [yield* DocumentStore, yield* makeWorkspace, yield* makeWorkspace]
        const after = yield* document("a.md")
        yield* store.save(scope, [{ before: null, after }])
        const before = yield* stored(scope, after.id)
        yield* store.touch(foreign, [{ id: after.id, sizeBytes: 99, mtimeMs: 99 }])
        expect(yield* stored(scope, after.id)).toEqual(before)
        yield* store.touch(scope, [{ id: after.id, sizeBytes: 11, mtimeMs: 2.5 }])
        expect(yield* stored(scope, after.id)).toEqual({ ...before, sizeBytes: 11, mtimeMs: 2.5 })
      })
    )

    law(
      "keeps texts of older versions, of the workspace alone, and as many as it is told",
      Effect.gen(function* () {
        const [store, scope, foreign] = [yield* DocumentStore, yield* makeWorkspace, yield* makeWorkspace]
        const born = yield* document("a.md", { verification: "verified" })
        const bytes = (text: string) => new TextEncoder().encode(text)
        const begin = (before: Document | null, after: Document, text: string, keptMax: number) =>
          atomically(
            Effect.gen(function* () {
              yield* store.save(scope, [{ before, after }])
              const { contentHash, id: documentId, sizeBytes, version } = after
              const by = { origin: "upload", changedBy: "me", activity: "ui", createdAt: at } as const
              const row = { documentId, version, contentHash, sizeBytes, ...by, verification: null }
              yield* store.addVersions(scope, [{ before, version: row }], keptMax)
              yield* store.keepContent(scope, [{ id: documentId, bytes: bytes(text) }])
            })
          )
        const contentOf = (version: number, of = scope) =>
          Effect.map(store.version(of, born.id, version), (found) =>
            Option.getOrNull(
              Option.map(found, (one) => [
                one.version.verification,
                one.bytes === null ? null : new TextDecoder().decode(one.bytes)
              ])
            )
          )
        yield* begin(null, born, "one", 2)
        const first = yield* stored(scope, born.id)
        yield* begin(first, { ...first, version: 2, contentHash: "2", verification: "unverified" }, "two", 2)
        expect(yield* contentOf(1)).toEqual(["verified", "one"])
        expect(yield* contentOf(2)).toEqual([null, "two"])
        expect(yield* contentOf(1, foreign)).toBeNull()
        expect((yield* store.versions(foreign, born.id, { limit: 9, offset: 0 })).total).toBe(0)
        const second = yield* stored(scope, born.id)
        yield* begin(second, { ...second, version: 3, contentHash: "3" }, "three", 2)
        expect(yield* contentOf(1)).toBeNull()
        expect(yield* contentOf(2)).toEqual(["unverified", "two"])
        const { items, total } = yield* store.versions(scope, born.id, { limit: 1, offset: 1 })
        expect([total, items.map(({ version }) => version)]).toEqual([2, [2]])
        const kept = yield* store.contents(scope, [born.id, (yield* document("b.md")).id])
        expect(kept.map(({ bytes: found, id }) => [id, new TextDecoder().decode(found)])).toEqual([
          [born.id, "three"]
        ])
      })
    )

    law(
      "removes for good what lies in the trash since before a moment, and texts that nobody else needs",
      Effect.gen(function* () {
        const [store, scope, foreign] = [yield* DocumentStore, yield* makeWorkspace, yield* makeWorkspace]
        const bytes = new TextEncoder().encode("text")
        const born = yield* Effect.forEach(["old.md", "new.md", "live.md"], (path) =>
          document(path, { contentHash: "shared" })
        )
        const [old, fresh, live] = born
        if (old === undefined || fresh === undefined || live === undefined) return
        const rowOf = (one: Document) => ({
          documentId: one.id,
          version: one.version,
          contentHash: one.contentHash,
          sizeBytes: one.sizeBytes,
          origin: "upload" as const,
          changedBy: "me",
          activity: "ui",
          createdAt: at,
          verification: null
        })
        for (const one of born)
          yield* atomically(
            Effect.gen(function* () {
              yield* store.save(scope, [{ before: null, after: one }])
              yield* store.addVersions(scope, [{ before: null, version: rowOf(one) }], 9)
              yield* store.keepContent(scope, [{ id: one.id, bytes }])
            })
          )
        const change = (of: Document, to: Partial<Document>) =>
          Effect.gen(function* () {
            const before = yield* stored(scope, of.id)
            const after = { ...before, ...to }
            yield* atomically(
              Effect.gen(function* () {
                yield* store.save(scope, [{ before, after }])
                if (after.version > before.version)
                  yield* store.addVersions(scope, [{ before, version: rowOf(after) }], 9)
              })
            )
          })
        // Both have a second version; the first text of the one is that of the other too.
        for (const one of [old, live]) yield* change(one, { contentHash: `${one.id} 2`, version: 2 })
        const [then, later] = ["2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"]
        yield* change(old, { deletedAt: at })
        yield* change(fresh, { deletedAt: then })
        const before = yield* store.trashedBefore(scope, then, 9)
        expect(before.map(({ id }) => id)).toEqual([old.id])
        const all = born.map(({ id }) => id)
        expect(yield* atomically(store.purge(foreign, all, later))).toEqual([])
        const gone = yield* atomically(store.purge(scope, all, then))
        expect(gone.map(({ id, version }) => [id, version])).toEqual([[old.id, 2]])
        expect(Option.isNone(yield* store.find(scope, old.id))).toBe(true)
        expect(Option.isNone(yield* store.content(scope, old.id))).toBe(true)
        expect((yield* store.versions(scope, old.id, { limit: 9, offset: 0 })).total).toBe(0)
        expect(Option.isSome(yield* store.content(scope, fresh.id))).toBe(true)
        const kept = Option.getOrThrow(yield* store.version(scope, live.id, 1))
        expect(kept.bytes === null ? null : new TextDecoder().decode(kept.bytes)).toBe("text")
        expect(yield* atomically(store.pruneVersions(foreign, 1, 9))).toBe(0)
        expect(yield* atomically(store.pruneVersions(scope, 1, 9))).toBe(1)
        expect(Option.isNone(yield* store.version(scope, live.id, 1))).toBe(true)
        expect((yield* store.versions(scope, live.id, { limit: 9, offset: 0 })).total).toBe(1)
      })
    )

    law(
      "lets one of many writers of the same row win",
      Effect.gen(function* () {
        const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
        const after = yield* document("a.md")
        yield* store.save(scope, [{ before: null, after }])
        const before = yield* stored(scope, after.id)
        const tries = Array.from({ length: 8 }, (_, version) =>
          Effect.option(
            atomically(store.save(scope, [{ before, after: { ...before, version: version + 2 } }]))
          )
        )
        const won = yield* Effect.all(tries, { concurrency: 8 })
        expect(won.filter(Option.isSome)).toHaveLength(1)
      })
    )

    law(
      "has one live document a path, without regard to case, and any number in the trash",
      Effect.gen(function* () {
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
        expect(yield* store.trashStamps(scope)).toEqual([{ id, path, contentHash, sizeBytes, mtimeMs }])
      })
    )

    law(
      "saves all rows of a change or none",
      Effect.gen(function* () {
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
    )

    law(
      "lists in path order by bytes, by prefix, tag and verification",
      Effect.gen(function* () {
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
    )

    law(
      "adds, keeps and removes chunks, and shows them with their live document only",
      Effect.gen(function* () {
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
    )

    law(
      "keeps the last bytes of a document and the intents that are open",
      Effect.gen(function* () {
        const [store, scope] = [yield* DocumentStore, yield* makeWorkspace]
        const owner = yield* document("a.md")
        const bytes = new Uint8Array([0, 255, 10, 13])
        yield* store.keepContent(scope, [{ id: owner.id, bytes: new Uint8Array(9) }])
        yield* store.keepContent(scope, [{ id: owner.id, bytes }])
        expect(Option.getOrNull(yield* store.content(scope, owner.id))).toEqual(bytes)
        const intent = {
          kind: "move",
          documentId: owner.id,
          path: "b.md",
          from: "a.md",
          contentHash: "h",
          expects: ""
        } as const
        const id = yield* store.openIntent(scope, intent)
        expect(yield* store.openIntents(scope)).toEqual([{ ...intent, id }])
        yield* store.closeIntent(scope, id)
        expect(yield* store.openIntents(scope)).toEqual([])
      })
    )

    law(
      "finds open intents by number, by document, and by both; never those of another workspace",
      Effect.gen(function* () {
        const [store, scope, foreign] = [yield* DocumentStore, yield* makeWorkspace, yield* makeWorkspace]
        const [one, two] = [yield* document("a.md"), yield* document("b.md")]
        const owed = { kind: "write", from: null, contentHash: "h", expects: null } as const
        const intents = [
          { ...owed, documentId: one.id, path: "a.md" },
          { ...owed, documentId: two.id, path: "b.md" },
          { ...owed, documentId: one.id, path: "c.md" }
        ]
        const ids = yield* Effect.forEach(intents, (intent) => store.openIntent(scope, intent))
        const found = (filter: IntentFilter, of = scope) =>
          Effect.map(store.openIntents(of, filter), (open) => open.map(({ path }) => path))
        const [first = 0, second = 0, third = 0] = ids
        expect(yield* found({})).toEqual(["a.md", "b.md", "c.md"])
        expect(yield* found({ documentId: one.id })).toEqual(["a.md", "c.md"])
        expect(yield* found({ id: second })).toEqual(["b.md"])
        expect(yield* found({ id: third, documentId: one.id })).toEqual(["c.md"])
        expect(yield* found({ id: third, documentId: two.id })).toEqual([])
        expect(yield* found({ documentId: one.id }, foreign)).toEqual([])
        expect(yield* found({ id: first }, foreign)).toEqual([])
        yield* store.closeIntent(scope, first)
        expect(yield* found({ documentId: one.id })).toEqual(["c.md"])
        expect(yield* found({ id: first })).toEqual([])
      })
    )

    law(
      "shows nothing to another workspace",
      Effect.gen(function* () {
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
    )
  })
}
