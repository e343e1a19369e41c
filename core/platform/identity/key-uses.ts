import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { type KeyId, millisOf, serviceLayer, timestampOf } from "../kernel/index.js"
import type { ApiKey } from "./model.js"
import { IdentityStore } from "./store.js"

/** Minimum interval between two recorded uses of a key. */
const noteEveryMs = 60_000
/** Keys whose last recorded use is cached; beyond that a use may be recorded more often than needed. */
const rememberedMax = 10_000

/** Records the use of keys in the background. */
export class KeyUses extends Context.Tag("kanon/KeyUses")<
  KeyUses,
  {
    /**
     * Records a use of the key soon, at most once a minute. Never waits and never fails, so that calls do not depend
     * on this write.
     */
    readonly note: (key: Pick<ApiKey, "id" | "lastUsedAt">) => Effect.Effect<void>
  }
>() {}

/** Provides `KeyUses`; closing waits for pending writes. */
export const keyUses = serviceLayer(
  KeyUses,
  Effect.gen(function* () {
    const store = yield* IdentityStore
    const writes = yield* FiberSet.make<void>()
    yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(writes))
    // Fibers belong to the layer, not to a request, which they may outlive.
    const start = yield* FiberSet.runtime(writes)<never>()
    const lastRecorded = new Map<KeyId, number>()
    return {
      note: ({ id, lastUsedAt }) =>
        Effect.map(Clock.currentTimeMillis, (atMs) => {
          if (atMs - (lastRecorded.get(id) ?? 0) < noteEveryMs) return
          lastRecorded.delete(id)
          // Uses recorded by other processes count too.
          const last = lastUsedAt === null ? 0 : millisOf(lastUsedAt)
          lastRecorded.set(id, atMs - last < noteEveryMs ? last : atMs)
          for (const oldest of lastRecorded.keys()) {
            if (lastRecorded.size <= rememberedMax) break
            lastRecorded.delete(oldest)
          }
          if (atMs - last < noteEveryMs) return
          const logFailure = (cause: unknown) =>
            Effect.logWarning("The use of a key could not be recorded.", cause)
          start(Effect.catchAllCause(store.touchKey(id, timestampOf(atMs)), logFailure))
        })
    }
  })
)
