import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { atomically, now } from "../../platform/kernel/index.js"
import { type ActiveSync, failItem, newItem, refuseStopped, SyncStopped, settleAlone } from "./active-sync.js"
import { applyParts } from "./apply-item.js"
import type { ChangePage, Checkpoint, ItemChange } from "./crawler.js"
import { fetchItem, type Prepared, repeated } from "./fetch-item.js"
import { listingBound } from "./listing-bound.js"
import { type ExternalItem, SourceStore, type StoredSyncRun } from "./store.js"
import { deadlyItem, itemsUnderWay } from "./under-way.js"

/** Items that are fetched and converted at once; they are written one by one. */
const fetchesMax = 4

/** Reports how many items of how many were seen. */
export type OnProgress = (done: number, total: number) => Effect.Effect<void>

/**
 * Reads the changes page by page, from where the run stands, and brings them over. After each page the run remembers
 * where it continues. Returns the checkpoint for the next crawl.
 */
export const crawlChanges = (sync: ActiveSync, from: Checkpoint | null, onProgress: OnProgress) =>
  Effect.gen(function* () {
    let checkpoint = from
    const bound = listingBound()
    for (;;) {
      yield* refuseStopped(sync)
      const page: ChangePage = yield* repeated(sync.crawler.changes(checkpoint))
      yield* bound(
        page.changes.map(({ externalId }) => externalId),
        page.isLast ? null : page.checkpoint
      )
      yield* applyPage(sync, page, onProgress)
      checkpoint = page.checkpoint
      yield* storeProgress(sync, { checkpoint, ...(page.isLast ? { phase: "removals" } : {}) })
      if (page.isLast) return checkpoint
    }
  })

/**
 * Gives items the ids that they have now, before a crawl from the start: its listing names the new ids alone, so that
 * documents would be made twice. Where the source no longer knows what changed, it does without.
 */
export const crawlMoves = (sync: ActiveSync, from: Checkpoint) =>
  Effect.gen(function* () {
    let checkpoint = from
    const bound = listingBound()
    for (;;) {
      yield* refuseStopped(sync)
      const page: ChangePage = yield* repeated(sync.crawler.changes(checkpoint))
      yield* bound(
        page.changes.map(({ externalId }) => externalId),
        page.isLast ? null : page.checkpoint
      )
      yield* followMoves(sync, page.changes)
      if (page.isLast) return
      checkpoint = page.checkpoint
    }
  }).pipe(Effect.catchTag("CheckpointExpired", () => Effect.void))

/** Stores counts and position of the run. A dry run starts over after a crash. */
export const storeProgress = (
  sync: ActiveSync,
  change: Partial<Pick<StoredSyncRun, "checkpoint" | "phase" | "heldRemovals">>
) =>
  Effect.gen(function* () {
    const { run, tally, workspace } = sync
    const { hasGaps, seen, total, unchanged } = tally
    const counts = { seen, unchanged, total, hasGaps }
    const stored = run.dryRun ? counts : { ...counts, ...change }
    const isRunning = yield* atomically(
      (yield* SourceStore).runs.update(workspace, run.id, stored, ["running"])
    )
    if (!isRunning) yield* new SyncStopped()
  })

const applyPage = (sync: ActiveSync, page: ChangePage, onProgress: OnProgress) =>
  Effect.gen(function* () {
    const { connector, run, tally, workspace } = sync
    const [items, runs] = [(yield* SourceStore).items, (yield* SourceStore).runs]
    if (page.failures.length > 0) {
      tally.hasGaps = true
      const failures = page.failures.map(({ externalId, message }) => ({ externalId, reason: message }))
      yield* atomically(runs.addFailures(workspace, run.id, failures))
    }
    for (const { externalId, message } of page.skipped ?? [])
      yield* atomically(runs.settle(workspace, run.id, { externalId, messages: [message] }))
    const before = tally.named.size
    for (const { externalId, op } of page.changes) if (op !== "delete") tally.named.add(externalId)
    const deletions = new Set(
      page.changes.flatMap(({ externalId, op }) => (op === "delete" ? [externalId] : []))
    )
    tally.seen += tally.named.size - before + deletions.size
    tally.total = page.total ?? (page.isLast ? tally.seen : null)
    const left: Array<string> = [...(yield* followMoves(sync, page.changes))]
    // Deletions are marked first, whatever their order in the page: each item is fetched again before it is removed.
    if (deletions.size > 0 && !run.dryRun)
      yield* atomically(items.markMissing(workspace, connector.id, [...deletions]))
    if (run.dryRun) for (const id of deletions) tally.deleted.add(id)
    const latest = new Map(
      page.changes.flatMap((change) => (change.op === "delete" ? [] : [[change.externalId, change] as const]))
    )
    const known = new Map(
      (yield* items.find(workspace, connector.id, [...latest.keys()])).map((item) => [item.externalId, item])
    )
    let unchanged = 0
    const wanted = [...latest.values()].filter((change) => {
      const item = known.get(change.externalId)
      if (isSettledBefore(sync, item, change)) return false
      const isUnchanged = run.mode === "incremental" && !sync.isReadAgain && isKnown(item, change)
      if (isUnchanged) unchanged += 1
      return !isUnchanged
    })
    const ids = [...new Set([...left, ...wanted.map(({ externalId }) => externalId)])]
    yield* bringOver(sync, ids, onProgress, (id) => latest.get(id)?.version ?? null)
    // With the page, because a run that continues counts them once more.
    tally.unchanged += unchanged
  })

/** Whether this run settled the item before it was interrupted. In a feed, the item may have changed since. */
const isSettledBefore = (
  { crawler, isContinued, run }: ActiveSync,
  item: ExternalItem | undefined,
  { version }: Exclude<ItemChange, { readonly op: "delete" }>
): boolean =>
  isContinued &&
  item?.runId === run.id &&
  !item.isRemoved &&
  !item.isMissing &&
  (item.failure === null || item.failure.code === "permanent") &&
  (crawler.traits.changes === "listing" || (version !== null && version === item.version))

/** Whether the listed version is the one that was fetched last. */
const isKnown = (
  item: ExternalItem | undefined,
  change: Exclude<ItemChange, { readonly op: "delete" }>
): boolean =>
  item !== undefined &&
  change.version !== null &&
  change.version === item.version &&
  !item.isRemoved &&
  !item.isMissing &&
  (item.failure === null || item.failure.code === "permanent")

/**
 * Gives items their new ids. Returns the former ids: something else may be there by now, whether it was named before
 * the move or not at all.
 */
const followMoves = (sync: ActiveSync, changes: ReadonlyArray<ItemChange>) =>
  Effect.gen(function* () {
    const { connector, run, workspace } = sync
    const items = (yield* SourceStore).items
    const former: Array<string> = []
    for (const change of changes) {
      if (change.op !== "move" || change.previousId === change.externalId) continue
      former.push(change.previousId)
      if (run.dryRun) continue
      yield* atomically(
        Effect.gen(function* () {
          const { externalId, previousId } = change
          const found = yield* items.find(workspace, connector.id, [previousId, externalId])
          const previous = found.find((item) => item.externalId === previousId)
          const current = found.find((item) => item.externalId === externalId)
          const isFree = current === undefined || (current.isRemoved && previous?.isRemoved === false)
          if (previous === undefined || previous.isRemoved || !isFree) return
          // Without a version it is fetched, under its new path.
          yield* items.put(workspace, { ...previous, externalId, version: null, isMissing: false })
          yield* items.remove(workspace, connector.id, previousId)
          for (const attached of yield* items.attached(workspace, connector.id, previousId)) {
            yield* items.remove(workspace, connector.id, attached.externalId)
            yield* items.put(workspace, {
              ...attached,
              externalId: `${externalId}${attached.externalId.slice(previousId.length)}`,
              parentId: externalId
            })
          }
        })
      )
    }
    return former
  })

/**
 * Fetches items and writes their documents, in this order.
 *
 * @param versionOf The listed version of an item, where there is one.
 */
export const bringOver = (
  sync: ActiveSync,
  externalIds: ReadonlyArray<string>,
  onProgress: OnProgress,
  versionOf: (externalId: string) => string | null = () => null
) =>
  Effect.gen(function* () {
    const list = yield* itemsUnderWay(sync, externalIds)
    const fetch = (externalId: string) => {
      const reason = deadlyItem(sync, externalId)
      return reason === null
        ? fetchItem(sync, externalId)
        : Effect.succeed<Prepared>({ externalId, reason, isPermanent: true, version: versionOf(externalId) })
    }
    const progress = (left: number) => {
      const all = Math.max(sync.tally.seen, sync.tally.total ?? 0, left)
      return onProgress(Math.max(sync.tally.seen, left) - left, all)
    }
    let left = externalIds.length
    yield* Stream.fromIterable(externalIds.entries()).pipe(
      Stream.mapEffect(([place, externalId]) => Effect.zipRight(list.begin(place), fetch(externalId)), {
        concurrency: list.isCareful ? 1 : fetchesMax
      }),
      Stream.runForEach((prepared) =>
        Effect.zipRight(
          applyFetched(sync, prepared),
          Effect.suspend(() => {
            list.settled()
            left -= 1
            return progress(left)
          })
        )
      )
    )
    yield* list.end
  })

const applyFetched = (sync: ActiveSync, prepared: Prepared) =>
  Effect.gen(function* () {
    const { externalId } = prepared
    if ("parts" in prepared) return yield* applyParts(sync, prepared)
    const { connector, run, workspace } = sync
    const items = (yield* SourceStore).items
    const [item] = yield* items.find(workspace, connector.id, [externalId])
    if ("isGone" in prepared) {
      sync.tally.named.delete(externalId)
      if (item === undefined || item.isRemoved || run.dryRun) return
      // An item that never had a document leaves nothing behind.
      if (item.documentId === null)
        return yield* atomically(items.remove(workspace, connector.id, externalId))
      return yield* settleAlone(sync, {
        ...item,
        isMissing: true,
        failure: null,
        warnings: [],
        syncedAt: yield* now
      })
    }
    const { version = null } = prepared
    const failing = {
      ...(item ?? (yield* newItem(sync, externalId))),
      ...(version === null ? {} : { version })
    }
    const code = prepared.isPermanent ? "permanent" : "unreadable"
    yield* failItem(sync, failing, { code, reason: prepared.reason })
  })
