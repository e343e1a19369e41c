import type * as Effect from "effect/Effect"
import type { JobCensus } from "../../core/platform/jobs/index.js"
import type { RequestEntry } from "./app.js"
import type { ServerMetrics } from "./prometheus.js"

/** Requests queued before the metrics library is loaded; further ones are dropped. */
const waitingMax = 1000

/** Creates the metrics of a server. The library is loaded at the first read, because it would slow down the start. */
export const serverMetrics = (jobs: Effect.Effect<ReadonlyArray<JobCensus>>): ServerMetrics => {
  const waiting: Array<RequestEntry> = []
  let counting: ServerMetrics | undefined
  let loading: Promise<ServerMetrics> | undefined
  const load = async (): Promise<ServerMetrics> => {
    const { prometheusMetrics } = await import("./prometheus.js")
    const made = prometheusMetrics(jobs)
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
