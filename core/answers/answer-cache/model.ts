import { z } from "zod"
import { Timestamp } from "../../platform/kernel/index.js"
import { Settings } from "../../platform/workspace/index.js"
import { refusalReasons } from "./guards.js"

const Count = z.int().min(0)
const Share = z.number().min(0).max(1)

/** Statistics of a workspace's answer cache since the workspace was created. */
export const CacheStats = z.object({
  mode: Settings.shape.cacheMode.unwrap(),
  entries: Count,
  stale: Count.describe(
    "Entries that are never given again: expired, or of other models or another calibration."
  ),
  bytes: Count.describe("Of the kept answers with their questions."),
  hits: Count.describe("Answers that were given again."),
  misses: Count,
  shadowHits: Count.describe("Answers that would have been given again, and were only compared."),
  hitRate: Share.nullable().describe(
    "Share of lookups that found an answer, given or only compared; null before the first."
  ),
  falseHitRate: Share.nullable().describe(
    "Share of compared answers that said something else than the new one; null before the first."
  ),
  invalidations: z
    .object({ byDocument: Count, byEntity: Count, byPolicy: Count })
    .describe("Entries that changes took away, by what changed; settings and calibrations count as policy."),
  oldestAt: Timestamp.nullable(),
  newestAt: Timestamp.nullable(),
  lookups: Count,
  rejections: z
    .object(Object.fromEntries(refusalReasons.map((refusal) => [refusal, Count])))
    .describe(
      "Misses where the same evidence had an answer to a question that was kept apart, by what did it."
    ),
  shadow: z
    .object({
      compared: Count,
      disagreed: Count,
      upper95: Share.describe(
        "At most so large is the true share of disagreements, at 95 per cent confidence (Clopper and Pearson)."
      )
    })
    .describe("Comparisons by the present models and calibration.")
})
export type CacheStats = z.infer<typeof CacheStats>
