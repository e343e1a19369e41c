import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client"
import type { JobCensus } from "../../core/platform/jobs/index.js"
import { type Tallied, tallied } from "../../core/platform/kernel/index.js"
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
export const prometheusMetrics = (jobs: Effect.Effect<ReadonlyArray<JobCensus>>): ServerMetrics => {
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
  const waiting = new Gauge({
    name: "kanon_jobs",
    help: "Jobs of all workspaces by kind and status: queued, scheduled, running, dead.",
    labelNames: ["kind", "status"],
    registers: [registry]
  })
  const oldest = new Gauge({
    name: "kanon_jobs_oldest_waiting_seconds",
    help: "Age of the oldest queued job by kind.",
    labelNames: ["kind"],
    registers: [registry]
  })
  const readable = new Gauge({
    name: "kanon_jobs_readable",
    help: "1 when the queue could be read for this page, else 0 and the figures of jobs are left out.",
    registers: [registry]
  })
  const readJobs = (census: Option.Option<ReadonlyArray<JobCensus>>) => {
    waiting.reset()
    oldest.reset()
    readable.set(Option.isSome(census) ? 1 : 0)
    for (const { jobs, kind, oldestAt, status } of Option.getOrElse(census, () => [])) {
      waiting.set({ kind, status }, jobs)
      if (status === "queued") oldest.set({ kind }, Math.max(0, (Date.now() - Date.parse(oldestAt)) / 1000))
    }
  }
  return {
    count: ({ durationMs, method, route, status }) => {
      // Only known routes become labels; otherwise clients could create unbounded label values.
      const known = { method: route === null ? "OTHER" : method, route: route ?? "none" }
      requests.inc({ ...known, status: String(status) })
      durations.observe(known, durationMs / 1000)
    },
    read: async () => {
      readJobs(
        await Effect.runPromise(Effect.timeoutOption(jobs, censusMs).pipe(Effect.catchAllCause(noCensus)))
      )
      return { contentType: registry.contentType, text: `${await registry.metrics()}\n${talliesText()}` }
    }
  }
}

/** A database that does not answer must not keep the other figures from the operator. */
const censusMs = 2_000
const noCensus = () => Effect.succeed(Option.none<ReadonlyArray<JobCensus>>())

/** Returns the counts and gauges of the process beside its requests, in the Prometheus text format. */
const talliesText = (): string => {
  const lines: Array<string> = []
  let last = ""
  for (const one of tallied()) {
    if (one.name !== last) lines.push(`# HELP ${one.name} ${one.help}`, `# TYPE ${one.name} ${one.type}`)
    last = one.name
    lines.push(`${one.name}${labelsText(one)} ${one.value}`)
  }
  return `${lines.join("\n")}\n`
}

const labelsText = ({ labels }: Tallied): string => {
  const entries = Object.entries(labels)
  if (entries.length === 0) return ""
  const escapeLabel = (value: string) =>
    value.replace(/[\\"\n]/gu, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`))
  return `{${entries.map(([label, value]) => `${label}="${escapeLabel(value)}"`).join(",")}}`
}
