import { type GuardName, guardNames } from "./guards.js"
import type { CacheCounts } from "./store.js"

/** Why the nearest entry was no hit: the guard that refused it, or that the models found it not near enough. */
export type Refusal = GuardName | "similarity"
export const refusals: ReadonlyArray<Refusal> = [...guardNames, "similarity"]

/** Under which names a workspace's cache is counted. */
export const countNames = {
  hits: "hits",
  misses: "misses",
  shadowHits: "shadow_hits",
  refused: (refusal: Refusal) => `refused_${refusal}`,
  /** Of these versions alone: what another model did says nothing of this one. */
  compared: (versions: string) => `compared_${versions}`,
  disagreed: (versions: string) => `disagreed_${versions}`
} as const

/** What was counted under a name. */
export const countOf = (counts: CacheCounts, name: string): number => counts[name] ?? 0
