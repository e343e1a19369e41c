import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DecisionId, DocumentId, Page, PageRequest, WorkspaceScope } from "../kernel/index.js"
import type { PolicyDecision } from "./decision.js"
import type { PolicyMode, Verdict } from "./model.js"

/** Narrows the decisions; absent fields narrow nothing. */
export interface DecisionFilter {
  readonly verdict?: Verdict
  readonly mode?: PolicyMode
  /** Only those whose answers listed this document. */
  readonly document?: DocumentId
  /** Only at this moment or later. */
  readonly from?: string
  /** Only before this moment. */
  readonly to?: string
}

/** Decisions of one day that are alike in all of this, and what they come to. */
export interface DecisionGroup {
  /** The UTC day, as `2026-11-22`. */
  readonly day: string
  readonly mode: PolicyDecision["mode"]
  readonly verdict: Verdict
  readonly gate: PolicyDecision["gate"]
  readonly applied: boolean
  /** Kinds of the reasons, each once. */
  readonly reasonKinds: ReadonlyArray<string>
  readonly caveatCodes: ReadonlyArray<string>
  /** Tenths of the confidence, 0 to 9: the first i with confidence <= (i + 1) / 10. */
  readonly confidenceBin: number
  readonly count: number
  readonly confidenceSum: number
  /** Claims, and those of them that were verified. */
  readonly claims: number
  readonly verified: number
  /** Decisions with conflicts. */
  readonly conflicting: number
}

/** What the gate decided, a row for each question that it judged. */
export class DecisionLog extends Context.Tag("kanon/DecisionLog")<
  DecisionLog,
  {
    /** Writes decisions down in the caller's unit of work. */
    readonly add: (workspace: WorkspaceScope, decisions: ReadonlyArray<PolicyDecision>) => Effect.Effect<void>
    readonly find: (workspace: WorkspaceScope, id: DecisionId) => Effect.Effect<Option<PolicyDecision>>
    /** The newest first. */
    readonly list: (
      workspace: WorkspaceScope,
      filter: DecisionFilter,
      page: PageRequest
    ) => Effect.Effect<Page<PolicyDecision>>
    /** Those from a moment on and before another, in groups. */
    readonly groups: (
      workspace: WorkspaceScope,
      from: string,
      to: string
    ) => Effect.Effect<ReadonlyArray<DecisionGroup>>
    /** Forgets the oldest ones from before a moment, at most `limit`; gives how many. */
    readonly prune: (workspace: WorkspaceScope, before: string, limit: number) => Effect.Effect<number>
    /** Takes what tells the question out of those that still hold it, at most `limit`; gives how many. */
    readonly redact: (workspace: WorkspaceScope, limit: number) => Effect.Effect<number>
    /** How many decisions there are about answers that listed the document. */
    readonly countListing: (workspace: WorkspaceScope, document: DocumentId) => Effect.Effect<number>
  }
>() {}
