import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sqlitePorts } from "../../adapters/sqlite/index.js"
import { documentOperations } from "../../core/documents/index.js"
import { atomically, runOperation, type WorkspaceScope } from "../../core/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import { mergeSegments, PostingStore, retrievalOperations } from "../../core/retrieval/index.js"
import { type Wired, wiring } from "../../core/wiring.js"
import { asCaller, makeWorkspace } from "../support/run.js"
import { runs } from "../support/runs.js"

type Services = Ports | Wired

/** Two programs on one data folder, as two processes are: nothing is shared between them but the file. */
const withTwo = async (
  proof: (
    both: ReadonlyArray<<A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>>,
    workspace: WorkspaceScope
  ) => Promise<void>
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-memory-"))
  const open = () =>
    ManagedRuntime.make(
      Layer.provideMerge(wiring, sqlitePorts({ vault: folder, data: join(folder, "data.d") }))
    )
  mkdirSync(join(folder, "data.d"))
  const programs = [open(), open()]
  try {
    const [first] = programs
    if (first === undefined) return
    const workspace = await first.runPromise(makeWorkspace())
    await proof(
      programs.map((program) => (effect) => program.runPromise(effect)),
      workspace
    )
  } finally {
    for (const program of programs) await program.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

const words = ["wing", "lift", "drag", "flow"]
const step = fc.record({
  by: fc.nat(1),
  kind: fc.constantFrom("create", "replace", "remove", "undo", "merge"),
  name: fc.nat(5),
  text: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((chosen) => chosen.join(" "))
})

describe("what searches remember", () => {
  it("is never older than the last change, whoever made it", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), (steps) =>
        withTwo(async (both, workspace) => {
          const model = new Map<string, { readonly id: string; readonly text: string }>()
          const as = asCaller(workspace)
          for (const { by, kind, name, text } of steps) {
            const run = both[by]
            if (run === undefined) continue
            const path = `n${name}.md`
            const held = model.get(path)
            const content = `# Note\n\n${text}\n`
            if (kind === "create" && held === undefined) {
              const { docId } = await run(
                as(runOperation(documentOperations.createDocument, { path, content }))
              )
              model.set(path, { id: docId, text })
            } else if (kind === "replace" && held !== undefined) {
              await run(as(runOperation(documentOperations.replaceDocument, { id: held.id, content })))
              model.set(path, { ...held, text })
            } else if (kind === "remove" && held !== undefined) {
              await run(as(runOperation(documentOperations.deleteDocument, { id: held.id })))
              model.delete(path)
            } else if (kind === "merge") await run(mergeSegments(workspace))
            else if (kind === "undo") await run(undoneChange(workspace))
            for (const program of both) {
              for (const q of words) {
                const { results } = await program(
                  as(runOperation(retrievalOperations.search, { q, limit: 50 }))
                )
                const expected = [...model].filter(([, now]) => now.text.split(" ").includes(q))
                expect(results.map(({ docPath }) => docPath).sort()).toEqual(
                  expected.map(([at]) => at).sort()
                )
                for (const { docPath, snippet } of results)
                  expect(snippet).toContain(model.get(docPath)?.text)
              }
            }
          }
        })
      ),
      { numRuns: runs(8) }
    ))
})

/** Takes every passage out of the index, looks, and undoes it. */
const undoneChange = (workspace: WorkspaceScope) =>
  Effect.ignore(
    atomically(
      Effect.gen(function* () {
        yield* (yield* PostingStore).clear(workspace)
        const { results } = yield* asCaller(workspace)(
          runOperation(retrievalOperations.search, { q: words.join(" "), limit: 50 })
        )
        expect(results).toEqual([])
        return yield* Effect.fail("undone")
      })
    )
  )
