import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { serverSentEvents } from "../http/server-sent-events.js"

/** How often is asked whether the caller is still admitted. */
const admissionMs = 5_000

/** Whether the caller of a stream would still be admitted; null where nobody asks. */
export class StreamGuard extends Context.Reference<StreamGuard>()("kanon/StreamGuard", {
  defaultValue: (): Effect.Effect<boolean> | null => null
}) {}

/** Values as server-sent events; the stream ends with them, or when the caller is no longer admitted. */
export const liveEvents = <A, R>(
  values: Stream.Stream<A, never, R>,
  stillAdmitted: Effect.Effect<boolean, never, R> | null
): Stream.Stream<string, never, R> => {
  const live = serverSentEvents(values)
  if (stillAdmitted === null) return live
  const ended = Effect.delay(stillAdmitted, admissionMs).pipe(
    Effect.repeat({ while: (isAdmitted) => isAdmitted })
  )
  return Stream.interruptWhen(live, ended)
}
