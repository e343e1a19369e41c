import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  type ItemWarnings,
  PlannedChange,
  type ReportedSyncRun,
  type StoredSyncRun,
  type SyncFailure,
  type SyncRunStore,
  type UnderWay,
  type UploadedFile
} from "../../../../core/connected/sources/index.js"
import type { SyncRunId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { fromJson, toJson, toNumber } from "../../codec.js"
import { bytes, columnsOf, flag, jsonObject, number, orNull, shaped, text } from "../../columns.js"
import { done, hasRows, inBatches, insertRows, readAll, readFirst } from "../../rows.js"

const nothingUnderWay: UnderWay = { now: [], deaths: {} }

/** Columns of the table of sync runs. */
const columns = columnsOf<StoredSyncRun>({
  id: text(),
  connectorId: text(),
  jobId: text(),
  mode: text(),
  status: text(),
  dryRun: flag(),
  allowRemovals: flag(),
  onConflict: text(),
  isUpload: flag(),
  phase: text(),
  checkpoint: orNull(jsonObject("crawl_checkpoint")),
  isComplete: flag(),
  hasGaps: flag(),
  seen: number(),
  unchanged: number(),
  total: number(),
  created: number(),
  updated: number(),
  removed: number(),
  accessChanged: number(),
  heldRemovals: number(),
  changes: shaped<StoredSyncRun["changes"]>(PlannedChange.array(), "the planned changes of a sync run"),
  // Null in rows of earlier versions.
  underWay: {
    read: (cell) => (cell === null ? nothingUnderWay : fromJson<UnderWay>(cell)),
    write: toJson
  },
  queuedAt: text(),
  startedAt: text(),
  finishedAt: text()
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

const fileColumns = columnsOf<UploadedFile>({
  path: text(),
  url: text(),
  author: text(),
  modifiedAt: text(),
  bytes: orNull(bytes())
})

export const syncRuns: Effect.Effect<SyncRunStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const report = (workspace: WorkspaceScope, runs: ReadonlyArray<StoredSyncRun>, findingsMax: number) =>
    Effect.gen(function* () {
      const ids = runs.map(({ id }) => id)
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
      return runs.map((run): ReportedSyncRun => {
        const of = <Row extends { readonly run_id: SyncRunId; readonly severity: Severity }>(
          all: ReadonlyArray<Row>,
          severity: Severity
        ) => all.filter((one) => one.run_id === run.id && one.severity === severity)
        return {
          ...run,
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
        insertRows(sql, "sync_run", [{ workspace_id: workspace, ...columns.write(run) }]),
        // Each by itself, because files may be large.
        Effect.forEach(
          files,
          (file, place) =>
            insertRows(sql, "sync_file", [
              { workspace_id: workspace, run_id: run.id, place, ...fileColumns.write(file) }
            ]),
          { discard: true }
        )
      ),
    find: (workspace, id) =>
      sql`select * from sync_run where workspace_id = ${workspace} and id = ${id}`.pipe(
        readFirst(columns.read)
      ),
    list: (workspace, connector, limit, findingsMax) =>
      sql`select * from sync_run where workspace_id = ${workspace} and connector_id = ${connector}
          order by id desc limit ${limit}`.pipe(
        Effect.flatMap((rows) => report(workspace, rows.map(columns.read), findingsMax)),
        Effect.orDie
      ),
    active: (workspace, connector) =>
      sql`select * from sync_run where workspace_id = ${workspace} and finished_at is null
          and ${connector === undefined ? sql`1 = 1` : sql`connector_id = ${connector}`} order by id`.pipe(
        readAll(columns.read)
      ),
    latest: (workspace) =>
      sql`select r.* from sync_run r join (select connector_id, max(id) as id from sync_run
            where workspace_id = ${workspace} and dry_run = 0 group by connector_id) newest on newest.id = r.id
          where r.workspace_id = ${workspace}`.pipe(
        readAll(columns.read),
        Effect.map((runs) => new Map(runs.map((run) => [run.connectorId, run])))
      ),
    update: (workspace, id, change, from) =>
      sql`update sync_run set ${sql.update(columns.write(change))} where workspace_id = ${workspace}
          and id = ${id} and ${sql.in("status", from)} returning id`.pipe(hasRows),
    count: (workspace, id, { accessChanged = 0, created = 0, removed = 0, updated = 0 }) =>
      sql`update sync_run set created = created + ${created}, updated = updated + ${updated},
            removed = removed + ${removed}, access_changed = access_changed + ${accessChanged}
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
        if (messages.length > 0) yield* putFinding(workspace, id, "warning", externalId, messages.join("\n"))
      }).pipe(Effect.orDie),
    files: (workspace, id) =>
      sql`select * from sync_file where workspace_id = ${workspace} and run_id = ${id} order by place`.pipe(
        readAll(fileColumns.read)
      ),
    dropFiles: (workspace, id) =>
      done(sql`delete from sync_file where workspace_id = ${workspace} and run_id = ${id}`),
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
