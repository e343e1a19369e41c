import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type * as Scope from "effect/Scope"
import type {
  AgentId,
  ApprovalId,
  ConversationId,
  DocumentId,
  Page,
  PageRequest,
  RunId,
  StepId,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { Agent, AgentVersion } from "./agent-model.js"
import type { Feedback } from "./feedback-model.js"
import type { Approval, RunError, RunOutput, RunStatus, StoredRun, StoredStep } from "./model.js"

/** Agents and their versions. */
export interface AgentStore {
  /** Returns the agent with this slug or id. */
  readonly find: (workspace: WorkspaceScope, slugOrId: string) => Effect.Effect<Option<Agent>>
  /** In the order of their slugs. */
  readonly list: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<Agent>>
  /** Inserts or replaces an agent, in the caller's unit of work. */
  readonly put: (workspace: WorkspaceScope, agent: Agent) => Effect.Effect<void>
  /** Appends a version, in the caller's unit of work. Versions are never changed. */
  readonly addVersion: (
    workspace: WorkspaceScope,
    agent: AgentId,
    version: AgentVersion
  ) => Effect.Effect<void>
  /** The newest first. */
  readonly versions: (workspace: WorkspaceScope, agent: AgentId) => Effect.Effect<ReadonlyArray<AgentVersion>>
}

/** Filter for a list of runs; all given conditions must hold. */
export interface RunFilter {
  readonly status?: RunStatus | undefined
  readonly agentId?: AgentId | undefined
  readonly conversationId?: ConversationId | undefined
  readonly feedback?: "positive" | "negative" | "any" | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Fields of a run that change. */
export interface RunChange {
  readonly status?: RunStatus
  readonly output?: RunOutput | null
  readonly error?: RunError | null
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly cancelRequested?: boolean
}

/** A claim of a run: it is ours, somebody else holds it until a moment, or there is nothing to do. */
export type Claim =
  | { readonly state: "claimed"; readonly run: StoredRun }
  | { readonly state: "held"; readonly until: string }
  | { readonly state: "idle" }

/**
 * An adapter of a database implements it to keep agents and the journals of their runs, so that any worker can
 * continue a run. Runs, their journals and what belongs to them. A claim raises the fencing token of a run; `hold` in
 * a unit of work makes sure that nothing is stored by whoever lost it.
 */
export class RunStore extends Context.Tag("kanon/RunStore")<
  RunStore,
  {
    readonly insert: (workspace: WorkspaceScope, run: StoredRun) => Effect.Effect<void>
    readonly find: (workspace: WorkspaceScope, id: RunId) => Effect.Effect<Option<StoredRun>>
    /**
     * Takes a run that is queued, or whose holder's lease lapsed or whose process is gone; one taker wins. The run is
     * `running` then.
     */
    readonly claim: (
      workspace: WorkspaceScope,
      id: RunId,
      at: string,
      leaseUntil: string
    ) => Effect.Effect<Claim>
    /**
     * Prolongs the lease and locks the run until the end of the caller's unit of work. False when the run is no longer
     * held with this token.
     */
    readonly hold: (
      workspace: WorkspaceScope,
      id: RunId,
      fence: number,
      leaseUntil: string
    ) => Effect.Effect<boolean>
    /** Writes fields of a run, in the caller's unit of work. A status that is not `running` ends the lease. */
    readonly update: (workspace: WorkspaceScope, id: RunId, change: RunChange) => Effect.Effect<void>
    /** Adds to what a run used, exactly, in the caller's unit of work. */
    readonly addTotals: (
      workspace: WorkspaceScope,
      id: RunId,
      used: { readonly tokensIn: number; readonly tokensOut: number; readonly costUsd: string }
    ) => Effect.Effect<void>
    /** Whether somebody asked the run to end; looked at before each step, so it reads nothing else. */
    readonly isCancelRequested: (workspace: WorkspaceScope, id: RunId) => Effect.Effect<boolean>
    /** Queued and running ones. */
    readonly countActive: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Runs that should be worked on and may be by nobody: queued ones and those whose lease lapsed. */
    readonly owed: (workspace: WorkspaceScope, at: string) => Effect.Effect<ReadonlyArray<RunId>>
    /** The newest first. */
    readonly list: (
      workspace: WorkspaceScope,
      filter: RunFilter,
      page: PageRequest
    ) => Effect.Effect<Page<StoredRun>>
    readonly lastRunAt: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyMap<AgentId, string>>
    /** Runs of a conversation that ended well, the newest first. */
    readonly conversation: (
      workspace: WorkspaceScope,
      id: ConversationId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredRun>>
    readonly hasConversation: (workspace: WorkspaceScope, id: ConversationId) => Effect.Effect<boolean>

    /** The journal, in order. */
    readonly steps: (workspace: WorkspaceScope, run: RunId) => Effect.Effect<ReadonlyArray<StoredStep>>
    /** Writes steps, each once: a step that is there already (same run and index) is replaced. */
    readonly putSteps: (
      workspace: WorkspaceScope,
      run: RunId,
      steps: ReadonlyArray<StoredStep>
    ) => Effect.Effect<void>

    readonly addApproval: (workspace: WorkspaceScope, approval: Approval) => Effect.Effect<void>
    readonly approvals: (workspace: WorkspaceScope, run: RunId) => Effect.Effect<ReadonlyArray<Approval>>
    /** Closes an open approval, in the caller's unit of work; false when it is not open. Of many deciders one wins. */
    readonly decide: (
      workspace: WorkspaceScope,
      id: ApprovalId,
      decision: Pick<Approval, "status" | "decidedBy" | "decidedAt" | "note">
    ) => Effect.Effect<boolean>
    /** Runs that wait for an approval which has expired. */
    readonly expired: (workspace: WorkspaceScope, at: string) => Effect.Effect<ReadonlyArray<RunId>>

    /** Notes, in the unit of work of a change, that a step made it. */
    readonly addEffects: (
      workspace: WorkspaceScope,
      step: StepId,
      effects: ReadonlyArray<{ readonly action: string; readonly subjectId: string }>
    ) => Effect.Effect<void>
    /** Returns the committed changes of a step. */
    readonly effects: (
      workspace: WorkspaceScope,
      step: StepId
    ) => Effect.Effect<ReadonlyArray<{ readonly action: string; readonly subjectId: string }>>

    readonly addCitations: (
      workspace: WorkspaceScope,
      run: RunId,
      citations: ReadonlyArray<{ readonly docId: string; readonly chunkId: string }>
    ) => Effect.Effect<void>
    /** Returns the number of runs whose answers cite a document. */
    readonly countCiting: (workspace: WorkspaceScope, document: DocumentId) => Effect.Effect<number>

    readonly addFeedback: (workspace: WorkspaceScope, run: RunId, feedback: Feedback) => Effect.Effect<void>
    readonly feedback: (
      workspace: WorkspaceScope,
      runs: ReadonlyArray<RunId>
    ) => Effect.Effect<ReadonlyMap<RunId, ReadonlyArray<Feedback>>>

    /**
     * Returns the amount that the agents of the workspace spent in a month, and the amount reserved for calls under
     * way.
     */
    readonly spend: (
      workspace: WorkspaceScope,
      month: string
    ) => Effect.Effect<{ readonly spentUsd: string; readonly reservedUsd: string }>
    /** Adds to what is spent and reserved, in the caller's unit of work; amounts may be negative. */
    readonly addSpend: (
      workspace: WorkspaceScope,
      month: string,
      change: { readonly spentUsd: string; readonly reservedUsd: string }
    ) => Effect.Effect<void>
    /** Agents and their versions. */
    readonly agents: AgentStore
    /** Signals to those who watch a run. */
    readonly signals: RunSignals
  }
>() {}

/** Signals to watchers of a run that its journal grew, in this process or another. */
export interface RunSignals {
  /** Tells everybody who watches the run, once the unit of work that runs has committed. */
  readonly changed: (workspace: WorkspaceScope, run: RunId) => Effect.Effect<void>
  /**
   * Subscribes to changes of a run. The effect inside ends once for any number of changes since it last ended; it
   * may end for nothing.
   */
  readonly watch: (
    workspace: WorkspaceScope,
    run: RunId
  ) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
}
