import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { JobStore, jobItem, type QueueDepth } from "../jobs/index.js"
import { Caller, type Fault, faultCodes } from "../kernel/index.js"
import type { IngestProgress, IngestReport } from "./ingest-report.js"

/** Background work as it stands: how much waits, and how far each running job is. */
export interface QueueState extends QueueDepth {
  readonly work: ReadonlyArray<{
    readonly jobId: string
    readonly kind: string
    /** None until the job has told of any. */
    readonly progress: { readonly done: number; readonly total: number; readonly note: string } | null
  }>
}

/** What an engine tells of itself, by event. Texts of questions and documents are in none of them. */
export interface EngineEvents {
  /** A search has answered; `total` counts the fused list before `limit`. */
  readonly search: { readonly durationMs: number; readonly results: number; readonly total: number }
  /** A question has been answered. */
  readonly ask: {
    readonly durationMs: number
    /** Names the answer as it is kept; null where it is not. */
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
  /** A search, question or ingest was refused or has failed; `code` as in KanonError, `internal` for a defect. */
  readonly failure: {
    readonly operation: "search" | "ask" | "ingest"
    readonly code: string
    readonly durationMs: number
  }
  /** Something went wrong that stopped nothing: `answer_not_kept`, since the database took it not or not in time. */
  readonly warning: { readonly code: "answer_not_kept" }
  /** How far a running ingest is. */
  readonly ingestProgress: IngestProgress
  /** An ingest has ended. */
  readonly ingested: IngestReport
  /** The queue has changed, through this process or another; told too when a listener comes. */
  readonly queue: QueueState
}

/** What can be listened to with `engine.on`. */
export type EngineEventName = keyof EngineEvents
/** Whoever is told of an event, synchronously, where it happens: work that takes long belongs elsewhere. */
export type EngineListener<Name extends EngineEventName> = (event: EngineEvents[Name]) => void

type Listeners = { readonly [Name in EngineEventName]: Set<EngineListener<Name>> }

/** Hands events to whoever listens. Where nobody does, nothing is measured, made or called. */
export interface EventHub {
  readonly hears: (name: EngineEventName) => boolean
  /** Calls the listeners one after the other; one that throws is told to `onThrow` and stops nothing. */
  readonly tell: <Name extends EngineEventName>(name: Name, event: EngineEvents[Name]) => void
  /** Adds a listener; what it gives takes it away again. */
  readonly on: <Name extends EngineEventName>(name: Name, listener: EngineListener<Name>) => () => void
}

export const eventHub = (hooks: {
  readonly onThrow: (error: unknown, name: EngineEventName) => void
  /** A listener of a name has come, or the last one has gone. */
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
      // A function of its own, so that the same listener may be added twice and taken away once.
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

/** Most running jobs that are listed. */
const workMax = 200

/** Background work of the caller's workspace as it stands. */
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

/** However fast the queue changes, it is looked at no more often. */
const queueRestMs = 100

/** Tells of the queue now and after each of its changes, until it is interrupted. */
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

/** Tells how a call ended and how long it took; where nobody listens it is the call itself. */
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
