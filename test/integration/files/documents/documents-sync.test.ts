import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { DocumentStore, documentOperations } from "../../../../core/files/documents/index.js"
import { reconcileFiles, syncVault } from "../../../../core/files/vault-sync/index.js"
import { JobStore } from "../../../../core/platform/jobs/index.js"
import { runOperation, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { catalog, documentsLayer, LabelledTexts, withFolder } from "../../../support/documents.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const names = ["a.md", "b.md", "Notes/c.md", "Notes/d.md", "B.md"] as const
const texts = [
  "# Alpha\n\nFirst text.",
  "---\ntitle: Beta\ntags: [x, y]\n---\n\nSecond text.\n\n## Part\n\nMore.",
  "No heading at all.",
  "# Alpha\n\nFirst text.\n\nGrown.",
  ""
] as const

const name = fc.constantFrom(...names)
const text = fc.constantFrom(...texts)
type Step =
  | { readonly kind: "write" | "create" | "replace"; readonly name: string; readonly text: string }
  | { readonly kind: "remove" | "unlink" | "restore"; readonly name: string }
  | { readonly kind: "move" | "rename"; readonly name: string; readonly to: string }
  | { readonly kind: "sync" }
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("write", "create", "replace"), name, text }),
  fc.record({ kind: fc.constantFrom("remove", "unlink", "restore"), name }),
  fc.record({ kind: fc.constantFrom("move", "rename"), name, to: name }),
  fc.record({ kind: fc.constant("sync") })
)

/** Does one step as a user would; what cannot be done there is refused and changes nothing. */
const perform = (root: string, workspace: WorkspaceScope, step: Step) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const { items } = yield* store.list(workspace, { limit: 100, offset: 0 }, {})
    const trash = (yield* store.trashed(workspace, { limit: 100, offset: 0 })).items
    const named = "name" in step ? step.name : ""
    const id = items.find((document) => document.path === named)?.id
    switch (step.kind) {
      case "write":
        return yield* onDisk(() => {
          mkdirSync(dirname(join(root, step.name)), { recursive: true })
          writeFileSync(join(root, step.name), step.text)
        })
      case "unlink":
        return yield* onDisk(() => rmSync(join(root, step.name)))
      case "rename":
        return yield* onDisk(() => renameSync(join(root, step.name), join(root, step.to)))
      case "create":
        return yield* runOperation(documentOperations.createDocument, { path: step.name, content: step.text })
      case "replace":
        return yield* runOperation(documentOperations.replaceDocument, { id, content: step.text })
      case "remove":
        return yield* runOperation(documentOperations.deleteDocument, { id })
      case "move":
        return yield* runOperation(moveOperations.moveDocument, { id, path: step.to })
      case "restore":
        return yield* runOperation(documentOperations.restoreDocument, {
          id: trash.find((document) => document.path === named)?.id
        })
      case "sync":
        return yield* syncVault()
    }
  }).pipe(asCaller(workspace))

const onDisk = (work: () => void) =>
  Effect.sync(() => {
    try {
      work()
    } catch {
      // A file that is not there cannot be removed or renamed: the step does nothing.
    }
  })

describe("sync", () => {
  it("equals a fresh ingest after any history of writes, moves, removals and restorations", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), (steps) =>
        withFolder(async (root) => {
          const [lived, fresh] = [new LabelledTexts(), new LabelledTexts()]
          const after = await runEffect(
            Effect.gen(function* () {
              const workspace = yield* makeWorkspace()
              for (const one of steps) yield* Effect.ignore(perform(root, workspace, one))
              yield* asCaller(workspace)(syncVault())
              const again = yield* asCaller(workspace)(syncVault())
              expect({ ...again, unchanged: 0, errors: [] }).toEqual(quiet(again.failed))
              expect(yield* asCaller(workspace)(reconcileFiles())).toEqual({ repairs: [], owed: [] })
              return yield* catalog(workspace)
            }).pipe(Effect.provide(documentsLayer(root, lived)))
          )
          const born = await runEffect(
            Effect.gen(function* () {
              const workspace = yield* makeWorkspace()
              yield* asCaller(workspace)(syncVault())
              return yield* catalog(workspace)
            }).pipe(Effect.provide(documentsLayer(root, fresh)))
          )
          expect(after.documents).toEqual(born.documents)
          expect(after.passages).toEqual(born.passages)
          expect(new Map(after.labelled)).toEqual(lived.texts)
        })
      ),
      { numRuns: runs(40) }
    ))

  it("sees a file of the future change whose size and time stay as they were", () =>
    withFolder((root) =>
      runEffect(
        Effect.gen(function* () {
          const sync = asCaller(yield* makeWorkspace())(syncVault())
          const write = (text: string) =>
            onDisk(() => {
              writeFileSync(join(root, "a.md"), text)
              utimesSync(join(root, "a.md"), later, later)
            })
          yield* write("# One")
          expect(yield* sync).toMatchObject({ created: 1 })
          for (let time = 0; time < 2; time++) expect(yield* sync).toMatchObject({ updated: 0, unchanged: 1 })
          yield* write("# Two")
          expect(yield* sync).toMatchObject({ updated: 1 })
        }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts())))
      )
    ))
})

const later = new Date("2096-01-01T00:00:00.000Z")

const quiet = (failed: number) => ({
  created: 0,
  updated: 0,
  moved: 0,
  deleted: 0,
  unchanged: 0,
  failed,
  left: 0,
  warnings: [],
  errors: []
})

describe("listeners", () => {
  it("are called at the end of a sync, also for one that was interrupted, and never for nothing", () =>
    withFolder((root) =>
      runEffect(
        Effect.gen(function* () {
          const workspace = yield* makeWorkspace()
          const sync = asCaller(workspace)(syncVault())
          const jobs = Effect.flatMap(JobStore, (store) =>
            Effect.map(store.list(workspace, { limit: 10, offset: 0 }, {}), ({ items }) =>
              items.map(({ status }) => status)
            )
          )
          yield* onDisk(() => writeFileSync(join(root, "big.md"), "x".repeat(6 * 1024 * 1024)))
          expect((yield* sync).failed).toBe(1)
          expect(yield* jobs).toEqual([])
          yield* onDisk(() => writeFileSync(join(root, "a.md"), "# A"))
          yield* sync
          expect(yield* jobs).toEqual(["queued"])
          const store = yield* JobStore
          const lease = yield* store.claim({
            kind: "listen",
            limit: 1,
            workspaceMax: 1,
            maxAttempts: 5,
            owner: "test",
            leaseMs: 1000
          })
          yield* Effect.forEach(lease, (one) => store.succeed(one))
          yield* store.enqueue(workspace, [{ kind: "listen", dedupeKey: "listen", delayMs: 60_000 }])
          expect((yield* jobs).sort()).toEqual(["scheduled", "succeeded"])
          yield* sync
          expect((yield* jobs).sort()).toEqual(["queued", "succeeded"])
        }).pipe(
          Effect.provide(
            documentsLayer(root, new LabelledTexts(), undefined, {
              "documents.changed": [{ kind: "listen", dedupe: "workspace" }]
            })
          )
        )
      )
    ))
})
