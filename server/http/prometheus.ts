import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client"
import type { RequestEntry } from "./app.js"

/** Collects request metrics for Prometheus. */
export interface ServerMetrics {
  readonly count: (entry: RequestEntry) => void
  /** Returns the text format with its media type. */
  readonly read: () => Promise<{ readonly contentType: string; readonly text: string }>
}

/** Upper bounds of the latency buckets, in seconds. */
const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Creates counters and histograms of requests, with the default process metrics. */
export const prometheusMetrics = (): ServerMetrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const labels = ["method", "route", "status"] as const
  const requests = new Counter({
    name: "kanon_http_requests_total",
    help: "Requests that were answered.",
    labelNames: labels,
    registers: [registry]
  })
  const durations = new Histogram({
    name: "kanon_http_request_duration_seconds",
    help: "Time from a request to its answer.",
    labelNames: ["method", "route"],
    buckets,
    registers: [registry]
  })
  return {
    count: ({ durationMs, method, route, status }) => {
      // Only known routes become labels; otherwise clients could create unbounded label values.
      const known = { method: route === null ? "OTHER" : method, route: route ?? "none" }
      requests.inc({ ...known, status: String(status) })
      durations.observe(known, durationMs / 1000)
    },
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() })
  }
}
