import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  atomically,
  Caller,
  InvalidTransition,
  JobId,
  NotFound,
  operation,
  pageLimit,
  pageOffset,
  Timestamp
} from "../kernel/index.js"
import { type Job, jobStatuses } from "./model.js"
import { JobStore } from "./store.js"

/** A background job in wire form; `subjectId` is null for a job over the whole workspace. */
export const JobItem = z.object({
  id: JobId,
  kind: z.string(),
  subjectId: z.string().nullable(),
  status: z.enum(jobStatuses),
  attempt: z.int().describe("How often it was tried, the present time included."),
  nextAttemptAt: Timestamp.nullable().describe("When it is due; null unless it waits."),
  error: z.string().nullable().describe("Why the last attempt failed."),
  queuedAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
  progress: z.object({ done: z.number(), total: z.number(), note: z.string() }).nullable()
})
export type JobItem = z.infer<typeof JobItem>

/** A page of jobs, newest first, with the state of the queue; `oldestQueuedAt` is null when no job is pending. */
export const JobPage = z.object({
  items: z.array(JobItem),
  total: z.int(),
  queueDepth: z.int().describe("Jobs that wait, counted up to 10,000."),
  oldestQueuedAt: Timestamp.nullable()
})
export type JobPage = z.infer<typeof JobPage>

/** The started jobs, or equal ones that were already pending. */
export const StartedJobs = z.object({
  items: z.array(z.object({ jobId: JobId, kind: z.string(), subjectId: z.string().nullable() })),
  total: z.int()
})
export type StartedJobs = z.infer<typeof StartedJobs>

/** Returns a job in wire form. */
export const jobItem = (job: Job): JobItem => ({
  id: job.id,
  kind: job.kind,
  subjectId: job.subjectId,
  status: job.status,
  attempt: job.attempt,
  nextAttemptAt: waits(job) ? job.runAt : null,
  error: job.error,
  queuedAt: job.queuedAt,
  startedAt: job.startedAt,
  finishedAt: job.finishedAt,
  progress: job.progress
})

/** Lists jobs of the caller's workspace, with depth and age of its queue. */
export const listJobs = operation({
  name: "listJobs",
  summary: "List background jobs, newest first, with the depth of the queue.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    kind: z.string().optional(),
    status: z.enum(jobStatuses).optional(),
    subjectId: z.string().optional(),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: JobPage,
  faults: [],
  run: ({ kind, limit, offset, status, subjectId }) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const store = yield* JobStore
      const { items, total } = yield* store.list(workspace, { limit, offset }, { kind, status, subjectId })
      const depth = yield* store.depth(workspace)
      return {
        items: items.map(jobItem),
        total,
        queueDepth: depth.waiting,
        oldestQueuedAt: depth.oldestQueuedAt
      }
    })
})

/** Requeues these dead jobs, or all; fails as a whole when one is unknown or not dead. */
export const retryJobs = (ids: ReadonlyArray<JobId> | "all") =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const store = yield* JobStore
    if (ids === "all") return yield* store.retry(workspace, "all")
    const found = new Map((yield* store.find(workspace, ids)).map((job) => [job.id, job]))
    for (const id of ids) {
      const status = found.get(id)?.status
      if (status === undefined) return yield* new NotFound({ what: "job" })
      if (status === "succeeded" || status === "cancelled") {
        return yield* new InvalidTransition({ from: status, to: "queued" })
      }
    }
    const live = [...found.values()].filter((job) => job.status !== "dead")
    const dead = [...found.values()].filter((job) => job.status === "dead")
    const back = yield* store.retry(
      workspace,
      dead.map((job) => job.id)
    )
    return [...new Map([...live, ...back].map((job) => [job.id, job])).values()]
  }).pipe(atomically)

const waits = (job: Job) => job.status === "queued" || job.status === "scheduled"
