import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  type ContentConnectorId,
  type JobId,
  type SyncRunId,
  serviceLayer,
  type WorkspaceScope
} from "../../../core/kernel/index.js"
import {
  type Checkpoint,
  type ItemWarnings,
  PlannedChange,
  type ReportedSyncRun,
  type StoredSyncRun,
  type SyncFailure,
  type SyncRunChange,
  SyncRunStore
} from "../../../core/sources/index.js"
import { fromJson, objectIn, ofShape, toBytes, toJson, toNumber } from "../codec.js"
import { hasRows, inBatches, insertRows, readAll, readFirst } from "../rows.js"

interface RunRow {
  readonly id: SyncRunId
  readonly connector_id: ContentConnectorId
  readonly job_id: JobId
  readonly mode: StoredSyncRun["mode"]
  readonly status: StoredSyncRun["status"]
  readonly dry_run: number
  readonly allow_removals: number
  readonly on_conflict: StoredSyncRun["onConflict"]
  readonly is_upload: number
  readonly phase: StoredSyncRun["phase"]
  readonly crawl_checkpoint: string | null
  readonly is_complete: number
  readonly has_gaps: number
  readonly seen: unknown
  readonly unchanged: unknown
  readonly total: unknown
  readonly created: unknown
  readonly updated: unknown
  readonly removed: unknown
  readonly held_removals: unknown
  readonly changes: string
  readonly queued_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

const fromRow = (row: RunRow): StoredSyncRun => ({
  id: row.id,
  connectorId: row.connector_id,
  jobId: row.job_id,
  mode: row.mode,
  status: row.status,
  dryRun: row.dry_run === 1,
  allowRemovals: row.allow_removals === 1,
  onConflict: row.on_conflict,
  isUpload: row.is_upload === 1,
  phase: row.phase,
  checkpoint: row.crawl_checkpoint === null ? null : objectIn<Checkpoint>(row.crawl_checkpoint),
  isComplete: row.is_complete === 1,
  hasGaps: row.has_gaps === 1,
  seen: toNumber(row.seen),
  unchanged: toNumber(row.unchanged),
  total: row.total === null ? null : toNumber(row.total),
  created: toNumber(row.created),
  updated: toNumber(row.updated),
  removed: toNumber(row.removed),
  heldRemovals: toNumber(row.held_removals),
  changes: ofShape(PlannedChange.array(), `the sync run ${row.id}`, fromJson(row.changes)),
  queuedAt: row.queued_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at
})

const toRow = (run: StoredSyncRun) => ({
  id: run.id,
  connector_id: run.connectorId,
  job_id: run.jobId,
  mode: run.mode,
  dry_run: run.dryRun ? 1 : 0,
  allow_removals: run.allowRemovals ? 1 : 0,
  on_conflict: run.onConflict,
  is_upload: run.isUpload ? 1 : 0,
  created: run.created,
  updated: run.updated,
  removed: run.removed,
  queued_at: run.queuedAt,
  ...changeToRow(run)
})

const changeToRow = (change: SyncRunChange) => ({
  ...(change.status === undefined ? {} : { status: change.status }),
  ...(change.phase === undefined ? {} : { phase: change.phase }),
  ...(change.checkpoint === undefined
    ? {}
    : { crawl_checkpoint: change.checkpoint === null ? null : toJson(change.checkpoint) }),
  ...(change.isComplete === undefined ? {} : { is_complete: change.isComplete ? 1 : 0 }),
  ...(change.hasGaps === undefined ? {} : { has_gaps: change.hasGaps ? 1 : 0 }),
  ...(change.seen === undefined ? {} : { seen: change.seen }),
  ...(change.unchanged === undefined ? {} : { unchanged: change.unchanged }),
  ...(change.total === undefined ? {} : { total: change.total }),
  ...(change.heldRemovals === undefined ? {} : { held_removals: change.heldRemovals }),
  ...(change.changes === undefined ? {} : { changes: toJson(change.changes) }),
  ...(change.startedAt === undefined ? {} : { started_at: change.startedAt }),
  ...(change.finishedAt === undefined ? {} : { finished_at: change.finishedAt })
})

type Severity = "failure" | "warning"

interface FindingRow {
  readonly run_id: SyncRunId
  readonly severity: Severity
  readonly external_id: string
  readonly messages: string
}

interface FindingCount {
  readonly run_id: SyncRunId
  readonly severity: Severity
  readonly n: unknown
}

/** The external id that stands for the run as a whole. */
const ofWhole = ""
const failureFrom = ({ external_id, messages }: FindingRow): SyncFailure => ({
  externalId: external_id === ofWhole ? null : external_id,
  reason: messages
})
const warningFrom = ({ external_id, messages }: FindingRow): ItemWarnings => ({
  externalId: external_id,
  messages: messages.split("\n")
})

interface FileRow {
  readonly path: string
  readonly url: string | null
  readonly author: string | null
  readonly modified_at: string | null
  readonly bytes: unknown
}

export const sqlSyncRunStore = serviceLayer(
  SyncRunStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const report = (workspace: WorkspaceScope, rows: ReadonlyArray<RunRow>, findingsMax: number) =>
      Effect.gen(function* () {
        const ids = rows.map(({ id }) => id)
        const found = yield* inBatches(
          ids,
          (batch) => sql<FindingRow>`select run_id, severity, external_id, messages from (
              select run_id, severity, external_id, messages, row_number() over (
                partition by run_id, severity order by external_id) as place
              from sync_finding where workspace_id = ${workspace} and ${sql.in("run_id", batch)}) numbered
            where place <= ${findingsMax} order by external_id`
        )
        const counts = yield* inBatches(
          ids,
          (batch) => sql<FindingCount>`select run_id, severity, count(*) as n from sync_finding
            where workspace_id = ${workspace} and ${sql.in("run_id", batch)} and external_id <> ${ofWhole}
            group by run_id, severity`
        )
        return rows.map((row): ReportedSyncRun => {
          const of = <Row extends { readonly run_id: SyncRunId; readonly severity: Severity }>(
            all: ReadonlyArray<Row>,
            severity: Severity
          ) => all.filter((one) => one.run_id === row.id && one.severity === severity)
          return {
            ...fromRow(row),
            failed: toNumber(of(counts, "failure")[0]?.n ?? 0),
            failures: of(found, "failure").map(failureFrom),
            warned: toNumber(of(counts, "warning")[0]?.n ?? 0),
            warnings: of(found, "warning").map(warningFrom)
          }
        })
      })
    const putFinding = (
      workspace: WorkspaceScope,
      id: SyncRunId,
      severity: Severity,
      externalId: string,
      messages: string
    ) =>
      sql`insert into sync_finding ${sql.insert({
        workspace_id: workspace,
        run_id: id,
        severity,
        external_id: externalId,
        messages
      })} on conflict (workspace_id, run_id, severity, external_id) do update set ${sql.update({ messages })}`
    const dropRows = (workspace: WorkspaceScope, ids: ReadonlyArray<SyncRunId>) =>
      Effect.forEach(
        ["sync_file", "sync_finding"] as const,
        (table) =>
          inBatches(
            ids,
            (batch) => sql`delete from ${sql(table)} where workspace_id = ${workspace}
              and ${sql.in("run_id", batch)}`
          ),
        { discard: true }
      )
    return {
      insert: (workspace, run, files) =>
        Effect.zipRight(
          insertRows(sql, "sync_run", [{ workspace_id: workspace, ...toRow(run) }]),
          // Each by itself, because files may be large.
          Effect.forEach(
            files,
            ({ author, bytes, modifiedAt, path, url }, place) =>
              insertRows(sql, "sync_file", [
                {
                  workspace_id: workspace,
                  run_id: run.id,
                  place,
                  path,
                  url,
                  author,
                  modified_at: modifiedAt,
                  bytes
                }
              ]),
            { discard: true }
          )
        ),
      find: (workspace, id) =>
        sql<RunRow>`select * from sync_run where workspace_id = ${workspace} and id = ${id}`.pipe(
          readFirst(fromRow)
        ),
      list: (workspace, connector, limit, findingsMax) =>
        sql<RunRow>`select * from sync_run where workspace_id = ${workspace} and connector_id = ${connector}
          order by id desc limit ${limit}`.pipe(
          Effect.flatMap((rows) => report(workspace, rows, findingsMax)),
          Effect.orDie
        ),
      active: (workspace, connector) =>
        sql<RunRow>`select * from sync_run where workspace_id = ${workspace} and finished_at is null
          and ${connector === undefined ? sql`1 = 1` : sql`connector_id = ${connector}`} order by id`.pipe(
          readAll(fromRow)
        ),
      latest: (workspace) =>
        sql<RunRow>`select r.* from sync_run r join (select connector_id, max(id) as id from sync_run
            where workspace_id = ${workspace} and dry_run = 0 group by connector_id) newest on newest.id = r.id
          where r.workspace_id = ${workspace}`.pipe(
          Effect.map((rows) => new Map(rows.map((row) => [row.connector_id, fromRow(row)]))),
          Effect.orDie
        ),
      update: (workspace, id, change, from) =>
        sql`update sync_run set ${sql.update(changeToRow(change))} where workspace_id = ${workspace}
          and id = ${id} and ${sql.in("status", from)} returning id`.pipe(hasRows),
      count: (workspace, id, { created = 0, removed = 0, updated = 0 }) =>
        sql`update sync_run set created = created + ${created}, updated = updated + ${updated},
            removed = removed + ${removed}
          where workspace_id = ${workspace} and id = ${id} and status = 'running' returning id`.pipe(hasRows),
      addFailures: (workspace, id, failures) =>
        Effect.forEach(
          failures,
          ({ externalId, reason }) => putFinding(workspace, id, "failure", externalId ?? ofWhole, reason),
          { discard: true }
        ).pipe(Effect.orDie),
      settle: (workspace, id, { externalId, messages }) =>
        Effect.gen(function* () {
          yield* sql`delete from sync_finding where workspace_id = ${workspace} and run_id = ${id}
            and severity in ('failure', 'warning') and external_id = ${externalId}`
          if (messages.length > 0)
            yield* putFinding(workspace, id, "warning", externalId, messages.join("\n"))
        }).pipe(Effect.orDie),
      files: (workspace, id) =>
        sql<FileRow>`select path, url, author, modified_at, bytes from sync_file
          where workspace_id = ${workspace} and run_id = ${id} order by place`.pipe(
          Effect.map((rows) =>
            rows.map(({ author, bytes, modified_at, path, url }) => ({
              path,
              url,
              author,
              modifiedAt: modified_at,
              bytes: bytes === null ? null : toBytes(bytes)
            }))
          ),
          Effect.orDie
        ),
      dropFiles: (workspace, id) =>
        sql`delete from sync_file where workspace_id = ${workspace} and run_id = ${id}`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      prune: (workspace, connector, kept) =>
        Effect.gen(function* () {
          const old = yield* sql<{ id: SyncRunId }>`select id from sync_run where workspace_id = ${workspace}
            and connector_id = ${connector} and finished_at is not null
            order by id desc limit 1000 offset ${kept}`
          const ids = old.map(({ id }) => id)
          if (ids.length === 0) return
          yield* dropRows(workspace, ids)
          yield* sql`delete from sync_run where workspace_id = ${workspace} and ${sql.in("id", ids)}`
        }).pipe(Effect.orDie)
    }
  })
)
