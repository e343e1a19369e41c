import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { DocumentStore, documentOperations } from "../../../../core/files/documents/index.js"
import { syncVault } from "../../../../core/files/vault-sync/index.js"
import type { Caller, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { runOperation } from "../../../../core/platform/kernel/index.js"
import {
  type DocumentServices,
  documentsLayer,
  LabelledTexts,
  withFolder
} from "../../../support/documents.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"

const { deleteDocument, verifyDocument } = documentOperations
const texts = { "a.md": "# A\n\nFirst.", "Notes/b.md": "# B\n\nSecond." }

interface Given {
  readonly write: (some?: Partial<typeof texts>) => void
  readonly remove: () => void
  readonly workspace: WorkspaceScope
}

/** A vault of two notes that was taken in. */
const inVault = (use: (given: Given) => Effect.Effect<void, unknown, DocumentServices | Caller>) =>
  withFolder((root) => {
    const write = (some: Partial<typeof texts> = texts) => {
      mkdirSync(join(root, "Notes"), { recursive: true })
      for (const [path, text] of Object.entries(some)) writeFileSync(join(root, path), text)
    }
    const remove = () => {
      for (const path of ["a.md", "Notes"]) rmSync(join(root, path), { recursive: true })
    }
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        write()
        yield* asCaller(workspace)(syncVault())
        yield* asCaller(workspace)(use({ write, remove, workspace }))
      }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts())))
    )
  })

const live = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const { items } = yield* store.list(workspace, { limit: 10, offset: 0 }, {})
    return new Map(items.map((one) => [one.path, one]))
  })

describe("a file that is gone and comes back", () => {
  it("is the document that it was, with what was vouched for", () =>
    inVault(({ remove, workspace, write }) =>
      Effect.gen(function* () {
        const id = (yield* live(workspace)).get("a.md")?.id ?? ""
        yield* runOperation(verifyDocument, { id, verification: "verified" })
        const before = yield* live(workspace)
        remove()
        expect(yield* syncVault()).toMatchObject({ deleted: 2 })
        expect((yield* live(workspace)).size).toBe(0)
        write()
        expect(yield* syncVault()).toMatchObject({ created: 2, deleted: 0 })
        const after = yield* live(workspace)
        for (const [path, { id, verification, verifiedAt, version }] of before)
          expect(after.get(path)).toMatchObject({ id, verification, verifiedAt, version })
        const store = yield* DocumentStore
        expect((yield* store.trashed(workspace, { limit: 10, offset: 0 })).items).toEqual([])
        expect(yield* syncVault()).toMatchObject({ created: 0, unchanged: 2 })
      })
    ))

  it("is another document when it has other text", () =>
    inVault(({ remove, workspace, write }) =>
      Effect.gen(function* () {
        const before = yield* live(workspace)
        remove()
        yield* syncVault()
        write({ "a.md": "# A\n\nOther." })
        yield* syncVault()
        const after = yield* live(workspace)
        expect([...after.keys()]).toEqual(["a.md"])
        expect(after.get("a.md")?.id).not.toBe(before.get("a.md")?.id)
      })
    ))

  it("is the last of those that stood there, when several did with one text", () =>
    inVault(({ workspace, write }) =>
      Effect.gen(function* () {
        const first = (yield* live(workspace)).get("a.md")?.id ?? ""
        yield* runOperation(deleteDocument, { id: first })
        const { docId } = yield* runOperation(documentOperations.createDocument, {
          path: "a.md",
          content: texts["a.md"]
        })
        expect(docId).not.toBe(first)
        yield* Effect.sleep(2)
        yield* runOperation(deleteDocument, { id: docId })
        write({ "a.md": texts["a.md"] })
        yield* syncVault()
        expect((yield* live(workspace)).get("a.md")?.id).toBe(docId)
      })
    ))
})
