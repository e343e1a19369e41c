import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

/** Counters of this process for `/metrics`, with their labels. Callers do not choose label values, so there are few. */
const tallies = {
  kanon_answers_total: "Answers that were given, by verdict of the policy gate.",
  kanon_model_input_tokens_total: "Tokens that chat models were sent.",
  kanon_model_output_tokens_total: "Tokens that chat models wrote.",
  kanon_model_cost_usd_total: "Cost of chat models in US dollars, as far as prices are known.",
  kanon_runs_total: "Agent runs that ended, by status; budget_exceeded are ends by a budget.",
  kanon_data_calls_total: "Data calls that ended, by outcome.",
  kanon_jobs_total: "Attempts of jobs that ended, by kind and outcome.",
  kanon_syncs_total: "Sync runs that ended, by status.",
  kanon_sync_items_failed_total: "Items that a sync run could not bring over.",
  kanon_database_reads_total:
    "Operations that read while replicas are configured, by server: the name of a replica, or primary."
} as const

/** The name of a count. */
type TallyName = keyof typeof tallies

/** Current values that this process reports, with their descriptions. */
const gauges = {
  kanon_database_connections: "Connections to Postgres of this process, by state: in_use, idle.",
  kanon_database_waiting: "Statements that wait for a connection to Postgres.",
  kanon_database_replica_ready: "1 for a replica that is read, 0 for one that is left out.",
  kanon_database_replica_lag_bytes:
    "Bytes of the log of Postgres that a replica had not replayed when last asked.",
  kanon_work_thread_queue: "Ingests that the thread for long work has or that wait for it (SQLite)."
} as const
type GaugeName = keyof typeof gauges

interface Watched {
  readonly name: GaugeName
  readonly labels: Readonly<Record<string, string>>
  readonly read: () => number
}

const watched = new Set<Watched>()

/** Tells a figure in `/metrics` as long as the scope is open; those of one name and its labels are added up. */
export const watchGauge = (
  name: GaugeName,
  labels: Watched["labels"],
  read: () => number
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const one = { name, labels, read }
    return Effect.acquireRelease(
      Effect.sync(() => void watched.add(one)),
      () => Effect.sync(() => void watched.delete(one))
    )
  })

const counters = new Map(
  Object.entries(tallies).map(([name, description]) => [
    name,
    Metric.counter(name, { description, incremental: true })
  ])
)

/** Counts something that happened. */
export const countEvent = (
  name: TallyName,
  labels: Readonly<Record<string, string>> = {},
  by = 1
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const counter = counters.get(name)
    if (counter === undefined || by === 0) return Effect.void
    const tagged = Object.entries(labels).reduce(
      (made, [label, value]) => Metric.tagged(made, label, value),
      counter
    )
    return Metric.incrementBy(tagged, by)
  })

/** A figure as it stands. */
export interface Tallied {
  readonly name: string
  readonly type: "counter" | "gauge"
  readonly help: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** All counts since the process began, where one that never happened is 0 without labels, and what stands now. */
export const tallied = (): ReadonlyArray<Tallied> => {
  const found = new Map<string, Array<Pick<Tallied, "labels" | "value">>>()
  for (const { metricKey, metricState } of Metric.unsafeSnapshot()) {
    if (!("count" in metricState)) continue
    const labels = Object.fromEntries(metricKey.tags.map(({ key, value }) => [key, value]))
    const counted = { labels, value: Number(metricState.count) }
    found.set(metricKey.name, [...(found.get(metricKey.name) ?? []), counted])
  }
  const counts = Object.entries(tallies).flatMap(([name, help]) =>
    (found.get(name) ?? [{ labels: {}, value: 0 }]).map(
      (counted): Tallied => ({ name, type: "counter", help, ...counted })
    )
  )
  return [...counts, ...Object.entries(gauges).flatMap(([name, help]) => standing(name, help))]
}

const standing = (name: string, help: string): ReadonlyArray<Tallied> => {
  const sums = new Map<string, Tallied>()
  for (const { labels, name: own, read } of watched) {
    if (own !== name) continue
    const key = JSON.stringify(labels)
    sums.set(key, { name, type: "gauge", help, labels, value: (sums.get(key)?.value ?? 0) + read() })
  }
  return [...sums.values()]
}
