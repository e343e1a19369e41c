import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import { ModelFailed } from "../../core/platform/models/index.js"
import { admit, type Circuit, closedCircuit, record, release } from "./circuit.js"
import { type AttemptFailed, attemptFailed, circuitOpen, timedOut } from "./failure.js"

/** Time limits, retries and concurrency of calls to a provider. */
export interface Patience {
  readonly attemptTimeoutMs: number
  /** Time limit of the whole call, waits included. */
  readonly callTimeoutMs: number
  readonly attempts: number
  /** First wait; it doubles, and each wait is drawn from [0, wait] (full jitter). */
  readonly baseDelayMs: number
  /** Maximum concurrent calls; further ones wait, within their time limit. */
  readonly concurrency: number
}

/**
 * Defaults for calls that somebody waits for: 30 seconds with all attempts, three attempts, half a second before the
 * second, and eight concurrent calls.
 */
export const defaultPatience: Patience = {
  attemptTimeoutMs: 30_000,
  callTimeoutMs: 30_000,
  attempts: 3,
  baseDelayMs: 500,
  concurrency: 8
}

/** Defaults for background work: the vectors of documents, extraction, turns of agents. */
const backgroundPatience: Patience = { ...defaultPatience, attemptTimeoutMs: 60_000, callTimeoutMs: 120_000 }

/** Runs one SDK call; the signal is aborted when the call is cancelled. */
export type ModelCall = <A>(
  attempt: (signal: AbortSignal) => Promise<A>,
  isBackground?: boolean
) => Effect.Effect<A, AttemptFailed>

/**
 * Makes a caller for one model at one provider, with time limits, retries and its own circuit breaker. Interrupting
 * the effect aborts the request.
 *
 * @param secrets Never shown in a failure.
 * @param lane Limits concurrent calls, when several models share a provider.
 */
export const modelCall = (
  given: Partial<Patience>,
  secrets: ReadonlyArray<string>,
  lane: Effect.Semaphore = Effect.unsafeMakeSemaphore(given.concurrency ?? defaultPatience.concurrency)
): ModelCall => {
  const circuit = Ref.unsafeMake(closedCircuit)
  return (attempt, isBackground = false) => {
    const patience = { ...(isBackground ? backgroundPatience : defaultPatience), ...given }
    return Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const once = Effect.tryPromise({ try: attempt, catch: (thrown) => thrown }).pipe(
        Effect.catchAll((thrown) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(attemptFailed(thrown, secrets, now)))
        ),
        Effect.timeoutFail({
          duration: patience.attemptTimeoutMs,
          onTimeout: () => timedOut(patience.attemptTimeoutMs)
        }),
        Effect.onExit((exit) => settle(circuit, exit))
      )
      return yield* Effect.zipRight(enter(circuit), once).pipe(
        lane.withPermits(1),
        Effect.retry({ schedule: waits(patience), while: mayRetry(patience, startedAt) })
      )
    }).pipe(
      Effect.timeoutFail({
        duration: patience.callTimeoutMs,
        onTimeout: () => timedOut(patience.callTimeoutMs)
      })
    )
  }
}

/** Converts to the failure of the port. */
export const modelFailed =
  (modelId: string) =>
  (failure: AttemptFailed): ModelFailed =>
    new ModelFailed({
      modelId,
      message: `${failure.message}.`.replace(/\.+$/u, "."),
      retryable: failure.retryable,
      ...(failure.timedOut === true ? { timedOut: true } : {}),
      ...(failure.retryAfterMs === null ? {} : { retryAfterSeconds: Math.ceil(failure.retryAfterMs / 1000) })
    })

const enter = (circuit: Ref.Ref<Circuit>) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const admission = yield* Ref.modify(circuit, (held) => {
      const decided = admit(held, now)
      return [decided, decided.admitted ? decided.circuit : held]
    })
    if (!admission.admitted) yield* Effect.fail(circuitOpen(admission.retryAfterMs))
  })

const settle = <A>(circuit: Ref.Ref<Circuit>, exit: Exit.Exit<A, AttemptFailed>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (Exit.isSuccess(exit)) return Ref.update(circuit, (held) => record(held, true, now))
    const failure = Cause.failureOption(exit.cause)
    if (Option.isNone(failure)) return Ref.update(circuit, release)
    // A rejection (wrong key, bad request) is not an outage, nor is a reply that one request cannot use.
    const { retryable, status } = failure.value
    const isUp = !retryable || (status !== null && status < 400)
    return Ref.update(circuit, (held) => record(held, isUp, now))
  })

/** Returns doubling waits with full jitter, or the provider's `Retry-After`. */
const waits = ({ attempts, baseDelayMs }: Patience) =>
  Schedule.exponential(Duration.millis(baseDelayMs), 2).pipe(
    Schedule.intersect(Schedule.recurs(attempts - 1)),
    Schedule.intersect(Schedule.identity<AttemptFailed>()),
    Schedule.modifyDelayEffect(([, { retryAfterMs }], wait) =>
      retryAfterMs === null
        ? Effect.map(Random.next, (share) => Duration.times(wait, share))
        : Effect.succeed(Duration.millis(retryAfterMs))
    )
  )

/** No wait is started that would end after the deadline. */
const mayRetry = (patience: Patience, startedAt: number) => (failure: AttemptFailed) =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) =>
      failure.retryable &&
      !failure.paused &&
      now - startedAt + (failure.retryAfterMs ?? 0) < patience.callTimeoutMs
  )
