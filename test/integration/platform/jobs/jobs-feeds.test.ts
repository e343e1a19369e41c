import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { wiring } from "../../../../core/engine/engine/index.js"
import { documentsChanged } from "../../../../core/files/documents/index.js"
import { entitiesChanged } from "../../../../core/knowledge/entities/index.js"
import { announce, JobStore, jobKinds, type Lease } from "../../../../core/platform/jobs/index.js"
import { portsOf } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { asCaller, makeWorkspace } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const step = fc.record({
  by: fc.nat(1),
  what: fc.constantFrom("documents", "entities", "claim", "end")
})

it("has one extraction of a workspace run at a time, whoever announced what and whichever process works", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const folder = temporaryFolder("feeds")
      const data = join(folder, "data.d")
      mkdirSync(data)
      const programs = [0, 1].map(() =>
        ManagedRuntime.make(Layer.provideMerge(wiring, portsOf({ vault: folder, data })))
      )
      try {
        const [first] = programs
        if (first === undefined) return
        const workspace = await first.runPromise(makeWorkspace())
        const here = asCaller(workspace)
        const held: Array<Lease> = []
        for (const { by, what } of steps) {
          const program = programs[by] ?? first
          const store = await program.runPromise(JobStore)
          if (what === "documents") await program.runPromise(here(announce(documentsChanged, {})))
          else if (what === "entities") await program.runPromise(here(announce(entitiesChanged, {})))
          else if (what === "claim") {
            const asked = {
              kind: jobKinds.extraction,
              limit: 2,
              workspaceMax: 2,
              maxAttempts: 5,
              leaseMs: 60_000
            }
            held.push(...(await program.runPromise(store.claim({ ...asked, owner: `process ${by}` }))))
            expect(held.length).toBeLessThanOrEqual(1)
          } else
            for (const lease of held.splice(0))
              expect(await program.runPromise(store.succeed(lease))).toBe(true)
        }
        const { running, waiting } = await first.runPromise(
          Effect.flatMap(JobStore, (store) => store.depth(workspace, [jobKinds.extraction]))
        )
        expect(running).toBe(held.length)
        expect(waiting).toBeLessThanOrEqual(1)
      } finally {
        for (const program of programs) await program.dispose()
      }
    }),
    { numRuns: Math.min(runs(8), 60) }
  ))
