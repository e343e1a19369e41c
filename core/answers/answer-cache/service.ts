import * as Effect from "effect/Effect"
import { record } from "../../platform/audit/index.js"
import { invalidationCounts } from "../../platform/caching/index.js"
import { atomically, Caller, Ids, now } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { AnswerStore, answerVersions } from "../answering/index.js"
import { upperBound } from "../calibration/index.js"
import { countNames, countOf, refusalReasons } from "./guards.js"
import { versionsKey } from "./keys.js"
import type { CacheStats } from "./model.js"

/** Returns the statistics of the workspace's cache. */
export const cacheStats = Effect.fn("cache.stats")(function* () {
  const [store, { workspace }, { sha256 }] = [(yield* AnswerStore).cache, yield* Caller, yield* Ids]
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const versions = versionsKey(yield* answerVersions(workspace), sha256)
  const summary = yield* store.summary(workspace, { versions, at: yield* now })
  const counts = yield* store.counts(workspace)
  const countNamed = (name: string) => countOf(counts, name)
  const [hits, misses, shadowHits] = [
    countNamed(countNames.hits),
    countNamed(countNames.misses),
    countNamed(countNames.shadowHits)
  ]
  const [compared, disagreed] = [
    countNamed(countNames.compared(versions)),
    countNamed(countNames.disagreed(versions))
  ]
  const lookups = hits + misses + shadowHits
  const { byDocument, byEntity, byPolicy } = invalidationCounts
  return {
    mode: settings.cacheMode,
    ...summary,
    hits,
    misses,
    shadowHits,
    hitRate: lookups === 0 ? null : (hits + shadowHits) / lookups,
    falseHitRate: compared === 0 ? null : disagreed / compared,
    invalidations: {
      byDocument: countNamed(byDocument),
      byEntity: countNamed(byEntity),
      byPolicy: countNamed(byPolicy)
    },
    lookups,
    rejections: Object.fromEntries(
      refusalReasons.map((refusal) => [refusal, countNamed(countNames.refused(refusal))])
    ),
    shadow: { compared, disagreed, upper95: upperBound(disagreed, compared, 0.05) }
  } satisfies CacheStats
})

/** Removes every cached answer and keeps the counters. Returns the number of removed answers. */
export const clearCache = Effect.fn("cache.clear")(function* () {
  const [store, { workspace }] = [(yield* AnswerStore).cache, yield* Caller]
  return yield* atomically(
    Effect.gen(function* () {
      const cleared = yield* store.clear(workspace)
      if (cleared > 0)
        yield* record([{ action: "cache.clear", subjectId: workspace, details: { entries: cleared } }])
      return { cleared }
    })
  )
})

/** Removes expired answers, whose questions are personal data. Returns their number. */
export const forgetExpired = Effect.fn("cache.forgetExpired")(function* () {
  const [store, { workspace }] = [(yield* AnswerStore).cache, yield* Caller]
  return yield* store.expire(workspace, yield* now)
})
