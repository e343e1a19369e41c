import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"

import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { makeWorkspace } from "./workspace.js"

const at = "2026-01-01T00:00:00.000Z"

/** The laws of `WorkspaceStore.secrets`. `layer` gives an empty store each time. */
export const secretStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`WorkspaceStore.secrets: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("keeps a seal until it is erased, and shows nothing to another workspace", function* () {
      const [store, scope, foreign] = [
        (yield* WorkspaceStore).secrets,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const ids = yield* Ids
      const [one, two] = [ids.make("secret"), ids.make("secret")]
      yield* store.insert(scope, { id: one, sealed: "v1.a" }, at)
      yield* store.insert(scope, { id: two, sealed: "v1.b" }, at)
      expect(yield* store.list(scope)).toEqual([
        { id: one, sealed: "v1.a" },
        { id: two, sealed: "v1.b" }
      ])
      expect(yield* store.find(scope, two)).toEqual(Option.some("v1.b"))
      expect(yield* store.list(foreign)).toEqual([])
      expect(yield* store.find(foreign, one)).toEqual(Option.none())
      yield* store.remove(foreign, one)
      yield* store.remove(scope, two)
      yield* store.remove(scope, two)
      expect(yield* store.list(scope)).toEqual([{ id: one, sealed: "v1.a" }])
    })

    law("lets one of several seal anew what they all read", function* () {
      const [store, scope] = [(yield* WorkspaceStore).secrets, yield* makeWorkspace]
      const id = (yield* Ids).make("secret")
      yield* store.insert(scope, { id, sealed: "before" }, at)
      const won = yield* Effect.all(
        ["a", "b", "c", "d"].map((sealed) => atomically(store.reseal(scope, { id, sealed }, "before"))),
        { concurrency: 4 }
      )
      expect(won.filter(Boolean)).toHaveLength(1)
      const [winner] = ["a", "b", "c", "d"].filter((_, place) => won[place])
      expect(yield* store.find(scope, id)).toEqual(Option.some(winner))
    })
  })
}
