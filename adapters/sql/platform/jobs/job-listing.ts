import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { JobCensus, JobStatus, JobStore } from "../../../../core/platform/jobs/index.js"
import type { JobId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { inBatches, pageOf } from "../../rows.js"
import { type JobRow, toJob } from "./job-rows.js"

type Listing = Pick<JobStore["Type"], "find" | "list" | "depth" | "census" | "newestOpen">

/** Counts stop here: an exact higher number is not useful and would be slow. */
const countMax = 10_000

/** Queries for lists of jobs. */
export const makeListing = (sql: SqlClient.SqlClient): Listing => ({
  find: (workspace, ids) =>
    inBatches(
      ids,
      (batch) =>
        sql<JobRow>`select * from job where workspace_id = ${workspace} and ${sql.in("id", [...batch])}`
    ).pipe(
      Effect.map((rows) => rows.map(toJob).sort((a, b) => (a.id < b.id ? 1 : -1))),
      Effect.orDie
    ),
  list: (workspace, { limit, offset }, { kind, status, subjectId }) => {
    const filter = sql.and([
      sql`workspace_id = ${workspace}`,
      ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
      ...(status === undefined ? [] : [hasStatus(sql, status)]),
      ...(subjectId === undefined ? [] : [sql`subject_id = ${subjectId}`])
    ])
    // The inner select finds the page with an index alone.
    const rows = sql<JobRow>`select * from job where (workspace_id, id) in (
        select workspace_id, id from job where ${filter} order by id desc limit ${limit} offset ${offset})
      order by id desc`
    const count = sql<{ readonly total: unknown }>`select count(*) as total from job where ${filter}`
    return pageOf(
      { limit, offset },
      Effect.map(rows, (found) => found.map(toJob)),
      Effect.map(count, ([row]) => toNumber(row?.total))
    ).pipe(Effect.orDie)
  },
  depth: (workspace, kinds, upTo) => {
    const those = (status: JobStatus) =>
      sql`${jobsOf(sql, workspace, status, kinds)} and ${upTo === undefined ? sql`1 = 1` : sql`id <= ${upTo}`}`
    const count = (status: JobStatus) =>
      sql`(select count(*) from (select 1 ${those(status)} limit ${countMax}) as few)`
    const oldest = (status: JobStatus) =>
      sql`(select created_at from job where workspace_id = ${workspace} and id = (select min(id) ${those(status)}))`
    return sql<DepthRow>`select ${count("queued")} as queued, ${count("scheduled")} as scheduled,
        ${count("running")} as running, ${count("dead")} as dead,
        ${oldest("queued")} as oldest_queued, ${oldest("scheduled")} as oldest_scheduled`.pipe(
      Effect.map(([row]) => ({
        waiting: Math.min(countMax, toNumber(row?.queued) + toNumber(row?.scheduled)),
        running: toNumber(row?.running),
        dead: toNumber(row?.dead),
        oldestQueuedAt: earliest(row?.oldest_queued ?? null, row?.oldest_scheduled ?? null)
      })),
      Effect.orDie
    )
  },
  census: sql<CensusRow>`select kind, status, count(*) as jobs, min(created_at) as oldest_at from job
      where status in ('queued', 'scheduled', 'running', 'dead') group by kind, status`.pipe(
    Effect.map((rows) =>
      rows.map(({ jobs, kind, oldest_at, status }) => ({
        kind,
        status,
        jobs: toNumber(jobs),
        oldestAt: oldest_at
      }))
    ),
    Effect.orDie
  ),
  newestOpen: (workspace, kinds) => {
    const newest = (status: JobStatus) =>
      sql`select kind, max(id) as id ${jobsOf(sql, workspace, status, kinds)} group by kind`
    return sql<OpenRow>`${newest("queued")} union all ${newest("scheduled")} union all ${newest("running")}`.pipe(
      Effect.map(
        (rows) => new Map([...rows].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ id, kind }) => [kind, id]))
      ),
      Effect.orDie
    )
  }
})

interface CensusRow {
  readonly kind: string
  readonly status: JobCensus["status"]
  readonly jobs: unknown
  readonly oldest_at: string
}

interface OpenRow {
  readonly kind: string
  readonly id: JobId
}

const jobsOf = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  status: JobStatus,
  kinds: ReadonlyArray<string> | undefined
) => sql`from job where workspace_id = ${workspace} and ${hasStatus(sql, status)}
  and ${kinds === undefined ? sql`1 = 1` : sql.in("kind", kinds)}`

interface DepthRow {
  readonly queued: unknown
  readonly scheduled: unknown
  readonly running: unknown
  readonly dead: unknown
  readonly oldest_queued: string | null
  readonly oldest_scheduled: string | null
}

const earliest = (a: string | null, b: string | null) => (a === null || (b !== null && b < a) ? b : a)

/** Returns the condition with the status as a literal, because partial indexes need it. */
const hasStatus = (sql: SqlClient.SqlClient, status: JobStatus) =>
  ({
    scheduled: sql`status = 'scheduled'`,
    queued: sql`status = 'queued'`,
    running: sql`status = 'running'`,
    succeeded: sql`status = 'succeeded'`,
    dead: sql`status = 'dead'`,
    cancelled: sql`status = 'cancelled'`
  })[status]
