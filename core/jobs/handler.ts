import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Job, JobProgress } from "./model.js"

/** The work of a job could not be done. */
export class JobFailed extends Data.TaggedError("JobFailed")<{
  /** For the people who look after the workspace: no secrets, no text of documents. Stored up to 500 characters. */
  readonly message: string
  /** False when another attempt would end the same way: the job is dead at once. */
  readonly retryable: boolean
}> {}

/** Somebody else holds the job by now, or nobody: nothing of the unit of work was stored. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly jobId: string }> {}

/** What a handler gets besides its job. */
export interface JobTools {
  /** Tells how far it is; cheap, stored at most once a second. */
  readonly progress: (progress: JobProgress) => Effect.Effect<void>
  /**
   * Runs the work as one unit that stores nothing unless the job is still ours. Inside a handler `atomically` does
   * the very same, so that none can forget it. A lost lease dies with `LeaseLost`, and the worker lets go.
   */
  readonly fenced: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Does the jobs of one kind. Runs at least once: whatever it does outside of the database must bear repetition.
 * The worker provides `Caller` (actor `system`, in the job's workspace) and an `Atomic` that is fenced.
 */
export interface Handler<R = never> {
  readonly kind: string
  /** Attempts of jobs that named no number of their own; 5 by default. */
  readonly maxAttempts?: number
  /** How many run at once in one process; 2 by default. */
  readonly slots?: number
  readonly run: (job: Job, tools: JobTools) => Effect.Effect<void, JobFailed, R>
}
