import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { documentOperations, reconcileFiles, syncVault } from "../../core/documents/index.js"
import { runOperation, type WorkspaceScope } from "../../core/kernel/index.js"
import { catalog, documentsLayer, LabelledTexts, withFolder } from "../support/documents.js"
import { type Fault, type FaultyFiles, faults, faultyFiles } from "../support/faulty-files.js"
import { asCaller, makeWorkspace, runEffect } from "../support/run.js"
import { isLong } from "../support/runs.js"

const { createDocument, deleteDocument, moveDocument, replaceDocument, restoreDocument } = documentOperations

type Services = Layer.Layer.Success<ReturnType<typeof documentsLayer>>
interface Given {
  readonly root: string
  readonly live: string
  readonly trashed: string
}

const write = (root: string, path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** What is done, and what was done to the files before. */
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
  }) => Effect.Effect<void, unknown, Services>
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
          before?: (given: Given) => void
          work: (given: Given) => Effect.Effect<unknown, unknown, never>
        } = scenarios[name] as never
        scenario.before?.(given)
        const before = textsOf(root)
        faulty.arm(fault?.at ?? null, fault?.code)
        const failure = yield* Effect.match(as(scenario.work(given)), {
          onFailure: (error) => error as { readonly _tag: string },
          onSuccess: () => null
        })
        yield* use({ root, workspace, faulty, failure, before })
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
          after = textsOf(root)
        })
      )
      expect(calls.length).toBeGreaterThan(3)
      for (const [at, call] of calls.entries())
        for (const code of isLong ? faults : [faults[at % faults.length] ?? "EIO"])
          await run(name, { at, code }, ({ before, failure, faulty, root, workspace }) =>
            Effect.gen(function* () {
              const place = `${call} (${at}) ${code}`
              expect([place, faulty.hasFailed()]).toEqual([place, true])
              // What a replace cannot take in first, because a sync inside it failed, is a conflict to its caller.
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
              yield* as(syncVault())
              const found = textsOf(root)
              expect([place, found]).toEqual([
                place,
                failure === null ? after : found.join() === before.join() ? before : after
              ])
              const { documents } = yield* catalog(workspace)
              expect([place, documents.map(({ path }) => path)]).toEqual([
                place,
                found.map((text) => text.slice(0, text.indexOf(":")))
              ])
              expect([place, readdirSync(join(root, ".kanon", "staged"))]).toEqual([place, []])
            })
          )
    })
})
