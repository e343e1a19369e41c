import * as Effect from "effect/Effect"
import { Caller, Ids, type Inspector, inspectCount } from "../../platform/kernel/index.js"
import { AnswerStore, type CacheEntry } from "../answering/index.js"
import { matchesItsKeys } from "./keys.js"

/** Kinds of findings about cached answers. */
export const answerCacheFindings = { cache_entry_astray: "difference" } as const

type AnswerCacheInspector = Inspector<keyof typeof answerCacheFindings>

const staleMax = 1000
const entriesPerPage = 100

/**
 * Finds cached answers whose documents or entities are missing or have changed, and answers stored under the key of
 * another question. A rebuild removes them; they are copies.
 */
export const inspectAnswerCache = Effect.fn("answerCache.inspect")(function* (
  inspector: AnswerCacheInspector
) {
  const [store, { workspace }] = [(yield* AnswerStore).cache, yield* Caller]
  const astray = store.astray(workspace, staleMax)
  yield* inspectKeys(inspector)
  yield* inspectCount(inspector, "cache_entry_astray", {
    count: Effect.map(astray, (ids) => ids.length),
    message: "Cached answers rest on documents or entities that are missing or have changed since.",
    rebuild: Effect.flatMap(astray, (ids) => store.remove(workspace, ids))
  })
})

const inspectKeys = (inspector: AnswerCacheInspector) =>
  Effect.gen(function* () {
    const [store, { workspace }, { sha256 }] = [(yield* AnswerStore).cache, yield* Caller, yield* Ids]
    const misplaced: Array<string> = []
    for (let [after, isEnd] = ["", false]; !isEnd; ) {
      const page: ReadonlyArray<CacheEntry> = yield* store.after(workspace, after, entriesPerPage)
      misplaced.push(...page.filter((entry) => !matchesItsKeys(entry, sha256)).map(({ id }) => id))
      isEnd = page.length === 0
      after = page.at(-1)?.id ?? after
      yield* Effect.sleep(0)
    }
    if (misplaced.length === 0) return
    yield* inspector.report("cache_entry_astray", {
      subject: "",
      message: "Cached answers are stored under the key of another question.",
      count: misplaced.length
    })
    if (inspector.rebuild) yield* store.remove(workspace, misplaced)
  })
