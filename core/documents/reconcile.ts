import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, type DocumentId, Ids, type VaultUnavailable } from "../kernel/index.js"
import { contentBytesMax } from "./read.js"
import { DocumentStore, type FileIntent, Vault } from "./store.js"
import type { Remark } from "./sync.js"

/** One thing that a start-up mended after a crash, or after a change of format. */
export interface Repair {
  readonly code:
    | "write_finished"
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
 */
export const reconcileFiles = Effect.fn("documents.reconcile")(function* () {
  const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
  const intents = yield* store.openIntents(caller.workspace)
  const [repairs, owed]: [Array<Repair>, Array<Remark>] = [[], []]
  for (const intent of intents) {
    yield* Effect.match(finishIntent(intent), {
      onFailure: ({ code, message }) => owed.push({ path: intent.path, code, message }),
      onSuccess: () =>
        repairs.push({ code: `${intent.kind}_finished`, message: `${words[intent.kind]} ${intent.path}` })
    })
  }
  const owned = new Set(intents.map((intent) => intent.from))
  for (const handle of yield* vault.strays) {
    if (owned.has(handle)) continue
    yield* vault.discard(handle)
    repairs.push({ code: "stray_removed", message: `removed the temporary file ${handle}` })
  }
  const reconciled: Reconciled = { repairs, owed }
  return reconciled
})

/**
 * Finishes what is still owed to the file of one document. Whoever changes it next must do this first: an older
 * operation that came later would undo the newer one.
 */
export const finishOwed = (id: DocumentId) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    for (const intent of yield* store.openIntents(caller.workspace))
      if (intent.documentId === id) yield* finishIntent(intent)
  })

const words = {
  write: "finished writing",
  trash: "finished moving to the trash",
  move: "finished moving to"
} as const

const finishIntent = (intent: FileIntent) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    yield* intent.kind === "trash" ? finishTrash(intent) : finishPlace(intent)
    yield* store.closeIntent(caller.workspace, intent.id)
  })

type Finishing = Effect.Effect<void, VaultUnavailable, DocumentStore | Vault | Caller | Ids>

/** Trashes the file, unless it is not the one that was deleted: somebody may have put another in its place. */
const finishTrash = ({ contentHash, documentId, path }: FileIntent): Finishing =>
  Effect.gen(function* () {
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const successor = yield* store.findByPath(caller.workspace, path)
    if (Option.isSome(successor) || (yield* hashAt(path)) !== contentHash) return
    yield* vault.trash(path, documentId)
  })

/** Puts the file in its place: the one that waits, or, when that is lost, one of the kept bytes. */
const finishPlace = (intent: FileIntent): Finishing =>
  Effect.gen(function* () {
    const { contentHash, documentId, from, kind, path } = intent
    const [store, vault, caller, ids] = [yield* DocumentStore, yield* Vault, yield* Caller, yield* Ids]
    const document = yield* store.find(caller.workspace, documentId)
    // A later change has overtaken this one and owes its own operation.
    if (Option.isNone(document) || document.value.deletedAt !== null) return
    if (document.value.path !== path || document.value.contentHash !== contentHash) return
    const there = yield* hashAt(path)
    if (there === contentHash) return
    if (kind === "move" && from !== null && (yield* hashAt(from)) !== undefined) {
      // A file that somebody put there meanwhile is not overwritten; a sync takes both in.
      if (there === undefined) yield* vault.move(from, path)
      return
    }
    if (kind === "write" && from !== null) yield* Effect.option(vault.publish(path, from))
    if ((yield* hashAt(path)) === contentHash) return
    const kept = yield* store.content(caller.workspace, documentId)
    if (Option.isSome(kept) && ids.sha256(kept.value) === contentHash)
      yield* vault.publish(path, yield* vault.stage(path, kept.value))
  })

/** The hash of the file at a path; undefined when there is none. */
const hashAt = (path: string) =>
  Effect.gen(function* () {
    const [vault, ids] = [yield* Vault, yield* Ids]
    return Option.getOrUndefined(
      Option.map(yield* vault.read(path, contentBytesMax), ({ bytes }) => ids.sha256(bytes))
    )
  })
