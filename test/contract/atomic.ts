import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { type Atomic, atomically, Ids, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const add = (scope: WorkspaceScope, by: number) =>
  Effect.flatMap(WorkspaceStore, (store) => store.advance(scope, "n", by))
const value = (scope: WorkspaceScope) => add(scope, 0)

/** The laws of `Atomic`, tried on the counters of the `WorkspaceStore` that shares its database. */
export const atomicContract = <E>(
  name: string,
  layer: () => Layer.Layer<Atomic | WorkspaceStore | Ids, E>
): void => {
  describe(`Atomic: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives what the work gives, and lets it read what it wrote", function* () {
      const scope = yield* makeWorkspace
      const seen = yield* atomically(Effect.zipRight(add(scope, 2), add(scope, 3)))
      expect([seen, yield* value(scope)]).toEqual([5, 5])
    })

    law("leaves nothing of work that fails, with the failure as it was", function* () {
      const scope = yield* makeWorkspace
      yield* add(scope, 1)
      const failure = yield* Effect.flip(
        atomically(Effect.zipRight(add(scope, 5), Effect.fail("no" as const)))
      )
      expect([failure, yield* value(scope)]).toEqual(["no", 1])
    })

    law("leaves nothing of work that dies", function* () {
      const scope = yield* makeWorkspace
      const exit = yield* Effect.exit(atomically(Effect.zipRight(add(scope, 5), Effect.die("broken"))))
      expect([Exit.isFailure(exit), yield* value(scope)]).toEqual([true, 0])
    })

    law("leaves nothing of work that is interrupted, and serves the next", function* () {
      const scope = yield* makeWorkspace
      const written = yield* Deferred.make<void>()
      const work = Effect.zipRight(
        add(scope, 5),
        Effect.zipRight(Deferred.succeed(written, undefined), Effect.never)
      )
      const fiber = yield* Effect.fork(atomically(work))
      yield* Deferred.await(written)
      yield* Fiber.interrupt(fiber)
      expect(yield* atomically(add(scope, 1))).toBe(1)
    })

    law("joins a nested unit to the outer one", function* () {
      const scope = yield* makeWorkspace
      yield* Effect.flip(atomically(Effect.zipRight(atomically(add(scope, 5)), Effect.fail("no"))))
      expect(yield* value(scope)).toBe(0)
      expect(yield* atomically(Effect.zipRight(add(scope, 1), atomically(add(scope, 1))))).toBe(2)
    })

    law("runs units that come at once as if one came after the other", function* () {
      const scope = yield* makeWorkspace
      const unit = atomically(
        Effect.gen(function* () {
          const before = yield* value(scope)
          yield* Effect.yieldNow()
          return [before, yield* add(scope, 1)] as const
        })
      )
      const seen = yield* Effect.all(
        Array.from({ length: 16 }, () => unit),
        { concurrency: 8 }
      )
      for (const [before, after] of seen) expect(after).toBe(before + 1)
      expect(yield* value(scope)).toBe(16)
    })

    law("shows nobody outside what is not committed, whoever gives way in between", function* () {
      const [store, ids] = [yield* WorkspaceStore, yield* Ids]
      const begun = Array.from({ length: 40 }, () => ids.make("workspace"))
      let ended = false
      const seen: Array<boolean> = []
      const writer = Effect.forEach(begun, (id) =>
        atomically(
          Effect.zipRight(
            store.insert({ id, name: "begun", settings: Settings.parse({}) }, lawsAt),
            Effect.zipRight(Effect.yieldNow(), Effect.fail("no"))
          )
        ).pipe(Effect.flip, Effect.zipRight(Effect.yieldNow()))
      ).pipe(Effect.ensuring(Effect.sync(() => (ended = true))))
      const reader = Effect.gen(function* () {
        for (let at = 0; !ended; at++) {
          // Some scheduler steps more each time, so that a read is met at each of its own.
          yield* Effect.replicateEffect(Effect.yieldNow(), at % 7)
          seen.push((yield* store.list).some(({ name }) => name === "begun"))
        }
      })
      yield* Effect.all([writer, reader, reader], { concurrency: "unbounded" })
      expect(seen.length).toBeGreaterThan(0)
      expect(seen.filter((one) => one)).toEqual([])
    })
  })
}
