import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Job, JobProgress } from "./model.js"

/** A job failed. */
export class JobFailed extends Data.TaggedError("JobFailed")<{
  /** Shown to people who maintain the workspace: no secrets, no document text. Stored up to 500 characters. */
  readonly message: string
  /** False when another attempt would fail the same way; the job is dead at once. */
  readonly retryable: boolean
}> {}

/** The lease was lost; nothing of the unit of work was stored. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly jobId: string }> {}

/** Tools for a handler. */
export interface JobTools {
  /** Reports progress; cheap, stored at most once a second. */
  readonly progress: (progress: JobProgress) => Effect.Effect<void>
  /**
   * Runs work as one unit of work that is stored only while the lease holds. Inside a handler `atomically` does the
   * same, so no handler can forget it. A lost lease dies with `LeaseLost`, and the worker releases the job.
   */
  readonly fenced: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Handles the jobs of one kind. A job runs at least once, so effects outside of the database must be idempotent. The
 * worker provides `Caller` (actor `system`, in the job's workspace) and a fenced `Atomic`.
 */
export interface Handler<R = never> {
  readonly kind: string
  /** Maximum number of attempts of jobs that state none; default 5. */
  readonly maxAttempts?: number
  /** Maximum number of concurrent jobs in one process; default 2. */
  readonly slots?: number
  readonly run: (job: Job, tools: JobTools) => Effect.Effect<void, JobFailed, R>
}
