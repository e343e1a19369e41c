import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { type Atomic, atomically, type Ids } from "../../core/platform/kernel/index.js"

import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { makeWorkspace } from "./workspace.js"

const nothing = { inputTokens: 0, outputTokens: 0, costUsd: "0" }

/** The laws of `WorkspaceStore.usage`. `layer` gives an empty store each time. */
export const usageStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`WorkspaceStore.usage: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("adds up by month, exactly, whoever adds at the same time", function* () {
      const [store, scope] = [(yield* WorkspaceStore).usage, yield* makeWorkspace]
      const add = store.add(scope, "2026-01", { inputTokens: 7, outputTokens: 2, costUsd: "0.0000000001" })
      yield* Effect.all(
        Array.from({ length: 20 }, () => atomically(add)),
        { concurrency: 8 }
      )
      yield* store.add(scope, "2026-02", { inputTokens: 1, outputTokens: 0, costUsd: "12345678.25" })
      expect(yield* store.of(scope, "2026-01")).toEqual({
        inputTokens: 140,
        outputTokens: 40,
        costUsd: "0.000000002"
      })
      expect(yield* store.of(scope, "2026-02")).toEqual({
        inputTokens: 1,
        outputTokens: 0,
        costUsd: "12345678.25"
      })
      expect(yield* store.of(scope, "2026-03")).toEqual(nothing)
    })

    law("keeps nothing of a unit of work that fails", function* () {
      const [store, scope] = [(yield* WorkspaceStore).usage, yield* makeWorkspace]
      const add = store.add(scope, "2026-01", { inputTokens: 7, outputTokens: 2, costUsd: "1" })
      yield* Effect.flip(atomically(Effect.zipRight(add, Effect.fail("no"))))
      expect(yield* store.of(scope, "2026-01")).toEqual(nothing)
    })

    law("shows nothing to another workspace", function* () {
      const [store, scope, foreign] = [
        (yield* WorkspaceStore).usage,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      yield* store.add(scope, "2026-01", { inputTokens: 7, outputTokens: 2, costUsd: "1" })
      expect(yield* store.of(foreign, "2026-01")).toEqual(nothing)
    })
  })
}
