import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import {
  DocumentStore,
  documentOperations,
  purgeTrash,
  Vault
} from "../../../../core/files/documents/index.js"
import { inspectFiles, reconcileFiles, syncVault } from "../../../../core/files/vault-sync/index.js"
import {
  Caller,
  DocumentId,
  Ids,
  runOperation,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { changeSettings } from "../../../../core/platform/workspace/index.js"
import { atMoment } from "../../../support/clock-at.js"
import {
  catalog,
  type DocumentServices,
  documentsLayer,
  LabelledTexts,
  withFolder
} from "../../../support/documents.js"
import { type Fault, type FaultyFiles, faults, faultyFiles } from "../../../support/faulty-files.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { isLong } from "../../../support/runs.js"

const { createDocument, deleteDocument, listDocumentVersions, replaceDocument, restoreDocument } =
  documentOperations
const { moveDocument } = moveOperations

interface Given {
  readonly root: string
  readonly live: string
  readonly trashed: string
}

const write = (root: string, path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** As a crash or an import leaves it: a write that is noted, of a file that is not in its place. */
const owe = (path: string, { live, root }: Given, staged: boolean) =>
  Effect.gen(function* () {
    const [store, vault, ids, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Ids, yield* Caller]
    const bytes = new TextEncoder().encode("# Live")
    const from = staged ? yield* vault.stage(path, bytes) : null
    const [documentId, contentHash] = [DocumentId.parse(live), ids.sha256(bytes)]
    yield* store.openIntent(workspace, { kind: "write", documentId, path, from, contentHash, expects: "" })
    rmSync(join(root, path))
  })

const callsMax = 16
const dayMs = 86_400_000
const later = atMoment(Date.now() + 2 * dayMs)
/** As at any moment, without a rest between two looks. */
const atOnce = atMoment(Date.now(), () => Effect.void)

/** Operations, with the change to the files before each; `again` says that a second try completes the rest. */
const scenarios = {
  create: { work: () => runOperation(createDocument, { path: "new/one.md", content: "# New" }) },
  replace: { work: ({ live }: Given) => runOperation(replaceDocument, { id: live, content: "# Replaced" }) },
  "replace of a lost file": {
    before: ({ root }: Given) => rmSync(join(root, "live.md")),
    work: ({ live }: Given) => runOperation(replaceDocument, { id: live, content: "# Live" })
  },
  "replace of a changed file": {
    before: ({ root }: Given) => write(root, "live.md", "# Changed"),
    work: ({ live }: Given) => runOperation(replaceDocument, { id: live, content: "# Replaced" })
  },
  move: { work: ({ live }: Given) => runOperation(moveDocument, { id: live, path: "else/where.md" }) },
  "move that rewrites links": {
    before: ({ root }: Given) =>
      Effect.gen(function* () {
        for (const name of ["one", "two"])
          yield* runOperation(createDocument, { path: `${name}.md`, content: `# ${name}\n\n[it](live.md)` })
        expect(textsOf(root)).toHaveLength(3)
      }),
    work: ({ live }: Given) => runOperation(moveDocument, { id: live, path: "else/where.md" })
  },
  "restore of an older version": {
    before: ({ live }: Given) => runOperation(replaceDocument, { id: live, content: "# Newer" }),
    work: ({ live }: Given) =>
      Effect.gen(function* () {
        const asked = { id: live, version: 1, limit: 1, offset: 0 }
        const { items } = yield* runOperation(listDocumentVersions, asked)
        return yield* runOperation(replaceDocument, { id: live, content: items[0]?.content ?? "" })
      })
  },
  purge: {
    before: () => changeSettings({ retention: { trashDays: 1 } }),
    work: () => later(purgeTrash(Number.MAX_SAFE_INTEGER)),
    again: true
  },
  "start after a crash": {
    before: (given: Given) => owe("live.md", given, true),
    work: () => reconcileFiles()
  },
  "start after an import": {
    before: (given: Given) => owe("live.md", given, false),
    work: () => reconcileFiles()
  },
  "doctor that mends": {
    before: (given: Given) =>
      Effect.gen(function* () {
        yield* owe("live.md", given, true)
        write(given.root, "fresh/note.md", "# Fresh")
        write(given.root, ".kanon/staged/0-left.tmp", "# Left")
      }),
    work: () =>
      atOnce(inspectFiles({ rebuild: true, report: () => Effect.void, progress: () => Effect.void }))
  },
  remove: { work: ({ live }: Given) => runOperation(deleteDocument, { id: live }) },
  restore: { work: ({ trashed }: Given) => runOperation(restoreDocument, { id: trashed }) },
  sync: {
    before: ({ root }: Given) => {
      write(root, "live.md", "# Changed")
      write(root, "fresh/note.md", "# Fresh")
    },
    work: () => syncVault()
  }
} as const

const textsOf = (root: string) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !path.startsWith(".kanon"))
    .sort()
    .map((path) => `${path}: ${readFileSync(join(root, path), "utf8")}`)

/** Those, and how many the trash holds. */
const filesOf = (root: string) => [
  ...textsOf(root),
  `${readdirSync(join(root, ".kanon", "trash")).length} gone`
]

/** Runs a scenario in a vault of its own, with a fault at one of its file calls or none. */
const run = (
  name: keyof typeof scenarios,
  fault: { readonly at: number; readonly code: Fault } | null,
  use: (given: {
    readonly root: string
    readonly workspace: WorkspaceScope
    readonly faulty: FaultyFiles
    readonly failure: { readonly _tag: string; readonly code?: string } | null
    readonly before: ReadonlyArray<string>
    /** Does the same once more. */
    readonly again: Effect.Effect<unknown, unknown, DocumentServices>
  }) => Effect.Effect<void, unknown, DocumentServices>
) =>
  withFolder((root) => {
    const faulty = faultyFiles()
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const as = asCaller(workspace)
        const made = (path: string, content: string) =>
          Effect.map(as(runOperation(createDocument, { path, content })), ({ docId }) => docId)
        const given = {
          root,
          live: yield* made("live.md", "# Live"),
          trashed: yield* made("gone.md", "# Gone")
        }
        yield* as(runOperation(deleteDocument, { id: given.trashed }))
        const scenario: {
          before?: (given: Given) => unknown
          work: (given: Given) => Effect.Effect<unknown, unknown, never>
        } = scenarios[name] as never
        const prepared = scenario.before?.(given)
        if (Effect.isEffect(prepared)) yield* as(prepared as Effect.Effect<unknown, unknown, never>)
        const before = filesOf(root)
        faulty.arm(fault?.at ?? null, fault?.code)
        const failure = yield* Effect.match(as(scenario.work(given)), {
          onFailure: (error) => error as { readonly _tag: string },
          onSuccess: () => null
        })
        const again = as(scenario.work(given))
        yield* use({ root, workspace, faulty, failure, before, again })
      }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts(), faulty.files)))
    )
  })

/** As if this process had died: its temporary files are nobody's. */
const die = (root: string) => {
  const staged = join(root, ".kanon", "staged")
  for (const name of existsSync(staged) ? readdirSync(staged) : [])
    renameSync(join(staged, name), join(staged, name.replace(/^\d+/, "0")))
}

describe("a file call that fails", () => {
  for (const name of Object.keys(scenarios) as ReadonlyArray<keyof typeof scenarios>)
    it(`in ${name}: is told or harmless, loses nothing, and is mended by the next start`, async () => {
      const calls: Array<string> = []
      let after: ReadonlyArray<string> = []
      await run(name, null, ({ failure, faulty, root }) =>
        Effect.sync(() => {
          expect(failure).toBeNull()
          calls.push(...faulty.calls)
          after = filesOf(root)
        })
      )
      expect(calls.length).toBeGreaterThan(3)
      // The short form tries a random share when there are very many.
      const shares = isLong ? 1 : Math.ceil(calls.length / callsMax)
      const share = Math.floor(Math.random() * shares)
      for (const [at, call] of [...calls.entries()].filter(([place]) => place % shares === share))
        for (const code of isLong ? faults : [faults[at % faults.length] ?? "EIO"])
          await run(name, { at, code }, ({ again, before, failure, faulty, root, workspace }) =>
            Effect.gen(function* () {
              const place = `${call} (${at}) ${code}`
              expect([place, faulty.hasFailed()]).toEqual([place, true])
              // A sync inside a replace may fail; its caller then gets a conflict.
              const told = failure === null ? "harmless" : `${failure._tag} ${failure.code ?? ""}`.trim()
              const known = [
                "harmless",
                `VaultUnavailable ${code}`,
                ...(name === "replace of a changed file" ? ["Conflict"] : [])
              ]
              expect([place, known.includes(told) ? "known" : told]).toEqual([place, "known"])
              faulty.arm(null)
              die(root)
              const as = asCaller(workspace)
              expect([place, (yield* as(reconcileFiles())).owed]).toEqual([place, []])
              if ("again" in scenarios[name]) yield* again
              yield* as(syncVault())
              const found = filesOf(root)
              expect([place, found]).toEqual([
                place,
                failure === null ? after : found.join() === before.join() ? before : after
              ])
              const { documents } = yield* catalog(workspace)
              expect([place, documents.map(({ path }) => path)]).toEqual([
                place,
                textsOf(root).map((text) => text.slice(0, text.indexOf(":")))
              ])
              expect([place, readdirSync(join(root, ".kanon", "staged"))]).toEqual([place, []])
            })
          )
    })
})
