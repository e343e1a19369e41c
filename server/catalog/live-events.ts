import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

/** How often a comment says that the connection lives. */
const keepAliveMs = 15_000
/** How often is asked whether the caller is still admitted. */
const admissionMs = 5_000

/** Whether the caller of a stream would still be admitted; null where nobody asks. */
export class StreamGuard extends Context.Reference<StreamGuard>()("kanon/StreamGuard", {
  defaultValue: (): Effect.Effect<boolean> | null => null
}) {}

/** Headers of event streams: proxies must not hold events back. */
export const eventHeaders = { "x-accel-buffering": "no" }
export const eventMediaType = "text/event-stream; charset=utf-8"

/** An event as a `data:` line. */
export const eventLine = (event: unknown): string => `data: ${JSON.stringify(event)}\n\n`

/** Adds comments that keep the connection alive; ends with the events, or when the caller is no longer admitted. */
export const liveEvents = <R>(
  events: Stream.Stream<string, never, R>,
  stillAdmitted: Effect.Effect<boolean, never, R> | null
): Stream.Stream<string, never, R> => {
  const alive = Stream.map(
    Stream.concat(Stream.void, Stream.fromSchedule(Schedule.spaced(keepAliveMs))),
    () => ": keep-alive\n\n"
  )
  const live = Stream.merge(events, alive, { haltStrategy: "left" })
  if (stillAdmitted === null) return live
  const ended = Effect.delay(stillAdmitted, admissionMs).pipe(
    Effect.repeat({ while: (isAdmitted) => isAdmitted })
  )
  return Stream.interruptWhen(live, ended)
}
