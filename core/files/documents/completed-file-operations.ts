import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import {
  type Atomic,
  atomically,
  Caller,
  type CallerShape,
  crashPoint,
  type DocumentId,
  serviceLayer,
  type UnitOptions,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { DocumentStore, type IntentFilter } from "./store.js"

/** A file operation that was done while its intent is still open. */
export interface CompletedFileOperation {
  readonly intent: number
  readonly id: DocumentId
}

/** Delay after which completions are written, when no other change wrote them earlier. */
const waitMs = 100
/** With this many, a change closes them all in one statement. */
const notesMax = 16

/**
 * Completed file operations that are not yet closed in the database. They are closed with a later change or a moment
 * later, so that a change needs one commit only. Nothing depends on it: recovery repeats an open operation and finds
 * that it was done. No data that searches read is written with it.
 */
export class CompletedFileOperations extends Context.Tag("kanon/FileNotes")<
  CompletedFileOperations,
  {
    /** Remembers a completed operation; it is written within some milliseconds. */
    readonly add: (note: CompletedFileOperation) => Effect.Effect<void, never, Caller>
    /**
     * Returns the ids of completed operations that may still be open in the database. Call it before reading the open
     * intents: an intent that is closed in between is still open there, but no longer listed here.
     */
    readonly done: (workspace: WorkspaceScope) => ReadonlySet<number>
    /**
     * Returns what a change should write: everything when there are many, or when one concerns a document of the
     * change.
     */
    readonly take: (
      workspace: WorkspaceScope,
      of: ReadonlyArray<DocumentId>
    ) => ReadonlyArray<CompletedFileOperation>
    /** Returns all completed operations of a workspace. */
    readonly takeAll: (workspace: WorkspaceScope) => ReadonlyArray<CompletedFileOperation>
    /** Returns operations that could not be written. */
    readonly putBack: (caller: CallerShape, notes: ReadonlyArray<CompletedFileOperation>) => void
    /** Removes operations that were written. */
    readonly forget: (workspace: WorkspaceScope, notes: ReadonlyArray<CompletedFileOperation>) => void
  }
>() {}

/** Runs a change of these documents as one unit of work, which also closes earlier file operations. */
export const changeTransaction = <A, E, R>(
  of: ReadonlyArray<DocumentId>,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | Atomic | Caller | DocumentStore | CompletedFileOperations> =>
  Effect.gen(function* () {
    const [notes, caller] = [yield* CompletedFileOperations, yield* Caller]
    return yield* writing(notes, caller, notes.take(caller.workspace, of), work)
  }).pipe(Effect.uninterruptible)

/** Writes all completed file operations. Call it before comparing files with the catalog. */
export const flushCompletedFileOperations: Effect.Effect<
  void,
  never,
  Atomic | Caller | DocumentStore | CompletedFileOperations
> = Effect.gen(function* () {
  const [notes, caller] = [yield* CompletedFileOperations, yield* Caller]
  const completedOperations = notes.takeAll(caller.workspace)
  if (completedOperations.length > 0)
    yield* writing(notes, caller, completedOperations, Effect.void, { unsynced: true })
}).pipe(Effect.uninterruptible)

/** Returns the pending file operations that are not known to be done, of a workspace or of one document. */
export const pendingOperations = (filter: IntentFilter = {}) =>
  Effect.gen(function* () {
    const [notes, store, { workspace }] = [
      yield* CompletedFileOperations,
      yield* DocumentStore,
      yield* Caller
    ]
    const done = notes.done(workspace)
    return (yield* store.openIntents(workspace, filter)).filter(({ id }) => !done.has(id))
  })

/**
 * Whether a file operation of the document is pending. Closes operations that were done but not written yet. Call it
 * inside a unit of work.
 */
export const hasPendingOperation = (id: DocumentId) =>
  Effect.gen(function* () {
    const [notes, store, { workspace }] = [
      yield* CompletedFileOperations,
      yield* DocumentStore,
      yield* Caller
    ]
    const done = notes.done(workspace)
    const open = (yield* store.openIntents(workspace, { documentId: id })).map((intent) => intent.id)
    if (!open.every((number) => done.has(number))) return true
    if (open.length > 0) yield* store.closeIntent(workspace, ...open)
    return false
  })

const writing = <A, E, R>(
  notes: CompletedFileOperations["Type"],
  caller: CallerShape,
  taken: ReadonlyArray<CompletedFileOperation>,
  work: Effect.Effect<A, E, R>,
  options?: UnitOptions
) =>
  taken.length === 0
    ? atomically(work, options)
    : atomically(Effect.zipRight(write(caller.workspace, taken), work), options).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() =>
            Exit.isSuccess(exit) ? notes.forget(caller.workspace, taken) : notes.putBack(caller, taken)
          )
        )
      )

const write = (workspace: WorkspaceScope, notes: ReadonlyArray<CompletedFileOperation>) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    yield* store.closeIntent(workspace, ...notes.map(({ intent }) => intent))
    yield* crashPoint("document.notes.insideTransaction")
  })

/** Completed operations of one workspace by intent id, and the caller of the last one. */
interface Pending {
  readonly caller: CallerShape
  readonly notes: Map<number, CompletedFileOperation>
}

/** Keeps completed operations in memory and writes them a moment later, and when the engine closes. */
export const completedFileOperations = serviceLayer(
  CompletedFileOperations,
  Effect.gen(function* () {
    const context = yield* Effect.context<DocumentStore | Atomic>()
    const scope = yield* Effect.scope
    const pending = new Map<WorkspaceScope, Pending>()
    /** Intent ids that a unit of work is writing. */
    const takenPositions = new Map<WorkspaceScope, Set<number>>()
    let isDue = false
    const takeAll = (workspace: WorkspaceScope): ReadonlyArray<CompletedFileOperation> => {
      const notes = [...(pending.get(workspace)?.notes.values() ?? [])]
      pending.delete(workspace)
      const numbers = takenPositions.get(workspace) ?? new Set()
      for (const { intent } of notes) numbers.add(intent)
      if (numbers.size > 0) takenPositions.set(workspace, numbers)
      return notes
    }
    const forget = (workspace: WorkspaceScope, notes: ReadonlyArray<CompletedFileOperation>): void => {
      const numbers = takenPositions.get(workspace)
      for (const { intent } of notes) numbers?.delete(intent)
      if (numbers?.size === 0) takenPositions.delete(workspace)
    }
    const settleAll = Effect.suspend(() => {
      isDue = false
      return Effect.forEach(
        [...pending.values()],
        ({ caller }) => Effect.provideService(flushCompletedFileOperations, Caller, caller),
        { discard: true }
      )
    }).pipe(
      // Operations that cannot be written now stay open until a later change or the next start closes them.
      Effect.catchAllCause((cause) =>
        Effect.logDebug("Completed file operations could not be recorded.", cause)
      )
    )
    const service: CompletedFileOperations["Type"] = {
      add: (note) =>
        Effect.flatMap(Caller, (caller) => {
          const notes = pending.get(caller.workspace)?.notes ?? new Map<number, CompletedFileOperation>()
          pending.set(caller.workspace, { caller, notes: notes.set(note.intent, note) })
          if (isDue) return Effect.void
          isDue = true
          const later = Effect.zipRight(Effect.interruptible(Effect.sleep(waitMs)), settling)
          return Effect.asVoid(Effect.forkIn(later, scope))
        }),
      done: (workspace) =>
        new Set([...(pending.get(workspace)?.notes.keys() ?? []), ...(takenPositions.get(workspace) ?? [])]),
      take: (workspace, of) => {
        const notes = pending.get(workspace)?.notes
        if (notes === undefined) return []
        const isWanted = notes.size >= notesMax || [...notes.values()].some((note) => of.includes(note.id))
        return isWanted ? takeAll(workspace) : []
      },
      takeAll,
      putBack: (caller, notes) => {
        const since = pending.get(caller.workspace)?.notes ?? []
        const all = new Map([...notes.map((note) => [note.intent, note] as const), ...since])
        pending.set(caller.workspace, { caller, notes: all })
        forget(caller.workspace, notes)
      },
      forget
    }
    // Runs without the caller's context: outside its unit of work and its span.
    const settling: Effect.Effect<void> = Effect.mapInputContext(settleAll, () =>
      Context.add(context, CompletedFileOperations, service)
    )
    yield* Effect.addFinalizer(() => settling)
    return service
  })
)
