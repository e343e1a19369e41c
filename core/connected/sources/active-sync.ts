import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  atomically,
  Conflict,
  countEvent,
  type DocumentId,
  now,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import type { Crawler, ItemReaders } from "./crawler.js"
import type { PlannedChange } from "./model.js"
import {
  type ExternalItem,
  type ItemFailureCode,
  SourceStore,
  type StoredContentConnector,
  type StoredSyncRun
} from "./store.js"

/** The run was cancelled, or another worker took it over. */
export class SyncStopped extends Data.TaggedError("SyncStopped") {}

/** A run in this process. */
export interface ActiveSync {
  readonly workspace: WorkspaceScope
  readonly connector: StoredContentConnector
  /** The run as it was when this process took it. */
  readonly run: StoredSyncRun
  readonly crawler: Crawler
  /** Whether another attempt began the run, so that some of its items may be settled. */
  readonly isContinued: boolean
  /** Whether all items are fetched, since older readers made their documents. */
  readonly isReadAgain: boolean
  /** Stores who may read the items at the source. */
  readonly readers: SourceReaders
  /** How often a worker ended during an item that is not settled yet. */
  readonly deaths: Map<string, number>
  /** Counts and findings that are stored with the next page. */
  readonly tally: Tally
}

export interface SourceReaders {
  /** Sets the readers of documents as the source names them, and counts the changes in the run; in a unit of work. */
  readonly set: (readers: ReadonlyMap<DocumentId, ItemReaders>) => Effect.Effect<void>
}

export interface Tally {
  seen: number
  unchanged: number
  total: number | null
  /** Whether the crawl started at the beginning, so that it names all items. */
  isComplete: boolean
  /** Whether the whole listing was seen by this process. */
  sawStart: boolean
  hasGaps: boolean
  /** Ids that the listing named. */
  readonly named: Set<string>
  /** Ids that the listing said are deleted; only in a dry run. */
  readonly deleted: Set<string>
  held: number
  /** Items in a row that failed because the source could not be reached. */
  unreachable: number
  readonly changes: Array<PlannedChange>
  /** Counts of a dry run, whose documents are not written. */
  readonly planned: { created: number; updated: number; removed: number }
}

/** Changes shown of a dry run. */
const changesMax = 200

/** Notes what a run without a dry run would do. */
export const planChange = ({ tally }: ActiveSync, change: PlannedChange): void => {
  if (tally.changes.length < changesMax) tally.changes.push(change)
  if (change.op === "create") tally.planned.created += 1
  else if (change.op === "remove") tally.planned.removed += 1
  else if (change.op !== "conflict") tally.planned.updated += 1
}

const stopped = new Conflict({ message: "The sync was cancelled." })

/**
 * Stores the state of an item and counts what was done to its document. For the unit of work of that change: it is
 * undone when the run was cancelled meanwhile.
 */
export const settleItem = (
  { run, workspace }: Pick<ActiveSync, "run" | "workspace">,
  stores: { readonly items: SourceStore["Type"]["items"]; readonly runs: SourceStore["Type"]["runs"] },
  item: ExternalItem,
  added: Parameters<SourceStore["Type"]["runs"]["count"]>[2]
): Effect.Effect<void, Conflict> =>
  Effect.gen(function* () {
    if (!(yield* stores.runs.count(workspace, run.id, added))) return yield* stopped
    yield* stores.items.put(workspace, item)
    yield* stores.runs.settle(workspace, run.id, { externalId: item.externalId, messages: item.warnings })
  })

/** Runs `settleItem` in its own unit of work. */
export const settleAlone = (sync: ActiveSync, item: ExternalItem) =>
  Effect.gen(function* () {
    const stores = { items: (yield* SourceStore).items, runs: (yield* SourceStore).runs }
    yield* atomically(settleItem(sync, stores, item, {})).pipe(Effect.mapError(() => new SyncStopped()))
  })

/** Remembers that an item failed, and why; the next run tries it again. */
export const failItem = (
  sync: ActiveSync,
  item: ExternalItem,
  failure: { readonly code: ItemFailureCode; readonly reason: string }
) =>
  Effect.gen(function* () {
    const { run, workspace } = sync
    const [items, runs] = [(yield* SourceStore).items, (yield* SourceStore).runs]
    const reason = failure.reason.slice(0, reasonMax)
    yield* countEvent("kanon_sync_items_failed_total")
    if (run.dryRun && failure.code === "conflict")
      planChange(sync, { externalId: item.externalId, op: "conflict", path: item.path })
    yield* atomically(
      Effect.gen(function* () {
        if (!(yield* runs.count(workspace, run.id, {}))) return yield* new SyncStopped()
        if (!run.dryRun)
          yield* items.put(workspace, { ...item, failure: { code: failure.code, reason }, runId: run.id })
        yield* runs.addFailures(workspace, run.id, [{ externalId: item.externalId, reason }])
      })
    )
  })

/** Longest reason that is stored, in UTF-16 units. */
const reasonMax = 1000

/** Fails when the run is not running any more. */
export const refuseStopped = ({ run, workspace }: Pick<ActiveSync, "run" | "workspace">) =>
  Effect.gen(function* () {
    const found = Option.getOrNull(yield* (yield* SourceStore).runs.find(workspace, run.id))
    if (found?.status !== "running") return yield* new SyncStopped()
  })

/** An item that was never seen before. */
export const newItem = ({ connector }: ActiveSync, externalId: string, parentId: string | null = null) =>
  Effect.map(
    now,
    (syncedAt): ExternalItem => ({
      connectorId: connector.id,
      externalId,
      parentId,
      path: null,
      version: null,
      contentHash: null,
      documentId: null,
      url: null,
      isRemoved: false,
      isMissing: false,
      failure: null,
      warnings: [],
      runId: null,
      syncedAt
    })
  )
