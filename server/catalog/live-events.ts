import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { serverSentEvents } from "../http/server-sent-events.js"

/** How often is looked up whether the caller is still admitted with the same rights. */
const admissionMs = 5_000

/**
 * Whether the caller of a stream would still be admitted with every scope that the stream was opened with; null in tests
 * of a stream alone.
 */
export class StreamGuard extends Context.Reference<StreamGuard>()("kanon/StreamGuard", {
  defaultValue: (): Effect.Effect<boolean> | null => null
}) {}

/** Ends when the caller is no longer admitted as before. */
export const untilRefused = <R>(
  stillAdmitted: Effect.Effect<boolean, never, R>
): Effect.Effect<void, never, R> =>
  Effect.delay(stillAdmitted, admissionMs).pipe(
    Effect.repeat({ while: (isAdmitted) => isAdmitted }),
    Effect.asVoid
  )

/** Values as server-sent events; the stream ends with them, or when the caller is no longer admitted as before. */
export const liveEvents = <A, R>(
  values: Stream.Stream<A, never, R>,
  stillAdmitted: Effect.Effect<boolean, never, R> | null
): Stream.Stream<string, never, R> => {
  return serverSentEvents(values, stillAdmitted === null ? Effect.never : untilRefused(stillAdmitted))
}
