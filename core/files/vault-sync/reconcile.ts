import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Caller, crashPoint, timestampOf, traced } from "../../platform/kernel/index.js"
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
import type { Remark } from "./sync.js"

/** Result of a reconciliation. */
interface Reconciled {
  readonly repairs: ReadonlyArray<Repair>
  /** Files that could not be written, moved or trashed yet. */
  readonly owed: ReadonlyArray<Remark>
}

/**
 * Finishes the file operations that a crash left open and removes orphaned temporary files, so that files and catalog
 * agree. Operations that fail stay pending for the next run. Safe to repeat and to run beside a live process: each
 * operation may be done twice.
 *
 * @param left Ids of the operations to finish; all by default.
 */
export const reconcileFiles = traced("documents.reconcile")(function* (left?: ReadonlySet<number>) {
  const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
  yield* flushCompletedFileOperations
  const recoveredWrites = yield* recoverPendingWrites(caller.workspace)
  const intents = yield* store.openIntents(caller.workspace)
  const [repairs, owed]: [Array<Repair>, Array<Remark>] = [recoveredWrites.map(finishedRepair), []]
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

/** A write whose document changed more recently may belong to a live process. */
const recentMs = 2000
/** Time given to such a write to complete. */
const graceMs = 400
/** After this time, a live process has failed to complete its operation. */
const operationTimeoutMs = 60_000
/** Concurrent writes are few; a crashed import leaves thousands of open operations. */
const inFlightMax = 16

/**
 * Waits for live writers at start-up: their open operations are not left by a crash. Operations of a live process on
 * this host are skipped; those of an unknown process get time to complete. Returns the operations that were open
 * before the wait and belong to no live process; those still open were left by a crash.
 */
export const waitForWriters = traced("documents.waitForWriters")(function* () {
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
  const left = intents.filter(
    (intent) => !(intent.holder === "beside" && isSince(operationTimeoutMs)(intent))
  )
  if (left.some((intent) => intent.holder !== "gone" && isSince(recentMs)(intent)))
    yield* Effect.sleep(graceMs)
  return numbers(left)
})
