import type { JobId, WorkspaceId } from "../kernel/index.js"

/** `scheduled` is due later, `queued` is due now; `dead` has used up its attempts and waits for a person. */
export const jobStatuses = ["scheduled", "queued", "running", "succeeded", "dead", "cancelled"] as const
export type JobStatus = (typeof jobStatuses)[number]

export interface JobProgress {
  readonly done: number
  readonly total: number
  readonly note: string
}

export interface Job {
  readonly id: JobId
  readonly workspaceId: WorkspaceId
  readonly kind: string
  readonly subjectId: string | null
  readonly payload: Readonly<Record<string, unknown>>
  readonly status: JobStatus
  readonly priority: number
  /** How often it has been taken, the present take included. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly runAt: string
  readonly progress: JobProgress | null
  readonly error: string | null
  readonly queuedAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

/** What is asked of the queue. An equal waiting job (same workspace, kind and dedupe key) is returned, not doubled. */
export interface NewJob {
  readonly kind: string
  readonly subjectId?: string
  readonly payload?: Readonly<Record<string, unknown>>
  readonly dedupeKey?: string
  readonly priority?: number
  readonly maxAttempts?: number
  /** Milliseconds until it is due; 0 by default. */
  readonly delayMs?: number
}

/** A taken job: whoever holds it may act for it until the lease ends. The token rises with every take. */
export interface Lease {
  readonly job: Job
  readonly owner: string
  readonly token: number
}
