import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { type KeyId, millisOf, serviceLayer, timestampOf } from "../kernel/index.js"
import type { ApiKey } from "./model.js"
import { IdentityStore } from "./store.js"

/** A use is noted no more often than this. */
const noteEveryMs = 60_000
/** Keys whose last noted use is remembered; beyond that a use may be noted once more than needed. */
const rememberedMax = 10_000

/** Notes that keys are in use, beside the calls that use them. */
export class KeyUses extends Context.Tag("kanon/KeyUses")<
  KeyUses,
  {
    /**
     * Has a use of the key noted soon, once a minute at most. Never waits and never fails: a call must not wait for
     * the writes of others, nor fail where nothing can be written.
     */
    readonly note: (key: Pick<ApiKey, "id" | "lastUsedAt">) => Effect.Effect<void>
  }
>() {}

/** Closing waits for the uses that are still to be noted. */
export const keyUses = serviceLayer(
  KeyUses,
  Effect.gen(function* () {
    const store = yield* IdentityStore
    const writes = yield* FiberSet.make<void>()
    yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(writes))
    // Of the layer, not of a call: what is noted belongs to no request and outlives it.
    const start = yield* FiberSet.runtime(writes)<never>()
    const noted = new Map<KeyId, number>()
    return {
      note: ({ id, lastUsedAt }) =>
        Effect.map(Clock.currentTimeMillis, (atMs) => {
          if (atMs - (noted.get(id) ?? 0) < noteEveryMs) return
          noted.delete(id)
          // What another process noted counts too.
          const last = lastUsedAt === null ? 0 : millisOf(lastUsedAt)
          noted.set(id, atMs - last < noteEveryMs ? last : atMs)
          for (const oldest of noted.keys()) {
            if (noted.size <= rememberedMax) break
            noted.delete(oldest)
          }
          if (atMs - last < noteEveryMs) return
          const told = (cause: unknown) => Effect.logWarning("The use of a key could not be noted.", cause)
          start(Effect.catchAllCause(store.touchKey(id, timestampOf(atMs)), told))
        })
    }
  })
)
