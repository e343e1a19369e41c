import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Atomic } from "../../platform/kernel/index.js"
import type { ActiveSync } from "./active-sync.js"
import {
  type FetchedItem,
  type ItemGone,
  type ItemReaders,
  ItemUnreadable,
  type SourceRateLimited,
  type SourceUnreachable
} from "./crawler.js"
import { type ItemPart, prepareItem } from "./prepare-item.js"
import { areReaders, hideItem, unreadableReaders } from "./source-readers.js"
import type { SourceStore } from "./store.js"

/** Tries of one request. */
const triesMax = 3
/** Longest pause that a run waits for, in milliseconds. */
const pauseMaxMs = 60_000
/** Items in a row that may fail because the source cannot be reached; then it is the source that fails. */
const unreachableMax = 5

/** The documents of an item, and who may read them; undefined where the source does not say. */
export interface PreparedParts {
  readonly externalId: string
  readonly parts: ReadonlyArray<ItemPart>
  readonly readers: ItemReaders | undefined
}

/** The documents that an item asks for, or why there are none. */
export type Prepared =
  | PreparedParts
  | { readonly externalId: string; readonly isGone: true }
  | {
      readonly externalId: string
      readonly reason: string
      readonly isPermanent: boolean
      /** The version that is not to be fetched again, where one is known. */
      readonly version?: string | null
    }

/** Repeats a request to a source that may succeed later, and waits as long as the source asks, up to a minute. */
export const repeated = <A, E extends { readonly _tag: string }, R>(
  request: Effect.Effect<A, E | SourceRateLimited, R>
): Effect.Effect<A, E | SourceRateLimited, R> =>
  request.pipe(
    Effect.tapError((fault) =>
      isRateLimit(fault) && fault.retryAfterMs <= pauseMaxMs ? Effect.sleep(fault.retryAfterMs) : Effect.void
    ),
    Effect.retry({
      schedule: Schedule.exponential("500 millis").pipe(
        Schedule.jittered,
        Schedule.intersect(Schedule.recurs(triesMax - 1))
      ),
      while: mayPass
    })
  )

const isRateLimit = (fault: { readonly _tag: string }): fault is SourceRateLimited =>
  fault._tag === "SourceRateLimited"

const mayPass = (fault: { readonly _tag: string }): boolean =>
  fault._tag === "SourceUnreachable" ||
  (isRateLimit(fault) && fault.retryAfterMs <= pauseMaxMs) ||
  (fault instanceof ItemUnreadable && !fault.isPermanent)

/** Fetches an item and makes its documents. Fails only when the source itself does. */
export const fetchItem = (sync: ActiveSync, externalId: string) =>
  repeated(sync.crawler.fetch(externalId)).pipe(
    Effect.flatMap((item) => prepared(sync, externalId, item)),
    Effect.catchTags({
      ItemGone: (_gone: ItemGone) => Effect.succeed<Prepared>({ externalId, isGone: true }),
      ItemUnreadable: ({ isPermanent, message }: ItemUnreadable) =>
        Effect.succeed<Prepared>({ externalId, reason: message, isPermanent }),
      SourceUnreachable: (fault: SourceUnreachable) => {
        sync.tally.unreachable += 1
        return sync.tally.unreachable >= unreachableMax
          ? Effect.fail(fault)
          : Effect.succeed<Prepared>({ externalId, reason: fault.message, isPermanent: false })
      }
    })
  )

const prepared = (
  sync: ActiveSync,
  externalId: string,
  item: FetchedItem
): Effect.Effect<Prepared, never, SourceStore | Atomic> =>
  Effect.gen(function* () {
    sync.tally.unreachable = 0
    const { readers } = item
    if (readers !== undefined && !areReaders(readers)) {
      yield* hideItem(sync, externalId)
      return { externalId, reason: unreadableReaders, isPermanent: false }
    }
    const parts = yield* prepareItem({ ...item, externalId }, sync.connector.pathPrefix)
    return { externalId, parts, readers }
  })
