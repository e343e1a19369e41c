import type { JobId, WorkspaceId } from "../kernel/index.js"

/** `scheduled` is due later, `queued` is due now; `dead` has used up its attempts and needs a manual retry. */
export const jobStatuses = ["scheduled", "queued", "running", "succeeded", "dead", "cancelled"] as const
/** Status of a job. `succeeded`, `dead` and `cancelled` are final, but a dead job can be retried. */
export type JobStatus = (typeof jobStatuses)[number]

/** Attempts of a job when neither it nor its handler states a number. */
export const defaultMaxAttempts = 5
/** Attempts in a row during which the worker ended, after which a job is `dead` whatever attempts it has left. */
export const deathsMax = 3

/** Progress of a running job: `done` of `total`, in the unit that `note` names. */
export interface JobProgress {
  readonly done: number
  readonly total: number
  readonly note: string
}

/** A trace span by its W3C Trace Context ids. */
export interface JobOrigin {
  readonly traceId: string
  readonly spanId: string
}

/** A stored job. Times are UTC timestamps; `runAt` is when it is due. */
export interface Job {
  readonly id: JobId
  readonly workspaceId: WorkspaceId
  readonly kind: string
  readonly subjectId: string | null
  readonly payload: Readonly<Record<string, unknown>>
  /** `cancelled`: it was to return to the queue, but an equal job is already waiting. */
  readonly status: JobStatus
  /** Within a workspace, smaller values run first; equal ones in order of due time. */
  readonly priority: number
  /** Number of claims, including the present one; released claims do not count. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly runAt: string
  readonly progress: JobProgress | null
  /** Error of the last failed attempt; cleared by a success. */
  readonly error: string | null
  readonly queuedAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  /** The span that enqueued it, if traced; for equal waiting jobs, that of the first. */
  readonly origin: JobOrigin | null
}

/**
 * A job to enqueue. If an equal job (same workspace, kind and dedupe key) is waiting, it is returned instead. A
 * running one does not count, because changes during its run need another run. Equal jobs never run concurrently.
 */
export interface NewJob {
  readonly kind: string
  readonly subjectId?: string
  readonly payload?: Readonly<Record<string, unknown>>
  readonly dedupeKey?: string
  /** Default 0; smaller values run first within the workspace. */
  readonly priority?: number
  /** At least 1; default: the handler's number. */
  readonly maxAttempts?: number
  /** Delay in milliseconds; default 0. */
  readonly delayMs?: number
  readonly origin?: JobOrigin
}

/** A recurring job: enqueued once per interval in every workspace, across all processes. */
export interface Recurring {
  readonly kind: string
  readonly everyMs: number
}

/** Payload that marks recurring jobs. */
export const recurringPayload = { recurring: true } as const

/** A claimed job. The holder may act for it until the lease ends. The fencing token increases with every claim. */
export interface Lease {
  readonly job: Job
  readonly owner: string
  readonly token: number
}
