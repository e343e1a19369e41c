import type { Job, Lease, NewJob } from "../../../../core/platform/jobs/index.js"

/** A job as the reference knows it; moments in milliseconds. */
export interface Known {
  readonly id: Job["id"]
  readonly workspace: string
  readonly kind: string
  readonly key: string | null
  status: Job["status"]
  priority: number
  attempt: number
  maxAttempts: number | null
  runAt: number
  token: number
  leaseUntil: number
  owner: string
}

/** A lease that a holder was given; it may have been lost since. */
export interface Hold {
  readonly known: Known
  readonly token: number
  readonly lease: Lease
}

/** The queue in memory, as plainly as it can be said. */
export class Reference {
  now = 0
  readonly jobs: Array<Known> = []
  readonly holds: Array<Hold> = []

  /** The equal job that waits, if any. */
  equalWaiting(workspace: string, kind: string, key: string | null): Known | undefined {
    return key === null
      ? undefined
      : this.jobs.find(
          (job) => job.workspace === workspace && job.kind === kind && job.key === key && isWaiting(job)
        )
  }

  /** Returns the waiting job that an enqueue must merge into; null when the job is new. */
  merge(workspace: string, job: NewJob): Known | null {
    const equal = this.equalWaiting(workspace, job.kind, job.dedupeKey ?? null)
    if (equal === undefined) return null
    equal.priority = Math.min(equal.priority, job.priority ?? 0)
    const delayMs = job.delayMs ?? 0
    if (equal.attempt === 0 && this.now + delayMs < equal.runAt) {
      equal.runAt = this.now + delayMs
      equal.status = delayMs > 0 ? "scheduled" : "queued"
    }
    return equal
  }

  add(id: Job["id"], workspace: string, job: NewJob): void {
    if (this.jobs.some((known) => known.id === id)) throw new Error("Two jobs have one id.")
    const delayMs = job.delayMs ?? 0
    this.jobs.push({
      id,
      workspace,
      kind: job.kind,
      key: job.dedupeKey ?? null,
      status: delayMs > 0 ? "scheduled" : "queued",
      priority: job.priority ?? 0,
      attempt: 0,
      maxAttempts: job.maxAttempts ?? null,
      runAt: this.now + delayMs,
      token: 0,
      leaseUntil: 0,
      owner: ""
    })
  }

  /** Jobs that a claim may take, first come first. */
  claimable(kind: string): ReadonlyArray<Known> {
    return this.jobs
      .filter((job) => job.kind === kind && job.status === "queued" && !this.equalRuns(job))
      .sort((a, b) => a.priority - b.priority || a.runAt - b.runAt || (a.id < b.id ? -1 : 1))
  }

  equalRuns(job: Known): boolean {
    return (
      job.key !== null &&
      this.jobs.some(
        (other) =>
          other.status === "running" &&
          other.workspace === job.workspace &&
          other.kind === job.kind &&
          other.key === job.key
      )
    )
  }

  /** How many jobs of the kind this owner runs for the workspace. */
  running(kind: string, workspace: string, owner: string): number {
    return this.jobs.filter(
      (job) =>
        job.status === "running" && job.kind === kind && job.workspace === workspace && job.owner === owner
    ).length
  }

  isHeld({ known, token }: Hold): boolean {
    return known.status === "running" && known.token === token
  }

  /** Back to waiting, unless an equal job waits there. */
  putBack(job: Known, delayMs: number): void {
    const equal = this.equalWaiting(job.workspace, job.kind, job.key)
    job.status = equal !== undefined ? "cancelled" : delayMs > 0 ? "scheduled" : "queued"
  }

  sweep(): number {
    const lost = this.jobs.filter((job) => job.status === "running" && job.leaseUntil <= this.now)
    for (const job of lost) {
      if (job.attempt >= (job.maxAttempts ?? 0)) job.status = "dead"
      else this.putBack(job, 0)
    }
    return lost.length
  }

  /** Gives the milliseconds until the next scheduled job is due. */
  promote(): number | null {
    const scheduled = this.jobs.filter((job) => job.status === "scheduled")
    for (const job of scheduled) if (job.runAt <= this.now) job.status = "queued"
    const left = scheduled.filter((job) => job.status === "scheduled").map((job) => job.runAt - this.now)
    return left.length === 0 ? null : Math.min(...left)
  }

  retry(workspace: string): void {
    const dead = this.jobs.filter((job) => job.workspace === workspace && job.status === "dead")
    // The newest of equal ones first, so that the older ones find it waiting.
    for (const job of [...dead].reverse()) {
      this.putBack(job, 0)
      if (job.status !== "queued") continue
      job.attempt = 0
      job.token += 1
      job.runAt = this.now
    }
  }
}

const isWaiting = (job: Known) => job.status === "queued" || job.status === "scheduled"
