import { rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { type FileCalls, nodeFiles } from "../../../../adapters/vault/files.js"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { DocumentStore, documentOperations, purgeTrash } from "../../../../core/files/documents/index.js"
import { reconcileFiles } from "../../../../core/files/vault-sync/index.js"
import {
  Caller,
  DocumentId,
  runOperation,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { changeSettings } from "../../../../core/platform/workspace/index.js"
import { atMoment } from "../../../support/clock-at.js"
import {
  type DocumentServices,
  documentsLayer,
  LabelledTexts,
  withFolder
} from "../../../support/documents.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"

const { createDocument, deleteDocument, listDocumentVersions, replaceDocument, restoreDocument } =
  documentOperations
const { moveDocument } = moveOperations

/** Disk operation, in order; paths are within the vault. */
type Seen =
  | { readonly tag: "synced"; readonly path: string }
  /** A name came into a folder, or went from it; `file` is what has to be synced before, where it was written anew. */
  | { readonly tag: "named"; readonly folder: string; readonly what: string; readonly file: string | null }

const staging = join(".kanon", "staged")

/** File calls that tell what they did. */
const watched = (root: string) => {
  const seen: Array<Seen> = []
  let refuses: "nothing" | "folders" | "folders once renamed" = "nothing"
  let hasRenamed = false
  const within = (path: string) => relative(root, path)
  const named = (path: string, what: string, file: string | null = null) => {
    const folder = within(dirname(path))
    // A name that is left there, or comes back, is a stray that the next start removes.
    if (folder !== staging) seen.push({ tag: "named", folder, what, file })
  }
  const files: FileCalls = {
    ...nodeFiles,
    open: async (path, flags) => {
      const file = await nodeFiles.open(path, flags)
      const sync = async () => {
        if (flags === "r" && (refuses === "folders" || (refuses === "folders once renamed" && hasRenamed)))
          throw Object.assign(new Error("injected"), { code: "EIO" })
        const began = seen.length
        // Long enough for whoever does not wait for it.
        for (let turn = 0; turn < 200; turn++) await setImmediate()
        await file.sync()
        // A name that came during the sync of its folder may not be in it.
        seen.splice(flags === "r" ? began : seen.length, 0, { tag: "synced", path: within(path) })
      }
      return { ...file, sync }
    },
    rename: async (from, to) => {
      await nodeFiles.rename(from, to)
      hasRenamed = true
      const what = `${within(from)} -> ${within(to)}`
      named(to, what, within(dirname(from)) === staging ? within(from) : null)
      named(from, what)
    },
    rm: (async (path: string, options?: { readonly force?: boolean }) => {
      await nodeFiles.rm(path, options)
      named(path, `${within(path)} removed`)
    }) as FileCalls["rm"],
    mkdir: (async (path: string, options: { readonly recursive: true }) => {
      const first = await nodeFiles.mkdir(path, options)
      for (let made = path; first !== undefined && made !== dirname(first); made = dirname(made))
        named(made, `${within(made)} made`)
      return first
    }) as FileCalls["mkdir"]
  }
  return {
    files,
    seen,
    /** Sets the kind of sync that fails from now on. */
    refuse: (what: typeof refuses) => {
      refuses = what
      hasRenamed = false
    }
  }
}

/** Returns the operations that a power cut could still undo, or leave without their content. */
const unsafe = (seen: ReadonlyArray<Seen>): ReadonlyArray<string> =>
  seen.flatMap((one, place) => {
    if (one.tag === "synced") return []
    const isSynced = (path: string, among: ReadonlyArray<Seen>) =>
      among.some((other) => other.tag === "synced" && other.path === path)
    return [
      ...(one.file === null || isSynced(one.file, seen.slice(0, place))
        ? []
        : [`${one.what}: its content was not synced before`]),
      ...(isSynced(one.folder, seen.slice(place))
        ? []
        : [`${one.what}: "${one.folder}" was not synced after`])
    ]
  })

interface Given {
  readonly root: string
  readonly live: string
  readonly linking: string
  readonly trashed: string
  readonly as: ReturnType<typeof asCaller>
}

/** An operation on files, with the least that it does to names: each stands for a rename, a removal or a folder. */
const operations: Readonly<
  Record<
    string,
    readonly [names: number, work: (given: Given) => Effect.Effect<unknown, unknown, DocumentServices>]
  >
> = {
  create: [1, ({ as }) => as(runOperation(createDocument, { path: "notes/one.md", content: "# One" }))],
  "create in folders that are new": [
    3,
    ({ as }) => as(runOperation(createDocument, { path: "new/inner/one.md", content: "# One" }))
  ],
  replace: [1, ({ as, live }) => as(runOperation(replaceDocument, { id: live, content: "# Other" }))],
  move: [
    3,
    ({ as, live }) => as(runOperation(moveDocument, { id: live, path: "else/where.md", rewriteLinks: false }))
  ],
  "move that rewrites links": [
    4,
    ({ as, live }) => as(runOperation(moveDocument, { id: live, path: "else/where.md" }))
  ],
  "move of a document whose own links are rewritten": [
    4,
    ({ as, linking }) => as(runOperation(moveDocument, { id: linking, path: "else/deep/where.md" }))
  ],
  remove: [2, ({ as, live }) => as(runOperation(deleteDocument, { id: live }))],
  restore: [2, ({ as, trashed }) => as(runOperation(restoreDocument, { id: trashed }))],
  "restore of an older version": [
    1,
    ({ as, live }) =>
      Effect.gen(function* () {
        const { items } = yield* as(
          runOperation(listDocumentVersions, { id: live, version: 1, limit: 1, offset: 0 })
        )
        const content = items[0]?.content ?? ""
        expect(content).toContain("first words")
        yield* as(runOperation(replaceDocument, { id: live, content }))
      })
  ],
  "file that an import owes": [
    1,
    ({ as, live, root }) =>
      as(
        Effect.gen(function* () {
          const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
          const { contentHash, path } = Option.getOrThrow(
            yield* store.find(workspace, DocumentId.parse(live))
          )
          const owed = { kind: "write", documentId: DocumentId.parse(live), from: null, expects: "" } as const
          rmSync(join(root, path))
          yield* store.openIntent(workspace, { ...owed, path, contentHash })
          if ((yield* reconcileFiles()).owed.length > 0) return yield* Effect.fail("It is owed still.")
        })
      )
  ],
  purge: [
    1,
    ({ as }) =>
      as(
        Effect.gen(function* () {
          yield* changeSettings({ retention: { trashDays: 1 } })
          const inTwoDays = atMoment(Date.now() + 2 * 86_400_000)
          expect(yield* inTwoDays(purgeTrash(Number.MAX_SAFE_INTEGER))).toBe(1)
        })
      )
  ]
}

/** A vault with a text of two versions, one that links to it, and one in the trash. */
const inVault = (
  use: (
    given: Given & { readonly disk: ReturnType<typeof watched>; readonly workspace: WorkspaceScope }
  ) => Effect.Effect<void, unknown, DocumentServices>
) =>
  withFolder((root) => {
    const disk = watched(root)
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const as = asCaller(workspace)
        const made = (path: string, content: string) =>
          Effect.map(as(runOperation(createDocument, { path, content })), ({ docId }) => docId)
        const live = yield* made("notes/live.md", "# Live\n\nIts first words.\n")
        yield* as(runOperation(replaceDocument, { id: live, content: "# Live\n\nIts other words.\n" }))
        const linking = yield* made("notes/linking.md", "# Linking\n\nTo [it](live.md).\n")
        const trashed = yield* made("notes/gone.md", "# Gone\n")
        yield* as(runOperation(deleteDocument, { id: trashed }))
        disk.seen.length = 0
        yield* use({ root, live, linking, trashed, as, disk, workspace })
      }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts(), disk.files)))
    )
  })

describe("an operation on files that has returned", () => {
  it.each(Object.keys(operations))("outlives a power cut: %s", (name) =>
    inVault((given) =>
      Effect.gen(function* () {
        const [least, work] = operations[name] ?? [0, () => Effect.void]
        yield* work(given)
        const names = given.disk.seen.filter(({ tag }) => tag === "named")
        expect([unsafe(given.disk.seen), names.length >= least]).toEqual([[], true])
      })
    )
  )

  it.each([
    "create",
    "replace",
    "move",
    "move that rewrites links",
    "remove",
    "restore",
    "file that an import owes"
  ])("outlives it where a start finished what another had renamed: %s", (name) =>
    inVault((given) =>
      Effect.gen(function* () {
        const { as, disk } = given
        const [, work] = operations[name] ?? [0, () => Effect.void]
        disk.refuse("folders once renamed")
        expect((yield* Effect.exit(work(given)))._tag).toBe("Failure")
        expect((yield* as(reconcileFiles())).owed).not.toEqual([])
        expect(unsafe(disk.seen)).not.toEqual([])
        disk.refuse("nothing")
        expect(yield* as(reconcileFiles())).toMatchObject({ owed: [] })
        expect(unsafe(disk.seen)).toEqual([])
      })
    )
  )

  it("outlives it in a folder that was made when folders could not be synced", () =>
    inVault(({ as, disk }) =>
      Effect.gen(function* () {
        const write = (path: string) => as(runOperation(createDocument, { path, content: "# One" }))
        disk.refuse("folders")
        expect((yield* Effect.exit(write("new/inner/one.md")))._tag).toBe("Failure")
        expect((yield* Effect.exit(write("new/inner/two.md")))._tag).toBe("Failure")
        expect(unsafe(disk.seen)).not.toEqual([])
        disk.refuse("nothing")
        yield* write("new/inner/three.md")
        expect(unsafe(disk.seen)).toEqual([])
      })
    ))
})
