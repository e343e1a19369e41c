import type { RequestEntry } from "./app.js"
import type { ServerMetrics } from "./prometheus.js"

/** Requests that wait to be counted; so many are let be before what counts them is loaded. */
const waitingMax = 1000

/** The metrics of a server. What makes them is loaded when they are first read: it would be a good part of a start. */
export const serverMetrics = (): ServerMetrics => {
  const waiting: Array<RequestEntry> = []
  let counting: ServerMetrics | undefined
  let loading: Promise<ServerMetrics> | undefined
  const load = async (): Promise<ServerMetrics> => {
    const { prometheusMetrics } = await import("./prometheus.js")
    const made = prometheusMetrics()
    for (const entry of waiting.splice(0)) made.count(entry)
    counting = made
    return made
  }
  const loaded = (): Promise<ServerMetrics> => {
    loading ??= load()
    return loading
  }
  return {
    count: (entry) => {
      if (counting !== undefined) {
        counting.count(entry)
        return
      }
      waiting.push(entry)
      if (waiting.length >= waitingMax) void loaded()
    },
    read: async () => (await loaded()).read()
  }
}
