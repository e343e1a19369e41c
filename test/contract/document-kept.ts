import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type Document, DocumentStore, type IntentFilter } from "../../core/files/documents/index.js"
import { type Atomic, atomically, type Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { document, stored } from "./document-store-world.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

/** The laws of `DocumentStore` about what is kept beside the rows: texts of versions, last bytes, intents. */
export const documentKeptLaws = <E>(
  name: string,
  layer: () => Layer.Layer<DocumentStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`DocumentStore, what is kept: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("keeps texts of older versions, of the workspace alone, and as many as it is told", function* () {
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

    law(
      "removes for good what lies in the trash since before a moment, and texts that nobody else needs",
      function* () {
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
      }
    )

    law("keeps the last bytes of a document and the intents that are open", function* () {
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
      expect(yield* store.openIntents(scope)).toMatchObject([{ ...intent, id }])
      yield* store.closeIntent(scope, id)
      expect(yield* store.openIntents(scope)).toEqual([])
    })

    law(
      "finds open intents by number, by document, and by both; never those of another workspace",
      function* () {
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
      }
    )
  })
}
