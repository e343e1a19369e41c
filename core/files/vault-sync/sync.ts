import * as Batches from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { announce, enqueue, jobKinds, someRest } from "../../platform/jobs/index.js"
import {
  Atomic,
  atomically,
  Caller,
  crashPoint,
  Ids,
  serviceLayer,
  timestampOf,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import {
  Chunker,
  chunkerId,
  DocumentStore,
  documentsChanged,
  FileSync,
  fileBytesMax,
  flushCompletedFileOperations,
  IndexingProgress,
  pendingOperations,
  type readContent,
  readFile,
  Vault,
  type VaultEntry
} from "../documents/index.js"
import { commitSteps, type Prepared } from "./sync-commit.js"
import { type Plan, planSync, type Step } from "./sync-plan.js"

/** A file that was rejected, or indexed with a warning. */
export interface Remark {
  readonly path: string
  readonly code: string
  readonly message: string
}

/**
 * Result of a sync. `created` includes documents restored from the trash, `unchanged` counts files without work,
 * `failed` the entries of `errors`.
 */
export interface SyncReport {
  readonly created: number
  readonly updated: number
  readonly moved: number
  readonly deleted: number
  readonly unchanged: number
  readonly failed: number
  /** Number of changes left undone because there are more than `changesMax` or `bytesMax`; else 0. */
  readonly left: number
  readonly warnings: ReadonlyArray<Remark>
  readonly errors: ReadonlyArray<Remark>
}

/** Scope, limits and progress callback of a sync. */
export interface SyncOptions {
  /** With more changes than this, none is applied; unlimited by default. */
  readonly changesMax?: number
  /** The same limit for the bytes of their files. */
  readonly bytesMax?: number
  /** Only the files at or under this vault path; everything when empty. */
  readonly under?: string
  /** Called as files are processed. */
  readonly onProgress?: (done: number, total: number) => Effect.Effect<void>
}

/**
 * Maximum steps, and bytes of their files, in one unit of work: few enough that other writers do not wait long and
 * memory stays small, enough to share the cost of a commit.
 */
const stepsPerCommit = 64
const bytesPerCommit = 1024 * 1024
/** Stamp-only updates in one unit of work. */
const touchedPerUnit = 500
/**
 * A file that changed less than this before it was read may change again within the same clock tick, and a file time
 * in the future may not advance with changes. The bytes of such files are compared each time.
 */
const racyMs = 2000
const isTrusted = (mtimeMs: number, readAtMs: number): boolean => readAtMs - mtimeMs >= racyMs
/** Number of rounds when others keep changing the same documents. */
const roundsMax = 4

type Tally = {
  -readonly [Key in keyof Omit<SyncReport, "warnings" | "errors" | "failed">]: number
} & { readonly warnings: Array<Remark>; readonly errors: Array<Remark> }

/**
 * Brings the catalog in line with the files; detects created, changed, moved, removed and unreadable ones. Safe to
 * repeat and to run concurrently; a file that cannot be read is reported and leaves its document unchanged.
 */
export const syncVault = traced("documents.sync")(function* (options: SyncOptions = {}) {
  const tally: Tally = {
    created: 0,
    updated: 0,
    moved: 0,
    deleted: 0,
    unchanged: 0,
    left: 0,
    warnings: [],
    errors: []
  }
  yield* flushCompletedFileOperations
  const chunkerBefore = (options.under ?? "") === "" ? yield* otherChunker : null
  for (let round = 1; ; round++) {
    tally.warnings.length = 0
    tally.errors.length = 0
    const changedBefore = tally.created + tally.updated + tally.moved
    tally.unchanged = 0
    const settled = yield* syncRound(options, tally)
    // Files indexed in an earlier round do not count as unchanged.
    tally.unchanged = Math.max(0, tally.unchanged - changedBefore)
    if (settled || round === roundsMax) break
  }
  if (chunkerBefore !== null) yield* cutAgain(chunkerBefore)
  yield* crashPoint("sync.beforeAnnouncement")
  const changed = tally.created + tally.updated + tally.moved + tally.deleted > 0
  // An interrupted sync left listeners paused: they are called now.
  if (changed || (yield* someRest)) yield* announce(documentsChanged, {})
  const report: SyncReport = { ...tally, failed: tally.errors.length }
  return report
})

/** Counts the documents when another chunker than that of this process cut their passages; null when it did not. */
const otherChunker = Effect.gen(function* () {
  const { workspace } = yield* Caller
  const cutter = yield* (yield* WorkspaceStore).chunker(workspace)
  return cutter === chunkerId(yield* Chunker) ? null : yield* (yield* DocumentStore).counts(workspace)
})

/** Has the documents cut again that were there before; a workspace without any is of the chunker that began it. */
const cutAgain = ({ documents }: { readonly documents: number }) =>
  Effect.gen(function* () {
    if (documents > 0) return yield* enqueue([{ kind: jobKinds.reindex, dedupeKey: "all" }])
    const { workspace } = yield* Caller
    yield* (yield* WorkspaceStore).setChunker(workspace, chunkerId(yield* Chunker))
  })

/** Makes one pass over the vault. Returns false when a document changed meanwhile, so that another pass is needed. */
const syncRound = (options: SyncOptions, tally: Tally) =>
  Effect.gen(function* () {
    const caller = yield* Caller
    const at = yield* Clock.currentTimeMillis
    const plan = yield* plannedFor(options.under ?? "")
    // Pushed one by one: a spread call has an argument limit.
    for (const refused of plan.refused) tally.errors.push(refused)
    for (const warning of plan.warnings) tally.warnings.push(warning)
    tally.unchanged += plan.unchanged
    yield* noteStamps(
      caller.workspace,
      plan.touched.filter(({ mtimeMs }) => isTrusted(mtimeMs, at))
    )
    if (isLeft(plan.steps, options)) {
      tally.left = plan.steps.length
      return true
    }
    if (!plan.steps.some(({ kind }) => kind === "created")) return yield* applyPlan(plan, options, tally)
    const total = plan.unchanged + plan.steps.length
    const { end, note } = yield* progressOf(caller.workspace, total)
    const onProgress = (done: number) =>
      Effect.zipRight(note(done), options.onProgress?.(done, total) ?? Effect.void)
    yield* note(plan.unchanged)
    return yield* Effect.ensuring(applyPlan(plan, { ...options, onProgress }, tally), end)
  })

/** How often progress is noted for other processes, and how long a note holds. */
const [noteEveryMs, noteHoldsMs] = [500, 60_000]

/** Makes known how far an ingest has come: to this process at once, to others now and then. */
const progressOf = (workspace: WorkspaceScope, total: number) =>
  Effect.gen(function* () {
    const [progress, store, atomic] = [yield* IndexingProgress, yield* DocumentStore, yield* Atomic]
    // A failure does not end the ingest. It is tried again, as a note that stays says that the ingest is still running.
    const write = (noted: Parameters<typeof store.noteIndexing>[1]) =>
      atomic
        .run(store.noteIndexing(workspace, noted), { unsynced: true })
        .pipe(Effect.sandbox, Effect.retry({ times: 2 }), Effect.ignore)
    let notedAt = Number.NEGATIVE_INFINITY
    const note = (done: number) =>
      Effect.gen(function* () {
        progress.set(workspace, { done, total })
        const at = yield* Clock.currentTimeMillis
        if (at - notedAt < noteEveryMs) return
        notedAt = at
        yield* write({ done, total, until: timestampOf(at + noteHoldsMs) })
      })
    const end = Effect.zipRight(
      Effect.sync(() => progress.set(workspace, null)),
      write(null)
    )
    return { note, end }
  })

/**
 * Returns the plan. A function of its own, so that the lists of all files and documents can be collected before the
 * plan is carried out.
 */
const plannedFor = (under: string) =>
  Effect.gen(function* () {
    const [store, vault, caller] = [yield* DocumentStore, yield* Vault, yield* Caller]
    // The order matters: a document whose file is still pending appears in the intents, and one created later appears
    // in neither list.
    const asOf = yield* store.lastIntent(caller.workspace)
    const stamps = yield* store.stamps(caller.workspace)
    const intents = yield* pendingOperations()
    const walk = yield* vault.walk(under)
    const trashed = store.trashStamps(caller.workspace)
    return { asOf, ...(yield* planSync({ under, stamps, intents, trashed, walk, hash: fileHash })) }
  })

/** Returns the number of files that have changed since they were last taken in. Reads all files' states. */
export const countUnsyncedFiles = Effect.map(plannedFor(""), ({ steps }) => steps.length)

const isLeft = (
  steps: ReadonlyArray<Step>,
  { bytesMax = Number.POSITIVE_INFINITY, changesMax = Number.POSITIVE_INFINITY }: SyncOptions
): boolean => steps.length > changesMax || steps.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > bytesMax

/**
 * No caller depends on these updates, so they need not be synced; done in parts, so that others can write in between.
 */
const noteStamps = (workspace: WorkspaceScope, touched: Plan["touched"]) =>
  Effect.flatMap(DocumentStore, (store) =>
    Effect.forEach(
      Batches.chunksOf(touched, touchedPerUnit),
      (some) => atomically(store.touch(workspace, some), { unsynced: true }),
      { discard: true }
    )
  )

const fileHash = (entry: VaultEntry) =>
  Effect.gen(function* () {
    const file = yield* (yield* Vault).read(entry.path, fileBytesMax(entry.path))
    const ids = yield* Ids
    return Option.map(file, ({ bytes }) => ids.sha256(bytes))
  }).pipe(Effect.orElseSucceed(() => Option.none<string>()))

const applyPlan = (plan: Plan & { readonly asOf: number }, { onProgress }: SyncOptions, tally: Tally) =>
  Effect.gen(function* () {
    let settled = true
    let done = plan.unchanged
    const total = plan.unchanged + plan.steps.length
    const { settings } = yield* (yield* WorkspaceStore).get((yield* Caller).workspace)
    for (let next = 0; next < plan.steps.length; ) {
      const steps = nextSteps(plan.steps, next)
      next += steps.length
      const ready: Array<Prepared> = []
      for (const step of steps) ready.push(...(yield* prepare(step, settings.chunking, tally)))
      // Only the last commit is synced; it makes all earlier ones durable.
      const unsynced = next < plan.steps.length
      const committed = yield* commitSteps(ready, plan.asOf, { unsynced })
      yield* crashPoint("sync.commit.afterTransaction")
      for (const { kind } of committed) tally[kind === "returned" ? "created" : kind] += 1
      if (committed.length < ready.length) settled = false
      done += steps.length
      if (onProgress !== undefined) yield* onProgress(done, total)
    }
    return settled
  })

/** Returns the steps from an index on that are committed together; at least one. */
const nextSteps = (steps: ReadonlyArray<Step>, from: number): ReadonlyArray<Step> => {
  let bytes = 0
  let to = from
  while (to < steps.length && to - from < stepsPerCommit) {
    bytes += steps[to]?.sizeBytes ?? 0
    if (to > from && bytes > bytesPerCommit) break
    to += 1
  }
  return steps.slice(from, to)
}

/** Returns the prepared step; none when the file cannot be used, which is then reported. */
const prepare = (step: Step, chunking: Parameters<typeof readContent>[3], tally: Tally) =>
  Effect.gen(function* () {
    if (step.kind === "deleted") return Option.some<Prepared>({ step, reading: null })
    const vault = yield* Vault
    const at = yield* Clock.currentTimeMillis
    const file = yield* vault.read(step.path, fileBytesMax(step.path))
    // Gone since the walk: the next sync will see it so.
    if (Option.isNone(file)) return Option.none<Prepared>()
    const { bytes, stamp } = file.value
    const trusted = isTrusted(stamp.mtimeMs, at) ? stamp : { ...stamp, mtimeMs: 0 }
    const reading = yield* readFile(step.path, bytes, trusted, chunking)
    for (const { code, message } of reading.warnings) tally.warnings.push({ path: step.path, code, message })
    return Option.some<Prepared>({ step, reading })
  }).pipe(
    Effect.catchAll(({ code, message }: { readonly code: string; readonly message: string }) => {
      const path = step.kind === "deleted" ? step.stamp.path : step.path
      return Effect.sync(() => {
        tally.errors.push({ path, code, message })
        return Option.none<Prepared>()
      })
    }),
    Effect.map(Option.toArray)
  )

/** The implementation of `FileSync`, used by writes of single documents. */
export const fileSync = serviceLayer(
  FileSync,
  Effect.gen(function* () {
    const context =
      yield* Effect.context<Exclude<Effect.Effect.Context<ReturnType<typeof syncVault>>, Caller>>()
    return { sync: (path) => Effect.provide(Effect.asVoid(syncVault({ under: path })), context) }
  })
)
