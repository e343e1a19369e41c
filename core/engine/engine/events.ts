import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { JobStore, jobItem, type QueueDepth } from "../../platform/jobs/index.js"
import { Caller, type Fault, faultCodes } from "../../platform/kernel/index.js"
import type { IngestProgress, IngestReport } from "./ingest-report.js"

/** State of background work: pending jobs, and the progress of running ones. */
export interface QueueState extends QueueDepth {
  readonly work: ReadonlyArray<{
    readonly jobId: string
    readonly kind: string
    /** None until the job reports progress. */
    readonly progress: { readonly done: number; readonly total: number; readonly note: string } | null
  }>
}

/** Engine events. They contain no text of questions or documents. */
export interface EngineEvents {
  /** A search has completed; `total` counts the fused list before `limit`. */
  readonly search: { readonly durationMs: number; readonly results: number; readonly total: number }
  /** A question has been answered. */
  readonly ask: {
    readonly durationMs: number
    /** The id of the stored answer; null if it was not stored. */
    readonly answerId: string | null
    readonly verdict: string
    readonly claims: number
    readonly sources: number
    readonly usage: {
      readonly inputTokens: number
      readonly outputTokens: number
      readonly costUsd: number
    }
  }
  /** A search, question or ingest was rejected or failed; `code` as in KanonError, `internal` for a defect. */
  readonly failure: {
    readonly operation: "search" | "ask" | "ingest"
    readonly code: string
    readonly durationMs: number
  }
  /** A non-fatal problem. `answer_not_kept`: the database did not store the answer, or not in time. */
  readonly warning: { readonly code: "answer_not_kept" }
  /** Progress of a running ingest. */
  readonly ingestProgress: IngestProgress
  /** An ingest has ended. */
  readonly ingested: IngestReport
  /** The queue has changed in any process; also sent to a new listener. */
  readonly queue: QueueState
}

/** Names of engine events. */
export type EngineEventName = keyof EngineEvents
/** A synchronous event listener; long work belongs elsewhere. */
export type EngineListener<Name extends EngineEventName> = (event: EngineEvents[Name]) => void

type Listeners = { readonly [Name in EngineEventName]: Set<EngineListener<Name>> }

/** Dispatches events to listeners. Without listeners nothing is measured, created or called. */
export interface EventHub {
  readonly hears: (name: EngineEventName) => boolean
  /** Calls the listeners in order; a listener's error goes to `onThrow` and has no other effect. */
  readonly tell: <Name extends EngineEventName>(name: Name, event: EngineEvents[Name]) => void
  /** Adds a listener; returns a function that removes it. */
  readonly on: <Name extends EngineEventName>(name: Name, listener: EngineListener<Name>) => () => void
}

export const eventHub = (hooks: {
  readonly onThrow: (error: unknown, name: EngineEventName) => void
  /** Called when the first listener of an event is added, or the last one removed. */
  readonly onHeard: (name: EngineEventName, reported: boolean) => void
}): EventHub => {
  const listeners: Listeners = {
    search: new Set(),
    ask: new Set(),
    failure: new Set(),
    warning: new Set(),
    ingestProgress: new Set(),
    ingested: new Set(),
    queue: new Set()
  }
  return {
    hears: (name) => listeners[name].size > 0,
    tell: (name, event) => {
      for (const listener of listeners[name]) {
        try {
          listener(event)
        } catch (error) {
          hooks.onThrow(error, name)
        }
      }
    },
    on: (name, listener) => {
      // A wrapper, so that a listener added twice can be removed once.
      const own: typeof listener = (event) => listener(event)
      const set = listeners[name]
      set.add(own)
      hooks.onHeard(name, true)
      return () => {
        if (set.delete(own) && set.size === 0) hooks.onHeard(name, false)
      }
    }
  }
}

/** Maximum number of running jobs in a report. */
const workMax = 200

/** Returns the state of background work in the caller's workspace. */
export const queueState = Effect.gen(function* () {
  const { workspace } = yield* Caller
  const store = yield* JobStore
  const depth = yield* store.depth(workspace)
  const { items } =
    depth.running === 0
      ? { items: [] }
      : yield* store.list(workspace, { limit: workMax, offset: 0 }, { status: "running" })
  const work = items.map(jobItem).map(({ id, kind, progress }) => ({ jobId: id, kind, progress }))
  return { ...depth, work } satisfies QueueState
})

/** Minimum interval between two reads of the queue. */
const queueRestMs = 100

/** Reports the queue now and after each change, until interrupted. */
export const followQueue = (tell: (state: QueueState) => void) =>
  Effect.scoped(
    Effect.gen(function* () {
      const changed = yield* (yield* JobStore).watch
      for (;;) {
        tell(yield* queueState)
        yield* changed
        yield* Effect.sleep(queueRestMs)
      }
    })
  )

/** Reports result and duration of a call; without listeners it is just the call. */
export const reported = <Name extends EngineEventName, A, R>(
  hub: EventHub,
  call: {
    readonly operation: EngineEvents["failure"]["operation"]
    readonly name: Name
    readonly describe: (value: A, durationMs: number) => EngineEvents[Name]
  },
  work: Effect.Effect<A, Fault, R>
): Effect.Effect<A, Fault, R> =>
  Effect.suspend(() => {
    if (!hub.hears(call.name) && !hub.hears("failure")) return work
    return Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeNanos
      const exit = yield* Effect.exit(work)
      const durationMs = Number((yield* Clock.currentTimeNanos) - startedAt) / 1e6
      if (Exit.isSuccess(exit)) hub.tell(call.name, call.describe(exit.value, durationMs))
      else if (!Cause.isInterruptedOnly(exit.cause))
        hub.tell("failure", { operation: call.operation, code: codeOf(exit.cause), durationMs })
      return yield* exit
    })
  })

const codeOf = (cause: Cause.Cause<Fault>): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => "internal",
    onSome: ({ _tag }) => faultCodes[_tag]
  })
