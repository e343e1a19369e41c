import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  Atomic,
  Caller,
  crashPoint,
  isCausedByUnavailableData,
  millisOf,
  type RunId,
  timestampOf
} from "../../platform/kernel/index.js"
import { advance, foldJournal, type RunEffect } from "./advance.js"
import { standingOf, untilCancelled } from "./cancellation.js"
import { finishRun, suspendRun } from "./end.js"
import { type HeldRun, heldRun, isLeaseLost, leaseMs } from "./journal.js"
import { callModel, checkAnswer, checkInput } from "./model-steps.js"
import type { RunEventIn, RunState } from "./state.js"
import { RunStore } from "./store.js"
import { performCalls, recoverSteps } from "./tool-steps.js"

/** Interval in ms at which a lease is renewed. */
const beatMs = 10_000
/** Maximum pause in ms between checks of a run that another worker holds. */
const waitMs = 1_000

/** Result of carrying out effects: events to apply, a journal to reload, or the end of this worker's part. */
export type PerformedEffects =
  | { readonly type: "events"; readonly events: ReadonlyArray<RunEventIn> }
  | { readonly type: "reload" }
  | { readonly type: "stop" }

/**
 * Works on a run until it ends, waits for a person, or belongs to somebody else. Takes it up where its journal stands.
 * Safe to call for any run at any time, by any number of workers: one of them has it.
 */
export const driveRun = Effect.fn("agents.drive")(function* (id: RunId) {
  const { workspace } = yield* Caller
  const [store, signals] = [yield* RunStore, (yield* RunStore).signals]
  const atomic = yield* Atomic
  for (;;) {
    const nowMs = yield* Clock.currentTimeMillis
    const claim = yield* atomic.run(
      Effect.tap(store.claim(workspace, id, timestampOf(nowMs), timestampOf(nowMs + leaseMs)), (made) =>
        made.state === "claimed" ? signals.changed(workspace, id) : Effect.void
      )
    )
    if (claim.state === "idle") return
    if (claim.state === "held") {
      yield* Effect.sleep(Math.min(waitMs, Math.max(1, millisOf(claim.until) - nowMs)))
      continue
    }
    yield* crashPoint("run.claim.afterTransaction")
    const claimedRun = yield* heldRun(claim.run)
    yield* Effect.raceFirst(work(claimedRun), beats(claimedRun)).pipe(
      Effect.onInterrupt(() => release(claimedRun)),
      Effect.catchAllCause((cause) => endOf(claimedRun, cause))
    )
    return
  }
})

/** Folds the journal, does what is to be done, takes in what came of it, until the run leaves this worker. */
const work = (held: HeldRun) =>
  Effect.gen(function* () {
    const store = yield* RunStore
    for (;;) {
      let { effects, state } = foldJournal(held.run, yield* store.steps(held.workspace, held.run.id))
      let performed: PerformedEffects = { type: "events", events: [] }
      while (performed.type === "events") {
        const { error, held: current } = yield* standingOf(held)
        if (error !== null && state.cancelled === null)
          ({ effects, state } = advance(state, { type: "cancelled", error }))
        performed = yield* perform(current, state, effects)
        if (performed.type !== "events") break
        for (const event of performed.events) ({ effects, state } = advance(state, event))
      }
      if (performed.type === "stop") return
    }
  })

const perform = (held: HeldRun, state: RunState, effects: ReadonlyArray<RunEffect>) =>
  Effect.gen(function* () {
    const [first] = effects
    if (first === undefined) return yield* Effect.dieMessage("A run has nothing to do and has not ended.")
    switch (first.type) {
      case "finish":
        return yield* finishRun(held, state, first.ending)
      case "suspend":
        return yield* suspendRun(held, state)
      case "check_input":
        return yield* checkInput(held, state)
      case "check_answer":
        return yield* abortable(held, checkAnswer(held, state, first.text))
      case "call_model":
        return yield* abortable(held, callModel(held, state, first, null))
      case "recover":
        return yield* recoverSteps(held, state, effects)
      case "dispatch":
      case "call_tool":
      case "deny":
        return yield* performCalls(held, state, effects)
    }
  })

/** Work that is given up as soon as the run is cancelled; its step stays open, and the end of the run closes it. */
const abortable = <E, R>(held: HeldRun, call: Effect.Effect<PerformedEffects, E, R>) =>
  Effect.raceFirst(call, Effect.as(untilCancelled(held), { type: "events", events: [] } as const))

/** Keeps the lease; ends with `RunLeaseLost` when somebody else has the run. */
const beats = (held: HeldRun) => Effect.forever(Effect.delay(held.fenced(Effect.void), beatMs))

/** Gives a run back whose work was interrupted (a shutdown): whoever is next goes on at once. */
const release = (held: HeldRun) =>
  Effect.gen(function* () {
    const store = yield* RunStore
    yield* held.fenced(store.update(held.workspace, held.run.id, { status: "queued" }))
  }).pipe(Effect.catchAllCause(() => Effect.void))

/**
 * Handles the cause that stopped work on a run. A run whose lease was lost is left to its new worker; when the database
 * is unavailable the next worker tries again; anything else is a defect and ends the run, since a retry would meet it
 * again.
 */
const endOf = (held: HeldRun, cause: Cause.Cause<never>) =>
  Effect.gen(function* () {
    if (isLeaseLost(cause)) return
    if (Cause.isInterruptedOnly(cause) || isCausedByUnavailableData(cause))
      return yield* Effect.failCause(cause)
    yield* Effect.logError(`The run ${held.run.id} failed.`, cause)
    const store = yield* RunStore
    const { state } = foldJournal(held.run, yield* store.steps(held.workspace, held.run.id))
    yield* finishRun(held, state, {
      status: "failed",
      error: { code: "internal", message: "The run met an internal error; the log of the server says more." },
      text: null
    })
  }).pipe(
    Effect.catchSomeCause((storeCause) =>
      isLeaseLost(storeCause) ? Option.some(Effect.void) : Option.none()
    )
  )
