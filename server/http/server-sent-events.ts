import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

/** Media type and headers of every event stream: a proxy must not keep its pieces back. */
export const eventStreamType = "text/event-stream; charset=utf-8"
export const eventStreamHeaders = { "x-accel-buffering": "no" }

/** How often a comment says that the connection lives. */
const keepAliveMs = 15_000

/** A stream of values as server-sent events: a `data:` line each, and comments while there are none. Ends with the values. */
export const serverSentEvents = <A, E, R>(values: Stream.Stream<A, E, R>): Stream.Stream<string, E, R> => {
  const data = Stream.map(values, (value) => `data: ${JSON.stringify(value)}\n\n`)
  const alive = Stream.map(
    Stream.concat(Stream.void, Stream.fromSchedule(Schedule.spaced(keepAliveMs))),
    () => ": keep-alive\n\n"
  )
  return Stream.merge(data, alive, { haltStrategy: "left" })
}

/** Whether a request asks for events rather than for JSON: it names them, with a higher weight. */
export const prefersEvents = (request: Pick<Request, "headers">): boolean => prefers(request, eventStreamType)

/** Whether a request asks for a media type rather than for JSON: it names it, with a higher weight. */
export const prefers = ({ headers }: Pick<Request, "headers">, mediaType: string): boolean => {
  const accepted = headers.get("accept") ?? ""
  const [type = ""] = mediaType.split(";")
  return weightOf(accepted, type) > weightOf(accepted, "application/json")
}

const weightOf = (accepted: string, mediaType: string): number => {
  for (const range of accepted.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    if (name !== mediaType) continue
    const weight = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1)
    return Number.isFinite(weight) ? weight : 0
  }
  return 0
}
