import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { sqlIdentityStore } from "../../../../adapters/sql/platform/identity/identity-store.js"
import { AccessStore } from "../../../../core/platform/access/index.js"
import { admit, IdentityStore, keyUses, mintAsHost } from "../../../../core/platform/identity/index.js"
import { Ids } from "../../../../core/platform/kernel/index.js"
import { asCaller, baseLayer, makeWorkspace, runEffect } from "../../../support/run.js"

/** A store whose notes of uses wait for the gate, if they do not fail, and are told. */
const slowNotes = (gate: Deferred.Deferred<void>, told: Array<string>, fails = false) =>
  Layer.effect(
    IdentityStore,
    Effect.map(
      IdentityStore,
      (store) =>
        ({
          ...store,
          touchKey: (id, at) =>
            Effect.sync(() => told.push(at)).pipe(
              Effect.zipRight(Deferred.await(gate)),
              Effect.zipRight(fails ? Effect.die("no space") : store.touchKey(id, at))
            )
        }) satisfies IdentityStore["Type"]
    )
  )

const withUses = (
  fails: boolean,
  proof: (given: {
    readonly call: Effect.Effect<void>
    readonly told: ReadonlyArray<string>
    readonly open: Effect.Effect<void>
    readonly close: Effect.Effect<void>
    readonly lastUsedAt: Effect.Effect<string | null>
  }) => Effect.Effect<void>
) => {
  const told: Array<string> = []
  return runEffect(
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const workspace = yield* makeWorkspace()
      const owner = { kind: "workspace", workspace } as const
      const { key, secret } = yield* asCaller(workspace)(
        mintAsHost({ name: "one", scopes: ["kb:read"], expiresAt: null, owner })
      )
      const scope = yield* Scope.make()
      const uses = yield* Layer.buildWithScope(Layer.provide(keyUses, slowNotes(gate, told, fails)), scope)
      const store = yield* IdentityStore
      const access = yield* AccessStore
      const ids = yield* Ids
      yield* proof({
        call: admit(secret, undefined, "api").pipe(
          Effect.provide(uses),
          Effect.provideService(Ids, ids),
          Effect.provideService(IdentityStore, store),
          Effect.provideService(AccessStore, access),
          Effect.orDie,
          Effect.asVoid
        ),
        told,
        open: Effect.asVoid(Deferred.succeed(gate, undefined)),
        close: Scope.close(scope, Exit.void),
        lastUsedAt: Effect.map(Effect.flatten(store.key(key.id)), (one) => one.lastUsedAt).pipe(Effect.orDie)
      })
    }).pipe(Effect.provide(Layer.provideMerge(sqlIdentityStore, baseLayer())), Effect.scoped)
  )
}

describe("the use of a key", () => {
  it("is noted once for many calls, which do not wait for it, and before the host is closed", () =>
    withUses(false, ({ call, close, lastUsedAt, open, told }) =>
      Effect.gen(function* () {
        // None of these could return if it waited: the gate is shut.
        yield* Effect.all(
          Array.from({ length: 20 }, () => call),
          { concurrency: 8 }
        )
        yield* call
        expect(yield* lastUsedAt).toBeNull()
        const closing = yield* Effect.fork(close)
        yield* Effect.yieldNow()
        yield* open
        yield* closing.await
        expect(told).toHaveLength(1)
        expect(yield* lastUsedAt).toBe(told[0])
      })
    ))

  it("is no reason for a call to fail, nor to be tried again at once", () =>
    withUses(true, ({ call, close, lastUsedAt, open, told }) =>
      Effect.gen(function* () {
        yield* open
        for (let i = 0; i < 5; i++) yield* call
        yield* close
        expect(told).toHaveLength(1)
        expect(yield* lastUsedAt).toBeNull()
      })
    ))
})
