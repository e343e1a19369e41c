import * as Effect from "effect/Effect"
import { deathsMax, JobStore, jobKinds } from "../../platform/jobs/index.js"
import { type Atomic, atomically, Caller } from "../../platform/kernel/index.js"
import { type ActiveSync, SyncStopped } from "./active-sync.js"
import { SourceStore, type StoredSyncRun, type UnderWay } from "./store.js"

/** Stands for everything in an upload that is not about one of its files, such as unpacking it. */
const outsideItems = ""
/** An upload exists nowhere else, so it survives more deaths of its worker than a crawl that can be repeated. */
const uploadDeathsMax = 10
/** Items noted ahead of the one that is fetched next. */
const itemsAhead = 4

/** What a run works on between its items. A crawl can be repeated, so the deaths of its job are counted instead. */
export const betweenItems = ({ isUpload }: Pick<StoredSyncRun, "isUpload">): UnderWay["now"] =>
  isUpload ? [outsideItems] : []

/**
 * Counts the death of the worker that had the run before, where it happened during items: they are tried again one by
 * one, and the job is not given up for it.
 */
export const countDeaths = (run: StoredSyncRun) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const [jobs, runs] = [yield* JobStore, (yield* SourceStore).runs]
    const { deaths, now } = run.underWay
    const next = betweenItems(run)
    if (now.length === 0 && next.length === 0) return run
    const counted = Object.fromEntries(now.map((id) => [id, (deaths[id] ?? 0) + 1]))
    const underWay: UnderWay = { now: next, deaths: { ...deaths, ...counted } }
    yield* atomically(
      Effect.gen(function* () {
        yield* runs.update(workspace, run.id, { underWay }, ["running"])
        if (now.length > 0) yield* jobs.forgive(workspace, jobKinds.sync, run.connectorId)
      })
    )
    return { ...run, underWay }
  })

/** Why a run is given up whose worker ended repeatedly; null while it is not. */
export const deadlyUpload = ({ underWay }: StoredSyncRun): string | null =>
  (underWay.deaths[outsideItems] ?? 0) >= uploadDeathsMax
    ? `The worker that unpacked this upload ended during it ${uploadDeathsMax} times, so it is not tried again.`
    : null

/** Why an item is left out during which workers ended; null for one that is tried. */
export const deadlyItem = ({ deaths }: ActiveSync, externalId: string): string | null =>
  (deaths.get(externalId) ?? 0) >= deathsMax
    ? `The program ended ${deathsMax} times while it brought this item over, so the item is left out until it changes.`
    : null

/** Deaths by item, as a run that continues starts with them. */
export const deathsOfItems = ({ underWay }: StoredSyncRun): Map<string, number> =>
  new Map(Object.entries(underWay.deaths).filter(([id]) => id !== outsideItems))

/** Deaths as a run stores them. */
const deathsOf = ({ deaths, run }: ActiveSync): UnderWay["deaths"] => {
  const outside = run.underWay.deaths[outsideItems]
  return { ...Object.fromEntries(deaths), ...(outside === undefined ? {} : { [outsideItems]: outside }) }
}

/** Items that are brought over in order, of which the run notes those under way. */
export interface ItemsUnderWay {
  /** Whether items are brought over one at a time, since a worker ended during one of several. */
  readonly isCareful: boolean
  /** Notes an item, and some after it, before it is fetched. */
  readonly begin: (place: number) => Effect.Effect<void, SyncStopped, Atomic>
  /** Counts an item that was settled; they are settled in order. */
  readonly settled: () => void
  /** Notes that none is under way any more. */
  readonly end: Effect.Effect<void, SyncStopped, Atomic>
}

/** Follows a list of items that are brought over; one transaction covers several of them. */
export const itemsUnderWay = (sync: ActiveSync, externalIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { connector, deaths, run, tally, workspace } = sync
    const [items, runs] = [(yield* SourceStore).items, (yield* SourceStore).runs]
    const oneAtOnce = yield* Effect.makeSemaphore(1)
    const isCareful = externalIds.some((id) => deaths.has(id))
    let [settled, marked, noted] = [0, 0, 0]
    const note = (now: UnderWay["now"]) =>
      Effect.gen(function* () {
        const done = externalIds.slice(marked, settled)
        for (const id of done) deaths.delete(id)
        const change = {
          underWay: { now, deaths: deathsOf(sync) },
          unchanged: tally.unchanged,
          total: tally.total
        }
        const isRunning = yield* atomically(
          Effect.gen(function* () {
            if (!run.dryRun && done.length > 0)
              yield* items.markSettled(workspace, connector.id, done, run.id)
            return yield* runs.update(workspace, run.id, change, ["running"])
          })
        )
        if (!isRunning) return yield* new SyncStopped()
        marked += done.length
      })
    const list: ItemsUnderWay = {
      isCareful,
      begin: (place) =>
        oneAtOnce.withPermits(1)(
          Effect.suspend(() => {
            if (place < noted) return Effect.void
            noted = place + (isCareful ? 1 : itemsAhead)
            return note(externalIds.slice(settled, noted))
          })
        ),
      settled: () => {
        settled += 1
      },
      end: Effect.suspend(() => (externalIds.length === 0 ? Effect.void : note(betweenItems(run))))
    }
    return list
  })

/** Notes that nothing is under way, when a worker leaves a run in order: what it worked on is not to blame. */
export const leaveRun = (sync: ActiveSync) =>
  Effect.gen(function* () {
    const { run, workspace } = sync
    const underWay: UnderWay = { now: [], deaths: deathsOf(sync) }
    yield* atomically((yield* SourceStore).runs.update(workspace, run.id, { underWay }, ["running"]))
  }).pipe(Effect.catchAllDefect(() => Effect.void))
