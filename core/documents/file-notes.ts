import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type Atomic,
  atomically,
  Caller,
  type CallerShape,
  crashPoint,
  type DocumentId,
  type UnitOptions,
  type WorkspaceScope
} from "../kernel/index.js"
import { DocumentStore } from "./store.js"

/** A file operation that was done while its intent is open. */
export interface FileNote {
  readonly intent: number
  readonly id: DocumentId
}

/** What was done is written this much later where no other change took it along. */
const waitMs = 100
/** With so many a change takes them along: one statement closes them all. */
const notesMax = 16

/**
 * What was done of the file operations that are owed, until the database says so: that is written with a later change
 * or a moment later, so that a change commits once. Nothing depends on it: whoever finds an intent open finishes it,
 * and finds that it was done. Nothing that searches read is written with it.
 */
export class FileNotes extends Context.Tag("kanon/FileNotes")<
  FileNotes,
  {
    /** Remembers what was done; it is written within some milliseconds. */
    readonly add: (note: FileNote) => Effect.Effect<void, never, Caller>
    /** Whether the operation is known to be done. */
    readonly isDone: (workspace: WorkspaceScope, intent: number) => boolean
    /** Hands over what a change is to write: all, where there are many or one of a document that it names. */
    readonly take: (workspace: WorkspaceScope, of: ReadonlyArray<DocumentId>) => ReadonlyArray<FileNote>
    /** Hands over all of a workspace. */
    readonly takeAll: (workspace: WorkspaceScope) => ReadonlyArray<FileNote>
    /** Takes back what could not be written. */
    readonly putBack: (caller: CallerShape, notes: ReadonlyArray<FileNote>) => void
  }
>() {}

/** Runs a change of these documents as one unit of work, together with what is to be written of earlier ones. */
export const unitOfChange = <A, E, R>(
  of: ReadonlyArray<DocumentId>,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | Atomic | Caller | DocumentStore | FileNotes> =>
  Effect.gen(function* () {
    const [notes, caller] = [yield* FileNotes, yield* Caller]
    return yield* writing(notes, caller, notes.take(caller.workspace, of), work)
  }).pipe(Effect.uninterruptible)

/** Writes what was done of file operations: for whoever compares files with the catalog. */
export const settleFileNotes: Effect.Effect<void, never, Atomic | Caller | DocumentStore | FileNotes> =
  Effect.gen(function* () {
    const [notes, caller] = [yield* FileNotes, yield* Caller]
    const taken = notes.takeAll(caller.workspace)
    if (taken.length > 0) yield* writing(notes, caller, taken, Effect.void, { unsynced: true })
  }).pipe(Effect.uninterruptible)

const writing = <A, E, R>(
  notes: FileNotes["Type"],
  caller: CallerShape,
  taken: ReadonlyArray<FileNote>,
  work: Effect.Effect<A, E, R>,
  options?: UnitOptions
) =>
  taken.length === 0
    ? atomically(work, options)
    : atomically(Effect.zipRight(write(caller.workspace, taken), work), options).pipe(
        Effect.onError(() => Effect.sync(() => notes.putBack(caller, taken)))
      )

const write = (workspace: WorkspaceScope, notes: ReadonlyArray<FileNote>) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    yield* store.closeIntent(workspace, ...notes.map(({ intent }) => intent))
    yield* crashPoint("document.notes.insideTransaction")
  })

/** The notes of one workspace by the number of their intent, and who made the last of them. */
interface Pending {
  readonly caller: CallerShape
  readonly notes: Map<number, FileNote>
}

/** Notes in memory, written a moment later and when the engine closes. */
export const fileNotes = Layer.scoped(
  FileNotes,
  Effect.gen(function* () {
    const context = yield* Effect.context<DocumentStore | Atomic>()
    const scope = yield* Effect.scope
    const pending = new Map<WorkspaceScope, Pending>()
    let isDue = false
    const takeAll = (workspace: WorkspaceScope): ReadonlyArray<FileNote> => {
      const notes = [...(pending.get(workspace)?.notes.values() ?? [])]
      pending.delete(workspace)
      return notes
    }
    const settleAll = Effect.suspend(() => {
      isDue = false
      return Effect.forEach(
        [...pending.values()],
        ({ caller }) => Effect.provideService(settleFileNotes, Caller, caller),
        { discard: true }
      )
    }).pipe(
      // What cannot be written now stays open: a later change, or the next start, closes it.
      Effect.catchAllCause((cause) => Effect.logDebug("What was done of files could not be noted.", cause))
    )
    const service: FileNotes["Type"] = {
      add: (note) =>
        Effect.flatMap(Caller, (caller) => {
          const notes = pending.get(caller.workspace)?.notes ?? new Map<number, FileNote>()
          pending.set(caller.workspace, { caller, notes: notes.set(note.intent, note) })
          if (isDue) return Effect.void
          isDue = true
          const later = Effect.zipRight(Effect.interruptible(Effect.sleep(waitMs)), settling)
          return Effect.asVoid(Effect.forkIn(later, scope))
        }),
      isDone: (workspace, intent) => pending.get(workspace)?.notes.has(intent) === true,
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
      }
    }
    // Nothing of the call that it follows: neither its unit of work nor its span.
    const settling: Effect.Effect<void> = Effect.mapInputContext(settleAll, () =>
      Context.add(context, FileNotes, service)
    )
    yield* Effect.addFinalizer(() => settling)
    return service
  })
)
