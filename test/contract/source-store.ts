import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import {
  type ExternalItem,
  SourceStore,
  type StoredContentConnector,
  type StoredSyncRun
} from "../../core/connected/sources/index.js"
import { type Atomic, atomically, type ContentConnectorId, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const later = "2026-02-01T00:00:00.000Z"

const connector = (name: string) =>
  Effect.map(
    Ids,
    ({ make }): StoredContentConnector => ({
      id: make("contentConnector"),
      name,
      kind: "wiki",
      enabled: true,
      config: { provider: "mediawiki", url: "https://wiki.example/größe", namespaces: [0] },
      schedule: "0 3 * * *",
      pathPrefix: "wiki",
      secret: make("secret"),
      checkpoint: null,
      nextSyncAt: later,
      createdAt: lawsAt,
      updatedAt: lawsAt
    })
  )

const runOf = (connectorId: ContentConnectorId, given: Partial<StoredSyncRun> = {}) =>
  Effect.map(
    Ids,
    ({ make }): StoredSyncRun => ({
      id: make("syncRun"),
      connectorId,
      jobId: make("job"),
      mode: "incremental",
      status: "queued",
      dryRun: false,
      allowRemovals: true,
      onConflict: "keep",
      isUpload: true,
      phase: "retry",
      checkpoint: { from: "é", page: 1 },
      isComplete: true,
      hasGaps: false,
      seen: 3,
      unchanged: 2,
      total: null,
      created: 0,
      updated: 0,
      removed: 0,
      heldRemovals: 7,
      accessChanged: 0,
      changes: [{ externalId: "a", op: "create", path: "wiki/a.md" }],
      underWay: { now: ["a", "ü"], deaths: { ü: 2 } },
      queuedAt: lawsAt,
      startedAt: null,
      finishedAt: null,
      ...given
    })
  )

const itemOf = (connectorId: ContentConnectorId, externalId: string, given: Partial<ExternalItem> = {}) =>
  Effect.map(
    Ids,
    ({ make }): ExternalItem => ({
      connectorId,
      externalId,
      parentId: null,
      path: `wiki/${externalId}.md`,
      version: '"etag"',
      contentHash: "0".repeat(64),
      documentId: make("document"),
      url: "https://wiki.example/",
      isRemoved: false,
      isMissing: false,
      failure: null,
      warnings: [],
      runId: make("syncRun"),
      syncedAt: lawsAt,
      ...given
    })
  )

/** The contract of the stores of content connectors. `layer` gives empty stores each time. */
export const sourceStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<SourceStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`SourceStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law(
      "keep connectors as they were given, one of a name without regard to case, and none of another workspace",
      function* () {
        const [store, scope, other] = [
          (yield* SourceStore).connectors,
          yield* makeWorkspace,
          yield* makeWorkspace
        ]
        const [one, two] = [yield* connector("Handbook"), yield* connector("Öl")]
        expect(yield* store.insert(scope, one)).toBe(true)
        expect(yield* store.insert(scope, two)).toBe(true)
        expect(yield* store.insert(scope, yield* connector("HANDBOOK"))).toBe(false)
        expect(yield* store.insert(other, yield* connector("Handbook"))).toBe(true)
        expect(yield* store.list(scope)).toEqual([one, two])
        expect(yield* store.find(other, one.id)).toEqual(Option.none())
        expect(yield* store.named(scope, "hANDbook")).toEqual(Option.some(one.id))
        const changed = {
          ...one,
          name: "Wiki",
          enabled: false,
          secret: null,
          schedule: null,
          updatedAt: later
        }
        expect(yield* store.replace(scope, { ...changed, name: "öl" }, lawsAt)).toBe("name_taken")
        expect(yield* store.replace(other, changed, lawsAt)).toBe("changed")
        expect(yield* store.replace(scope, changed, lawsAt)).toBe("done")
        expect(yield* store.replace(scope, changed, lawsAt)).toBe("changed")
        expect(yield* store.find(scope, one.id)).toEqual(Option.some(changed))
        const checkpoint = { after: "é", at: 3 }
        yield* store.setProgress(scope, one.id, { checkpoint, nextSyncAt: null })
        yield* store.setProgress(other, one.id, { checkpoint: null })
        expect(yield* store.find(scope, one.id)).toEqual(
          Option.some({ ...changed, checkpoint, nextSyncAt: null })
        )
        expect(yield* store.lock(other, one.id)).toBe(false)
        expect(yield* store.lock(scope, one.id)).toBe(true)
        expect(yield* store.remove(other, one.id, later, true)).toBe(false)
        expect(yield* store.remove(scope, one.id, later, true)).toBe(true)
        expect(yield* store.remove(scope, one.id, later, true)).toBe(false)
        expect(yield* store.lock(scope, one.id)).toBe(false)
        expect(yield* store.list(scope)).toEqual([two])
        expect(yield* store.trashing(scope)).toEqual([one.id])
        expect(yield* store.trashing(other)).toEqual([])
        yield* store.trashed(scope, one.id)
        expect(yield* store.trashing(scope)).toEqual([])
        expect(yield* store.insert(scope, yield* connector("wiki"))).toBe(true)
      }
    )

    law(
      "keep runs with their files, failures and warnings, and change only those of the expected status",
      function* () {
        const [store, scope, other] = [(yield* SourceStore).runs, yield* makeWorkspace, yield* makeWorkspace]
        const source = (yield* connector("Wiki")).id
        const first = yield* runOf(source)
        const files = [
          { path: "a.md", bytes: new Uint8Array([0, 1, 255]), url: null, author: "Å", modifiedAt: lawsAt },
          { path: "b.md", bytes: null, url: "https://b.example/", author: null, modifiedAt: null }
        ]
        yield* atomically(store.insert(scope, first, files))
        const second = yield* runOf(source, { dryRun: true, changes: [] })
        yield* atomically(store.insert(scope, second, []))
        expect(yield* store.find(scope, first.id)).toEqual(Option.some(first))
        expect(yield* store.find(other, first.id)).toEqual(Option.none())
        expect(yield* store.files(scope, first.id)).toEqual(files)
        expect(yield* store.files(other, first.id)).toEqual([])
        expect(yield* store.active(scope, source)).toEqual([first, second])
        expect(yield* store.active(scope)).toEqual([first, second])
        expect(yield* store.active(other)).toEqual([])
        expect(yield* store.latest(scope)).toEqual(new Map([[source, first]]))
        expect(yield* store.count(scope, first.id, { created: 1 })).toBe(false)
        const begun = { status: "running", startedAt: later, checkpoint: null } as const
        expect(yield* store.update(other, first.id, begun, ["queued"])).toBe(false)
        expect(yield* store.update(scope, first.id, begun, ["queued"])).toBe(true)
        expect(yield* store.update(scope, first.id, begun, ["queued"])).toBe(false)
        expect(yield* store.count(scope, first.id, { created: 2, removed: 1, accessChanged: 4 })).toBe(true)
        expect(yield* store.count(scope, first.id, { updated: 3 })).toBe(true)
        expect(yield* store.count(other, first.id, { updated: 3 })).toBe(false)
        yield* store.addFailures(scope, first.id, [
          { externalId: "x", reason: "It is broken." },
          { externalId: "y", reason: "So is this." },
          { externalId: null, reason: "The source is down." }
        ])
        yield* store.addFailures(scope, first.id, [{ externalId: "x", reason: "Still broken." }])
        const settled = (externalId: string, ...messages: ReadonlyArray<string>) => ({ externalId, messages })
        yield* store.settle(scope, first.id, settled("y"))
        yield* store.settle(other, first.id, settled("x"))
        yield* store.settle(scope, first.id, settled("z", "No image.", "é is cut."))
        yield* store.settle(scope, first.id, settled("w", "No image."))
        yield* store.settle(scope, first.id, settled("w"))
        yield* store.settle(scope, second.id, settled("w", "No image."))
        expect(
          (yield* store.list(scope, source, 9, 1)).map(({ failed, failures }) => [failed, failures])
        ).toEqual([
          [0, []],
          [1, [{ externalId: null, reason: "The source is down." }]]
        ])
        expect(yield* store.list(scope, source, 9, 9)).toEqual([
          { ...second, failed: 0, failures: [], warned: 1, warnings: [settled("w", "No image.")] },
          {
            ...first,
            ...begun,
            created: 2,
            removed: 1,
            accessChanged: 4,
            updated: 3,
            failed: 1,
            failures: [
              { externalId: null, reason: "The source is down." },
              { externalId: "x", reason: "Still broken." }
            ],
            warned: 1,
            warnings: [settled("z", "No image.", "é is cut.")]
          }
        ])
        yield* store.dropFiles(scope, first.id)
        expect(yield* store.files(scope, first.id)).toEqual([])
        const ended = { status: "succeeded", finishedAt: later } as const
        yield* store.update(scope, first.id, ended, ["running"])
        yield* atomically(store.prune(scope, source, 0))
        expect((yield* store.list(scope, source, 9, 9)).map(({ id }) => id)).toEqual([second.id])
      }
    )

    law("keep the state of each item of a connector", function* () {
      const [store, scope, other] = [(yield* SourceStore).items, yield* makeWorkspace, yield* makeWorkspace]
      const source = (yield* connector("Wiki")).id
      const failure = { code: "conflict", reason: "conflict: é" } as const
      const [a, b, c, attached] = [
        yield* itemOf(source, "a"),
        yield* itemOf(source, "b", { documentId: null, path: null, failure }),
        yield* itemOf(source, "c", { isRemoved: true }),
        yield* itemOf(source, "a/x.pdf", { parentId: "a", warnings: ["No image.", "é is cut."] })
      ]
      for (const item of [a, b, c, attached]) yield* store.put(scope, item)
      const found = yield* store.find(scope, source, ["a", "b", "unknown"])
      expect(new Set(found)).toEqual(new Set([a, b]))
      expect(yield* store.find(other, source, ["a"])).toEqual([])
      expect(yield* store.attached(scope, source, "a")).toEqual([attached])
      expect(yield* store.failing(scope, source)).toEqual([b])
      expect(yield* store.ids(scope, source, null, 9)).toEqual(["a", "b"])
      expect(yield* store.ids(scope, source, "a", 9)).toEqual(["b"])
      expect(yield* store.ids(scope, source, null, 1)).toEqual(["a"])
      expect(yield* store.count(scope, source)).toBe(1)
      const documentId = (yield* Ids).make("document")
      const held = yield* itemOf(source, "d", { documentId, isRemoved: true })
      yield* store.put(scope, held)
      expect(yield* store.ofDocument(scope, documentId)).toEqual(Option.some(held))
      expect(yield* store.ofDocument(other, documentId)).toEqual(Option.none())
      yield* store.remove(scope, source, "d")
      yield* store.markMissing(scope, source, ["a", "b", "c", "a/x.pdf", "unknown"])
      expect(yield* store.missing(scope, source)).toEqual(["a", "b"])
      expect(yield* store.missing(other, source)).toEqual([])
      yield* store.clearMissing(scope, source)
      expect(yield* store.missing(scope, source)).toEqual([])
      const moved = { ...b, documentId: a.documentId, path: "wiki/new.md", failure: null, syncedAt: later }
      yield* store.put(scope, moved)
      expect(yield* store.find(scope, source, ["b"])).toEqual([moved])
      yield* store.remove(other, source, "a")
      yield* store.remove(scope, source, "b")
      expect((yield* store.withDocument(scope, source, null, 9)).map(({ externalId }) => externalId)).toEqual(
        ["a", "a/x.pdf", "c"]
      )
    })
  })
}
