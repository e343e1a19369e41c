import type * as Effect from "effect/Effect"
import { type CacheStats, clearCache } from "../answer-cache/index.js"
import type { Caller, Fault } from "../kernel/index.js"
import { operations } from "../operations.js"
import type { Ports } from "../ports.js"
import type { Call } from "./calls.js"

/** The calls of the embedded engine that are about answers that may be given again. */
export interface CacheCalls {
  readonly cache: {
    readonly stats: () => Promise<CacheStats>
    /** Forgets every cached answer; the counts stay. */
    readonly clear: () => Promise<{ readonly cleared: number }>
  }
}

export const cacheCalls = (
  call: Call,
  run: <A>(effect: Effect.Effect<A, Fault, Ports | Caller>) => Promise<A>
): CacheCalls => ({
  cache: {
    stats: () => call(operations.getCacheStats, {}),
    clear: () => run(clearCache())
  }
})
