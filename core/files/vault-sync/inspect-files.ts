import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { someRest } from "../../platform/jobs/index.js"
import { Caller, Ids, type Inspector, traced } from "../../platform/kernel/index.js"
import {
  asUtf8,
  DocumentStore,
  decodeContent,
  type FileIntent,
  fileBytesMax,
  flushCompletedFileOperations,
  Vault,
  type VaultEntry
} from "../documents/index.js"
import { reconcileFiles } from "./reconcile.js"
import { syncVault } from "./sync.js"
import { planSync, type Step } from "./sync-plan.js"

/** Kinds of findings about files and the catalogue of documents. */
export const fileFindings = {
  file_operation_open: "difference",
  stray_file: "difference",
  file_new: "difference",
  file_changed: "difference",
  file_moved: "difference",
  file_missing: "difference",
  file_unreadable: "difference",
  trash_file_stray: "difference",
  file_skipped: "remark"
} as const

type FileInspector = Inspector<keyof typeof fileFindings>

/** Differences are confirmed after this delay. */
export const patienceMs = 400
/** Upper bound of one transaction of a running ingest on a very busy machine. */
const ingestUnitMaxMs = 5000
/** Upper bound of a file operation after its commit on a very busy machine. */
const operationMaxMs = 5000
const pollMs = 100

/**
 * Compares every file with its document, byte by byte. A repair does what start-up recovery and an ingest do: it
 * completes pending file operations, then ingests the files. Returns the number of files compared.
 */
export const inspectFiles = traced("documents.inspectFiles")(function* (inspector: FileInspector) {
  yield* flushCompletedFileOperations
  yield* inspectOperations(inspector)
  const first = yield* plan(new Map())
  for (const { code, message, path } of first.refused)
    yield* inspector.report("file_skipped", { subject: path, message: `${message} (${code})` })
  const files = first.unchanged + first.steps.length
  yield* inspector.progress(files, files)
  if (first.steps.length === 0) return files
  const differing = yield* remaining(first.steps)
  for (const step of differing) yield* reportStep(inspector, step)
  if (inspector.rebuild && differing.length > 0) yield* ingestSteps(differing)
  return files
})

/** Returns the steps that remain after a delay; those that a running ingest performs disappear. */
const remaining = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    let left = steps
    for (let idleMs = 0; ; ) {
      yield* Effect.sleep(patienceMs)
      const suspects = new Map(left.map((step) => [textOf(step), step]))
      const { steps: found } = yield* plan(suspects)
      const still = found.filter((step) => suspects.has(textOf(step)))
      idleMs = still.length < left.length ? 0 : idleMs + patienceMs
      left = still
      // Listeners are paused while an ingest runs.
      const idleMaxMs = left.length > 0 && (yield* someRest) ? ingestUnitMaxMs : patienceMs
      if (left.length === 0 || idleMs >= idleMaxMs) return left
    }
  })

const textOf = (step: Step): string =>
  JSON.stringify([step.kind, "path" in step ? step.path : "", "stamp" in step ? step.stamp.id : ""])

/** The plan of an ingest that reads all files; with suspects, of one that reads only those of the suspects. */
const plan = (suspects: ReadonlyMap<string, Step>) =>
  Effect.gen(function* () {
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const suspected = new Set(
      [...suspects.values()].flatMap((step) => ("stamp" in step ? step.stamp.id : []))
    )
    const stamps = yield* store.stamps(caller.workspace)
    const intents = yield* store.openIntents(caller.workspace)
    return yield* planSync({
      under: "",
      stamps: stamps.map((stamp) =>
        suspects.size === 0 || suspected.has(stamp.id) ? { ...stamp, mtimeMs: untrusted } : stamp
      ),
      intents,
      trashed: Effect.succeed([]),
      walk: yield* vault.walk(""),
      hash: hashOf
    })
  })

/** No file has this time. */
const untrusted = -1

const hashOf = ({ path }: Pick<VaultEntry, "path">) =>
  Effect.gen(function* () {
    const [vault, ids] = [yield* Vault, yield* Ids]
    const file = yield* vault.read(path, fileBytesMax(path))
    return Option.map(file, ({ bytes }) => ids.sha256(bytes))
  }).pipe(Effect.orElseSucceed(() => Option.none<string>()))

const reportStep = (inspector: FileInspector, step: Step) =>
  Effect.gen(function* () {
    if (step.kind === "deleted")
      return yield* inspector.report("file_missing", {
        subject: step.stamp.path,
        message: "The file of the document is missing."
      })
    const refused = yield* refusal(step.path)
    if (step.kind === "created" || step.kind === "returned")
      return yield* refused === null
        ? inspector.report("file_new", { subject: step.path, message: "The file belongs to no document." })
        : inspector.report("file_skipped", { subject: step.path, message: refused })
    if (refused !== null)
      return yield* inspector.report("file_unreadable", { subject: step.path, message: refused })
    return yield* step.kind === "moved"
      ? inspector.report("file_moved", {
          subject: step.path,
          message: `The file of the document ${step.stamp.path} is here.`
        })
      : inspector.report("file_changed", {
          subject: step.path,
          message: "The file differs from the document."
        })
  })

/** Returns why a file cannot be ingested; null when it can, or is gone. */
const refusal = (path: string) =>
  Effect.match(
    Effect.flatMap(Vault, (vault) => vault.read(path, fileBytesMax(path))),
    {
      onFailure: ({ message }): string | null => message,
      onSuccess: Option.match({
        onNone: () => null,
        onSome: ({ bytes }) =>
          Either.match(decodeContent(asUtf8(bytes)), {
            onLeft: ({ message }) => message,
            onRight: () => null
          })
      })
    }
  )

/** Ingests the files, also those whose size and time have not changed. */
const ingestSteps = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    yield* store.touch(
      caller.workspace,
      steps.flatMap((step) =>
        "stamp" in step ? [{ id: step.stamp.id, sizeBytes: step.stamp.sizeBytes, mtimeMs: untrusted }] : []
      )
    )
    yield* syncVault()
  })

/** Inspects pending file operations and temporary files without an owner. */
const inspectOperations = (inspector: FileInspector) =>
  Effect.gen(function* () {
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const before = yield* store.openIntents(caller.workspace)
    const strays = yield* vault.strays
    if (before.length + strays.length === 0) return
    const left = yield* stillOpen(before)
    for (const intent of left)
      yield* inspector.report("file_operation_open", { subject: intent.path, message: messageOf(intent) })
    const open = yield* store.openIntents(caller.workspace)
    const owned = new Set([...before, ...open].map(({ from }) => from))
    const still = new Set(yield* vault.strays)
    const lostHandles = strays.filter((handle) => still.has(handle) && !owned.has(handle))
    for (const handle of lostHandles)
      yield* inspector.report("stray_file", {
        subject: handle,
        message: "A temporary file of a process that is gone."
      })
    if (inspector.rebuild && left.length + lostHandles.length > 0) yield* reconcileFiles()
  })

/** Returns the operations that are still pending after a delay: a live process would have closed its own. */
const stillOpen = (before: ReadonlyArray<FileIntent>) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    let left = before
    for (let waitedMs = 0; left.length > 0 && waitedMs < operationMaxMs; waitedMs += pollMs) {
      yield* Effect.sleep(pollMs)
      const open = new Set((yield* store.openIntents(caller.workspace)).map(({ id }) => id))
      left = left.filter(({ id }) => open.has(id))
    }
    return left
  })

const messageOf = ({ kind }: FileIntent): string =>
  kind === "write"
    ? "A pending write: the file may not be in place."
    : kind === "trash"
      ? "A pending removal: the file may not be in the trash."
      : "A pending move: the file may not be here."
