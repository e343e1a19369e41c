import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import type { Settings } from "../../platform/workspace/index.js"
import type { Claim, Evidence } from "../evidence/index.js"
import type { ClaimCheck } from "../grounding/index.js"
import type { PolicyBlock } from "../policy/index.js"

/** An answer as a model wrote it, with citations by the ids of the present evidence. */
export interface WrittenAnswer {
  /** Prose with markers. */
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
  /** One for each claim, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
}

/** A question that is about to be answered. */
export interface CacheQuestion {
  readonly evidence: Evidence
  /** Options of the request that change the answer. */
  readonly policyMode: PolicyBlock["mode"]
  readonly maxSources: number
  readonly includeData: boolean
  /** Settings as of the question's arrival. */
  readonly settings: Settings
  /** Names and versions of all that answers follow: models, prompt, verifier, pipeline, calibration. */
  readonly versions: Readonly<Record<string, string | null>>
}

/** The finished answer to a question, from a model or from the cache. */
export interface CacheOutcome extends WrittenAnswer {
  readonly answerable: boolean
  readonly policy: PolicyBlock
  /** True when a part of the pipeline was unavailable, so that a later answer may be better. */
  readonly degraded: boolean
}

/** Result of one cache lookup. */
export interface CacheLookup {
  /** `shadow_hit`: an answer is there, and only compared. */
  readonly status: "off" | "miss" | "shadow_hit" | "hit"
  /** The answer to give instead of asking a model; none but for a `hit`. */
  readonly cachedAnswer: WrittenAnswer | null
  /** Keeps, compares and counts, in the unit of work that keeps the answer. */
  readonly settle: (outcome: CacheOutcome) => Effect.Effect<void>
}

/** A cache that has nothing and keeps nothing. */
export const noCacheLookup: CacheLookup = { status: "off", cachedAnswer: null, settle: () => Effect.void }

/** Answers that were given before to the same question on the same evidence; by default there are none. */
export class AnswerCache extends Context.Reference<AnswerCache>()("kanon/AnswerCache", {
  defaultValue: () => ({
    /** Never fails: a cache that is down has nothing. */
    open: (_workspace: WorkspaceScope, _question: CacheQuestion): Effect.Effect<CacheLookup> =>
      Effect.succeed(noCacheLookup)
  })
}) {}
