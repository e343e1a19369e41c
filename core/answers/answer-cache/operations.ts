import { z } from "zod"
import { operation } from "../../platform/kernel/index.js"
import { CacheStats } from "./model.js"
import { cacheStats } from "./service.js"

/** Returns the cache statistics; see `cacheStats`. */
export const getCacheStats = operation({
  name: "getCacheStats",
  summary: "How the answer cache does: what it holds, how often it answers, and how often it would be wrong.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({}),
  output: CacheStats,
  faults: [],
  run: () => cacheStats()
})
