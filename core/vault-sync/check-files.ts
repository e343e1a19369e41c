import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import {
  DocumentStore,
  decodeContent,
  type FileIntent,
  fileBytesMax,
  flushCompletedFileOperations,
  Vault,
  type VaultEntry
} from "../documents/index.js"
import { someRest } from "../jobs/index.js"
import { Caller, type Examiner, Ids, traced } from "../kernel/index.js"
import { reconcileFiles } from "./reconcile.js"
import { syncVault } from "./sync.js"
import { planSync, type Step } from "./sync-plan.js"

/** The kinds of what may be wrong between the vault and the catalog. */
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

type FileExaminer = Examiner<keyof typeof fileFindings>

/** What differs is looked at again after this. */
export const patienceMs = 400
/** Of an ingest that goes on, a unit of work takes no longer than this on a very busy machine. */
const unitMaxMs = 5000
/** A file operation takes some milliseconds from its commit, a second on a very busy machine. */
const operationMaxMs = 5000
const lookAgainMs = 100

/**
 * Compares every file, byte by byte, with what the catalog says of it. Mending does what a start-up and an ingest
 * do: open operations are finished, then the files are taken in. Gives how many files were compared.
 */
export const checkFiles = traced("documents.checkFiles")(function* (examiner: FileExaminer) {
  yield* flushCompletedFileOperations
  yield* checkOperations(examiner)
  const first = yield* plan(new Map())
  for (const { code, message, path } of first.refused)
    yield* examiner.tell("file_skipped", { subject: path, message: `${message} (${code})` })
  const files = first.unchanged + first.steps.length
  yield* examiner.progress(files, files)
  if (first.steps.length === 0) return files
  const differing = yield* leftOf(first.steps)
  for (const step of differing) yield* tellStep(examiner, step)
  if (examiner.repair && differing.length > 0) yield* takeIn(differing)
  return files
})

/** Those that nobody takes in, after a while: an ingest that goes on takes in more and more of them. */
const leftOf = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    let left = steps
    for (let idleMs = 0; ; ) {
      yield* Effect.sleep(patienceMs)
      const suspects = new Map(left.map((step) => [textOf(step), step]))
      const { steps: found } = yield* plan(suspects)
      const still = found.filter((step) => suspects.has(textOf(step)))
      idleMs = still.length < left.length ? 0 : idleMs + patienceMs
      left = still
      // Listeners rest while files are being taken in.
      const idleMaxMs = left.length > 0 && (yield* someRest) ? unitMaxMs : patienceMs
      if (left.length === 0 || idleMs >= idleMaxMs) return left
    }
  })

const textOf = (step: Step): string =>
  JSON.stringify([step.kind, "path" in step ? step.path : "", "stamp" in step ? step.stamp.id : ""])

/** What an ingest would do that trusted no stamp; with suspects, one that trusts the stamps of all others. */
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

const tellStep = (examiner: FileExaminer, step: Step) =>
  Effect.gen(function* () {
    if (step.kind === "deleted")
      return yield* examiner.tell("file_missing", {
        subject: step.stamp.path,
        message: "the document's file is gone"
      })
    const refused = yield* refusal(step.path)
    if (step.kind === "created" || step.kind === "returned")
      return yield* refused === null
        ? examiner.tell("file_new", { subject: step.path, message: "the file is in no document" })
        : examiner.tell("file_skipped", { subject: step.path, message: refused })
    if (refused !== null)
      return yield* examiner.tell("file_unreadable", { subject: step.path, message: refused })
    return yield* step.kind === "moved"
      ? examiner.tell("file_moved", {
          subject: step.path,
          message: `the file of the document ${step.stamp.path} is here`
        })
      : examiner.tell("file_changed", {
          subject: step.path,
          message: "the file holds something else than the document"
        })
  })

/** Why a file cannot be taken in; null when it can, or is gone again. */
const refusal = (path: string) =>
  Effect.match(
    Effect.flatMap(Vault, (vault) => vault.read(path, fileBytesMax(path))),
    {
      onFailure: ({ message }): string | null => message,
      onSuccess: Option.match({
        onNone: () => null,
        onSome: ({ bytes }) =>
          Either.match(decodeContent(bytes), { onLeft: ({ message }) => message, onRight: () => null })
      })
    }
  )

/** Takes the files in, also those that look untouched to an ingest. */
const takeIn = (steps: ReadonlyArray<Step>) =>
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

/** File operations that nobody is at work on, and temporary files that nobody owns. */
const checkOperations = (examiner: FileExaminer) =>
  Effect.gen(function* () {
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const before = yield* store.openIntents(caller.workspace)
    const strays = yield* vault.strays
    if (before.length + strays.length === 0) return
    const left = yield* stillOpen(before)
    for (const intent of left)
      yield* examiner.tell("file_operation_open", { subject: intent.path, message: wordsOf(intent) })
    const open = yield* store.openIntents(caller.workspace)
    const owned = new Set([...before, ...open].map(({ from }) => from))
    const still = new Set(yield* vault.strays)
    const lost = strays.filter((handle) => still.has(handle) && !owned.has(handle))
    for (const handle of lost)
      yield* examiner.tell("stray_file", {
        subject: handle,
        message: "a temporary file of a process that is gone"
      })
    if (examiner.repair && left.length + lost.length > 0) yield* reconcileFiles()
  })

/** Those of the operations that are not done after a while: whoever is at work on one closes it. */
const stillOpen = (before: ReadonlyArray<FileIntent>) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    let left = before
    for (let waitedMs = 0; left.length > 0 && waitedMs < operationMaxMs; waitedMs += lookAgainMs) {
      yield* Effect.sleep(lookAgainMs)
      const open = new Set((yield* store.openIntents(caller.workspace)).map(({ id }) => id))
      left = left.filter(({ id }) => open.has(id))
    }
    return left
  })

const wordsOf = ({ kind }: FileIntent): string =>
  kind === "write"
    ? "the file was to be written and is not known to be"
    : kind === "trash"
      ? "the file was to go to the trash and is not known to have gone"
      : "the file was to be moved here and is not known to have been"
