import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  atomically,
  Caller,
  crashPoint,
  type DocumentId,
  Ids,
  type VaultUnavailable
} from "../../platform/kernel/index.js"
import { pathKey, stemOf } from "../markdown/index.js"
import { pendingOperations } from "./completed-file-operations.js"
import { fileHashOf } from "./model.js"
import { fileBytesMax } from "./parse-file.js"
import { DocumentStore, type FileIntent, Vault } from "./store.js"

/** An item that recovery finished or rebuilt after a crash. */
export interface Repair {
  readonly code:
    | "write_finished"
    | "write_set_aside"
    | "trash_finished"
    | "move_finished"
    | "stray_removed"
    | "text_index_rebuilt"
  readonly message: string
}

/**
 * Finishes the pending file operations of one document. Every write of the document calls this first, since an older
 * operation that ran later would undo the newer one.
 */
export const finishPendingOperations = (id: DocumentId) =>
  Effect.gen(function* () {
    for (const intent of yield* pendingOperations({ documentId: id })) yield* finishOperation(intent)
  })

const words = {
  write: "finished writing",
  trash: "finished moving to the trash",
  move: "finished moving to"
} as const

/**
 * Finishes one file operation. The file is read and changed within the transaction, so that a concurrent change of the
 * document commits before or after it, never in between. Returns null when the operation was closed meanwhile.
 */
export const finishOperation = (intent: FileIntent) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
      // The operation was closed meanwhile: later changes of the file must not be undone.
      if ((yield* store.openIntents(workspace, { id: intent.id })).length === 0) return null
      const repair = yield* finishers[intent.kind](intent)
      yield* crashPoint("reconcile.intent.afterFile")
      yield* store.closeIntent(workspace, intent.id)
      return repair
    })
  )

type Finishing = Effect.Effect<Repair, VaultUnavailable, DocumentStore | Vault | Caller | Ids>

/** Returns the report entry of a finished operation. */
export const finishedRepair = ({ kind, path }: FileIntent): Repair => ({
  code: `${kind}_finished`,
  message: `${words[kind]} ${path}`
})

/**
 * Moves the file to the trash unless another file has replaced it. An operation whose file is already gone is
 * repeated, because the process that performed it may not have synced the folders.
 */
const finishTrash = (intent: FileIntent): Finishing =>
  Effect.gen(function* () {
    const { contentHash, documentId, path } = intent
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const successor = yield* store.findByPath(caller.workspace, path)
    const there = Option.isNone(successor) ? yield* hashAt(path) : null
    if (there === undefined || there === contentHash) yield* vault.trash(path, documentId)
    return finishedRepair(intent)
  })

/** Moves the file. Does not overwrite a file that was created at the target meanwhile; a sync indexes both. */
const finishMove = (intent: FileIntent): Finishing =>
  Effect.gen(function* () {
    const { from, path } = intent
    if (yield* isOvertaken(intent)) return finishedRepair(intent)
    const isThere = (yield* hashAt(path)) !== undefined
    const isLeft = from !== null && (yield* hashAt(from)) !== undefined
    // The process that opened the operation may have moved the file just now.
    if (from !== null && isThere !== isLeft) yield* (yield* Vault).move(from, path)
    else if (!isThere && (yield* hashAt(path)) === undefined) yield* writeKept(intent)
    return finishedRepair(intent)
  })

/**
 * Publishes the staged file or, when it is lost, a file of the stored bytes. A file that was written there by another
 * program stays, and ours is put beside it under another name. When the staged file is gone it was published before: a
 * different file at the path was then written later.
 */
const finishWrite = (intent: FileIntent): Finishing =>
  Effect.gen(function* () {
    const { contentHash, documentId, expects, from, path } = intent
    const vault = yield* Vault
    if (yield* isOvertaken(intent)) return finishedRepair(intent)
    const there = yield* hashAt(path)
    const foreign = there !== undefined && there !== contentHash && expects !== null && there !== expects
    const aside = foreign && from !== null ? yield* setAside(path, from) : null
    if (!foreign && there !== contentHash) {
      const failure = from === null ? null : yield* faultOf(vault.publish(path, from))
      if ((yield* hashAt(path)) === there) yield* writeKept(intent)
      else if (failure !== null) return yield* failure
    } else if (!foreign) yield* from === null ? writeKept(intent) : vault.publish(path, from)
    // The trash may still hold a copy of a restored document.
    yield* vault.dropTrash(documentId)
    return aside === null ? finishedRepair(intent) : aside
  })

/** Returns the failure of an effect; null when it succeeds. */
const faultOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.match(work, { onFailure: (fault) => fault, onSuccess: () => null })

const finishers = { write: finishWrite, trash: finishTrash, move: finishMove } as const

/** Whether a later change of the document has its own pending operation. */
const isOvertaken = ({ contentHash, documentId, path }: FileIntent) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const document = Option.getOrNull(yield* store.find(caller.workspace, documentId))
    return (
      document === null ||
      document.deletedAt !== null ||
      document.path !== path ||
      fileHashOf(document) !== contentHash
    )
  })

/** Writes the stored bytes if they are still those of the intent. */
const writeKept = (intent: FileIntent) =>
  Effect.gen(function* () {
    const { contentHash, documentId, path } = intent
    const [store, vault, caller, ids] = [yield* DocumentStore, yield* Vault, yield* Caller, yield* Ids]
    const storedBytes = yield* store.content(caller.workspace, documentId)
    if (Option.isSome(storedBytes) && ids.sha256(storedBytes.value) === contentHash)
      yield* vault.publish(path, yield* vault.stage(path, storedBytes.value))
  })

/**
 * Length of the original name that is kept in the name of a set-aside file, so that the whole fits file-system limits.
 */
const stemMax = 60

/**
 * Puts a staged file beside its path. Returns null when it is gone: it was published, and another program wrote later.
 */
const setAside = (path: string, handle: string) =>
  Effect.gen(function* () {
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    const stem = [...stemOf(path)].slice(0, stemMax).join("").trimEnd()
    const usedPaths = new Set((yield* store.stamps(caller.workspace)).map((stamp) => pathKey(stamp.path)))
    for (let number = 1; ; number++) {
      const aside = `${folder}${stem} (unfinished write${number === 1 ? "" : ` ${number}`}).md`
      if (usedPaths.has(pathKey(aside)) || Option.isSome(yield* vault.read(aside, Number.MAX_SAFE_INTEGER)))
        continue
      return yield* vault.publish(aside, handle).pipe(
        Effect.as<Repair | null>({
          code: "write_set_aside",
          message: `left ${path} as somebody wrote it meanwhile; what was to be written is in ${aside}`
        }),
        Effect.catchIf(
          ({ code }) => code === "ENOENT",
          () => Effect.succeed(null)
        )
      )
    }
  })

/** Returns the hash of the file at a path; undefined when there is none. */
const hashAt = (path: string) =>
  Effect.gen(function* () {
    const [vault, ids] = [yield* Vault, yield* Ids]
    return Option.getOrUndefined(
      Option.map(yield* vault.read(path, fileBytesMax(path)), ({ bytes }) => ids.sha256(bytes))
    )
  })
