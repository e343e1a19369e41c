import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { record } from "../../platform/audit/index.js"
import { atomically, Caller, timestampOf, traced } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { finishPendingOperations } from "./pending-operations.js"
import { DocumentStore, Vault } from "./store.js"

const dayMs = 86_400_000
/** Versions pruned in one unit of work. */
const versionsPerUnit = 500
const documentsPerLook = 50

/** Prunes versions beyond the workspace's limit per document, which may have been lowered. */
export const pruneVersions = traced("documents.pruneVersions")(function* () {
  const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const keptMax = settings.retention.versionsPerDocument
  let count = 0
  for (let removedCount = versionsPerUnit; removedCount === versionsPerUnit; count += removedCount)
    removedCount = yield* atomically(store.pruneVersions(workspace, keptMax, versionsPerUnit))
  return count
})

/**
 * Purges documents that have been in the trash for longer than the retention period: file, stored texts and all
 * versions. The audit trail still records the document. The file is removed first: after a crash in between, the
 * document can still be restored from the stored text, and the next run purges it. Returns the number of purged
 * documents.
 *
 * @param followed Feed position that all followers of documents have reached. Documents deleted later stay, because
 * followers would not learn of their deletion.
 */
export const purgeTrash = traced("documents.purgeTrash")(function* (followed: number) {
  const [store, vault, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
  const { trashDays } = (yield* (yield* WorkspaceStore).get(workspace)).settings.retention
  if (trashDays === 0) return 0
  const before = timestampOf((yield* Clock.currentTimeMillis) - trashDays * dayMs)
  let count = 0
  for (;;) {
    const page = yield* store.trashedBefore(workspace, before, documentsPerLook)
    const seen = page.filter(({ seq }) => seq <= followed)
    for (const { id } of seen) {
      yield* finishPendingOperations(id)
      yield* vault.dropTrash(id)
      const removed = yield* atomically(
        Effect.gen(function* () {
          // The document may have been restored in the meantime.
          const [gone] = yield* store.purge(workspace, [id], before)
          if (gone === undefined) return 0
          const { deletedAt, path, version } = gone
          yield* record([{ action: "document.purge", subjectId: id, details: { path, version, deletedAt } }])
          return 1
        })
      )
      count += removed
    }
    // Documents come in the order of deletion, so later pages are not followed either.
    if (seen.length < documentsPerLook) return count
  }
})
