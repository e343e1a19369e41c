import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { JobId, Page, PageRequest, WorkspaceScope } from "../kernel/index.js"
import type { Job, JobProgress, JobStatus, Lease, NewJob } from "./model.js"

/** How many jobs wait, how many run, and since when the oldest waits. Depth counts at most 10,000. */
export interface QueueDepth {
  readonly waiting: number
  readonly running: number
  readonly dead: number
  readonly oldestQueuedAt: string | null
}

/** The durable queue. Times come from the clock service. */
export class JobStore extends Context.Tag("kanon/JobStore")<
  JobStore,
  {
    /** Inserts in the caller's unit of work. An equal waiting job is returned instead of a second one. */
    readonly enqueue: (
      workspace: WorkspaceScope,
      jobs: ReadonlyArray<NewJob>
    ) => Effect.Effect<ReadonlyArray<Job>>
    /** Takes due jobs of these kinds, at most `limit`, fairly over workspaces; each is taken by one taker only. */
    readonly claim: (request: {
      readonly kinds: ReadonlyArray<string>
      readonly limit: number
      readonly owner: string
      readonly leaseMs: number
    }) => Effect.Effect<ReadonlyArray<Lease>>
    /** Prolongs leases and stores progress; gives back the ids that are still held. */
    readonly beat: (
      leases: ReadonlyArray<{ readonly lease: Lease; readonly progress: JobProgress | null }>,
      leaseMs: number
    ) => Effect.Effect<ReadonlyArray<JobId>>
    /** True when the lease still holds; called first in a handler's unit of work, and locks the row until its end. */
    readonly fence: (lease: Lease) => Effect.Effect<boolean>
    /** Ends a job well. False when the lease was lost: nothing is stored then. */
    readonly succeed: (lease: Lease) => Effect.Effect<boolean>
    /** Puts a failed job back for `retryAt`, or makes it `dead` when null. False when the lease was lost. */
    readonly fail: (lease: Lease, error: string, retryAt: string | null) => Effect.Effect<boolean>
    /** Hands a job back at once without counting the attempt (shutdown). */
    readonly release: (lease: Lease) => Effect.Effect<boolean>
    /** Returns expired leases to the queue, or to `dead` when attempts are used up; gives how many. */
    readonly sweep: Effect.Effect<number>
    /** Makes scheduled jobs that are due `queued`; gives the moment of the next one, if any. */
    readonly promote: Effect.Effect<Option<string>>
    /** Puts dead jobs back with attempt 0. Gives those that were put back. */
    readonly retry: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<JobId> | "all"
    ) => Effect.Effect<ReadonlyArray<Job>>
    /** Newest first. */
    readonly list: (
      workspace: WorkspaceScope,
      page: PageRequest,
      filter: { readonly kind?: string; readonly status?: JobStatus; readonly subjectId?: string }
    ) => Effect.Effect<Page<Job>>
    readonly depth: (workspace: WorkspaceScope) => Effect.Effect<QueueDepth>
    /** Removes finished jobs that ended before this moment, at most `limit`. */
    readonly prune: (before: { readonly succeeded: string; readonly dead: string }, limit: number) => Effect.Effect<number>
    /** Ends when a job may have been enqueued, by this process or another; may end for nothing. */
    readonly awaitWork: Effect.Effect<void>
  }
>() {}
