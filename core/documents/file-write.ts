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
} from "../kernel/index.js"
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

/** The live document of that id. */
export const liveDocument = (id: DocumentId) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const found = yield* store.find(caller.workspace, id)
    return Option.isSome(found) && found.value.deletedAt === null
      ? found.value
      : yield* new NotFound({ what: "document" })
  })

/** How a document's file compares with the catalog; or why it cannot be read. */
type FileState = "same" | "missing" | "changed" | VaultUnavailable

/**
 * Finishes the pending operations of the document's file and indexes what was written to the file from outside, so
 * that no write of ours overwrites it unseen. Gives the state afterwards: `changed` means that it cannot be indexed.
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
  message: "The file was changed from outside into what cannot be taken in; an ingest says why."
})

/** Why a file that is not what the catalog says was not taken in: of a change that is under way both are read in turn. */
export const unsyncableChange = (id: DocumentId) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const open = yield* store.openIntents(caller.workspace, { documentId: id })
    const { path } = yield* liveDocument(id)
    return yield* open.length > 0 ? beingChanged(path, id) : changedOutside
  })

/** Writes a file anew that was lost while its document was not: in a unit of work, so that no sync deletes it between. */
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
 * Stages the bytes, commits the change with an open intent, puts the file in its place, closes the intent. The disk
 * syncs the staged file while the change is being written; the commit waits for both.
 *
 * @param expects What the file replaces: the hash of the file before, the empty text where there is none.
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
 * Commits a change together with the file operation that it owes, does the operation, and has it noted as done. That
 * note is written later: without it a start-up finds the operation done. No stamp of the file is noted: somebody may write
 * to it before we could ask for one. The next sync looks at the file once.
 *
 * @param staged What the commit waits for, and what takes away what was staged where nothing was committed.
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
        // The file of the change before is not in its place yet: ours must not come first.
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

/** Whether a unit of work surely left nothing: what else it died of may have come after its commit. */
export const isUndone = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return isFault(error) && (error._tag === "Conflict" || error._tag === "DataFull")
}

/** Somebody else's change of the document is still on its way to the file. */
export const beingChanged = (path: string, existingId: DocumentId) =>
  new Conflict({ message: `${path} is being changed by somebody else.`, existingId })
