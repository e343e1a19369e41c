import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnswerTexts, answerTexts } from "../../../../core/language/text-analysis/index.js"
import { CacheBytes } from "../../../../core/platform/caching/index.js"
import { createEngine } from "../../../support/database.js"
import { withFolder } from "../../../support/documents.js"
import { runs } from "../../../support/runs.js"

/** Returns the size of a text cache with this byte limit after it read these texts. */
const weighs = (cacheBytes: number, texts: ReadonlyArray<string>) =>
  Effect.runSync(
    Effect.map(AnswerTexts, (memory) => {
      for (const text of texts) memory.passage(text)
      return memory.sizeBytes
    }).pipe(Effect.provide(Layer.provide(answerTexts(), Layer.succeed(CacheBytes, cacheBytes))))
  )

describe("what caches may keep", () => {
  it("bounds them, and is used", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200_000 }),
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 60, maxLength: 60 }),
        (cacheBytes, texts) => {
          const kept = weighs(cacheBytes, texts)
          expect(kept).toBeLessThanOrEqual(cacheBytes)
          // The share of passages of answers holds twenty of these by then.
          if (cacheBytes > 150_000) expect(kept).toBeGreaterThan(0)
        }
      ),
      { numRuns: runs(50) }
    )
  })

  it.each([undefined, 0, 1000])("changes no answer: %s bytes", (cacheBytes) =>
    withFolder(async (vault) => {
      const options = cacheBytes === undefined ? {} : { cacheBytes }
      const engine = await createEngine({ vault, data: ":memory:", worker: false, ...options })
      try {
        await engine.documents.create({
          path: "pump.md",
          content: "# Pump\n\nA pump is a machine that moves water.\n"
        })
        for (const _ of [1, 2]) {
          const { results } = await engine.search("pump")
          expect(results.map(({ docPath }) => docPath)).toEqual(["pump.md"])
          expect((await engine.ask("What is a pump?")).answer).toContain("machine that moves water")
        }
      } finally {
        await engine.close()
      }
    })
  )

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("is a number of bytes, not %s", (cacheBytes) =>
    withFolder(async (vault) => {
      await expect(createEngine({ vault, data: ":memory:", cacheBytes })).rejects.toMatchObject({
        code: "invalid_body",
        message: expect.stringContaining("cacheBytes")
      })
    })
  )
})
