import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type RunId, serviceLayer, type WorkspaceScope } from "../../platform/kernel/index.js"
import { eventOfStep, isTerminalEvent, type RunEvent, RunStore, terminalEvent } from "../agent-runs/index.js"

/** Interval in ms at which a run is polled when no signal arrives. */
const pollMs = 1_000

/** State that all watchers of one run share: its events so far, and the signal that wakes them. */
interface Watched {
  readonly events: Array<RunEvent>
  readonly sent: Set<string>
  watchers: number
  isOver: boolean
  changed: Deferred.Deferred<void>
  fiber: Option.Option<Fiber.RuntimeFiber<unknown>>
}

/** Streams of runs. One reader of the journal serves all watchers of a run in this process. */
export class RunFeed extends Context.Tag("kanon/RunFeed")<
  RunFeed,
  {
    /** The events of a run from its start, then as they come; ends after exactly one terminal event. */
    readonly watch: (workspace: WorkspaceScope, run: RunId) => Stream.Stream<RunEvent>
  }
>() {}

/** The `RunFeed` service as a layer; it reads a watched run on each signal, and polls where none comes. */
export const runFeed = serviceLayer(
  RunFeed,
  Effect.gen(function* () {
    const [store, signals] = [yield* RunStore, (yield* RunStore).signals]
    const watched = new Map<string, Watched>()

    const look = (workspace: WorkspaceScope, id: RunId, entry: Watched) =>
      Effect.gen(function* () {
        const found = yield* store.find(workspace, id)
        // Read after the run: what it says to be over has all its steps.
        const steps = yield* store.steps(workspace, id)
        if (Option.isNone(found)) return
        const before = entry.events.length
        for (const step of steps) {
          if (entry.sent.has(step.id)) continue
          const event = eventOfStep(found.value, step)
          if (event === null) continue
          entry.sent.add(step.id)
          entry.events.push(event)
        }
        const last = terminalEvent(found.value, steps)
        if (last !== null) {
          entry.events.push(last)
          entry.isOver = true
        }
        if (entry.events.length === before) return
        const signal = entry.changed
        entry.changed = yield* Deferred.make<void>()
        yield* Deferred.succeed(signal, undefined)
      })

    const follow = (workspace: WorkspaceScope, id: RunId, entry: Watched) =>
      Effect.gen(function* () {
        const changed = yield* signals.watch(workspace, id)
        while (!entry.isOver) {
          yield* Effect.catchAllCause(look(workspace, id, entry), (cause) =>
            Effect.logWarning("A run could not be read for its watchers; it is tried again.", cause)
          )
          if (!entry.isOver) yield* Effect.raceFirst(changed, Effect.sleep(pollMs))
        }
      }).pipe(Effect.scoped)

    const join = (workspace: WorkspaceScope, id: RunId) =>
      Effect.gen(function* () {
        const key = `${workspace} ${id}`
        const known = watched.get(key)
        // A run that was suspended may be on its way again: whoever comes now reads it anew.
        const entry: Watched =
          known !== undefined && !known.isOver
            ? known
            : {
                events: [],
                sent: new Set(),
                watchers: 0,
                isOver: false,
                changed: yield* Deferred.make<void>(),
                fiber: Option.none()
              }
        entry.watchers += 1
        if (entry !== known) {
          watched.set(key, entry)
          entry.fiber = Option.some(
            yield* Effect.forkDaemon(Effect.interruptible(follow(workspace, id, entry)))
          )
        }
        return { key, entry }
      })

    const leave = (key: string, entry: Watched) =>
      Effect.suspend(() => {
        entry.watchers -= 1
        if (entry.watchers > 0) return Effect.void
        if (watched.get(key) === entry) watched.delete(key)
        return Option.match(entry.fiber, { onNone: () => Effect.void, onSome: Fiber.interruptFork })
      })

    return {
      watch: (workspace, id) =>
        Stream.unwrapScoped(
          Effect.map(
            Effect.acquireRelease(join(workspace, id), ({ entry, key }) => leave(key, entry)),
            ({ entry }) =>
              Stream.paginateChunkEffect(0, (from) =>
                Effect.gen(function* () {
                  while (entry.events.length <= from) yield* Deferred.await(entry.changed)
                  const events = entry.events.slice(from)
                  const isOver = events.some(isTerminalEvent)
                  return [
                    Chunk.unsafeFromArray(events),
                    isOver ? Option.none() : Option.some(from + events.length)
                  ] as const
                })
              )
          )
        )
    }
  })
)
