import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { extractGraph } from "../../../../core/knowledge/extraction/index.js"
import { Atomic, Ids } from "../../../../core/platform/kernel/index.js"
import { graphPicture } from "../../../support/graph-picture.js"
import { graphLayer, MemoryVault } from "../../../support/graph-vault.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const texts = Array.from(
  { length: 24 },
  (_, at) =>
    `---\ntitle: Note ${at} on Things\ntags: [t${at % 3}]\n---\nThe Apollo Program and the Zeta Engine. [[Note ${(at + 1) % 24} on Things]] [[Nowhere ${at % 5}]]`
)

class PulledPlug extends Error {}

describe("extraction that is stopped", () => {
  it("goes on after any unit of work, also a half done one, and ends at the same graph", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 12 }), fc.boolean()), { maxLength: 4 }), (stops) =>
        runEffect(
          Effect.gen(function* () {
            const vault = new MemoryVault(yield* Ids)
            const [stopped, whole] = [yield* makeWorkspace("stopped"), yield* makeWorkspace("whole")]
            const atomic = yield* Atomic
            const both = Effect.provide(vault.layer)
            const ids = texts.map((text, at) => vault.create(`${at}.md`, text))
            for (const [at, [units, within]] of stops.entries()) {
              let left = units
              const unit = <A, E, R>(work: Effect.Effect<A, E, R>) =>
                Effect.suspend(() => {
                  const pull = Effect.die(new PulledPlug())
                  if (left-- > 0) return atomic.run(work)
                  // Before the unit, or at its very end: then everything of it has to be undone.
                  return within ? atomic.run(Effect.zipLeft(work, pull)) : pull
                })
              yield* both(extractGraph(stopped, { unit })).pipe(
                Effect.catchSomeDefect((defect) =>
                  defect instanceof PulledPlug ? Option.some(Effect.void) : Option.none()
                )
              )
              const id = ids[at]
              if (id !== undefined) vault.remove(id)
            }
            yield* both(extractGraph(stopped))
            yield* both(extractGraph(whole))
            expect(yield* both(graphPicture(stopped))).toEqual(yield* both(graphPicture(whole)))
          }).pipe(Effect.provide(graphLayer()), Effect.orDie)
        )
      ),
      { numRuns: runs(10) }
    )
  })
})
