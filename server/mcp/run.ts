import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import { Caller, type CallerShape, type Fault } from "../../core/platform/kernel/index.js"
import type { Served } from "../catalog/row.js"
import type { AppOptions } from "../http/app.js"

/**
 * Runs an operation for a tool or a resource until it completes or is cancelled. Returns a fault as a value, a defect
 * or a cancellation as null; defects are logged.
 */
export const runTool = async (
  runtime: AppOptions["runtime"],
  effect: Effect.Effect<unknown, Fault, Served>,
  call: {
    readonly caller: CallerShape
    readonly signal: AbortSignal
    readonly name: string
    /** The span of the request, if traced. */
    readonly span: Tracer.Span | undefined
  }
): Promise<Either.Either<unknown, Fault> | null> => {
  const { caller, name, signal, span } = call
  const work = Effect.either(Effect.provideService(effect, Caller, caller)).pipe(
    Effect.tapErrorCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError(`The tool ${name} failed.`, cause)
    )
  )
  const traced =
    span === undefined
      ? work
      : Effect.withSpan(work, `mcp ${name}`, {
          parent: span,
          captureStackTrace: false,
          attributes: { "kanon.tool": name, "kanon.workspace": caller.workspace }
        })
  const exit = await runtime.runPromiseExit(traced, { signal })
  return Exit.isSuccess(exit) ? exit.value : null
}
