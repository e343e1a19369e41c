import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { ContradictionStore, type StoredContradiction } from "../../core/answers/contradictions/index.js"
import { type Atomic, atomically, type DocumentId, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { makeWorkspace } from "./workspace.js"

const between = (pairKey: string, documents: readonly [DocumentId, DocumentId], day: string) =>
  Effect.map(
    Ids,
    (ids): StoredContradiction => ({
      id: ids.make("contradiction"),
      pairKey,
      kind: "number",
      subject: "crane",
      attribute: "load",
      sides: documents.map((docId, place) => ({
        docId,
        docPath: `${place}.md`,
        chunkId: ids.make("chunk"),
        quote: `It lifts ${place} t.`,
        value: `${place} t`,
        standing: "unverified" as const,
        at: `2025-01-0${day}T00:00:00.000Z`
      })),
      status: "open",
      reason: null,
      settledBy: null,
      firstSeenAt: `2025-01-0${day}T00:00:00.000Z`
    })
  )

/** The laws of `ContradictionStore`. `layer` gives an empty store each time. */
export const contradictionStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<ContradictionStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`ContradictionStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("keeps one for each pair, oldest first, and finds it by id, pair and documents", function* () {
      const [store, ids, scope, foreign] = [
        yield* ContradictionStore,
        yield* Ids,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const [a, b, c] = [ids.make("document"), ids.make("document"), ids.make("document")]
      const [late, early] = [yield* between("x", [a, b], "2"), yield* between("y", [b, c], "1")]
      yield* atomically(store.save(scope, [late, early]))
      expect((yield* store.list(scope, undefined, { limit: 10, offset: 0 })).items).toEqual([early, late])
      expect(yield* store.ofDocuments(scope, [a])).toEqual([late])
      expect(yield* store.ofDocuments(scope, [b])).toHaveLength(2)
      expect(yield* store.byKeys(scope, ["y", "z"])).toEqual([early])
      const ended = { ...late, status: "settled", reason: "mended", settledBy: "ann" } as const
      yield* atomically(store.save(scope, [ended]))
      expect(yield* store.list(scope, "open", { limit: 10, offset: 0 })).toEqual({ items: [early], total: 1 })
      expect(Option.getOrNull(yield* store.find(scope, late.id))).toEqual(ended)
      expect(Option.isNone(yield* store.find(foreign, late.id))).toBe(true)
      expect(yield* store.ofDocuments(foreign, [a, b, c])).toEqual([])
    })

    law("knows how far documents were compared, for each workspace", function* () {
      const [store, scope, foreign] = [yield* ContradictionStore, yield* makeWorkspace, yield* makeWorkspace]
      expect(yield* store.position(scope)).toBe(0)
      yield* atomically(store.setPosition(scope, 7))
      yield* atomically(store.setPosition(scope, 9))
      expect([yield* store.position(scope), yield* store.position(foreign)]).toEqual([9, 0])
    })
  })
}
