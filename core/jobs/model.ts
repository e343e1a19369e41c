import type { JobId, WorkspaceId } from "../kernel/index.js"

/** `scheduled` is due later, `queued` is due now; `dead` has used up its attempts and waits for a person. */
export const jobStatuses = ["scheduled", "queued", "running", "succeeded", "dead", "cancelled"] as const
/** Where a job stands; `succeeded`, `dead` and `cancelled` are over, though `dead` can be put back. */
export type JobStatus = (typeof jobStatuses)[number]

/** Attempts of a job when neither it nor its handler says otherwise. */
export const defaultMaxAttempts = 5

/** How far a running job is: `done` of `total`, in the units that `note` names. */
export interface JobProgress {
  readonly done: number
  readonly total: number
  readonly note: string
}

/** A span of a trace, by the ids of W3C Trace Context. */
export interface JobOrigin {
  readonly traceId: string
  readonly spanId: string
}

/** A piece of durable work, as the queue keeps it. Times are UTC timestamps; `runAt` is when it is due. */
export interface Job {
  readonly id: JobId
  readonly workspaceId: WorkspaceId
  readonly kind: string
  readonly subjectId: string | null
  readonly payload: Readonly<Record<string, unknown>>
  /** `cancelled`: it would have gone back to the queue, but an equal job waits there already. */
  readonly status: JobStatus
  /** Within a workspace smaller goes first; equal ones in the order in which they became due. */
  readonly priority: number
  /** How often it has been taken, the present take included; takes that were handed back do not count. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly runAt: string
  readonly progress: JobProgress | null
  /** Why the last attempt failed; stays until the next success. */
  readonly error: string | null
  readonly queuedAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  /** The span that asked for it, where that is traced; of equal waiting jobs, that of the first. */
  readonly origin: JobOrigin | null
}

/**
 * What is asked of the queue. An equal waiting job (same workspace, kind and dedupe key) is returned, not
 * doubled; a running one does not count, since what changed during its run needs a run of its own. Equal jobs
 * never run at the same time.
 */
export interface NewJob {
  readonly kind: string
  readonly subjectId?: string
  readonly payload?: Readonly<Record<string, unknown>>
  readonly dedupeKey?: string
  /** 0 by default; smaller goes first within the workspace. */
  readonly priority?: number
  /** At least 1; the handler's own number by default. */
  readonly maxAttempts?: number
  /** Milliseconds until it is due; 0 by default. */
  readonly delayMs?: number
  readonly origin?: JobOrigin
}

/** Work that comes by itself in every workspace: once an interval, over all processes. */
export interface Recurring {
  readonly kind: string
  readonly everyMs: number
}

/** What a job bears that came by itself, so that it is told from one that somebody asked for. */
export const recurringPayload = { recurring: true } as const

/** A taken job: whoever holds it may act for it until the lease ends. The token rises with every take. */
export interface Lease {
  readonly job: Job
  readonly owner: string
  readonly token: number
}
