import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import {
  CompletedFileOperations,
  DocumentStore,
  documentOperations,
  Vault
} from "../../../../core/files/documents/index.js"
import { reconcileFiles, syncVault, waitForWriters } from "../../../../core/files/vault-sync/index.js"
import { DocumentId, runOperation, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import type { Steps } from "../../../contract/contract-tests.js"
import { atMoment } from "../../../support/clock-at.js"
import { type DocumentServices, inNoteVault, type NoteVault } from "../../../support/documents.js"

const { createDocument, deleteDocument, getDocument, replaceDocument } = documentOperations

/** Paths of the operations that the database takes for open. */
const openIn = (workspace: WorkspaceScope) =>
  Effect.flatMap(DocumentStore, (store) =>
    Effect.map(store.openIntents(workspace), (intents) => intents.map(({ path }) => path))
  )

const withDocument = (
  steps: (given: NoteVault & { readonly open: ReturnType<typeof openIn> }) => Steps<void, DocumentServices>
) => inNoteVault((given) => steps({ ...given, open: openIn(given.workspace) }))

/** Looks until nothing is open any more. */
const untilNone = (open: Effect.Effect<ReadonlyArray<string>, never, DocumentServices>) =>
  Effect.repeat(Effect.delay(open, 10), { until: (paths) => paths.length === 0 })

describe("that a file is in its place", () => {
  it("is noted by itself, a moment after the call has returned", () =>
    withDocument(function* ({ open }) {
      expect(yield* untilNone(open)).toEqual([])
    }))

  it("goes with the next change of the document, which is not held up", () =>
    withDocument(function* ({ as, id, open, root }) {
      for (const content of ["# Two", "# Three"]) {
        yield* as(runOperation(replaceDocument, { id, content }))
        expect(readFileSync(join(root, "a.md"), "utf8")).toBe(content)
      }
      yield* as(runOperation(deleteDocument, { id }))
      expect(yield* untilNone(open)).toEqual([])
    }))

  it("goes with changes of other documents when there are many", () =>
    withDocument(function* ({ as, open }) {
      for (let i = 0; i < 20; i++)
        yield* as(runOperation(createDocument, { path: `${i}.md`, content: `# ${i}` }))
      expect((yield* open).length).toBeLessThanOrEqual(17)
      expect(yield* untilNone(open)).toEqual([])
    }))

  it("is known to a sync, which takes in what was written to the file since", () =>
    withDocument(function* ({ as, id, open, root }) {
      writeFileSync(join(root, "a.md"), "# Theirs")
      expect(yield* as(syncVault())).toMatchObject({ updated: 1, failed: 0 })
      expect(yield* open).toEqual([])
      expect((yield* as(runOperation(getDocument, { id }))).content).toBe("# Theirs")
    }))

  it("is known to a sync, and to a change, also while another unit of work is about to write it", () =>
    withDocument(function* ({ as, id, open, root, workspace }) {
      const [notes, vault] = [yield* CompletedFileOperations, yield* Vault]
      const take = Effect.sync(() => notes.takeAll(workspace))
      expect((yield* take).map((note) => note.id)).toEqual([id])
      writeFileSync(join(root, "a.md"), "# Theirs")
      expect(yield* as(syncVault())).toMatchObject({ updated: 1, failed: 0 })
      yield* as(runOperation(replaceDocument, { id, content: "# Ours" }))
      // Taken along when the removal has found that nothing is owed.
      const checkWritable: Vault["Type"]["checkWritable"] = (path) =>
        Effect.zipRight(take, vault.checkWritable(path))
      const removal = runOperation(deleteDocument, { id })
      yield* as(Effect.provideService(removal, Vault, { ...vault, checkWritable }))
      expect(yield* untilNone(open)).toEqual([])
    }))

  it("is written by a later unit of work where one was undone", () =>
    withDocument(function* ({ as, id, open }) {
      const store = yield* DocumentStore
      const failing = {
        ...store,
        keepContent: () => Effect.die("injected")
      }
      const undone = runOperation(replaceDocument, { id, content: "# Two" })
      yield* Effect.exit(as(Effect.provideService(undone, DocumentStore, failing)))
      yield* as(runOperation(replaceDocument, { id, content: "# Three" }))
      expect(yield* untilNone(open)).toEqual([])
    }))

  it("is stamped by the first sync that finds it at rest, which looks at the file once", () =>
    withDocument(function* ({ as, workspace }) {
      const store = yield* DocumentStore
      yield* as(syncVault())
      const [fresh] = yield* store.stamps(workspace)
      // Within its tick it might change again and look the same.
      expect(fresh?.mtimeMs).toBe(0)
      const later = atMoment(Date.now() + 60_000)
      yield* later(as(syncVault()))
      const [first] = yield* store.stamps(workspace)
      expect(first?.mtimeMs).toBeGreaterThan(0)
      expect(yield* later(as(syncVault()))).toMatchObject({ unchanged: 1, updated: 0 })
      expect(yield* store.stamps(workspace)).toEqual([first])
    }))

  it.each([
    ["beside", 0, [], false],
    ["beside", 61_000, ["write_finished"], false],
    ["gone", 0, ["write_finished"], false],
    ["unknown", 0, ["write_finished"], true]
  ] as const)("is left to a process that lives: %s, %i ms later", (holder, laterMs, repaired, waits) =>
    withDocument(function* ({ as, id, open, workspace }) {
      yield* untilNone(open)
      const store = yield* DocumentStore
      const { contentHash, path } = Option.getOrThrow(yield* store.find(workspace, DocumentId.parse(id)))
      const owed = { kind: "write", from: null, path, contentHash, expects: "" } as const
      yield* store.openIntent(workspace, { ...owed, documentId: DocumentId.parse(id) })
      const seen: typeof store = {
        ...store,
        openIntents: (...asked) =>
          Effect.map(store.openIntents(...asked), (intents) => intents.map((one) => ({ ...one, holder })))
      }
      const start = Effect.flatMap(waitForWriters(), reconcileFiles)
      const slept: Array<unknown> = []
      const later = atMoment(Date.now() + laterMs, (time) => Effect.sync(() => void slept.push(time)))
      const { repairs } = yield* later(as(Effect.provideService(start, DocumentStore, seen)))
      expect(repairs.map(({ code }) => code)).toEqual(repaired)
      expect(slept.length > 0).toBe(waits)
    })
  )

  it("is no repair of a start when it became open while the start let others end", () =>
    withDocument(function* ({ as, id, open, workspace }) {
      const store = yield* DocumentStore
      const left = yield* as(waitForWriters())
      const before = Option.getOrThrow(yield* store.find(workspace, DocumentId.parse(id)))
      yield* store.openIntent(workspace, {
        kind: "write",
        documentId: before.id,
        path: before.path,
        from: "another-process.tmp",
        contentHash: before.contentHash,
        expects: ""
      })
      expect((yield* as(reconcileFiles(left))).repairs).toEqual([])
      expect((yield* as(reconcileFiles())).repairs).toMatchObject([{ code: "write_finished" }])
      expect(yield* open).toEqual([])
    }))
})
