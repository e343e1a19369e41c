import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type {
  DecisionId,
  DocumentId,
  Page,
  PageRequest,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { CalibrationStore } from "../calibration/index.js"
import type { PolicyDecision } from "./decision.js"
import type { PolicyMode, Verdict } from "./model.js"

/** Filter of decisions; absent fields are not filtered. */
export interface DecisionFilter {
  readonly verdict?: Verdict
  readonly mode?: PolicyMode
  /** Only decisions about answers that listed this document. */
  readonly document?: DocumentId
  /** Only decisions about questions of this key or person; not those whose answers are not kept. */
  readonly askedBy?: string
  /** Only decisions about questions that hold this, without regard to case. */
  readonly q?: string
  /** Inclusive lower bound. */
  readonly from?: string
  /** Exclusive upper bound. */
  readonly to?: string
}

/** Decisions of one day with equal values in these fields, and their totals. */
export interface DecisionGroup {
  /** The UTC day, such as `2026-11-22`. */
  readonly day: string
  readonly mode: PolicyDecision["mode"]
  readonly verdict: Verdict
  readonly gate: PolicyDecision["gate"]
  readonly applied: boolean
  /** Distinct kinds of the reasons. */
  readonly reasonKinds: ReadonlyArray<string>
  readonly caveatCodes: ReadonlyArray<string>
  /** Decile of the confidence, 0 to 9: the first i with confidence <= (i + 1) / 10. */
  readonly confidenceBin: number
  readonly count: number
  readonly confidenceSum: number
  /** Number of claims, and of verified ones among them. */
  readonly claims: number
  readonly verified: number
  /** Number of decisions with conflicts. */
  readonly conflicting: number
}

/** Stores the gate's decisions, one per judged question. */
export interface DecisionLog {
  /** Adds decisions in the caller's unit of work. */
  readonly add: (workspace: WorkspaceScope, decisions: ReadonlyArray<PolicyDecision>) => Effect.Effect<void>
  readonly find: (workspace: WorkspaceScope, id: DecisionId) => Effect.Effect<Option<PolicyDecision>>
  /** Lists decisions, newest first. */
  readonly list: (
    workspace: WorkspaceScope,
    filter: DecisionFilter,
    page: PageRequest
  ) => Effect.Effect<Page<PolicyDecision>>
  /** Returns decisions in a period (inclusive start, exclusive end), in groups. */
  readonly groups: (
    workspace: WorkspaceScope,
    from: string,
    to: string
  ) => Effect.Effect<ReadonlyArray<DecisionGroup>>
  /** Deletes the oldest decisions before a moment, at most `limit`; returns their number. */
  readonly prune: (workspace: WorkspaceScope, before: string, limit: number) => Effect.Effect<number>
  /**
   * Removes what reveals the question from decisions that still contain it, at most `limit`; returns their number.
   */
  readonly redact: (workspace: WorkspaceScope, limit: number) => Effect.Effect<number>
}

/**
 * An adapter of a database implements it to keep the decisions of the policy gate and the calibrations that it decides
 * by.
 */
export class PolicyStore extends Context.Tag("kanon/PolicyStore")<
  PolicyStore,
  {
    /** Decisions, one per judged question. */
    readonly decisions: DecisionLog
    /** Fitted calibrations of confidence, at most one of them active. */
    readonly calibrations: CalibrationStore
  }
>() {}
