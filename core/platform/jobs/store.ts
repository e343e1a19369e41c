import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Scope } from "effect/Scope"
import type { JobId, Page, PageRequest, WorkspaceId, WorkspaceScope } from "../kernel/index.js"
import type { Job, JobProgress, JobStatus, Lease, NewJob, Recurring } from "./model.js"

/** Jobs of one kind and status, and when the oldest of them was made. */
export interface JobCensus {
  readonly kind: string
  readonly status: "queued" | "scheduled" | "running" | "dead"
  readonly jobs: number
  readonly oldestAt: string
}

/** Number of pending, running and dead jobs, each counted up to 10,000, and the age of the oldest pending one. */
export interface QueueDepth {
  readonly waiting: number
  readonly running: number
  readonly dead: number
  readonly oldestQueuedAt: string | null
}

/** A kind with due jobs, and the first and last workspace by id that have some. */
export interface DueKind {
  readonly kind: string
  readonly first: WorkspaceId
  readonly last: WorkspaceId
}

/** Result of looking for due work before a claim. */
export interface Due {
  readonly kinds: ReadonlyArray<DueKind>
  /**
   * Milliseconds until the next scheduled job must be promoted; 0 when there is one now; none when nothing is
   * scheduled.
   */
  readonly nextMs: Option<number>
}

/** A request to claim jobs of a kind. */
export interface ClaimRequest {
  readonly kind: string
  /** Maximum number of jobs: the free slots. */
  readonly limit: number
  /** Maximum number of running jobs per workspace for this owner while other workspaces wait. */
  readonly workspaceMax: number
  /** The same while no other workspace waits; default: unbounded. */
  readonly loneMax?: number
  /** Attempts of jobs that state no number. */
  readonly maxAttempts: number
  /** Unique name of the worker and its process. */
  readonly owner: string
  readonly leaseMs: number
}

/**
 * An adapter of a database implements it, or one of a message queue, so that work survives a crash and processes share
 * it. The durable job queue. Times come from the clock service, corrected so that all processes agree; delays are in
 * milliseconds from now.
 */
export class JobStore extends Context.Tag("kanon/JobStore")<
  JobStore,
  {
    /**
     * Enqueues jobs in the caller's unit of work and returns them in the given order. An equal waiting job is
     * returned instead of a second one. If it was never tried, it takes the earlier due time and the smaller priority
     * of both; a job waiting for a retry keeps its due time.
     */
    readonly enqueue: (
      workspace: WorkspaceScope,
      jobs: ReadonlyArray<NewJob>
    ) => Effect.Effect<ReadonlyArray<Job>>
    /**
     * Claims queued jobs exclusively, round-robin over workspaces; a second job of a workspace only when the round
     * came back short. Within a workspace by priority and due time. Skips jobs whose equal is running. May return
     * fewer than are available, but none only if none can be claimed.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<ReadonlyArray<Lease>>
    /** Returns the kinds with due jobs in any workspace. Read-only; its cost does not depend on the number of jobs. */
    readonly due: Effect.Effect<Due>
    /** Extends leases and stores progress that is not null; returns the ids that are still held. */
    readonly beat: (
      leases: ReadonlyArray<{ readonly lease: Lease; readonly progress: JobProgress | null }>,
      leaseMs: number
    ) => Effect.Effect<ReadonlyArray<JobId>>
    /**
     * Extends the lease and returns whether it still holds; called first in a handler's unit of work, and locks the
     * row until its end, so that heartbeats pass it by.
     */
    readonly fence: (lease: Lease, leaseMs: number) => Effect.Effect<boolean>
    /**
     * Completes a job with its final progress; concurrent completions may share one commit. Returns false and stores
     * nothing when the lease was lost.
     */
    readonly succeed: (lease: Lease, progress?: JobProgress | null) => Effect.Effect<boolean>
    /**
     * Schedules a failed job for a retry after a delay, or makes it `dead` when null. Returns false and stores
     * nothing when the lease was lost.
     */
    readonly fail: (lease: Lease, error: string, retryInMs: number | null) => Effect.Effect<boolean>
    /** Returns a job to the queue without counting the attempt (shutdown). Returns false when the lease was lost. */
    readonly release: (lease: Lease) => Effect.Effect<boolean>
    /**
     * Forgets the deaths of workers during the running job of a subject, for a handler that knows what they were due
     * to and does not repeat it.
     */
    readonly forgive: (workspace: WorkspaceScope, kind: string, subjectId: string) => Effect.Effect<void>
    /**
     * Returns jobs with an expired lease or a dead owner to the queue, or makes them `dead` when their attempts are
     * used up or this was the third attempt in a row that ended so; returns their number. At most 100 at a time.
     */
    readonly sweep: Effect.Effect<number>
    /**
     * Enqueues recurring jobs that are due, in every workspace. Each due time gives one job, regardless of how many
     * processes look; missed due times give one job together; a clock that was set back gives no extra jobs. The
     * first is due one interval after a workspace was first seen. The previous finished job of the kind is deleted,
     * so their number stays constant. At most 200 of each kind at a time; returns their number.
     */
    readonly recur: (recurring: ReadonlyArray<Recurring>) => Effect.Effect<number>
    /** Promotes due scheduled jobs to `queued`, at most 500; returns the milliseconds until the next one, if any. */
    readonly promote: Effect.Effect<Option<number>>
    /**
     * Requeues dead jobs with attempt 0; one whose equal is waiting becomes `cancelled`. Returns the distinct jobs
     * that now wait in their place.
     */
    readonly retry: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<JobId> | "all"
    ) => Effect.Effect<ReadonlyArray<Job>>
    /** Returns the jobs with these ids, newest first; unknown ids are left out. */
    readonly find: (workspace: WorkspaceScope, ids: ReadonlyArray<JobId>) => Effect.Effect<ReadonlyArray<Job>>
    /** Lists jobs, newest first. */
    readonly list: (
      workspace: WorkspaceScope,
      page: PageRequest,
      filter: {
        readonly kind?: string | undefined
        readonly status?: JobStatus | undefined
        readonly subjectId?: string | undefined
      }
    ) => Effect.Effect<Page<Job>>
    /** Counts jobs of these kinds, or of all; optionally only those up to an id. */
    readonly depth: (
      workspace: WorkspaceScope,
      kinds?: ReadonlyArray<string>,
      upTo?: JobId
    ) => Effect.Effect<QueueDepth>
    /** Counts the jobs of all workspaces that wait, run or are dead, for the operator of the host. */
    readonly census: Effect.Effect<ReadonlyArray<JobCensus>>
    /** Returns the newest pending or running job of each of these kinds, or of all. */
    readonly newestOpen: (
      workspace: WorkspaceScope,
      kinds?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, JobId>>
    /** Deletes jobs that ended before these moments (`succeeded` includes cancelled ones), at most `limit`. */
    readonly prune: (
      before: { readonly succeeded: string; readonly dead: string },
      limit: number
    ) => Effect.Effect<number>
    /**
     * Subscribes to changes of the queue by any process. The inner effect completes once for all changes since its
     * last completion (at first: since the subscription); it may complete without a change.
     */
    readonly watch: Effect.Effect<Effect.Effect<void>, never, Scope>
    /** Like `watch`, only for changes that may make jobs claimable, not for jobs that ended. */
    readonly watchDue: Effect.Effect<Effect.Effect<void>, never, Scope>
    /** Queries for inspection and rebuild. */
    readonly inspection: JobInspection
  }
>() {}

/** Queries of the queue that only inspection and rebuild need. */
export interface JobInspection {
  /**
   * Takes the rebuild lock of the workspace until that moment; returns false while another process holds it. With
   * `held`, the moment until which the caller holds it, the lock is renewed, or released when `until` has passed.
   */
  readonly takeRebuildLock: (
    workspace: WorkspaceScope,
    lock: { readonly until: string; readonly held: string | null; readonly longestMs: number }
  ) => Effect.Effect<boolean>
  /** Counts running jobs whose lease has ended or whose owner is known to be gone; at most `limit`. */
  readonly lost: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<Job>>
}
