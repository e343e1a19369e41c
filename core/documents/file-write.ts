import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { atomically, Caller, Conflict, type DocumentId, Ids, NotFound } from "../kernel/index.js"
import { type Change, commitChanges } from "./commit.js"
import type { Document } from "./model.js"
import { contentBytesMax } from "./read.js"
import { finishOwed } from "./reconcile.js"
import { DocumentStore, type FileStamp, Vault } from "./store.js"
import { syncVault } from "./sync.js"

/** The live document of that id. */
export const liveDocument = (id: DocumentId) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const found = yield* store.find(caller.workspace, id)
    return Option.isSome(found) && found.value.deletedAt === null
      ? found.value
      : yield* new NotFound({ what: "document" })
  })

/** How a document's file compares with the catalog. */
type FileState = "same" | "missing" | "unreadable" | "changed"

/**
 * Finishes what is owed to the document's file and takes in what was written to it from outside, so that no write
 * of ours destroys that unseen. Still `changed` means that it cannot be taken in.
 */
export const absorb = (id: DocumentId) =>
  Effect.gen(function* () {
    yield* finishOwed(id)
    const found = yield* fileState(id)
    if (found !== "changed") return found
    yield* syncVault({ under: (yield* liveDocument(id)).path })
    return yield* fileState(id)
  })

const fileState = (id: DocumentId) =>
  Effect.gen(function* () {
    const [document, vault, ids] = [yield* liveDocument(id), yield* Vault, yield* Ids]
    return yield* Effect.match(vault.read(document.path, contentBytesMax), {
      onFailure: (): FileState => "unreadable",
      onSuccess: Option.match({
        onNone: (): FileState => "missing",
        onSome: ({ bytes }): FileState => (ids.sha256(bytes) === document.contentHash ? "same" : "changed")
      })
    })
  })

export const changedOutside = new Conflict({
  message: "The file was changed from outside into what cannot be taken in; an ingest says why."
})

/** Writes a file anew that was lost while its document was not. */
export const putBack = ({ id, path }: Document, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    yield* Effect.flatMap(vault.publish(path, yield* vault.stage(path, bytes)), touch(id))
  }).pipe(Effect.uninterruptible)

/** Stages the bytes, commits the change with an open intent, puts the file in its place, closes the intent. */
export const publishChange = (change: Change, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const { id, path } = change.after
    const handle = yield* vault.stage(path, bytes)
    const publish = Effect.flatMap(vault.publish(path, handle), touch(id))
    yield* commitOwing(change, { kind: "write", from: handle }, publish).pipe(
      Effect.tapErrorTag("Conflict", () => vault.discard(handle))
    )
  })

/** Commits a change together with the file operation that it owes, does the operation, and notes it as done. */
export const commitOwing = <E, R>(
  change: Change,
  owed: { readonly kind: "write" | "trash" | "move"; readonly from: string | null },
  operation: Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const { contentHash, id, path } = change.after
    const intent = yield* atomically(
      Effect.gen(function* () {
        // The file of the change before is not in its place yet: ours must not come first.
        const open = yield* store.openIntents(caller.workspace)
        if (open.some(({ documentId }) => documentId === id)) return yield* beingChanged(path, id)
        yield* commitChanges(caller.workspace, [change])
        return yield* store.openIntent(caller.workspace, { ...owed, documentId: id, path, contentHash })
      })
    )
    yield* operation
    yield* store.closeIntent(caller.workspace, intent)
  }).pipe(Effect.uninterruptible)

export const touch = (id: DocumentId) => (stamp: FileStamp) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    yield* store.touch(caller.workspace, [{ id, ...stamp }])
  })

const beingChanged = (path: string, existingId: DocumentId) =>
  new Conflict({ message: `${path} is being changed by somebody else.`, existingId })
