import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { EntityStore, type StoredRequest } from "../../core/knowledge/entities/index.js"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const request = Effect.map(
  Ids,
  ({ make }): StoredRequest => ({
    id: make("changeRequest"),
    status: "open",
    kind: "update",
    entityId: make("entity"),
    payload: { name: "Größe 'é' 東京 🎉", aliases: ["a", "b"], description: "" },
    note: "Why? \u2028",
    reviewNote: null,
    proposedBy: "ann",
    reviewedBy: null,
    appliedEntityId: null,
    createdAt: lawsAt,
    reviewedAt: null
  })
)

/** One that is about nothing yet. */
const newOne = Effect.map(
  request,
  (one): StoredRequest => ({ ...one, kind: "create", payload: { name: "東京", type: "city" } })
)

const decisionOf = (status: "approved" | "rejected" | "withdrawn", { entityId }: StoredRequest) => ({
  status,
  reviewNote: status,
  reviewedBy: "bob",
  reviewedAt: "2026-02-01T00:00:00.000Z",
  appliedEntityId: status === "approved" ? entityId : null
})

/** The laws of `EntityStore.requests`. `layer` gives an empty store each time. */
export const changeRequestStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<EntityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`EntityStore.requests: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back a request, field by field, also one about nothing", function* () {
      const [store, scope] = [(yield* EntityStore).requests, yield* makeWorkspace]
      const bare = { ...(yield* newOne), entityId: null, note: null }
      const given = [yield* request, bare]
      yield* store.add(scope, given)
      yield* store.add(scope, [])
      for (const one of given) expect(yield* store.find(scope, one.id)).toEqual(Option.some(one))
      expect(yield* store.find(scope, (yield* request).id)).toEqual(Option.none())
    })

    law("lists requests, the newest first, and those of one status", function* () {
      const [store, scope] = [(yield* EntityStore).requests, yield* makeWorkspace]
      const [first, second, third] = [yield* request, yield* request, yield* request]
      yield* store.add(scope, [second, first, third])
      yield* store.decide(scope, second.id, decisionOf("rejected", second))
      const ids = (found: ReadonlyArray<StoredRequest>) => found.map(({ id }) => id)
      expect(ids(yield* store.list(scope, undefined))).toEqual([third.id, second.id, first.id])
      expect(ids(yield* store.list(scope, "open"))).toEqual([third.id, first.id])
      expect(ids(yield* store.list(scope, "rejected"))).toEqual([second.id])
      expect(yield* store.list(scope, "withdrawn")).toEqual([])
    })

    law("lets one of many deciders close an open request, and keeps what that one said", function* () {
      const [store, scope] = [(yield* EntityStore).requests, yield* makeWorkspace]
      const given = yield* request
      yield* store.add(scope, [given])
      const tries = (["approved", "rejected", "withdrawn", "approved"] as const).map((status) =>
        Effect.map(store.decide(scope, given.id, decisionOf(status, given)), (won) => (won ? [status] : []))
      )
      const [winner, ...others] = (yield* Effect.all(tries, { concurrency: "unbounded" })).flat()
      expect(others).toEqual([])
      const kept = Option.getOrThrow(yield* store.find(scope, given.id))
      expect(kept).toEqual({ ...given, ...decisionOf(winner ?? "approved", given) })
    })

    law("shows nothing to another workspace, and lets it decide nothing", function* () {
      const [store, scope, other] = [
        (yield* EntityStore).requests,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const given = yield* request
      yield* store.add(scope, [given])
      expect(yield* store.find(other, given.id)).toEqual(Option.none())
      expect(yield* store.list(other, undefined)).toEqual([])
      expect(yield* store.decide(other, given.id, decisionOf("rejected", given))).toBe(false)
      expect(yield* store.find(scope, given.id)).toEqual(Option.some(given))
    })

    law("keeps nothing of a unit of work that failed", function* () {
      const [store, scope] = [(yield* EntityStore).requests, yield* makeWorkspace]
      const [kept, given] = [yield* request, yield* request]
      yield* store.add(scope, [kept])
      yield* Effect.either(
        atomically(
          Effect.gen(function* () {
            yield* store.add(scope, [given])
            yield* store.decide(scope, kept.id, decisionOf("approved", kept))
            return yield* Effect.fail("no")
          })
        )
      )
      expect(yield* store.list(scope, undefined)).toEqual([kept])
    })
  })
}
