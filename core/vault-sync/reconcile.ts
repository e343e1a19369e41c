import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  DocumentStore,
  type FileIntent,
  fileBytesMax,
  fileHashOf,
  flushCompletedFileOperations,
  pendingOperations,
  recoverPendingWrites,
  Vault
} from "../documents/index.js"
import {
  atomically,
  Caller,
  crashPoint,
  type DocumentId,
  Ids,
  timestampOf,
  traced,
  type VaultUnavailable
} from "../kernel/index.js"
import { pathKey, stemOf } from "../markdown/index.js"
import type { Remark } from "./sync.js"

/** One thing that a start-up mended after a crash, or after a change of format. */
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

/** What a reconciliation did, and what it could not do. */
interface Reconciled {
  readonly repairs: ReadonlyArray<Repair>
  /** Files that the catalog is ahead of: they could not be written, moved or trashed yet. */
  readonly owed: ReadonlyArray<Remark>
}

/**
 * Finishes the file operations that a crash left open and removes temporary files that nobody owns, so that
 * files and catalog agree. What cannot be done now stays owed, for the next time. Safe to repeat, and beside a
 * process that is at work: each operation may be done twice.
 *
 * @param left The numbers of those operations that are known to be left; all by default.
 */
export const reconcileFiles = traced("documents.reconcile")(function* (left?: ReadonlySet<number>) {
  const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
  yield* flushCompletedFileOperations
  const written = yield* recoverPendingWrites(caller.workspace)
  const intents = yield* store.openIntents(caller.workspace)
  const [repairs, owed]: [Array<Repair>, Array<Remark>] = [written.map(finished), []]
  for (const intent of intents) {
    if (left !== undefined && !left.has(intent.id)) continue
    yield* Effect.match(finishIntent(intent), {
      onFailure: ({ code, message }) => owed.push({ path: intent.path, code, message }),
      onSuccess: (repair) => {
        if (repair !== null) repairs.push(repair)
      }
    })
    yield* crashPoint("reconcile.intent.afterDone")
  }
  const owned = new Set(intents.map((intent) => intent.from))
  for (const handle of yield* vault.strays) {
    if (owned.has(handle)) continue
    yield* vault.discard(handle)
    yield* crashPoint("reconcile.stray.afterRemoval")
    repairs.push({ code: "stray_removed", message: `removed the temporary file ${handle}` })
  }
  const reconciled: Reconciled = { repairs, owed }
  return reconciled
})

/** A write whose document changed less than this before may be that of a living process. */
const recentMs = 2000
/** How long such a write is given to come to its end by itself. */
const graceMs = 400
/** What a living process has owed for so long, it has not managed to do. */
const heldMs = 60_000
/** Writes in flight are few; a crash of an import leaves thousands of others. */
const inFlightMax = 16

/**
 * For a start: what another process is writing at this moment is no crash's work. What one of this machine that lives has
 * noted is left to it, what nobody can tell is let come to its end. Gives the operations that were open before that, and
 * are nobody's: those of them that still are were left.
 */
export const letWritersEnd = traced("documents.letWritersEnd")(function* () {
  const [store, caller] = [yield* DocumentStore, yield* Caller]
  const intents = yield* store.openIntents(caller.workspace)
  const numbers = (some: typeof intents): ReadonlySet<number> => new Set(some.map(({ id }) => id))
  if (intents.length === 0 || intents.length > inFlightMax) return numbers(intents)
  const at = yield* Clock.currentTimeMillis
  const ids = intents.map(({ documentId }) => documentId)
  const documents = new Map((yield* store.findMany(caller.workspace, ids)).map((one) => [one.id, one]))
  const isSince = (ms: number) => {
    const since = timestampOf(at - ms)
    return ({ documentId }: FileIntent) => (documents.get(documentId)?.updatedAt ?? "") >= since
  }
  const left = intents.filter((intent) => !(intent.holder === "beside" && isSince(heldMs)(intent)))
  if (left.some((intent) => intent.holder !== "gone" && isSince(recentMs)(intent)))
    yield* Effect.sleep(graceMs)
  return numbers(left)
})

/**
 * Finishes what is still owed to the file of one document. Whoever changes it next must do this first: an older
 * operation that came later would undo the newer one.
 */
export const finishPendingOperations = (id: DocumentId) =>
  Effect.gen(function* () {
    for (const intent of yield* pendingOperations({ documentId: id })) yield* finishIntent(intent)
  })

const words = {
  write: "finished writing",
  trash: "finished moving to the trash",
  move: "finished moving to"
} as const

/**
 * Files are looked at and changed within the unit of work: a later change of the document, which would do something
 * else with its file, is committed before or after, and never between a look and what follows from it.
 */
const finishIntent = (intent: FileIntent) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
      // Whoever opened it may have closed it since: what then became of the file is not ours to undo.
      if ((yield* store.openIntents(workspace, { id: intent.id })).length === 0) return null
      const repair = yield* finishers[intent.kind](intent)
      yield* crashPoint("reconcile.intent.afterFile")
      yield* store.closeIntent(workspace, intent.id)
      return repair
    })
  )

type Finishing = Effect.Effect<Repair, VaultUnavailable, DocumentStore | Vault | Caller | Ids>

const finished = ({ kind, path }: FileIntent): Repair => ({
  code: `${kind}_finished`,
  message: `${words[kind]} ${path}`
})

/**
 * Trashes the file, unless it is not the one that was deleted: somebody may have put another in its place. One that has
 * gone is trashed again, as moves and writes are done again: whoever did it may not have come to sync the folders.
 */
const finishTrash = (intent: FileIntent): Finishing =>
  Effect.gen(function* () {
    const { contentHash, documentId, path } = intent
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const successor = yield* store.findByPath(caller.workspace, path)
    const there = Option.isNone(successor) ? yield* hashAt(path) : null
    if (there === undefined || there === contentHash) yield* vault.trash(path, documentId)
    return finished(intent)
  })

/** Moves the file. One that somebody put there meanwhile is not overwritten; a sync takes both in. */
const finishMove = (intent: FileIntent): Finishing =>
  Effect.gen(function* () {
    const { from, path } = intent
    if (yield* isOvertaken(intent)) return finished(intent)
    const isThere = (yield* hashAt(path)) !== undefined
    const isLeft = from !== null && (yield* hashAt(from)) !== undefined
    // Whoever opened it may have moved the file just now.
    if (from !== null && isThere !== isLeft) yield* (yield* Vault).move(from, path)
    else if (!isThere && (yield* hashAt(path)) === undefined) yield* writeKept(intent)
    return finished(intent)
  })

/**
 * Puts the file in its place: the one that waits, or, when that is lost, one of the kept bytes. What somebody wrote
 * there since stays, and ours is put beside it under another name: neither side knew of the other. What waits no more
 * has been in its place by now: a file that is there then and not ours was written after it.
 */
const finishWrite = (intent: FileIntent): Finishing =>
  Effect.gen(function* () {
    const { contentHash, documentId, expects, from, path } = intent
    const vault = yield* Vault
    if (yield* isOvertaken(intent)) return finished(intent)
    const there = yield* hashAt(path)
    const foreign = there !== undefined && there !== contentHash && expects !== null && there !== expects
    const aside = foreign && from !== null ? yield* setAside(path, from) : null
    if (!foreign && there !== contentHash) {
      const failure = from === null ? null : yield* faultOf(vault.publish(path, from))
      if ((yield* hashAt(path)) === there) yield* writeKept(intent)
      else if (failure !== null) return yield* failure
    } else if (!foreign) yield* from === null ? writeKept(intent) : vault.publish(path, from)
    // Of a document that was restored the trash may still hold a copy.
    yield* vault.dropTrash(documentId)
    return aside === null ? finished(intent) : aside
  })

/** Why something fails; null where it does not. */
const faultOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.match(work, { onFailure: (fault) => fault, onSuccess: () => null })

const finishers = { write: finishWrite, trash: finishTrash, move: finishMove } as const

/** Whether a later change of the document owes its own operation. */
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

/** Writes the kept bytes, where they are still those of the intent. */
const writeKept = (intent: FileIntent) =>
  Effect.gen(function* () {
    const { contentHash, documentId, path } = intent
    const [store, vault, caller, ids] = [yield* DocumentStore, yield* Vault, yield* Caller, yield* Ids]
    const kept = yield* store.content(caller.workspace, documentId)
    if (Option.isSome(kept) && ids.sha256(kept.value) === contentHash)
      yield* vault.publish(path, yield* vault.stage(path, kept.value))
  })

/** Characters of a name that are kept in the name of what is set aside: the whole must fit a file system. */
const stemMax = 60

/** Puts a staged file beside its path; null when it is gone: it had been in its place, and somebody wrote later. */
const setAside = (path: string, handle: string) =>
  Effect.gen(function* () {
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    const stem = [...stemOf(path)].slice(0, stemMax).join("").trimEnd()
    const taken = new Set((yield* store.stamps(caller.workspace)).map((stamp) => pathKey(stamp.path)))
    for (let number = 1; ; number++) {
      const aside = `${folder}${stem} (unfinished write${number === 1 ? "" : ` ${number}`}).md`
      if (taken.has(pathKey(aside)) || Option.isSome(yield* vault.read(aside, Number.MAX_SAFE_INTEGER)))
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

/** The hash of the file at a path; undefined when there is none. */
const hashAt = (path: string) =>
  Effect.gen(function* () {
    const [vault, ids] = [yield* Vault, yield* Ids]
    return Option.getOrUndefined(
      Option.map(yield* vault.read(path, fileBytesMax(path)), ({ bytes }) => ids.sha256(bytes))
    )
  })
