import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type FileCalls, nodeFiles } from "../../../../adapters/vault/files.js"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { documentOperations } from "../../../../core/files/documents/index.js"
import { reconcileFiles, syncVault } from "../../../../core/files/vault-sync/index.js"
import { runOperation, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import type { Steps } from "../../../contract/contract-tests.js"
import { catalog, type DocumentServices, inNoteVault, type NoteVault } from "../../../support/documents.js"
import { asCaller } from "../../../support/run.js"

const { createDocument, deleteDocument, getDocument, replaceDocument } = documentOperations
const { moveDocument } = moveOperations

/** A vault with the document `a.md` whose renames fail for as long as `stuck` is set. */
const withStuckRenames = (
  steps: (given: NoteVault & { readonly stuck: { now: boolean } }) => Steps<void, DocumentServices>
) => {
  const stuck = { now: false }
  const files: FileCalls = {
    ...nodeFiles,
    rename: async (from, to) => {
      if (stuck.now) throw Object.assign(new Error("injected"), { code: "EACCES" })
      return nodeFiles.rename(from, to)
    }
  }
  return inNoteVault((given) => steps({ ...given, stuck }), files)
}

const pathsAndTexts = (root: string, workspace: WorkspaceScope) =>
  Effect.map(catalog(workspace), ({ documents }) =>
    documents.map(({ path }) => [path, readFileSync(join(root, path), "utf8")])
  )

describe("a file operation that cannot be done", () => {
  it("stays owed, is told, and hinders neither a start nor other documents", () =>
    withStuckRenames(function* ({ id, root, stuck, workspace }) {
      const as = asCaller(workspace)
      stuck.now = true
      const failed = yield* Effect.flip(as(runOperation(replaceDocument, { id, content: "# Two" })))
      expect(failed._tag).toBe("VaultUnavailable")
      expect((yield* as(reconcileFiles())).owed).toMatchObject([{ path: "a.md", code: "EACCES" }])
      stuck.now = false
      yield* as(runOperation(createDocument, { path: "b.md", content: "# Other" }))
      const { owed, repairs } = yield* as(reconcileFiles())
      expect([owed, repairs.map(({ code }) => code)]).toEqual([[], ["write_finished"]])
      expect(yield* pathsAndTexts(root, workspace)).toEqual([
        ["a.md", "# Two"],
        ["b.md", "# Other"]
      ])
    }))

  it("never comes after a newer one and undoes it", () =>
    withStuckRenames(function* ({ id, root, stuck, workspace }) {
      const as = asCaller(workspace)
      for (const owing of [
        () => runOperation(replaceDocument, { id, content: "# Two" }),
        () => runOperation(moveDocument, { id, path: "b.md" })
      ]) {
        stuck.now = true
        expect((yield* Effect.flip(as(owing())))._tag).toBe("VaultUnavailable")
        stuck.now = false
        yield* as(runOperation(replaceDocument, { id, content: "# Newest" }))
        expect((yield* as(reconcileFiles())).owed).toEqual([])
        expect((yield* as(runOperation(getDocument, { id }))).content).toBe("# Newest")
      }
      expect(yield* as(syncVault())).toMatchObject({ created: 0, updated: 0, moved: 0, deleted: 0 })
      expect(yield* pathsAndTexts(root, workspace)).toEqual([["b.md", "# Newest"]])
    }))

  it("leaves a file alone that somebody put in place of a deleted one", () =>
    withStuckRenames(function* ({ id, root, stuck, workspace }) {
      const as = asCaller(workspace)
      stuck.now = true
      yield* Effect.flip(as(runOperation(deleteDocument, { id })))
      stuck.now = false
      rmSync(join(root, "a.md"))
      writeFileSync(join(root, "a.md"), "# Somebody else's")
      expect((yield* as(reconcileFiles())).owed).toEqual([])
      yield* as(syncVault())
      expect(yield* pathsAndTexts(root, workspace)).toEqual([["a.md", "# Somebody else's"]])
    }))
})
