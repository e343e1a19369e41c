import * as Cause from "effect/Cause"
import type { Exit } from "effect/Exit"
import * as Exits from "effect/Exit"
import * as Option from "effect/Option"
import { isFault } from "../kernel/index.js"
import { type JobFailed, LeaseLost } from "./handler.js"

const firstMs = 1_000
const capMs = 3_600_000
const messageMax = 500

/**
 * Milliseconds before the next try after so many attempts (from 1): anything from 0 to a ceiling that starts at one
 * second, doubles with each attempt and ends at an hour. "Full jitter" of Brooker, "Exponential Backoff And Jitter",
 * AWS Architecture Blog 2015: it spreads the tries of jobs that failed together best.
 *
 * @param chance Uniform in [0, 1).
 */
export const backoffMs = (attempt: number, chance: number): number =>
  Math.floor(chance * Math.min(capMs, firstMs * 2 ** Math.max(0, attempt - 1)))

/** How an attempt ended, as far as the queue cares. */
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
 * Reads an exit of a handler. A defect is worth another attempt; of it only the kind of error is told, because its
 * text may quote anything.
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
  const message = `The work broke off unexpectedly (${errorName(defect.value)}).`
  return { _tag: "Failed", message, retryable: true, defect: true }
}

const errorName = (error: unknown): string =>
  error instanceof Error && /^[A-Za-z]{1,60}$/.test(error.name) ? error.name : "unknown error"
