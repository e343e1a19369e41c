import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { atomically, crashPoint, Ids, traced, type WorkspaceScope } from "../../platform/kernel/index.js"
import { fileHashOf } from "./model.js"
import { fileBytesMax } from "./parse-file.js"
import { DocumentStore, type FileIntent, Vault } from "./store.js"

/** Number of files written in parallel; their completions are recorded together. */
const filesAtOnce = 8
const filesPerUnit = 64

/**
 * Writes the pending files of an import from the stored bytes, several in parallel, and returns the finished
 * operations. An operation that fails, or whose path is occupied, stays pending for reconciliation. Safe to repeat and
 * to run concurrently.
 */
export const recoverPendingWrites = traced("documents.writeOwedFiles")(function* (workspace: WorkspaceScope) {
  const store = yield* DocumentStore
  const intents = yield* store.openIntents(workspace)
  const fresh = intents.filter(({ from, kind }) => kind === "write" && from === null)
  const finished: Array<FileIntent> = []
  for (const batch of Batches.chunksOf(fresh, filesPerUnit)) {
    const tried = yield* Effect.forEach(batch, (intent) => Effect.option(writeFile(workspace, intent)), {
      concurrency: filesAtOnce
    })
    const done = tried.flatMap((one) => Option.toArray(Option.flatten(one)))
    // When a whole batch fails, for example on a full disk, the rest would fail as well.
    if (done.length === 0) break
    yield* atomically(store.closeIntent(workspace, ...done.map((intent) => intent.id)))
    finished.push(...done)
    yield* crashPoint("owed.files.afterUnit")
  }
  return finished
})

const writeFile = (workspace: WorkspaceScope, intent: FileIntent) =>
  Effect.gen(function* () {
    const [store, vault, ids] = [yield* DocumentStore, yield* Vault, yield* Ids]
    const { contentHash, documentId: id, path } = intent
    const document = Option.getOrNull(yield* store.find(workspace, id))
    const isCurrent =
      document !== null &&
      document.deletedAt === null &&
      document.path === path &&
      fileHashOf(document) === contentHash
    if (!isCurrent || Option.isSome(yield* vault.read(path, fileBytesMax(path)))) return Option.none()
    const kept = yield* store.content(workspace, id)
    if (Option.isNone(kept) || ids.sha256(kept.value) !== contentHash) return Option.none()
    const handle = yield* vault.stage(path, kept.value)
    // Who closed it meanwhile may have had the file moved on since.
    if ((yield* store.openIntents(workspace, { id: intent.id })).length === 0) {
      yield* vault.discard(handle)
      return Option.none()
    }
    yield* vault.publish(path, handle)
    yield* crashPoint("owed.file.afterPublish")
    return Option.some(intent)
  })
