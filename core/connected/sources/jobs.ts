import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { currentDocument, deleteDocument } from "../../files/documents/index.js"
import { enqueue, type Handler, JobFailed, JobStore, jobKinds, LeaseLost } from "../../platform/jobs/index.js"
import { atomically, Caller, ContentConnectorId, now } from "../../platform/kernel/index.js"
import { nextDue } from "./configuration.js"
import { runSyncs } from "./run-sync.js"
import { type ExternalItem, SourceStore } from "./store.js"
import { endSync, startSync, syncJob } from "./syncs.js"

/** Connectors that one process syncs at once. */
const syncSlots = 4
const itemsPerPage = 200
/** Why the runs of a connector end whose job is given up. */
const brokenOff = "The sync broke off unexpectedly, repeatedly."

/** Carries out the runs of a connector, or moves the documents of a deleted one to the trash. */
export const syncHandler: Handler<
  | Effect.Effect.Context<ReturnType<typeof runSyncs>>
  | Effect.Effect.Context<ReturnType<typeof trashDocuments>>
> = {
  kind: jobKinds.sync,
  slots: syncSlots,
  run: (job, tools) => {
    const id = ContentConnectorId.safeParse(job.subjectId)
    if (!id.success) return Effect.void
    const isLast = job.attempt >= job.maxAttempts
    return Effect.zipRight(runSyncs(id.data, tools), trashDocuments(id.data)).pipe(
      Effect.catchAllCause((cause) =>
        isLast && isDefect(cause)
          ? Effect.zipRight(failBegun(id.data, brokenOff), Effect.failCause(cause))
          : Effect.failCause(cause)
      )
    )
  }
}

/** Fails the run of a connector that a job began and could not end; those that wait go on. */
const failBegun = (id: ContentConnectorId, reason: string) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    // A worker that ended during items is their fault: the next job tries them one by one.
    for (const run of yield* (yield* SourceStore).runs.active(workspace, id))
      if (run.status === "running" && run.underWay.now.length === 0) yield* endSync(run, "failed", reason)
  })

const isDefect = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.dieOption(cause), (defect) => !(defect instanceof LeaseLost))

/** Moves the documents of a deleted connector to the trash, if that was asked for. */
const trashDocuments = (id: ContentConnectorId) =>
  Effect.gen(function* () {
    const [connectors, items] = [(yield* SourceStore).connectors, (yield* SourceStore).items]
    const { workspace } = yield* Caller
    if (!(yield* connectors.trashing(workspace)).includes(id)) return
    let after: string | null = null
    for (;;) {
      const page: ReadonlyArray<ExternalItem> = yield* items.withDocument(workspace, id, after, itemsPerPage)
      for (const { documentId } of page)
        if (documentId !== null && Option.isSome(yield* currentDocument(documentId)))
          yield* deleteDocument(documentId).pipe(Effect.catchTag("NotFound", () => Effect.void))
      const last = page.at(-1)
      if (last === undefined || page.length < itemsPerPage) break
      after = last.externalId
    }
    yield* atomically(connectors.trashed(workspace, id))
  }).pipe(Effect.mapError(({ message }) => new JobFailed({ message, retryable: true })))

/** Recurs: starts syncs that are due, and finds runs that no job works on. */
export const scheduleHandler: Handler<
  Effect.Effect.Context<typeof startDue> | Effect.Effect.Context<typeof adoptRuns>
> = {
  kind: jobKinds.syncSchedule,
  slots: 1,
  run: () => Effect.zipRight(startDue, adoptRuns)
}

const startDue = Effect.gen(function* () {
  const [connectors, { workspace }, at] = [(yield* SourceStore).connectors, yield* Caller, yield* now]
  for (const { enabled, id, nextSyncAt, schedule } of yield* connectors.list(workspace)) {
    if (!enabled || schedule === null || nextSyncAt === null || nextSyncAt > at) continue
    const next = Either.getOrElse(nextDue(schedule, at), () => null)
    const sync = {
      mode: "incremental",
      dryRun: false,
      allowRemovals: false,
      onConflict: null,
      files: null
    } as const
    yield* atomically(
      Effect.zipRight(connectors.setProgress(workspace, id, { nextSyncAt: next }), startSync(id, sync))
    ).pipe(
      // It was deleted or disabled at the same moment.
      Effect.catchAll(() => Effect.void)
    )
  }
})

const adoptRuns = Effect.gen(function* () {
  const [connectors, jobs, runs] = [
    (yield* SourceStore).connectors,
    yield* JobStore,
    (yield* SourceStore).runs
  ]
  const { workspace } = yield* Caller
  const waiting = new Set([
    ...(yield* runs.active(workspace)).map(({ connectorId }) => connectorId),
    ...(yield* connectors.trashing(workspace))
  ])
  for (const id of waiting) {
    const ofConnector = { kind: jobKinds.sync, subjectId: id }
    const [newest] = (yield* jobs.list(workspace, { limit: 1, offset: 0 }, ofConnector)).items
    if (newest?.status === "dead") {
      const before = yield* runs.active(workspace, id)
      yield* failBegun(id, newest.error ?? brokenOff)
      const left = yield* runs.active(workspace, id)
      // The run would end its process again, and so would those that the schedule starts.
      if (left.length < before.length)
        yield* atomically(connectors.setProgress(workspace, id, { nextSyncAt: null }))
      if (left.length > 0) yield* enqueue([syncJob(id)])
    } else if (newest === undefined || ["succeeded", "cancelled"].includes(newest.status))
      yield* enqueue([syncJob(id)])
  }
})
