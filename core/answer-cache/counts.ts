import { type GuardName, guardNames } from "./guards.js"
import type { CacheCounts } from "./store.js"

/** Why the nearest entry was rejected: the guard that refused it, or too little similarity. */
export type Refusal = GuardName | "similarity"
export const refusals: ReadonlyArray<Refusal> = [...guardNames, "similarity"]

/** Names of the cache counters. */
export const countNames = {
  hits: "hits",
  misses: "misses",
  shadowHits: "shadow_hits",
  refused: (refusal: Refusal) => `refused_${refusal}`,
  /** Counted per version, because another model's comparisons do not apply. */
  compared: (versions: string) => `compared_${versions}`,
  disagreed: (versions: string) => `disagreed_${versions}`
} as const

/** Returns the value of a counter. */
export const countOf = (counts: CacheCounts, name: string): number => counts[name] ?? 0
