import * as Effect from "effect/Effect"
import { atomically, type DocumentId } from "../../platform/kernel/index.js"
import { type ActiveSync, failItem, refuseStopped } from "./active-sync.js"
import type { ItemReaders } from "./crawler.js"
import { repeated } from "./fetch-item.js"
import { areReaders, hideItem, unreadableReaders } from "./source-readers.js"
import { SourceStore } from "./store.js"

/** Items whose readers are asked for at once. */
const itemsPerPage = 100

/**
 * Asks the source who may read the items that have documents: before everything else, so that whoever lost a right
 * reads nothing that the run brings over.
 */
export const refreshReaders = (sync: ActiveSync) =>
  Effect.gen(function* () {
    const { connector, crawler, run, workspace } = sync
    if (crawler.readers === undefined || run.dryRun) return
    const { items } = yield* SourceStore
    let after: string | null = null
    for (;;) {
      yield* refuseStopped(sync)
      const page: Effect.Effect.Success<ReturnType<typeof items.withDocument>> = yield* items.withDocument(
        workspace,
        connector.id,
        after,
        itemsPerPage
      )
      const roots = [...new Set(page.map(({ externalId, parentId }) => parentId ?? externalId))]
      const named: ReadonlyMap<string, ItemReaders> =
        roots.length === 0 ? new Map() : yield* repeated(crawler.readers(roots))
      const known = new Map<DocumentId, ItemReaders>()
      for (const item of page) {
        const root = item.parentId ?? item.externalId
        const readers = named.get(root)
        if (item.documentId === null || readers === undefined) continue
        if (areReaders(readers)) known.set(item.documentId, readers)
        else {
          yield* hideItem(sync, root)
          yield* failItem(sync, item, { code: "unreadable", reason: unreadableReaders })
        }
      }
      if (known.size > 0) yield* atomically(sync.readers.set(known))
      const last = page.at(-1)
      if (last === undefined || page.length < itemsPerPage) return
      after = last.externalId
    }
  })
