import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type Atomic, atomically, Ids, scopeOf } from "../../core/platform/kernel/index.js"
import { Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { secretStoreLaws } from "./secret-store.js"
import { usageStoreLaws } from "./usage-store.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

/** The laws of `WorkspaceStore`. `layer` gives an empty store each time. */
export const workspaceStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<WorkspaceStore | Atomic | Ids, E>
): void => {
  secretStoreLaws(name, layer)
  usageStoreLaws(name, layer)
  describe(`WorkspaceStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("keeps who cut the passages of a workspace, and of no other", function* () {
      const [store, scope, other] = [yield* WorkspaceStore, yield* makeWorkspace, yield* makeWorkspace]
      expect(yield* store.chunker(scope)).toBeNull()
      yield* store.setChunker(scope, "house/by-speaker 1")
      expect([yield* store.chunker(scope), yield* store.chunker(other)]).toEqual(["house/by-speaker 1", null])
      yield* store.setChunker(scope, null)
      expect(yield* store.chunker(scope)).toBeNull()
    })

    law("gives back what was inserted and what replaced it, settings included", function* () {
      const [store, ids] = [yield* WorkspaceStore, yield* Ids]
      const settings = Settings.parse({ retrieval: { rrfK: 12.5 }, chunking: { maxChars: 900 } })
      const made = { id: ids.make("workspace"), name: "Größe 東京 '🎉", settings }
      yield* store.insert(made, lawsAt)
      expect(yield* store.get(scopeOf(made.id))).toEqual(made)
      const changed = { ...made, name: "b", settings: Settings.parse({ reviewIntervalDays: 7 }) }
      yield* store.update(changed, "2026-01-02T00:00:00.000Z")
      expect(yield* store.get(scopeOf(made.id))).toEqual(changed)
    })

    law("counts its states from 1: one more with each replacement", function* () {
      const [store, ids] = [yield* WorkspaceStore, yield* Ids]
      const made = { id: ids.make("workspace"), name: "a", settings: Settings.parse({}) }
      const other = { ...made, id: ids.make("workspace") }
      yield* store.insert(made, lawsAt)
      yield* store.insert(other, lawsAt)
      expect(yield* store.revision(scopeOf(made.id))).toBe(1)
      yield* store.update({ ...made, name: "b" }, lawsAt)
      yield* store.update(made, lawsAt)
      expect(yield* store.revision(scopeOf(made.id))).toBe(3)
      expect(yield* store.revision(scopeOf(other.id))).toBe(1)
    })

    law("knows the workspace that was made first, also after a change", function* () {
      const [store, ids] = [yield* WorkspaceStore, yield* Ids]
      expect(Option.isNone(yield* store.first)).toBe(true)
      const made = (name: string) => ({ id: ids.make("workspace"), name, settings: Settings.parse({}) })
      const [one, two] = [made("one"), made("two")]
      yield* store.insert(one, lawsAt)
      yield* store.insert(two, "2026-01-02T00:00:00.000Z")
      yield* store.update({ ...one, name: "renamed" }, "2026-01-03T00:00:00.000Z")
      expect(Option.map(yield* store.first, ({ name }) => name)).toEqual(Option.some("renamed"))
    })

    law("counts each counter from 0, by the step asked for", function* () {
      const [store, scope] = [yield* WorkspaceStore, yield* makeWorkspace]
      expect(yield* store.advance(scope, "a", 0)).toBe(0)
      expect(yield* store.advance(scope, "a", 3)).toBe(3)
      expect(yield* store.advance(scope, "a", 1)).toBe(4)
      expect(yield* store.advance(scope, "b", 1)).toBe(1)
    })

    law("gives every one of many takers a number of its own, and none for work undone", function* () {
      const [store, scope] = [yield* WorkspaceStore, yield* makeWorkspace]
      const takes = Array.from({ length: 20 }, () => atomically(store.advance(scope, "n", 1)))
      const taken = yield* Effect.all(takes, { concurrency: 8 })
      expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, place) => place + 1))
      yield* Effect.flip(atomically(Effect.zipRight(store.advance(scope, "n", 9), Effect.fail("no"))))
      expect(yield* store.advance(scope, "n", 1)).toBe(21)
    })

    law("keeps workspaces apart", function* () {
      const [store, own, foreign] = [yield* WorkspaceStore, yield* makeWorkspace, yield* makeWorkspace]
      yield* store.advance(own, "n", 5)
      expect(yield* store.advance(foreign, "n", 1)).toBe(1)
      yield* store.update({ ...(yield* store.get(own)), name: "mine" }, lawsAt)
      expect((yield* store.get(foreign)).name).toBe("laws")
    })
  })
}
