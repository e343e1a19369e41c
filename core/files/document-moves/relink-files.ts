import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { atomically, Caller, crashPoint, type DocumentId, Ids } from "../../platform/kernel/index.js"
import {
  beingChanged,
  type Change,
  changeTransaction,
  commitChanges,
  DocumentStore,
  fileBytesMax,
  fileHashOf,
  hasPendingOperation,
  isUndone,
  noPreviousFile,
  Vault
} from "../documents/index.js"

/** The new text of a document. */
export interface Rewrite {
  readonly change: Change
  readonly bytes: Uint8Array
  /** Hash of the file that is replaced; the empty text when there is none. */
  readonly expects: string
}

/** All changes of a move, committed together. */
export interface LinkedMove {
  readonly change: Change
  /** Path of the file; null when it is gone, so that it is written again. */
  readonly from: string | null
  /** The new text of the moved document; null when it stays. */
  readonly own: Rewrite | null
  readonly others: ReadonlyArray<Rewrite>
}

/** Number of files staged or published in parallel. */
const filesAtOnce = 8

/** A file operation with the id of its intent. */
interface PendingOperation {
  readonly intent: number
  readonly id: DocumentId
  /** False when the file was written meanwhile by another program; that file stays. */
  readonly operation: Effect.Effect<boolean, Unwritten, Vault | Ids>
}
type Unwritten = Effect.Effect.Error<ReturnType<Vault["Type"]["move"]>>

/**
 * Stages all texts, commits all rows with their file operations, performs those and records them as done. After a
 * crash the next start finishes them. Fails with Conflict, changing nothing, when one of the documents changed
 * meanwhile. Returns the documents whose file was written from outside at the last moment: that text stays in the
 * file, ours becomes a version, and the next sync stores theirs as the following version.
 */
export const commitRelinks = (move: LinkedMove) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    if (move.from !== null) yield* vault.checkWritable(move.from)
    yield* vault.checkWritable(move.change.after.path)
    const rewrites = [...(move.own === null ? [] : [move.own]), ...move.others]
    const handles = yield* stageAll(rewrites)
    yield* crashPoint("document.relink.afterStage")
    const changed = [move.change, ...move.others.map(({ change }) => change)].map(({ after }) => after.id)
    const pending = yield* changeTransaction(changed, commitAll(move, handles)).pipe(
      Effect.tapErrorCause((cause) => (isUndone(cause) ? discardAll(handles) : Effect.void))
    )
    yield* crashPoint("document.relink.afterTransaction")
    // The moved file comes first and sequentially: its new text goes to its new path.
    const own = yield* performAll(pending.own, 1)
    const others = yield* performAll(pending.others, filesAtOnce)
    yield* crashPoint("document.relink.beforeIntentsDone")
    return yield* noteDone([...own, ...others])
  }).pipe(Effect.uninterruptible)

const stageAll = (rewrites: ReadonlyArray<Rewrite>) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const handles = new Map<DocumentId, string>()
    yield* Effect.forEach(
      rewrites,
      ({ bytes, change: { after } }) =>
        Effect.map(vault.stage(after.path, bytes), (handle) => handles.set(after.id, handle)),
      { concurrency: filesAtOnce, discard: true }
    ).pipe(Effect.tapError(() => discardAll(handles)))
    return handles
  })

const discardAll = (handles: ReadonlyMap<DocumentId, string>) =>
  Effect.flatMap(Vault, (vault) => Effect.forEach(handles.values(), vault.discard, { discard: true }))

/** Calls only stores; returns the pending operations. */
const commitAll = (move: LinkedMove, handles: ReadonlyMap<DocumentId, string>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const changes = [move.change, ...move.others.map(({ change }) => change)]
    for (const { after } of changes)
      if (yield* hasPendingOperation(after.id)) return yield* beingChanged(after.path, after.id)
    yield* commitChanges(workspace, changes)
    yield* crashPoint("document.relink.insideTransaction")
    const own: Array<PendingOperation> = []
    if (move.from !== null) own.push(yield* oweMove(move.change, move.from))
    if (move.own !== null) own.push(yield* oweWrite(move.own, handles))
    const others = yield* Effect.forEach(move.others, (rewrite) => oweWrite(rewrite, handles))
    return { own, others }
  })

const oweMove = ({ after }: Change, from: string) =>
  Effect.gen(function* () {
    const [store, vault, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const { id, path } = after
    const contentHash = fileHashOf(after)
    const intent = yield* store.openIntent(workspace, {
      kind: "move",
      documentId: id,
      path,
      from,
      contentHash,
      expects: noPreviousFile
    })
    const pending: PendingOperation = { intent, id, operation: Effect.as(vault.move(from, path), true) }
    return pending
  })

const oweWrite = ({ change: { after }, expects }: Rewrite, handles: ReadonlyMap<DocumentId, string>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
    const { id, path } = after
    const contentHash = fileHashOf(after)
    const handle = handles.get(id) ?? noPreviousFile
    const intent = yield* store.openIntent(workspace, {
      kind: "write",
      documentId: id,
      path,
      from: handle,
      contentHash,
      expects
    })
    const pending: PendingOperation = {
      intent,
      id,
      operation: publish({ path, handle, expects, contentHash })
    }
    return pending
  })

/** Publishes a staged file unless an unexpected file is at the path. */
const publish = (file: {
  readonly path: string
  readonly handle: string
  readonly expects: string
  readonly contentHash: string
}) =>
  Effect.gen(function* () {
    const [vault, ids] = [yield* Vault, yield* Ids]
    const { contentHash, expects, handle, path } = file
    const there = Option.map(yield* vault.read(path, fileBytesMax(path)), ({ bytes }) => ids.sha256(bytes))
    if (Option.exists(there, (hash) => hash !== expects && hash !== contentHash))
      return yield* Effect.as(vault.discard(handle), false)
    return yield* Effect.as(vault.publish(path, handle), true)
  })

interface Done {
  readonly owed: PendingOperation
  readonly outcome: Either.Either<boolean, Unwritten>
}

const performAll = (pending: ReadonlyArray<PendingOperation>, concurrency: number) =>
  Effect.forEach(
    pending,
    (one) =>
      Effect.gen(function* () {
        const done: Done = { owed: one, outcome: yield* Effect.either(one.operation) }
        yield* crashPoint("document.relink.afterFile")
        return done
      }),
    { concurrency }
  )

/** Closes the completed operations; the others stay pending and fail the call. */
const noteDone = (done: ReadonlyArray<Done>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
    const finished = done.filter(({ outcome }) => Either.isRight(outcome))
    const note = store.closeIntent(workspace, ...finished.map(({ owed: pending }) => pending.intent))
    yield* atomically(note, { unsynced: true })
    for (const { outcome } of done) if (Either.isLeft(outcome)) return yield* outcome.left
    return done.flatMap(({ outcome, owed: pending }) =>
      Either.isRight(outcome) && !outcome.right ? [pending.id] : []
    )
  })
