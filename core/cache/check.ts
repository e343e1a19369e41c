import * as Effect from "effect/Effect"
import { atomically, Caller, type Examiner } from "../kernel/index.js"
import { AnswerCacheStore } from "./store.js"

/** The kinds of what may be wrong with answers that may be given again. */
export const cacheFindings = { cache_entry_astray: "difference" } as const

type CacheExaminer = Examiner<keyof typeof cacheFindings>

const astrayMax = 1000

/**
 * Finds cached answers that rest on nothing, or on documents and entities that are gone or have changed: they ought to
 * have gone with the change. They are copies, so mending forgets them.
 */
export const checkCache = Effect.fn("cache.check")(function* (examiner: CacheExaminer) {
  const [store, { workspace }] = [yield* AnswerCacheStore, yield* Caller]
  if ((yield* store.strays(workspace)) > 0) yield* checkStrays(examiner)
  if ((yield* store.astray(workspace, 1)).length === 0) return
  yield* atomically(
    Effect.gen(function* () {
      const ids = yield* store.astray(workspace, astrayMax)
      if (ids.length === 0) return
      yield* examiner.tell("cache_entry_astray", {
        subject: "",
        message: "cached answers that rest on what has changed since or is gone",
        count: ids.length
      })
      if (examiner.repair) yield* store.remove(workspace, ids)
    })
  )
})

const checkStrays = (examiner: CacheExaminer) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* AnswerCacheStore, yield* Caller]
      const count = yield* store.strays(workspace)
      if (count === 0) return
      const message = "what cached answers rest on, of answers that are gone"
      yield* examiner.tell("cache_entry_astray", { subject: "", message, count })
      if (examiner.repair) yield* store.removeStrays(workspace)
    })
  )
