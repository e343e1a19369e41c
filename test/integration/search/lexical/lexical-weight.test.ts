import { execFile } from "node:child_process"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { SegmentReader } from "../../../../core/search/lexical/index.js"
import { bundled } from "../../../support/bundled.js"
import { changeIndex, lexicalLayer } from "../../../support/retrieval.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"

const Found = z.array(z.object({ kind: z.string(), toldBytes: z.number(), heldBytes: z.number() }))

describe("what the lexical index keeps for searches", () => {
  it("counts for near what the process holds, for short lists as for long ones", async ({
    onTestFinished
  }) => {
    const child = await bundled("weight-child")
    onTestFinished(child.drop)
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", child.file])
    const found = Found.parse(JSON.parse(stdout))
    expect(found.length).toBeGreaterThan(10)
    // Memory of the allocator outside the heap is reported but not visible here, so more may be reported than is held.
    const wrong = found
      .map(({ heldBytes, kind, toldBytes }) => ({ kind, share: toldBytes / heldBytes }))
      .filter(({ share }) => share < 0.8 || share > 1.6)
    expect(wrong).toEqual([])
  })
  it("is let go for lists of a state that is over, and for no others", () =>
    runEffect(
      Effect.gen(function* () {
        const reader = yield* SegmentReader
        const [one, other] = [yield* makeWorkspace(), yield* makeWorkspace()]
        const lists = (workspace: typeof one, index: Effect.Effect.Success<ReturnType<typeof reader.open>>) =>
          Effect.map(reader.lists(workspace, index, ["wing"]), ([found]) => found)
        yield* changeIndex(one, [{ label: 1, title: "", text: "wing" }])
        yield* changeIndex(other, [{ label: 2, title: "", text: "wing" }])
        const [before, beside] = [yield* reader.open(one, null), yield* reader.open(other, null)]
        const [old, kept] = [yield* lists(one, before), yield* lists(other, beside)]
        expect(yield* lists(one, yield* reader.open(one, null))).toBe(old)
        yield* changeIndex(one, [{ label: 3, title: "", text: "wing" }])
        const after = yield* reader.open(one, null)
        expect(yield* lists(one, after)).toMatchObject({ frequency: 2 })
        expect(yield* lists(other, yield* reader.open(other, null))).toBe(kept)
        // A search that is under way finds what it found, but reads it again.
        const again = yield* lists(one, before)
        expect(again).toEqual(old)
        expect(again).not.toBe(old)
      }).pipe(Effect.provide(lexicalLayer()))
    ))
})
