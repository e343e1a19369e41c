import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { describe, expect, it } from "vitest"
import { type FileCalls, nodeFiles } from "../../../../adapters/vault/files.js"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { DocumentStore, documentOperations } from "../../../../core/files/documents/index.js"
import { syncVault } from "../../../../core/files/vault-sync/index.js"
import { type Caller, runOperation, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import {
  type DocumentServices,
  documentsLayer,
  LabelledTexts,
  withFolder
} from "../../../support/documents.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"

const { createDocument, replaceDocument } = documentOperations
const { moveDocument } = moveOperations

type Work = Effect.Effect<unknown, unknown, DocumentServices | Caller>

interface Given {
  readonly root: string
  readonly id: string
  readonly workspace: WorkspaceScope
  /** Has this done when the walk comes to that folder, after those above it. */
  readonly whileListing: (folder: string, work: Work) => void
  /** Has this done when a file has been staged, before it is put in its place. */
  readonly onceStaged: (work: Work) => void
}

/** A note `z/a.md`, and a file system in which something happens in the midst of what we do. */
const withMoments = (use: (given: Given) => Effect.Effect<void, unknown, DocumentServices>) =>
  withFolder(async (root) => {
    const moments: { listing: string; listed: Work | null; staged: Work | null } = {
      listing: "",
      listed: null,
      staged: null
    }
    let run: (work: Work) => Promise<unknown> = () => Promise.resolve()
    const files: FileCalls = {
      ...nodeFiles,
      readdir: async (path) => {
        const work = path === join(root, moments.listing) ? moments.listed : null
        moments.listed = work === null ? moments.listed : null
        if (work !== null) await run(work)
        return nodeFiles.readdir(path)
      },
      open: async (path, flags) => {
        const file = await nodeFiles.open(path, flags)
        const work = flags === "wx" ? moments.staged : null
        if (work === null) return file
        moments.staged = null
        await run(work)
        return file
      }
    }
    await runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const { docId } = yield* asCaller(workspace)(
          runOperation(createDocument, { path: "z/a.md", content: "# One" })
        )
        const runtime = yield* Effect.runtime<DocumentServices>()
        run = (work) => Runtime.runPromise(runtime)(asCaller(workspace)(work))
        yield* use({
          root,
          id: docId,
          workspace,
          whileListing: (folder, work) => Object.assign(moments, { listing: folder, listed: work }),
          onceStaged: (work) => Object.assign(moments, { staged: work })
        })
      }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts(), files)))
    )
  })

/** The documents as they stand, deleted ones too. */
const standing = (id: string, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const { items } = yield* store.list(workspace, { limit: 10, offset: 0 }, {})
    const { items: deleted } = yield* store.trashed(workspace, { limit: 10, offset: 0 })
    const told = (all: typeof items) => all.map((one) => [one.path, one.id === id ? "the same" : "another"])
    return { live: told(items), deleted: told(deleted) }
  })

describe("a sync during which a file comes back", () => {
  it("deletes no document whose file an editor put aside and back", () =>
    withMoments(({ id, root, whileListing, workspace }) =>
      Effect.gen(function* () {
        const [file, aside] = [join(root, "z", "a.md"), join(root, "aside")]
        renameSync(file, aside)
        mkdirSync(join(root, "zz"))
        whileListing(
          "zz",
          Effect.sync(() => renameSync(aside, file))
        )
        const report = yield* asCaller(workspace)(syncVault())
        expect(report).toMatchObject({ created: 0, deleted: 0, unchanged: 1 })
        expect(yield* standing(id, workspace)).toEqual({ live: [["z/a.md", "the same"]], deleted: [] })
      })
    ))

  it("deletes no document that is moved to where the walk has been", () =>
    withMoments(({ id, whileListing, workspace }) =>
      Effect.gen(function* () {
        whileListing("z", runOperation(moveDocument, { id, path: "a.md" }))
        yield* asCaller(workspace)(syncVault())
        yield* asCaller(workspace)(syncVault())
        expect(yield* standing(id, workspace)).toEqual({ live: [["a.md", "the same"]], deleted: [] })
      })
    ))

  it("keeps a file from being put back for a document that it has just deleted", () =>
    withMoments(({ id, onceStaged, root, workspace }) =>
      Effect.gen(function* () {
        rmSync(join(root, "z", "a.md"))
        onceStaged(syncVault())
        const refused = yield* Effect.flip(
          asCaller(workspace)(runOperation(replaceDocument, { id, content: "# One" }))
        )
        expect(refused).toMatchObject({ _tag: "NotFound" })
        expect(existsSync(join(root, "z", "a.md"))).toBe(false)
        expect(yield* standing(id, workspace)).toEqual({ live: [], deleted: [["z/a.md", "the same"]] })
      })
    ))

  it("deletes what is gone all the same, many at once", () =>
    withMoments(({ id, root, workspace }) =>
      Effect.gen(function* () {
        for (let place = 0; place < 70; place++) writeFileSync(join(root, `${place}.md`), `# ${place}`)
        yield* asCaller(workspace)(syncVault())
        for (let place = 0; place < 70; place++) rmSync(join(root, `${place}.md`))
        expect(yield* asCaller(workspace)(syncVault())).toMatchObject({ deleted: 70, unchanged: 1 })
        expect((yield* standing(id, workspace)).live).toEqual([["z/a.md", "the same"]])
      })
    ))
})
