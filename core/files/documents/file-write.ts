import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  atomically,
  Caller,
  Conflict,
  crashPoint,
  type DocumentId,
  Ids,
  isFault,
  NotFound,
  type VaultUnavailable
} from "../../platform/kernel/index.js"
import { type Change, commitChanges } from "./commit.js"
import {
  CompletedFileOperations,
  changeTransaction,
  hasPendingOperation
} from "./completed-file-operations.js"
import { type Document, fileHashOf } from "./model.js"
import { fileBytesMax } from "./parse-file.js"
import { finishPendingOperations } from "./pending-operations.js"
import { DocumentStore, type FileIntent, FileSync, Vault } from "./store.js"

/** Returns the live document with this id. */
export const liveDocument = (id: DocumentId) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const found = yield* store.find(caller.workspace, id)
    return Option.isSome(found) && found.value.deletedAt === null
      ? found.value
      : yield* new NotFound({ what: "document" })
  })

/** How a document's file compares with the catalog, or why it cannot be read. */
type FileState = "same" | "missing" | "changed" | VaultUnavailable

/**
 * Finishes the pending operations of the document's file and indexes changes made to the file from outside, so that
 * our write does not overwrite them. Returns the state afterwards: `changed` means that the file cannot be indexed.
 */
export const syncBeforeWrite = (id: DocumentId) =>
  Effect.gen(function* () {
    yield* finishPendingOperations(id)
    const found = yield* fileState(id)
    if (found !== "changed") return found
    yield* (yield* FileSync).sync((yield* liveDocument(id)).path)
    return yield* fileState(id)
  })

const fileState = (id: DocumentId) =>
  Effect.gen(function* () {
    const [document, vault, ids] = [yield* liveDocument(id), yield* Vault, yield* Ids]
    return yield* Effect.match(vault.read(document.path, fileBytesMax(document.path)), {
      onFailure: (fault): FileState => fault,
      onSuccess: Option.match({
        onNone: (): FileState => "missing",
        onSome: ({ bytes }): FileState => (ids.sha256(bytes) === fileHashOf(document) ? "same" : "changed")
      })
    })
  })

export const changedOutside = new Conflict({
  message: "The file was changed from outside and cannot be indexed; run an ingest to see why."
})

/**
 * Returns why a changed file was not indexed. Reads file and row again in turn, because a change may be in progress.
 */
export const unsyncableChange = (id: DocumentId) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const open = yield* store.openIntents(caller.workspace, { documentId: id })
    const { path } = yield* liveDocument(id)
    return yield* open.length > 0 ? beingChanged(path, id) : changedOutside
  })

/** Writes a lost file again. Runs in a unit of work, so that no concurrent sync deletes the document. */
export const restoreFile = ({ id, path }: Document, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const handle = yield* vault.stage(path, bytes)
    yield* crashPoint("document.putBack.afterStage")
    const live = Effect.filterOrFail(
      liveDocument(id),
      (document) => document.path === path,
      () => beingChanged(path, id)
    )
    const published = Effect.zipRight(live, vault.publish(path, handle))
    yield* Effect.tapError(atomically(published), () => vault.discard(handle))
  }).pipe(Effect.uninterruptible)

/**
 * Stages the bytes, commits the change with an open intent, publishes the file and closes the intent. The disk syncs
 * the staged file while the change is written; the commit waits for both.
 *
 * @param expects Hash of the file that is replaced; the empty text when there is none.
 */
export const publishChange = (change: Change, bytes: Uint8Array, expects: string) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const { id, path } = change.after
    yield* crashPoint("document.write.beforeStage")
    const { handle, synced } = yield* vault.stageAhead(path, bytes)
    yield* crashPoint("document.write.afterStage")
    const published = vault.publish(path, handle)
    const back = change.before !== null && change.before.deletedAt !== null
    const restored = Effect.zipRight(crashPoint("document.restore.beforeTrashDropped"), vault.dropTrash(id))
    yield* commitWithFileOperation(
      change,
      { kind: "write", from: handle, expects },
      back ? Effect.zipLeft(published, restored) : published,
      { ready: synced, undo: vault.discard(handle) }
    )
  })

/**
 * Commits a change together with its file operation, performs the operation and records it as done. That record is
 * written later: without it a start-up finds the operation done. The file's stamp is not stored, since another program
 * may write the file before the stamp could be read; the next sync reads the file once.
 *
 * @param staged The effect that the commit waits for, and the clean-up when nothing was committed.
 */
export const commitWithFileOperation = <E, R>(
  change: Change,
  owed: Pick<FileIntent, "kind" | "from" | "expects">,
  operation: Effect.Effect<unknown, E, R>,
  staged: {
    readonly ready: Effect.Effect<void, VaultUnavailable>
    readonly undo: Effect.Effect<void>
  } = { ready: Effect.void, undo: Effect.void }
) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const { id, path } = change.after
    const contentHash = fileHashOf(change.after)
    const intent = yield* changeTransaction(
      [id],
      Effect.gen(function* () {
        // The file of an earlier change is not published yet, and ours must not overtake it.
        if (change.before !== null && (yield* hasPendingOperation(id))) return yield* beingChanged(path, id)
        yield* commitChanges(caller.workspace, [change])
        yield* staged.ready
        yield* crashPoint(`document.${owed.kind}.insideTransaction`)
        return yield* store.openIntent(caller.workspace, { ...owed, documentId: id, path, contentHash })
      })
    ).pipe(Effect.tapErrorCause((cause) => (isUndone(cause) ? staged.undo : Effect.void)))
    yield* crashPoint(`document.${owed.kind}.afterTransaction`)
    yield* operation
    yield* crashPoint(`document.${owed.kind}.beforeIntentDone`)
    yield* (yield* CompletedFileOperations).add({ intent, id })
    yield* crashPoint(`document.${owed.kind}.afterIntentDone`)
  }).pipe(Effect.uninterruptible)

/** Whether a unit of work certainly changed nothing. Other failures may have happened after its commit. */
export const isUndone = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return isFault(error) && (error._tag === "Conflict" || error._tag === "DataFull")
}

/** Fails because another change of the document has not reached the file yet. */
export const beingChanged = (path: string, existingId: DocumentId) =>
  new Conflict({ message: `${path} is being changed by another caller.`, existingId })
