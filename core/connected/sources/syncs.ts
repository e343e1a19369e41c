import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import { enqueue, jobKinds } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  ConnectorDisabled,
  type ContentConnectorId,
  countEvent,
  type DocumentId,
  Ids,
  invalid,
  NotFound,
  now,
  traced
} from "../../platform/kernel/index.js"
import type { UploadedFile } from "./crawler.js"
import type { LastSync, OnConflict, SyncMode, SyncRun, SyncStarted } from "./model.js"
import {
  type ReportedSyncRun,
  SourceStore,
  type StoredContentConnector,
  type StoredSyncRun
} from "./store.js"

/** Attempts of workers that die before the job of a connector is given up; the schedule finds its runs later. */
const jobAttempts = 20
/** Runs that are kept of each connector. */
const runsKept = 200
/** Failures shown of each run, and warnings. */
const findingsShown = 200

export interface NewSync {
  readonly mode: SyncMode
  readonly dryRun: boolean
  readonly allowRemovals: boolean
  readonly onConflict: OnConflict | null
  /** Null for sources that are crawled. */
  readonly files: ReadonlyArray<UploadedFile> | null
}

/** The connector with this id. */
export const findConnector = (id: ContentConnectorId) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const found = yield* (yield* SourceStore).connectors.find(workspace, id)
    return Option.getOrNull(found) ?? (yield* new NotFound({ what: "connector" }))
  })

/** The job of a connector, which carries out its runs one after the other. */
export const syncJob = (id: ContentConnectorId) => ({
  kind: jobKinds.sync,
  subjectId: id,
  dedupeKey: id,
  maxAttempts: jobAttempts
})

/**
 * Queues a run with its job. A run of the connector that waits or runs is returned instead, unless files are given:
 * each upload is a run of its own.
 */
export const startSync = traced("sources.startSync")(function* (id: ContentConnectorId, wanted: NewSync) {
  const [connectors, runs, ids] = [(yield* SourceStore).connectors, (yield* SourceStore).runs, yield* Ids]
  const { workspace } = yield* Caller
  return yield* atomically(
    Effect.gen(function* () {
      // The lock makes concurrent callers find the run that the first of them started.
      yield* connectors.lock(workspace, id)
      const connector = yield* findConnector(id)
      yield* refuseFiles(connector, wanted.files)
      if (!connector.enabled)
        return yield* new ConnectorDisabled({ message: `The connector ${connector.name} is disabled.` })
      const [active] = wanted.files === null ? yield* runs.active(workspace, id) : []
      if (active !== undefined) return started(active)
      const [job] = yield* enqueue([syncJob(id)])
      if (job === undefined) return yield* Effect.dieMessage("The queue returned no job.")
      const { files, ...options } = wanted
      const run: StoredSyncRun = {
        ...options,
        id: ids.make("syncRun"),
        connectorId: id,
        jobId: job.id,
        status: "queued",
        isUpload: files !== null,
        phase: "retry",
        checkpoint: null,
        isComplete: false,
        hasGaps: false,
        seen: 0,
        unchanged: 0,
        total: files?.length ?? null,
        created: 0,
        updated: 0,
        removed: 0,
        accessChanged: 0,
        heldRemovals: 0,
        changes: [],
        underWay: { now: [], deaths: {} },
        queuedAt: yield* now,
        startedAt: null,
        finishedAt: null
      }
      yield* runs.insert(workspace, run, files ?? [])
      yield* runs.prune(workspace, id, runsKept)
      const details = { syncId: run.id, ...options, files: files?.length ?? null }
      yield* record([{ action: "content_connector.sync", subjectId: id, details }])
      return started(run)
    })
  )
})

const refuseFiles = ({ kind }: StoredContentConnector, files: NewSync["files"]) => {
  if ((kind === "markdown_upload") === (files !== null)) return Effect.void
  return files === null
    ? invalid(["files"], "required", "A connector of this kind takes files with each sync.")
    : invalid(["files"], "not_allowed", "Only connectors of the kind markdown_upload take files.")
}

const started = ({ id, jobId, status }: StoredSyncRun): SyncStarted => ({ syncId: id, jobId, status })

/** Ends a run that waits or runs, with the reason where it failed. */
export const endSync = (run: StoredSyncRun, status: "failed" | "cancelled", reason: string | null) =>
  Effect.gen(function* () {
    const [runs, { workspace }] = [(yield* SourceStore).runs, yield* Caller]
    yield* atomically(
      Effect.gen(function* () {
        const ended = { status, finishedAt: yield* now }
        if (!(yield* runs.update(workspace, run.id, ended, ["queued", "running"]))) return
        if (reason !== null) yield* runs.addFailures(workspace, run.id, [{ externalId: null, reason }])
        yield* runs.dropFiles(workspace, run.id)
        yield* countEvent("kanon_syncs_total", { status })
        const details = { syncId: run.id, mode: run.mode, ...(reason === null ? {} : { reason }) }
        yield* record([{ action: `content_connector.sync_${status}`, subjectId: run.connectorId, details }])
      })
    )
  })

/** Cancels the runs of a connector that wait or run. */
export const cancelSyncs = (id: ContentConnectorId) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    for (const run of yield* (yield* SourceStore).runs.active(workspace, id))
      yield* endSync(run, "cancelled", null)
  })

/** The newest runs of a connector as they are shown. */
export const listSyncs = (id: ContentConnectorId, limit: number) =>
  Effect.gen(function* () {
    const [runs, { workspace }] = [(yield* SourceStore).runs, yield* Caller]
    return (yield* runs.list(workspace, id, limit, findingsShown)).map(publicRun)
  })

/** The summary of a run. */
export const lastSyncOf = ({ finishedAt, id, mode, startedAt, status }: StoredSyncRun): LastSync => ({
  id,
  mode,
  status,
  startedAt,
  finishedAt
})

const publicRun = (run: ReportedSyncRun): SyncRun => ({
  ...lastSyncOf(run),
  dryRun: run.dryRun,
  seen: run.seen,
  created: run.created,
  updated: run.updated,
  unchanged: run.unchanged,
  removed: run.removed,
  accessChanged: run.accessChanged,
  heldRemovals: run.heldRemovals,
  failed: run.failed,
  failures: [...run.failures],
  warned: run.warned,
  warnings: run.warnings.map(({ externalId, messages }) => ({ externalId, messages: [...messages] })),
  percent: percentOf(run),
  ...(run.dryRun ? { changes: [...run.changes] } : {}),
  cursor: run.checkpoint === null ? null : JSON.stringify(run.checkpoint),
  queuedAt: run.queuedAt
})

/** Returns the progress in percent. A running run has at most 99, since estimates of sources may be too small. */
const percentOf = (run: ReportedSyncRun): number | null => {
  if (run.status === "succeeded") return 100
  if (run.total === null || run.total === 0) return null
  const done = Math.max(run.seen, run.created + run.updated + run.unchanged + run.failed)
  return Math.min(99, Math.floor((100 * done) / run.total))
}

/** Sync runs shown with a document. */
const runsShown = 5

/** Returns the source of a connector's document with the newest runs of that connector; none for other documents. */
export const documentOrigin = traced("sources.origin")(function* (id: DocumentId) {
  const { workspace } = yield* Caller
  const found = yield* (yield* SourceStore).items.ofDocument(workspace, id)
  if (Option.isNone(found)) return Option.none()
  const { connectorId, externalId, failure, syncedAt, url, version, warnings } = found.value
  const runs = yield* listSyncs(connectorId, runsShown)
  const verified = runs.find(({ dryRun, status }) => status === "succeeded" && !dryRun)?.finishedAt ?? ""
  const lastSyncAt = verified > syncedAt ? verified : syncedAt
  return Option.some({
    connectorId,
    externalId,
    version,
    url,
    failure: failure?.reason ?? null,
    warnings: [...warnings],
    lastSyncAt,
    runs
  })
})
