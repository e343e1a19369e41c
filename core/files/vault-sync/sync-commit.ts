import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import {
  atomically,
  Caller,
  crashPoint,
  type DocumentId,
  Ids,
  now,
  type UnitOptions
} from "../../platform/kernel/index.js"
import {
  type Change,
  changeTo,
  commitChanges,
  create,
  type Document,
  DocumentStore,
  decide,
  fileBytesMax,
  fileHashOf,
  type ParsedFile,
  pendingOperations,
  Vault
} from "../documents/index.js"
import { pathKey } from "../markdown/index.js"
import { departingHashes, type Step } from "./sync-plan.js"

/**
 * Delay of listeners while files are being indexed. They are called at the end of the sync; after a crash they run
 * when the delay is over.
 */
const listenerPauseMs = 60_000

/** A step with its bytes, parsed. */
export interface Prepared {
  readonly step: Step
  readonly reading: ParsedFile | null
}

/**
 * Commits steps together; when one of them conflicts, each by itself. Returns those that were committed.
 *
 * @param asOf Id of the last file operation opened before the plan was made.
 */
export const commitSteps = (
  ready: ReadonlyArray<Prepared>,
  asOf: number,
  options: UnitOptions
): Effect.Effect<ReadonlyArray<Step>, never, Effect.Effect.Context<ReturnType<typeof commitOnce>>> =>
  commitOnce(ready, asOf, options).pipe(
    Effect.catchAll(() =>
      ready.length <= 1
        ? Effect.succeed([])
        : Effect.map(
            Effect.forEach(ready, (one) => commitSteps([one], asOf, options)),
            (steps) => steps.flat()
          )
    )
  )

const commitOnce = (ready: ReadonlyArray<Prepared>, asOf: number, options: UnitOptions) =>
  atomically(
    Effect.gen(function* () {
      const caller = yield* Caller
      const at = yield* now
      const standing = yield* readDocuments(ready)
      const passed = yield* overtaken(ready, asOf)
      const changes: Array<{ readonly step: Step; readonly change: Change }> = []
      for (const { reading, step } of ready) {
        if (passed.has(step)) continue
        const change = yield* changeFor(step, reading, standing, at)
        if (Option.isSome(change)) changes.push({ step, change: change.value })
      }
      if (changes.length === 0) return []
      yield* commitChanges(
        caller.workspace,
        changes.map(({ change }) => change),
        { delayMs: listenerPauseMs }
      )
      yield* dropCopies(changes.map(({ step }) => step))
      yield* crashPoint("sync.commit.insideTransaction")
      return changes.map(({ step }) => step)
    }),
    options
  )

/** Removes the trash copies of documents that came back; their text is also in the database. */
const dropCopies = (steps: ReadonlyArray<Step>) =>
  Effect.flatMap(Vault, (vault) =>
    Effect.forEach(
      steps.flatMap((step) => (step.kind === "returned" ? [step.stamp.id] : [])),
      (id) => Effect.ignore(vault.dropTrash(id)),
      { concurrency: filesAtOnce, discard: true }
    )
  )

type Standing = ReadonlyMap<DocumentId, Document>

/** Reads the documents of the steps once, trashed ones included. A later change makes the commit fail. */
const readDocuments = (ready: ReadonlyArray<Prepared>) =>
  Effect.gen(function* () {
    const ids = ready.flatMap(({ step }) => (step.kind === "created" ? [] : [step.stamp.id]))
    if (ids.length === 0) return new Map<DocumentId, Document>()
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const found = yield* store.findMany(caller.workspace, ids)
    return new Map(found.map((one) => [one.id, one]))
  })

/** Files checked in parallel. */
const filesAtOnce = 16

/**
 * Returns the steps whose file has changed since the plan: an editor, a move or a write came in between. Our own
 * changes are known by the operations opened since. Runs within the unit of work, so that no change of ours can
 * follow.
 */
const overtaken = (ready: ReadonlyArray<Prepared>, asOf: number) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
    const isAlone = (yield* store.lastIntent(workspace)) === asOf
    const doubtful = ready.filter(
      ({ step: { kind } }) => kind === "deleted" || (!isAlone && kind !== "updated")
    )
    if (doubtful.length === 0) return new Set<Step>()
    const intents = yield* pendingOperations()
    const pendingIds = new Set(intents.map(({ documentId }) => documentId))
    const leaving = departingHashes(intents)
    const isOvertaken = ({ reading, step }: Prepared) => {
      if (step.kind !== "created" && pendingIds.has(step.stamp.id)) return Effect.succeed(true)
      if (step.kind === "deleted") return isTakenIn(step.stamp.path)
      const isLeaving =
        leaving.get(pathKey(step.path))?.has(reading === null ? "" : fileHashOf(reading.content)) === true
      return isLeaving ? Effect.succeed(true) : Effect.negate(hasFile(step.path))
    }
    const found = yield* Effect.filter(doubtful, isOvertaken, { concurrency: filesAtOnce })
    return new Set(found.map(({ step }) => step))
  })

/** Whether a walk would find a file at the path. */
const isTakenIn = (path: string) =>
  Effect.gen(function* () {
    const { excludes } = yield* Vault
    if (!(yield* hasFile(path))) return false
    return excludes === undefined || !(yield* Effect.orElseSucceed(excludes(path), () => false))
  })

const hasFile = (path: string) =>
  Effect.gen(function* () {
    // A file that cannot be read counts as absent, since the walk refuses it too.
    const file = Effect.option((yield* Vault).read(path, fileBytesMax(path)))
    return Option.isSome(Option.flatten(yield* file))
  })

const changeFor = (
  step: Step,
  reading: ParsedFile | null,
  standing: Standing,
  at: string
): Effect.Effect<Option.Option<Change>, never, Ids> =>
  Effect.gen(function* () {
    if (step.kind === "created") {
      if (reading === null) return Option.none()
      const ids = yield* Ids
      const after = create({ id: ids.make("document"), path: step.path, content: reading.content, at })
      return Option.some(vaultChange(null, after, reading, "document.create"))
    }
    const current = standing.get(step.stamp.id)
    // The document has changed since the plan was made.
    if (current?.seq !== step.stamp.seq) return Option.none()
    if (step.kind === "returned") return back(step, current, reading, at)
    if (step.kind === "deleted") {
      const after = Either.getOrElse(decide(current, { _tag: "Delete" }, at), () => current)
      return Option.some(vaultChange(current, after, null, "document.delete"))
    }
    if (reading === null) return Option.none()
    const moved = Either.getOrElse(
      decide(current, { _tag: "Move", path: step.path, title: reading.content.title }, at),
      () => current
    )
    const after = Either.getOrElse(
      decide(moved, { _tag: "ReplaceContent", content: reading.content }, at),
      () => moved
    )
    const stamped = {
      ...after,
      mtimeMs: reading.content.mtimeMs,
      sizeBytes: reading.content.sizeBytes,
      // Another file may hold the same text.
      ...originOf(reading.content)
    }
    const action = moved === current ? "document.replace" : "document.move"
    return Option.some(
      vaultChange(current, stamped, after.contentHash === current.contentHash ? null : reading, action)
    )
  })

const originOf = ({ file, source }: ParsedFile["content"]) => ({
  ...(file === undefined ? {} : { file }),
  ...(source === undefined ? {} : { source })
})

/** Brings a document back whose file came back. */
const back = (
  { path }: Step & { readonly kind: "returned" },
  before: Document,
  reading: ParsedFile | null,
  at: string
): Option.Option<Change> =>
  reading === null || fileHashOf(reading.content) !== fileHashOf(before)
    ? Option.none()
    : Option.map(
        Either.getRight(decide(before, { _tag: "Restore", path, content: reading.content }, at)),
        (after) => vaultChange(before, after, reading, "document.restore")
      )

/** Returns a change with origin `vault`. */
const vaultChange = (...change: Parameters<typeof changeTo>): Change => ({
  ...changeTo(...change),
  origin: "vault",
  details: { by: "sync" }
})
