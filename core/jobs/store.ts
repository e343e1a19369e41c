import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Scope } from "effect/Scope"
import type { JobId, Page, PageRequest, WorkspaceId, WorkspaceScope } from "../kernel/index.js"
import type { Job, JobProgress, JobStatus, Lease, NewJob, Recurring } from "./model.js"

/** How many jobs wait, run and are dead, each counted up to 10,000; and since when the oldest waits. */
export interface QueueDepth {
  readonly waiting: number
  readonly running: number
  readonly dead: number
  readonly oldestQueuedAt: string | null
}

/** A kind of which jobs are due, and the first and the last workspace by id that they belong to. */
export interface DueKind {
  readonly kind: string
  readonly first: WorkspaceId
  readonly last: WorkspaceId
}

/** What a worker asks before it claims. */
export interface Due {
  readonly kinds: ReadonlyArray<DueKind>
  /** Milliseconds until the next scheduled job is to be made due, 0 when there is one; none when there will be none. */
  readonly nextMs: Option<number>
}

/** Who wants how much of which kind. */
export interface ClaimRequest {
  readonly kind: string
  /** Free slots: at most so many jobs are taken. */
  readonly limit: number
  /** Most jobs of one workspace that this owner runs at once while another workspace waits. */
  readonly workspaceMax: number
  /** The same while none waits; no bound when left out. */
  readonly loneMax?: number
  /** Attempts of the jobs that named no number of their own. */
  readonly maxAttempts: number
  /** Names the worker and its process; never the same for two workers. */
  readonly owner: string
  readonly leaseMs: number
}

/**
 * The durable queue. Times come from the clock service, put right so that all who share the queue agree on them;
 * delays are given in milliseconds from now.
 */
export class JobStore extends Context.Tag("kanon/JobStore")<
  JobStore,
  {
    /**
     * Inserts in the caller's unit of work and gives the jobs in the order asked. An equal waiting job is
     * returned instead of a second one; one that was never tried moves forward to the earlier of both moments
     * and the smaller of both priorities, one that waits for a retry keeps its moment.
     */
    readonly enqueue: (
      workspace: WorkspaceScope,
      jobs: ReadonlyArray<NewJob>
    ) => Effect.Effect<ReadonlyArray<Job>>
    /**
     * Takes queued jobs, each for one taker only: one workspace after another, a second one of a workspace only
     * when the round came back short; within a workspace by priority and due moment. Leaves out jobs whose
     * equal runs. May give fewer than there are; gives none only when none can be taken.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<ReadonlyArray<Lease>>
    /** Which kinds have jobs that are due, in whatever workspace. Reads only, and as much with many jobs as with few. */
    readonly due: Effect.Effect<Due>
    /** Prolongs leases and stores progress where it is not null; gives back the ids that are still held. */
    readonly beat: (
      leases: ReadonlyArray<{ readonly lease: Lease; readonly progress: JobProgress | null }>,
      leaseMs: number
    ) => Effect.Effect<ReadonlyArray<JobId>>
    /** True when the lease still holds; called first in a handler's unit of work, and locks the row until its end. */
    readonly fence: (lease: Lease) => Effect.Effect<boolean>
    /**
     * Ends a job well, with how far it came at last; ends that come at the same time may be stored as one. False when
     * the lease was lost: nothing is stored then.
     */
    readonly succeed: (lease: Lease, progress?: JobProgress | null) => Effect.Effect<boolean>
    /**
     * Puts a failed job back for a retry in so many milliseconds, or makes it `dead` when null. False when the
     * lease was lost: nothing is stored then.
     */
    readonly fail: (lease: Lease, error: string, retryInMs: number | null) => Effect.Effect<boolean>
    /** Hands a job back at once without counting the attempt (shutdown). False when the lease was lost. */
    readonly release: (lease: Lease) => Effect.Effect<boolean>
    /**
     * Returns jobs whose lease ended, or whose owner is known to be gone, to the queue, or to `dead` when their
     * attempts are used up; gives how many. At most 100 at a time.
     */
    readonly sweep: Effect.Effect<number>
    /**
     * Asks for what comes by itself and is due, in every workspace, whoever looks and however many: each moment leads
     * to one job, moments that nobody looked at to one in all, and of a clock that was set back to none too many. The
     * first is due an interval after a workspace was first seen. A job of this kind that is over makes room for the
     * next, so that their number does not grow. At most 200 of each kind at a time; gives how many.
     */
    readonly recur: (recurring: ReadonlyArray<Recurring>) => Effect.Effect<number>
    /** Makes scheduled jobs that are due `queued`, at most 500; gives the milliseconds until the next one, if any. */
    readonly promote: Effect.Effect<Option<number>>
    /**
     * Puts dead jobs back with attempt 0; one whose equal waits already ends `cancelled` instead. Gives the jobs
     * that now wait in their place, each once.
     */
    readonly retry: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<JobId> | "all"
    ) => Effect.Effect<ReadonlyArray<Job>>
    /** The jobs with these ids, newest first; unknown ones are left out. */
    readonly find: (workspace: WorkspaceScope, ids: ReadonlyArray<JobId>) => Effect.Effect<ReadonlyArray<Job>>
    /** Newest first. */
    readonly list: (
      workspace: WorkspaceScope,
      page: PageRequest,
      filter: { readonly kind?: string; readonly status?: JobStatus; readonly subjectId?: string }
    ) => Effect.Effect<Page<Job>>
    /** Of these kinds, or of all; of jobs up to an id alone where one is given. */
    readonly depth: (
      workspace: WorkspaceScope,
      kinds?: ReadonlyArray<string>,
      upTo?: JobId
    ) => Effect.Effect<QueueDepth>
    /** Of each of these kinds, or of all, of which a job waits or runs: the newest of them. */
    readonly newestOpen: (
      workspace: WorkspaceScope,
      kinds?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, JobId>>
    /** Removes jobs that ended before these moments (`succeeded` counts for cancelled ones too), at most `limit`. */
    readonly prune: (
      before: { readonly succeeded: string; readonly dead: string },
      limit: number
    ) => Effect.Effect<number>
    /**
     * Subscribes to changes of the queue by this process or another. The effect inside ends once for any number
     * of changes since it last ended (at first: since the subscription); it may end for nothing.
     */
    readonly watch: Effect.Effect<Effect.Effect<void>, never, Scope>
    /** The same of changes alone by which more jobs may be claimed: not of a job that has ended. */
    readonly watchDue: Effect.Effect<Effect.Effect<void>, never, Scope>
  }
>() {}
