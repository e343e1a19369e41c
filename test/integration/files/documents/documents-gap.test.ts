import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type FileCalls, nodeFiles } from "../../../../adapters/vault/files.js"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { DocumentStore, documentOperations } from "../../../../core/files/documents/index.js"
import { reconcileFiles, syncVault } from "../../../../core/files/vault-sync/index.js"
import { runOperation, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import type { Steps } from "../../../contract/contract-tests.js"
import { catalog, type DocumentServices, inNoteVault, type NoteVault } from "../../../support/documents.js"
import { asCaller } from "../../../support/run.js"

const { createDocument, deleteDocument, getDocument, replaceDocument, restoreDocument } = documentOperations
const { moveDocument } = moveOperations

/** Simulates a process that died between commit and rename, as the vault of the next process sees it. */
const withDeath = (
  steps: (
    given: NoteVault & {
      /** Runs an operation that dies before (or right after) its file comes into place. */
      readonly dying: (
        work: Effect.Effect<unknown, unknown, DocumentServices>,
        moment?: "before" | "after"
      ) => Effect.Effect<void, unknown, DocumentServices>
    }
  ) => Steps<void, DocumentServices>
) => {
  const death: { now: "before" | "after" | null } = { now: null }
  const files: FileCalls = {
    ...nodeFiles,
    rename: async (from, to) => {
      if (death.now !== "before") await nodeFiles.rename(from, to)
      if (death.now !== null) throw Object.assign(new Error("injected"), { code: "EIO" })
    }
  }
  const dying = (
    work: Effect.Effect<unknown, unknown, DocumentServices>,
    moment: "before" | "after" = "before"
  ) =>
    Effect.gen(function* () {
      death.now = moment
      yield* Effect.flip(work)
      death.now = null
    })
  return inNoteVault((given) => steps({ ...given, dying }), files)
}

const texts = (root: string) =>
  readdirSync(root)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => [name, readFileSync(join(root, name), "utf8")])

/** The next start: mends, takes in the files, and must find nothing to do after that. */
const start = (root: string, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const as = asCaller(workspace)
    const { owed, repairs } = yield* as(reconcileFiles())
    expect(owed).toEqual([])
    yield* as(syncVault())
    expect(yield* as(syncVault())).toMatchObject({ created: 0, updated: 0, moved: 0, deleted: 0, failed: 0 })
    const { documents } = yield* catalog(workspace)
    expect(documents.map(({ path }) => path)).toEqual(texts(root).map(([name]) => name))
    return repairs.map(({ code, message }) => ({ code, message }))
  })

const theirs = "# Somebody else's"

describe("a file that is changed from outside between a crash and the next start", () => {
  it("stays, and what a replace was to write is put beside it", () =>
    withDeath(function* ({ dying, id, root, workspace }) {
      yield* dying(asCaller(workspace)(runOperation(replaceDocument, { id, content: "# Two" })))
      writeFileSync(join(root, "a.md"), theirs)
      expect(yield* start(root, workspace)).toEqual([
        {
          code: "write_set_aside",
          message:
            "left a.md as somebody wrote it meanwhile; what was to be written is in a (unfinished write).md"
        }
      ])
      expect(texts(root)).toEqual([
        ["a (unfinished write).md", "# Two"],
        ["a.md", theirs]
      ])
      expect((yield* asCaller(workspace)(runOperation(getDocument, { id }))).content).toBe(theirs)
    }))

  it("stays too when a create was to put a new file there, and never in place of a third one", () =>
    withDeath(function* ({ dying, root, workspace }) {
      yield* dying(asCaller(workspace)(runOperation(createDocument, { path: "b.md", content: "# Ours" })))
      writeFileSync(join(root, "b.md"), theirs)
      writeFileSync(join(root, "b (unfinished write).md"), "# Third")
      yield* start(root, workspace)
      expect(texts(root)).toEqual([
        ["a.md", "# One"],
        ["b (unfinished write 2).md", "# Ours"],
        ["b (unfinished write).md", "# Third"],
        ["b.md", theirs]
      ])
    }))

  it("is a plain later version when our file had been in its place", () =>
    withDeath(function* ({ dying, id, root, workspace }) {
      const as = asCaller(workspace)
      yield* dying(as(runOperation(replaceDocument, { id, content: "# Two" })), "after")
      writeFileSync(join(root, "a.md"), theirs)
      expect((yield* start(root, workspace)).map(({ code }) => code)).toEqual(["write_finished"])
      expect(texts(root)).toEqual([["a.md", theirs]])
      yield* dying(as(runOperation(moveDocument, { id, path: "c.md" })), "after")
      writeFileSync(join(root, "c.md"), "# Newer still")
      yield* start(root, workspace)
      expect(texts(root)).toEqual([["c.md", "# Newer still"]])
      expect((yield* as(runOperation(getDocument, { id }))).content).toBe("# Newer still")
    }))

  it("is finished as ever where nobody came between", () =>
    withDeath(function* ({ dying, id, root, workspace }) {
      yield* dying(asCaller(workspace)(runOperation(replaceDocument, { id, content: "# Two" })))
      expect((yield* start(root, workspace)).map(({ code }) => code)).toEqual(["write_finished"])
      yield* dying(asCaller(workspace)(runOperation(replaceDocument, { id, content: "# Three" })))
      rmSync(join(root, "a.md"))
      yield* start(root, workspace)
      expect(texts(root)).toEqual([["a.md", "# Three"]])
    }))

  it("is not overtaken by the next operation of the same process either", () =>
    withDeath(function* ({ dying, id, root, workspace }) {
      const as = asCaller(workspace)
      yield* dying(as(runOperation(replaceDocument, { id, content: "# Two" })))
      writeFileSync(join(root, "a.md"), theirs)
      yield* as(runOperation(replaceDocument, { id, content: "# Three" }))
      yield* start(root, workspace)
      expect(texts(root)).toEqual([
        ["a (unfinished write).md", "# Two"],
        ["a.md", "# Three"]
      ])
    }))
})

describe("a restore that dies", () => {
  it("leaves no second copy in the trash", () =>
    withDeath(function* ({ dying, id, root, workspace }) {
      const as = asCaller(workspace)
      const trashed = join(root, ".kanon", "trash", `${id}.md`)
      yield* as(runOperation(deleteDocument, { id }))
      expect(existsSync(trashed)).toBe(true)
      yield* dying(as(runOperation(restoreDocument, { id })), "after")
      expect(existsSync(trashed)).toBe(true)
      yield* start(root, workspace)
      expect(existsSync(trashed)).toBe(false)
      expect(texts(root)).toEqual([["a.md", "# One"]])
    }))
})

describe("a reconciliation beside a process that goes on", () => {
  it("does not bring back a file that was moved away since its operation was done", () =>
    withDeath(function* ({ dying, id, root, workspace }) {
      const as = asCaller(workspace)
      const store = yield* DocumentStore
      for (const owing of [
        runOperation(moveDocument, { id, path: "b.md" }),
        runOperation(replaceDocument, { id, content: "# Two" })
      ]) {
        yield* dying(as(owing), "after")
        const listed = yield* store.openIntents(workspace)
        expect(listed).toHaveLength(1)
        yield* as(reconcileFiles())
        renameSync(join(root, "b.md"), join(root, "away.md"))
        // This one made its list while the operation was under way, and comes to it only now.
        const late: DocumentStore["Type"] = {
          ...store,
          openIntents: (scope, filter) =>
            filter === undefined ? Effect.succeed(listed) : store.openIntents(scope, filter)
        }
        const { repairs } = yield* as(Effect.provideService(reconcileFiles(), DocumentStore, late))
        expect(repairs).toEqual([])
        expect(texts(root).map(([name]) => name)).toEqual(["away.md"])
        renameSync(join(root, "away.md"), join(root, "b.md"))
      }
    }))
})
