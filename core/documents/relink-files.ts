import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { atomically, Caller, crashPoint, type DocumentId, Ids } from "../kernel/index.js"
import { type Change, commitChanges } from "./commit.js"
import { changeTransaction, hasPendingOperation } from "./completed-file-operations.js"
import { beingChanged, isUndone } from "./file-write.js"
import { fileHashOf } from "./model.js"
import { fileBytesMax } from "./parse-file.js"
import { DocumentStore, Vault } from "./store.js"
import { noPreviousFile } from "./write-checks.js"

/** A document's new text. */
export interface Rewrite {
  readonly change: Change
  readonly bytes: Uint8Array
  /** The hash of the file that it replaces; the empty text where there is none. */
  readonly expects: string
}

/** What a move changes, all of it at once. */
export interface LinkedMove {
  readonly change: Change
  /** Where the file is; null when it is gone, so that it is written anew. */
  readonly from: string | null
  /** The moved document's new text; null when it stays. */
  readonly own: Rewrite | null
  readonly others: ReadonlyArray<Rewrite>
}

/** Files staged or put in their places at the same time. */
const filesAtOnce = 8

/** A file operation, and the number under which it is owed. */
interface Owed {
  readonly intent: number
  readonly id: DocumentId
  /** False when somebody else had written the file since, which then stays. */
  readonly operation: Effect.Effect<boolean, Unwritten, Vault | Ids>
}
type Unwritten = Effect.Effect.Error<ReturnType<Vault["Type"]["move"]>>

/**
 * Stages all texts, commits all rows together with the file operations that they owe, does those, and notes what was
 * done. A crash in between is finished by the next start. Conflict, and nothing is changed, when somebody else changed
 * one of the documents. Gives those whose file was written from outside in the last moment: that text stays in the
 * file, ours is a version, and the next sync makes theirs the one after it.
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
    const owed = yield* changeTransaction(changed, commitAll(move, handles)).pipe(
      Effect.tapErrorCause((cause) => (isUndone(cause) ? discardAll(handles) : Effect.void))
    )
    yield* crashPoint("document.relink.afterTransaction")
    // The moved file first, and one after the other: its new text goes to its new place.
    const own = yield* performAll(owed.own, 1)
    const others = yield* performAll(owed.others, filesAtOnce)
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

/** Asks stores alone; gives what is owed then. */
const commitAll = (move: LinkedMove, handles: ReadonlyMap<DocumentId, string>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const changes = [move.change, ...move.others.map(({ change }) => change)]
    for (const { after } of changes)
      if (yield* hasPendingOperation(after.id)) return yield* beingChanged(after.path, after.id)
    yield* commitChanges(workspace, changes)
    yield* crashPoint("document.relink.insideTransaction")
    const own: Array<Owed> = []
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
    const owed: Owed = { intent, id, operation: Effect.as(vault.move(from, path), true) }
    return owed
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
    const owed: Owed = { intent, id, operation: publish({ path, handle, expects, contentHash }) }
    return owed
  })

/** Puts a staged file in its place, unless somebody else has written there what was not expected. */
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
  readonly owed: Owed
  readonly outcome: Either.Either<boolean, Unwritten>
}

const performAll = (owed: ReadonlyArray<Owed>, concurrency: number) =>
  Effect.forEach(
    owed,
    (one) =>
      Effect.gen(function* () {
        const done: Done = { owed: one, outcome: yield* Effect.either(one.operation) }
        yield* crashPoint("document.relink.afterFile")
        return done
      }),
    { concurrency }
  )

/** Closes what was done; what was not stays owed, and fails the call. */
const noteDone = (done: ReadonlyArray<Done>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
    const finished = done.filter(({ outcome }) => Either.isRight(outcome))
    const note = store.closeIntent(workspace, ...finished.map(({ owed }) => owed.intent))
    yield* atomically(note, { unsynced: true })
    for (const { outcome } of done) if (Either.isLeft(outcome)) return yield* outcome.left
    return done.flatMap(({ outcome, owed }) => (Either.isRight(outcome) && !outcome.right ? [owed.id] : []))
  })
