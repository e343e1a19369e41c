import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { atomically, Caller, timestampOf, traced } from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { finishPendingOperations } from "./pending-operations.js"
import { DocumentStore, Vault } from "./store.js"

const dayMs = 86_400_000
/** Versions that one unit of work forgets. */
const versionsPerUnit = 500
const documentsPerLook = 50

/** Forgets the versions above the number that the workspace keeps of each document, which may have become smaller. */
export const pruneVersions = traced("documents.pruneVersions")(function* () {
  const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const keptMax = settings.retention.versionsPerDocument
  let count = 0
  for (let gone = versionsPerUnit; gone === versionsPerUnit; count += gone)
    gone = yield* atomically(store.pruneVersions(workspace, keptMax, versionsPerUnit))
  return count
})

/**
 * Removes for good what has been in the trash for longer than the workspace keeps it: the file, the kept texts, all
 * versions. The audit trail keeps telling that there was such a document. The file goes first: what is cut short
 * there can still be restored from the kept text, and goes with the next run. Gives how many.
 *
 * @param followed Up to which place of the feed everybody who follows the documents has seen them: what was deleted later
 * stays until they have, since nothing would tell them any more.
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
          // Somebody may have brought it back in the meantime.
          const [gone] = yield* store.purge(workspace, [id], before)
          if (gone === undefined) return 0
          const { deletedAt, path, version } = gone
          yield* record([{ action: "document.purge", subjectId: id, details: { path, version, deletedAt } }])
          return 1
        })
      )
      count += removed
    }
    // In the order of their deletion: the next page has been seen no more than the end of this one.
    if (seen.length < documentsPerLook) return count
  }
})
