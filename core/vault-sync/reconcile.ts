import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  DocumentStore,
  type FileIntent,
  finishedRepair,
  finishOperation,
  flushCompletedFileOperations,
  type Repair,
  recoverPendingWrites,
  Vault
} from "../documents/index.js"
import { Caller, crashPoint, timestampOf, traced } from "../kernel/index.js"
import type { Remark } from "./sync.js"

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
  const [repairs, owed]: [Array<Repair>, Array<Remark>] = [written.map(finishedRepair), []]
  for (const intent of intents) {
    if (left !== undefined && !left.has(intent.id)) continue
    yield* Effect.match(finishOperation(intent), {
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
