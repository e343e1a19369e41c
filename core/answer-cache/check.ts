import * as Effect from "effect/Effect"
import { atomically, Caller, type Examiner, Ids } from "../kernel/index.js"
import { isItsOwn } from "./keys.js"
import { AnswerCacheStore, type CacheEntry } from "./store.js"

/** The kinds of what may be wrong with answers that may be given again. */
export const cacheFindings = { cache_entry_astray: "difference" } as const

type CacheExaminer = Examiner<keyof typeof cacheFindings>

const astrayMax = 1000
const entriesPerPage = 100

/**
 * Finds cached answers that rest on nothing, or on documents and entities that are gone or have changed: they ought to
 * have gone with the change; and those that are not their own. They are copies, so mending forgets them.
 */
export const checkCache = Effect.fn("cache.check")(function* (examiner: CacheExaminer) {
  const [store, { workspace }] = [yield* AnswerCacheStore, yield* Caller]
  if ((yield* store.strays(workspace)) > 0) yield* checkStrays(examiner)
  yield* checkOwn(examiner)
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

/** An answer, a question or an id in the place of another: the question would be answered with what another asked. */
const checkOwn = (examiner: CacheExaminer) =>
  Effect.gen(function* () {
    const [store, { workspace }, { sha256 }] = [yield* AnswerCacheStore, yield* Caller, yield* Ids]
    const alien: Array<string> = []
    for (let [after, isEnd] = ["", false]; !isEnd; ) {
      const page: ReadonlyArray<CacheEntry> = yield* store.after(workspace, after, entriesPerPage)
      alien.push(...page.filter((entry) => !isItsOwn(entry, sha256)).map(({ id }) => id))
      isEnd = page.length === 0
      after = page.at(-1)?.id ?? after
      yield* Effect.sleep(0)
    }
    if (alien.length === 0) return
    const message = "cached answers that are those of other questions"
    yield* examiner.tell("cache_entry_astray", { subject: "", message, count: alien.length })
    if (examiner.repair) yield* store.remove(workspace, alien)
  })
