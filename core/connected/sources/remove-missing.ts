import * as Effect from "effect/Effect"
import { atomically } from "../../platform/kernel/index.js"
import { type ActiveSync, failItem, refuseStopped } from "./active-sync.js"
import { applyParts, removeItem } from "./apply-item.js"
import { storeProgress } from "./crawl.js"
import type { Checkpoint, IdPage } from "./crawler.js"
import { fetchItem, repeated } from "./fetch-item.js"
import { listingBound } from "./listing-bound.js"
import { SourceStore } from "./store.js"

/** Fewer removals than this are never held. */
const heldMin = 5
/** A larger share of the documents is held. */
const heldShare = 1 / 5
const idsPerPage = 1000

/**
 * Moves documents to the trash whose items are gone. What a listing does not name is asked for once more, since items
 * that move while they are listed may be in no page. Too many removals at once are held.
 */
export const removeMissing = (sync: ActiveSync) =>
  Effect.gen(function* () {
    const { connector, run, workspace } = sync
    if (sync.crawler.traits.deletions === "never") return
    const items = (yield* SourceStore).items
    const present = yield* presentIds(sync)
    const unnamed = present === null ? [] : yield* unnamedIds(sync, present)
    if (!run.dryRun) yield* atomically(items.markMissing(workspace, connector.id, unnamed))
    const marked = yield* items.missing(workspace, connector.id)
    const candidates = [...new Set([...marked, ...unnamed, ...(yield* knownOf(sync, sync.tally.deleted))])]
    const live = yield* items.count(workspace, connector.id)
    const isEmpty = present !== null && present.size === 0 && live > 0
    const isMany = candidates.length >= heldMin && candidates.length > live * heldShare
    if ((isEmpty || isMany) && !run.allowRemovals) {
      sync.tally.held = candidates.length
      return yield* storeProgress(sync, { heldRemovals: candidates.length })
    }
    for (const externalId of candidates) {
      yield* refuseStopped(sync)
      const prepared = yield* fetchItem(sync, externalId)
      if ("parts" in prepared) {
        yield* applyParts(sync, prepared)
        continue
      }
      const [item] = yield* items.find(workspace, connector.id, [externalId])
      if (item === undefined || item.isRemoved) continue
      if ("isGone" in prepared) yield* removeItem(sync, item)
      else
        yield* failItem(sync, item, {
          code: prepared.isPermanent ? "permanent" : "unreadable",
          reason: prepared.reason
        })
    }
  })

/** All ids at the source; null where the run does not tell what is missing. */
const presentIds = (sync: ActiveSync) =>
  Effect.gen(function* () {
    const { crawler, run, tally } = sync
    const isPartial = run.isUpload && run.mode === "incremental"
    if (isPartial || tally.hasGaps) return null
    const namesAll = tally.isComplete || crawler.traits.changes === "listing"
    if (namesAll && tally.sawStart) return tally.named
    return namesAll || crawler.traits.deletions === "ids" ? yield* listAll(sync) : null
  })

const listAll = (sync: ActiveSync) =>
  Effect.gen(function* () {
    const ids = new Set<string>()
    let position: Checkpoint | null = null
    const bound = listingBound()
    for (;;) {
      yield* refuseStopped(sync)
      const page: IdPage = yield* repeated(sync.crawler.listIds(position))
      if (page.failures.length > 0) {
        const failures = page.failures.map(({ externalId, message }) => ({ externalId, reason: message }))
        yield* atomically((yield* SourceStore).runs.addFailures(sync.workspace, sync.run.id, failures))
        return null
      }
      yield* bound(page.ids, page.next)
      for (const id of page.ids) ids.add(id)
      if (page.next === null) return ids
      position = page.next
    }
  })

const knownOf = ({ connector, workspace }: ActiveSync, ids: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const found = yield* (yield* SourceStore).items.find(workspace, connector.id, [...ids])
    return found.flatMap(({ externalId, isRemoved }) => (isRemoved ? [] : [externalId]))
  })

const unnamedIds = ({ connector, workspace }: ActiveSync, present: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const items = (yield* SourceStore).items
    const unnamed: Array<string> = []
    let after: string | null = null
    for (;;) {
      const page: ReadonlyArray<string> = yield* items.ids(workspace, connector.id, after, idsPerPage)
      unnamed.push(...page.filter((id) => !present.has(id)))
      const last = page.at(-1)
      if (last === undefined || page.length < idsPerPage) return unnamed
      after = last
    }
  })
