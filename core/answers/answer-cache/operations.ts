import { z } from "zod"
import { operation } from "../../platform/kernel/index.js"
import { CacheStats } from "./model.js"
import { cacheStats } from "./service.js"

/** Returns the cache statistics; see `cacheStats`. */
export const getCacheStats = operation({
  name: "getCacheStats",
  summary: "Get the size, hit rate and measured error rate of the answer cache.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({}),
  output: CacheStats,
  faults: [],
  run: () => cacheStats()
})
