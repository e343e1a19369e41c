import type { Engine } from "./engine.js"

/** Durations of one kind of call in milliseconds; quantiles cover the last 1,024 calls and are null without calls. */
export interface Timings {
  readonly count: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
}

/** Counts since the collector was created. */
export interface Metrics {
  readonly search: Timings
  readonly ask: Timings & {
    /** Number of questions by verdict. */
    readonly verdicts: Readonly<Record<string, number>>
    readonly inputTokens: number
    readonly outputTokens: number
    readonly costUsd: number
  }
  readonly ingest: Timings & {
    readonly documents: number
    readonly failedDocuments: number
  }
  /** Failures by operation and code, such as `search invalid_body`. */
  readonly failures: Readonly<Record<string, number>>
  /** The last reported state; null before. */
  readonly queue: {
    readonly waiting: number
    readonly running: number
    readonly dead: number
  } | null
}

/** Collects metrics of an engine from its creation until it is closed. */
export interface MetricsCollector {
  readonly snapshot: () => Metrics
  /** Stops listening. */
  readonly close: () => void
}

/**
 * Counts and times the work of an engine by listening to its events; without a collector nothing is measured. For a
 * metrics endpoint or dashboard of the embedding product.
 */
export const collectMetrics = (engine: Pick<Engine, "on">): MetricsCollector => {
  const search = timer()
  const ask = timer()
  const ingest = timer()
  const verdicts = new Map<string, number>()
  const failures = new Map<string, number>()
  const modelUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
  const ingested = { documents: 0, failedDocuments: 0 }
  let queue: Metrics["queue"] = null
  const offs = [
    engine.on("search", ({ durationMs }) => search.add(durationMs)),
    engine.on("ask", ({ durationMs, usage, verdict }) => {
      ask.add(durationMs)
      count(verdicts, verdict)
      modelUsage.inputTokens += usage.inputTokens
      modelUsage.outputTokens += usage.outputTokens
      modelUsage.costUsd += usage.costUsd
    }),
    engine.on("ingested", ({ documents, durationMs }) => {
      ingest.add(durationMs)
      ingested.documents += documents.created + documents.updated + documents.moved + documents.deleted
      ingested.failedDocuments += documents.failed
    }),
    engine.on("failure", ({ code, operation }) => count(failures, `${operation} ${code}`)),
    engine.on("queue", ({ dead, running, waiting }) => {
      queue = { waiting, running, dead }
    })
  ]
  return {
    snapshot: () => ({
      search: search.read(),
      ask: { ...ask.read(), verdicts: Object.fromEntries(verdicts), ...modelUsage },
      ingest: { ...ingest.read(), ...ingested },
      failures: Object.fromEntries(failures),
      queue
    }),
    close: () => {
      for (const off of offs) off()
    }
  }
}

const count = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** Number of durations kept per timer. */
const window = 1024

const timer = () => {
  const last = new Float64Array(window)
  let calls = 0
  return {
    add: (durationMs: number) => {
      last[calls % window] = durationMs
      calls += 1
    },
    read: (): Timings => {
      const sorted = last.slice(0, Math.min(calls, window)).sort()
      // Nearest rank: the smallest duration that at least this share does not exceed.
      const quantile = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
      return {
        count: calls,
        p50Ms: quantile(0.5),
        p95Ms: quantile(0.95),
        p99Ms: quantile(0.99),
        maxMs: quantile(1)
      }
    }
  }
}
