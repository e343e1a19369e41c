import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
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
import {
  atomically,
  Caller,
  crashPoint,
  type DocumentId,
  Ids,
  now,
  type UnitOptions
} from "../kernel/index.js"
import { pathKey } from "../markdown/index.js"
import { leavingTexts, type Step } from "./sync-plan.js"

/**
 * Listeners rest while files are still being taken in, and are called at the end; if this process dies before,
 * they come by themselves so much later.
 */
const restMs = 60_000

/** A step with the bytes it needs, taken apart. */
export interface Prepared {
  readonly step: Step
  readonly reading: ParsedFile | null
}

/**
 * Commits steps together; when one of them lost a race, each by itself. Gives those that were committed.
 *
 * @param asOf The file operation that had been noted last before the plan was made.
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
      const standing = yield* standingOf(ready)
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
        { delayMs: restMs }
      )
      yield* dropCopies(changes.map(({ step }) => step))
      yield* crashPoint("sync.commit.insideTransaction")
      return changes.map(({ step }) => step)
    }),
    options
  )

/** Of documents that came back, the file that lay in the trash; its text is kept elsewhere, too. */
const dropCopies = (steps: ReadonlyArray<Step>) =>
  Effect.flatMap(Vault, (vault) =>
    Effect.forEach(
      steps.flatMap((step) => (step.kind === "returned" ? [step.stamp.id] : [])),
      (id) => Effect.ignore(vault.dropTrash(id)),
      { concurrency: looksAtOnce, discard: true }
    )
  )

type Standing = ReadonlyMap<DocumentId, Document>

/** The documents that the steps are about, those in the trash too, read once: what changes after that fails the commit. */
const standingOf = (ready: ReadonlyArray<Prepared>) =>
  Effect.gen(function* () {
    const ids = ready.flatMap(({ step }) => (step.kind === "created" ? [] : [step.stamp.id]))
    if (ids.length === 0) return new Map<DocumentId, Document>()
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const found = yield* store.findMany(caller.workspace, ids)
    return new Map(found.map((one) => [one.id, one]))
  })

/** Files looked for at once. */
const looksAtOnce = 16

/**
 * The steps whose file is not where the plan saw it, or is gone no more: an editor, a move or a write came between. What
 * we did ourselves is known by the operations that were noted since. Within the unit of work, so that nothing of ours
 * comes after this.
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
    const owed = new Set(intents.map(({ documentId }) => documentId))
    const leaving = leavingTexts(intents)
    const isOvertaken = ({ reading, step }: Prepared) => {
      if (step.kind !== "created" && owed.has(step.stamp.id)) return Effect.succeed(true)
      if (step.kind === "deleted") return hasFile(step.stamp.path)
      const isLeaving =
        leaving.get(pathKey(step.path))?.has(reading === null ? "" : fileHashOf(reading.content)) === true
      return isLeaving ? Effect.succeed(true) : Effect.negate(hasFile(step.path))
    }
    const found = yield* Effect.filter(doubtful, isOvertaken, { concurrency: looksAtOnce })
    return new Set(found.map(({ step }) => step))
  })

const hasFile = (path: string) =>
  Effect.gen(function* () {
    // What cannot be read, the walk would have refused.
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
      return Option.some(bySync(null, after, reading, "document.create"))
    }
    const current = standing.get(step.stamp.id)
    // Somebody else dealt with it since the plan was made.
    if (current?.seq !== step.stamp.seq) return Option.none()
    if (step.kind === "returned") return back(step, current, reading, at)
    if (step.kind === "deleted") {
      const after = Either.getOrElse(decide(current, { _tag: "Delete" }, at), () => current)
      return Option.some(bySync(current, after, null, "document.delete"))
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
      bySync(current, stamped, after.contentHash === current.contentHash ? null : reading, action)
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
        (after) => bySync(before, after, reading, "document.restore")
      )

/** A change that came from the files. */
const bySync = (...change: Parameters<typeof changeTo>): Change => ({
  ...changeTo(...change),
  origin: "vault",
  details: { by: "sync" }
})
