import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { record } from "../../platform/audit/index.js"
import type { JobTools } from "../../platform/jobs/index.js"
import {
  type Atomic,
  atomically,
  Caller,
  type ContentConnectorId,
  countEvent,
  now
} from "../../platform/kernel/index.js"
import { openSecret, replaceSecret, type Sealer } from "../../platform/secrets/index.js"
import type { WorkspaceStore } from "../../platform/workspace/index.js"
import { type ActiveSync, SyncStopped } from "./active-sync.js"
import { bringOver, crawlChanges, crawlMoves, storeProgress } from "./crawl.js"
import { type Crawler, Crawlers, type SourceRateLimited, SourceRejected } from "./crawler.js"
import { finishedAt, isOutdated, positionOf } from "./read-again.js"
import { refreshReaders } from "./refresh-readers.js"
import { removeMissing } from "./remove-missing.js"
import { settlePaths } from "./settle-paths.js"
import { sourceReaders } from "./source-readers.js"
import { SourceStore, type StoredContentConnector, type StoredSyncRun } from "./store.js"
import { endSync } from "./syncs.js"
import { betweenItems, countDeaths, deadlyUpload, deathsOfItems, leaveRun } from "./under-way.js"

/** Carries out the runs of a connector that wait or were interrupted, one after the other. */
export const runSyncs = (id: ContentConnectorId, tools: JobTools) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const runs = (yield* SourceStore).runs
    for (;;) {
      const [run] = yield* runs.active(workspace, id)
      if (run === undefined) return
      yield* runSync(run, tools)
    }
  })

const runSync = (waiting: StoredSyncRun, tools: JobTools) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const found = yield* (yield* SourceStore).connectors.find(workspace, waiting.connectorId)
    const connector = Option.getOrNull(found)
    if (connector === null || !connector.enabled) return yield* endSync(waiting, "cancelled", null)
    const run = yield* beginRun(waiting, connector)
    const deadly = deadlyUpload(run)
    if (deadly !== null) return yield* endSync(run, "failed", deadly)
    const isContinued = waiting.status === "running"
    const readers = yield* sourceReaders(workspace, run.id)
    const failure = yield* Effect.flatMap(openCrawler(connector, run), (crawler) => {
      const sync = activeSync(crawler, connector, run, workspace, isContinued, readers)
      return Effect.onError(crawl(sync, tools), () => leaveRun(sync))
    }).pipe(Effect.scoped, Effect.as(null), Effect.catchAll(Effect.succeed))
    if (failure === null || failure._tag === "SyncStopped") return
    yield* endSync(run, "failed", reasonOf(failure))
  })

const reasonOf = (fault: { readonly message: string } | SourceRateLimited): string =>
  "retryAfterMs" in fault
    ? `${fault.message} The source asks for a pause of ${Math.ceil(fault.retryAfterMs / 1000)} seconds.`
    : fault.message

/** Takes a run; one that was interrupted continues where it was. */
const beginRun = (waiting: StoredSyncRun, connector: StoredContentConnector) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    if (waiting.status === "running") return yield* countDeaths(waiting)
    const position = isOutdated(connector, waiting) ? null : positionOf(connector)
    const isComplete = waiting.mode === "full" || waiting.isUpload || position === null
    const runStart = {
      status: "running",
      startedAt: yield* now,
      checkpoint: isComplete ? null : position,
      isComplete,
      underWay: { now: betweenItems(waiting), deaths: {} }
    } as const
    yield* atomically(
      Effect.gen(function* () {
        yield* (yield* SourceStore).runs.update(workspace, waiting.id, runStart, ["queued"])
        // Marks of an earlier upload are about its files.
        if (waiting.isUpload) yield* (yield* SourceStore).items.clearMissing(workspace, waiting.connectorId)
      })
    )
    const run: StoredSyncRun = { ...waiting, ...runStart }
    return run
  })

const openCrawler = (connector: StoredContentConnector, run: StoredSyncRun) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const provider = (yield* Crawlers).get(connector.config.provider)
    if (provider === undefined)
      return yield* new SourceRejected({
        message: `This host has no crawler for ${connector.config.provider}.`
      })
    const credential = connector.secret === null ? null : yield* openSecret(workspace, connector.secret)
    const services = yield* Effect.context<WorkspaceStore | Sealer | Atomic>()
    const { secret } = connector
    const files = run.isUpload ? yield* (yield* SourceStore).runs.files(workspace, run.id) : null
    return yield* provider.open({
      key: `${workspace}/${connector.id}`,
      config: connector.config,
      credential: credential === null ? null : Redacted.make(Redacted.value(credential)),
      ...(secret === null
        ? {}
        : {
            keepCredential: (next) =>
              replaceSecret(workspace, secret, Redacted.value(next)).pipe(
                Effect.mapError(({ message }) => new SourceRejected({ message })),
                Effect.provide(services)
              )
          }),
      upload: files === null ? null : { files, isComplete: run.mode === "full" }
    })
  })

const activeSync = (
  crawler: Crawler,
  connector: StoredContentConnector,
  run: StoredSyncRun,
  workspace: ActiveSync["workspace"],
  isContinued: boolean,
  readers: ActiveSync["readers"]
): ActiveSync => ({
  workspace,
  connector,
  run,
  crawler,
  isContinued,
  isReadAgain: isOutdated(connector, run),
  readers,
  deaths: deathsOfItems(run),
  tally: {
    seen: run.dryRun ? 0 : run.seen,
    unchanged: run.dryRun ? 0 : run.unchanged,
    total: run.total,
    isComplete: run.isComplete,
    sawStart:
      run.dryRun ||
      (run.phase === "retry" && run.seen === 0) ||
      (run.phase === "changes" && run.isComplete && run.checkpoint === null),
    hasGaps: run.hasGaps,
    named: new Set(),
    deleted: new Set(),
    held: run.heldRemovals,
    unreachable: 0,
    changes: [],
    planned: { created: 0, updated: 0, removed: 0 }
  }
})

/** The phases of a run, from the one in which it was interrupted. */
const crawl = (sync: ActiveSync, { progress }: JobTools) =>
  Effect.gen(function* () {
    const { run } = sync
    const onProgress = (done: number, total: number) => progress({ done, total, note: "items" })
    const { connector, crawler } = sync
    if (run.phase === "retry") {
      const position = positionOf(connector)
      yield* refreshReaders(sync)
      if ((run.mode === "full" || sync.isReadAgain) && crawler.traits.moves === true && position !== null)
        yield* crawlMoves(sync, position)
      yield* retryFailing(sync, onProgress)
      yield* storeProgress(sync, { phase: "changes" })
    }
    const next =
      run.phase === "removals"
        ? run.checkpoint
        : yield* crawlChanges(sync, run.checkpoint, onProgress).pipe(
            Effect.catchTag("CheckpointExpired", (fault) =>
              run.checkpoint === null ? Effect.fail(fault) : crawlAgain(sync, onProgress)
            )
          )
    yield* removeMissing(sync)
    yield* settlePaths(sync)
    yield* finish(sync, next)
  })

/** Crawls from the start, because the source no longer knows what changed since. */
const crawlAgain = (sync: ActiveSync, onProgress: Parameters<typeof crawlChanges>[2]) =>
  Effect.gen(function* () {
    const { run, tally, workspace } = sync
    tally.named.clear()
    tally.isComplete = true
    tally.sawStart = true
    const isRunning = yield* atomically(
      (yield* SourceStore).runs.update(workspace, run.id, { checkpoint: null, isComplete: true }, ["running"])
    )
    if (!isRunning) return yield* new SyncStopped()
    return yield* crawlChanges(sync, null, onProgress)
  })

/** Tries the items again that failed in an earlier run; what is useless until the item changes is only told. */
const retryFailing = (sync: ActiveSync, onProgress: Parameters<typeof crawlChanges>[2]) =>
  Effect.gen(function* () {
    const { connector, run, workspace } = sync
    if (run.isUpload || run.dryRun) return
    const failing = yield* (yield* SourceStore).items.failing(workspace, connector.id)
    const permanent = failing.flatMap(({ externalId, failure }) =>
      failure?.code === "permanent" ? [{ externalId, reason: failure.reason }] : []
    )
    yield* atomically((yield* SourceStore).runs.addFailures(workspace, run.id, permanent))
    const again = failing.filter(({ failure }) => failure?.code !== "permanent")
    const ids = new Set(again.map(({ externalId, parentId }) => parentId ?? externalId))
    yield* bringOver(sync, [...ids], onProgress)
  })

/** Ends a run that succeeded: the next one continues from this checkpoint, unless parts could not be listed. */
const finish = (sync: ActiveSync, checkpoint: StoredSyncRun["checkpoint"]) =>
  Effect.gen(function* () {
    const { connector, run, tally, workspace } = sync
    const [connectors, runs] = [(yield* SourceStore).connectors, (yield* SourceStore).runs]
    yield* atomically(
      Effect.gen(function* () {
        if (run.dryRun) {
          yield* runs.count(workspace, run.id, tally.planned)
          yield* runs.update(workspace, run.id, { changes: tally.changes }, ["running"])
        }
        const ended = { status: "succeeded", finishedAt: yield* now } as const
        const counts = { seen: tally.seen, unchanged: tally.unchanged, heldRemovals: tally.held }
        if (!(yield* runs.update(workspace, run.id, { ...ended, ...counts }, ["running"])))
          return yield* new SyncStopped()
        // After an upload of some files, others may still be as older readers made them.
        if (!run.dryRun && !tally.hasGaps && (!run.isUpload || run.mode === "full"))
          yield* connectors.setProgress(workspace, connector.id, {
            checkpoint: finishedAt(run.isUpload ? null : checkpoint)
          })
        yield* runs.dropFiles(workspace, run.id)
        yield* countEvent("kanon_syncs_total", { status: "succeeded" })
        const stored = Option.getOrNull(yield* runs.find(workspace, run.id))
        const { accessChanged, created, removed, updated } = stored ?? run
        yield* record([
          {
            action: "content_connector.synced",
            subjectId: connector.id,
            details: {
              syncId: run.id,
              mode: run.mode,
              dryRun: run.dryRun,
              created,
              updated,
              removed,
              accessChanged
            }
          }
        ])
      })
    )
  })
