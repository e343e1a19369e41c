import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { DocumentStore, documentOperations, Vault } from "../../../../core/files/documents/index.js"
import { reconcileFiles, syncVault } from "../../../../core/files/vault-sync/index.js"
import {
  type Caller,
  DocumentId,
  runOperation,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import type { Steps } from "../../../contract/contract-tests.js"
import { type DocumentServices, inNoteVault, type NoteVault } from "../../../support/documents.js"

const { createDocument, deleteDocument, replaceDocument, restoreDocument } = documentOperations
const { moveDocument } = moveOperations

type Work<A = unknown> = Effect.Effect<A, unknown, DocumentServices | Caller>

/** A note `a.md` that was taken in. */
const inVault = (steps: (given: NoteVault) => Steps<void, DocumentServices | Caller>) =>
  inNoteVault(function* (given) {
    yield* given.as(syncVault())
    yield* given.as(Effect.gen(() => steps(given)))
  })

/** A sync in which this happens as soon as it knows how the documents stand. */
const syncDuring = (happens: Work) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const around = yield* Effect.context<DocumentServices | Caller>()
    let isDue = true
    const stamps = (workspace: WorkspaceScope) =>
      Effect.tap(store.stamps(workspace), () => {
        const work = isDue ? Effect.orDie(Effect.provide(happens, around)) : Effect.void
        isDue = false
        return work
      })
    return yield* Effect.provideService(syncVault(), DocumentStore, { ...store, stamps })
  })

/** Begins a change whose file stays where it is until the gate opens; goes on when the rows are written. */
const heldUp = (change: Work, gate: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const [vault, store] = [yield* Vault, yield* DocumentStore]
    const begun = yield* Deferred.make<void>()
    const waits = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(gate))
    const slow: Vault["Type"] = {
      ...vault,
      move: (from, to) => Effect.zipRight(waits, vault.move(from, to)),
      trash: (path, id) => Effect.zipRight(waits, vault.trash(path, id))
    }
    const fiber = yield* Effect.fork(Effect.provideService(change, Vault, slow))
    yield* Deferred.await(begun)
    return { fiber, store }
  })

/** A change that has been committed and whose file operation has yet to be done, with what it takes to do it. */
const owed = (workspace: WorkspaceScope, kind: "write" | "move") =>
  Effect.gen(function* () {
    const [store, vault] = [yield* DocumentStore, yield* Vault]
    const stopped: Vault["Type"] = {
      ...vault,
      move: () => Effect.die("stopped"),
      publish: () => Effect.die("stopped")
    }
    const change =
      kind === "move"
        ? Effect.flatMap(live(workspace), ([id = ""]) => runOperation(moveDocument, { id, path: "b.md" }))
        : runOperation(createDocument, { path: "b.md", content: "# Two" })
    yield* Effect.exit(Effect.provideService(change, Vault, stopped))
    const [intent] = yield* store.openIntents(workspace)
    return intent?.from ?? ""
  })

const live = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* DocumentStore).list(workspace, { limit: 10, offset: 0 }, {})
    return items.map(({ id }) => id)
  })

const standing = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const { items: live } = yield* store.list(workspace, { limit: 10, offset: 0 }, {})
    const { items: deleted } = yield* store.trashed(workspace, { limit: 10, offset: 0 })
    return { live: live.map(({ path }) => path), deleted: deleted.map(({ path }) => path) }
  })

describe("a sync beside changes of our own", () => {
  it.each(["moved", "removed"] as const)("takes no file for a new one that is about to be %s", (what) =>
    inVault(function* ({ id, workspace }) {
      const gate = yield* Deferred.make<void>()
      const change =
        what === "moved"
          ? Effect.asVoid(runOperation(moveDocument, { id, path: "b.md" }))
          : Effect.asVoid(runOperation(deleteDocument, { id }))
      const { fiber } = yield* heldUp(change, gate)
      expect(yield* syncVault()).toMatchObject({ created: 0, updated: 0, moved: 0, deleted: 0 })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      yield* syncVault()
      expect(yield* standing(workspace)).toEqual(
        what === "moved" ? { live: ["b.md"], deleted: [] } : { live: [], deleted: ["a.md"] }
      )
      if (what === "removed") yield* runOperation(restoreDocument, { id })
      expect((yield* standing(workspace)).live).toEqual([what === "moved" ? "b.md" : "a.md"])
    })
  )

  it("takes in what somebody else puts where a file is about to be removed from", () =>
    inVault(function* ({ id, root, workspace }) {
      const gate = yield* Deferred.make<void>()
      const { fiber } = yield* heldUp(runOperation(deleteDocument, { id }), gate)
      writeFileSync(join(root, "a.md"), "# Theirs")
      expect(yield* syncVault()).toMatchObject({ created: 1 })
      expect(yield* standing(workspace)).toEqual({ live: ["a.md"], deleted: ["a.md"] })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
    }))

  it("brings no document back that is removed while its file is still there", () =>
    inVault(function* ({ id, root, workspace }) {
      const gate = yield* Deferred.make<void>()
      const removing = yield* Deferred.make<Fiber.Fiber<unknown, unknown>>()
      const changes = Effect.gen(function* () {
        yield* runOperation(replaceDocument, { id, content: "# Another text" })
        yield* runOperation(moveDocument, { id, path: "b.md" })
        const { fiber } = yield* heldUp(runOperation(deleteDocument, { id }), gate)
        yield* Deferred.succeed(removing, fiber)
      })
      // The sync's state is older than all three changes.
      yield* Effect.scoped(syncDuring(changes))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(yield* Deferred.await(removing))
      expect(yield* standing(workspace)).toEqual({ live: [], deleted: ["b.md"] })
      expect(existsSync(join(root, "b.md"))).toBe(false)
    }))

  it("makes no second document of one that is created and moved on meanwhile", () =>
    inVault(function* ({ workspace }) {
      const vault = yield* Vault
      const around = yield* Effect.context<DocumentServices | Caller>()
      let created = ""
      const create = Effect.gen(function* () {
        created = (yield* runOperation(createDocument, { path: "b.md", content: "# Two" })).docId
      })
      const read: Vault["Type"]["read"] = (path, limit) =>
        Effect.tap(vault.read(path, limit), () => {
          if (path !== "b.md" || created === "") return Effect.void
          const id = created
          created = ""
          const work = runOperation(moveDocument, { id, path: "c.md" })
          return Effect.orDie(Effect.provide(work, around))
        })
      yield* Effect.provideService(syncDuring(create), Vault, { ...vault, read })
      expect(yield* standing(workspace)).toEqual({ live: ["a.md", "c.md"], deleted: [] })
    }))

  it("changes no document by what it knew of an earlier one", () =>
    inVault(function* ({ id, root, workspace }) {
      const [store, vault] = [yield* DocumentStore, yield* Vault]
      writeFileSync(join(root, "a.md"), "# Theirs")
      const around = yield* Effect.context<DocumentServices | Caller>()
      // Theirs is taken in, and taken back: the text is the one that the sync knows, the document is not.
      const changes = Effect.gen(function* () {
        yield* syncVault()
        yield* runOperation(replaceDocument, { id, content: "# One" })
      })
      let reads = 0
      // Once for the plan and once for the commit.
      const read: Vault["Type"]["read"] = (path, limit) =>
        Effect.tap(vault.read(path, limit), () => {
          reads += 1
          return reads === 2 ? Effect.orDie(Effect.provide(changes, around)) : Effect.void
        })
      yield* Effect.provideService(syncVault(), Vault, { ...vault, read })
      const found = Option.getOrThrow(yield* store.find(workspace, DocumentId.parse(id)))
      expect(found.version).toBe(3)
      expect(readFileSync(join(root, "a.md"), "utf8")).toBe("# One")
    }))
})

describe("a reconciliation beside whoever owes an operation", () => {
  it("leaves a file that somebody wrote just after it was put in its place", () =>
    inVault(function* ({ root, workspace }) {
      const from = yield* owed(workspace, "write")
      const vault = yield* Vault
      const file = join(root, "b.md")
      const publish: Vault["Type"]["publish"] = (path, handle) => {
        const first =
          handle === from
            ? Effect.tap(vault.publish(path, handle), () =>
                Effect.sync(() => writeFileSync(file, "# Theirs"))
              )
            : Effect.void
        return Effect.zipRight(first, vault.publish(path, handle))
      }
      yield* Effect.provideService(reconcileFiles(), Vault, { ...vault, publish })
      expect(readFileSync(file, "utf8")).toBe("# Theirs")
      expect(yield* syncVault()).toMatchObject({ updated: 1 })
    }))

  it("leaves a file that was moved, and then written by somebody, while it looked", () =>
    inVault(function* ({ root, workspace }) {
      const from = yield* owed(workspace, "move")
      const vault = yield* Vault
      const read: Vault["Type"]["read"] = (path, limit) =>
        Effect.zipRight(
          path !== from || !existsSync(join(root, from))
            ? Effect.void
            : Effect.tap(vault.move(from, "b.md"), () =>
                Effect.sync(() => writeFileSync(join(root, "b.md"), "# Theirs"))
              ),
          vault.read(path, limit)
        )
      yield* Effect.provideService(reconcileFiles(), Vault, { ...vault, read })
      expect(readFileSync(join(root, "b.md"), "utf8")).toBe("# Theirs")
    }))

  it("is through with a document before somebody removes it", () =>
    inVault(function* ({ root, workspace }) {
      const from = yield* owed(workspace, "move")
      const [id = ""] = yield* live(workspace)
      const vault = yield* Vault
      const around = yield* Effect.context<DocumentServices | Caller>()
      const removing = yield* Deferred.make<Fiber.Fiber<unknown, unknown>>()
      const removal = Effect.zipRight(
        vault.move(from, "b.md"),
        Effect.forkDaemon(
          Effect.mapInputContext(runOperation(deleteDocument, { id }), (_: Context.Context<never>) => around)
        )
      )
      const read: Vault["Type"]["read"] = (path, limit) =>
        path === from ? Effect.succeed(Option.none()) : vault.read(path, limit)
      const stage: Vault["Type"]["stage"] = (path, bytes) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(removing, yield* Effect.orDie(removal))
          // Time enough for one that does not wait.
          yield* Effect.sleep(300)
          return yield* vault.stage(path, bytes)
        })
      yield* Effect.provideService(reconcileFiles(), Vault, { ...vault, read, stage })
      yield* Fiber.join(yield* Deferred.await(removing))
      expect(existsSync(join(root, "b.md"))).toBe(false)
      expect(yield* standing(workspace)).toEqual({ live: [], deleted: ["b.md"] })
    }))
})

describe("what was noted of a file", () => {
  it("is nothing where links in it were rewritten, so that an edit at once is seen", () =>
    inVault(function* ({ id, root, workspace }) {
      yield* runOperation(createDocument, { path: "b.md", content: "# Two\n\n[one](a.md)\n" })
      yield* runOperation(moveDocument, { id, path: "deep/a.md" })
      const store = yield* DocumentStore
      const stamps = yield* store.stamps(workspace)
      expect(stamps.map(({ mtimeMs, path }) => [path, mtimeMs])).toContainEqual(["b.md", 0])
      expect(readFileSync(join(root, "b.md"), "utf8")).toContain("deep/a.md")
    }))
})
