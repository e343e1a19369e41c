import * as Cause from "effect/Cause"
import type { Exit } from "effect/Exit"
import * as Exits from "effect/Exit"
import * as Option from "effect/Option"
import { HostFunctionFailed, isFault } from "../kernel/index.js"
import { type JobFailed, LeaseLost } from "./handler.js"

const firstMs = 1_000
const capMs = 3_600_000
const messageMax = 500

/**
 * Returns the delay before the next attempt in milliseconds: uniform between 0 and a ceiling that starts at one
 * second, doubles with each attempt and is at most an hour. "Full jitter" of Brooker, "Exponential Backoff And
 * Jitter", AWS Architecture Blog 2015: it best spreads the retries of jobs that failed together.
 *
 * @param chance Uniform in [0, 1).
 */
export const backoffMs = (attempt: number, chance: number): number =>
  Math.floor(chance * Math.min(capMs, firstMs * 2 ** Math.max(0, attempt - 1)))

/** Outcome of an attempt for the queue. */
export type Outcome =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Interrupted" }
  | {
      readonly _tag: "Failed"
      readonly message: string
      readonly retryable: boolean
      readonly defect: boolean
    }

/**
 * Converts a handler's exit to an outcome. A defect is retried; only its error class is stored, because its message
 * may contain anything.
 */
export const outcomeOf = (exit: Exit<void, JobFailed>): Outcome => {
  if (Exits.isSuccess(exit)) return { _tag: "Done" }
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) {
    const { message, retryable } = failure.value
    return { _tag: "Failed", message: message.slice(0, messageMax), retryable, defect: false }
  }
  const defect = Cause.dieOption(exit.cause)
  if (Option.isNone(defect)) return { _tag: "Interrupted" }
  if (defect.value instanceof LeaseLost) return { _tag: "Lost" }
  if (isFault(defect.value) && defect.value._tag === "DataFull")
    return { _tag: "Failed", message: defect.value.message, retryable: true, defect: false }
  if (defect.value instanceof HostFunctionFailed)
    return {
      _tag: "Failed",
      message: defect.value.message.slice(0, messageMax),
      retryable: true,
      defect: true
    }
  const message = `The work broke off unexpectedly (${errorName(defect.value)}).`
  return { _tag: "Failed", message, retryable: true, defect: true }
}

const errorName = (error: unknown): string =>
  error instanceof Error && /^[A-Za-z]{1,60}$/.test(error.name) ? error.name : "unknown error"
