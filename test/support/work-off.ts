import * as Effect from "effect/Effect"
import { handlers } from "../../core/engine/engine/index.js"
import { JobStore, startWorker } from "../../core/platform/jobs/index.js"
import { Caller } from "../../core/platform/kernel/index.js"

/** Does the background work of the caller's workspace until none waits or runs. */
export const workOff = Effect.gen(function* () {
  const [store, { workspace }] = [yield* JobStore, yield* Caller]
  const changed = yield* store.watch
  yield* startWorker(handlers, { owner: "test" })
  for (;;) {
    const { running, waiting } = yield* store.depth(workspace)
    if (running + waiting === 0) return
    yield* changed
  }
}).pipe(Effect.scoped)
