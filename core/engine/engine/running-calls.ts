import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { EngineClosed, isFault, KanonError } from "../../platform/kernel/index.js"

/** Options of every call that may take long. */
export interface CallOptions {
  /** Stops the call, which is then rejected with the signal's reason. What it has committed stays. */
  readonly signal?: AbortSignal | undefined
}

/** The calls of an engine that have not ended. */
export interface RunningCalls {
  /** Awaits a call that `start` begins; `start` gets a signal that stops it. */
  readonly run: <A, E>(
    start: (signal: AbortSignal) => Promise<Exit.Exit<A, E>>,
    signal?: AbortSignal
  ) => Promise<A>
  /** Waits for the calls, then stops those that take longer than `graceMs`. */
  readonly end: (graceMs: number) => Promise<void>
}

/** Keeps track of running calls, so that they can be stopped one by one and all together. */
export const makeRunningCalls = (): RunningCalls => {
  const running = new Map<AbortController, Promise<unknown>>()
  return {
    run: async (start, signal) => {
      signal?.throwIfAborted()
      const control = new AbortController()
      const stop = () => control.abort(signal?.reason)
      signal?.addEventListener("abort", stop, { once: true })
      const pending = start(control.signal)
      running.set(control, pending)
      try {
        const exit = await pending
        if (control.signal.aborted && Exit.isInterrupted(exit)) throw control.signal.reason
        return exitValue(exit)
      } finally {
        running.delete(control)
        signal?.removeEventListener("abort", stop)
      }
    },
    end: async (graceMs) => {
      const all = Effect.promise(() => Promise.allSettled(running.values()))
      await Effect.runPromise(Effect.timeoutOption(all, graceMs))
      const late = [...running]
      for (const [control] of late) control.abort(closedEarly())
      await Promise.allSettled(late.map(([, pending]) => pending))
    }
  }
}

const closedEarly = () =>
  new KanonError(new EngineClosed({ message: "The engine was closed before the call ended." }))

/** Awaits an outcome; throws a KanonError for a fault and the defect itself for a bug or a broken disk. */
export const unwrapExit = async <A, E>(pending: Promise<Exit.Exit<A, E>>): Promise<A> =>
  exitValue(await pending)

const exitValue = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.squash(exit.cause)
  throw isFault(error) ? new KanonError(error) : error
}
