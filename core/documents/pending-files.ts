import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { atomically, crashPoint, Ids, traced, type WorkspaceScope } from "../kernel/index.js"
import { fileHashOf } from "./model.js"
import { fileBytesMax } from "./parse-file.js"
import { DocumentStore, type FileIntent, Vault } from "./store.js"

/** Files written at the same time, and files after which it is noted that they are done. */
const filesAtOnce = 8
const filesPerUnit = 64

/**
 * Writes the files that an import owes from the kept bytes, many at a time, and gives the operations that this
 * finished. What cannot be written, or finds a file in its place, stays owed: a reconciliation judges it by itself.
 * Safe to repeat, and beside others that do the same.
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
    // A full disk does not empty itself: the rest is left as it is.
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
