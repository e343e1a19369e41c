import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

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
  kanon_sync_items_failed_total: "Items that a sync run could not bring over."
} as const

/** The name of a count. */
type TallyName = keyof typeof tallies

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

/** A count as it stands. */
export interface Tallied {
  readonly name: string
  readonly help: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** All counts since the process began; one that never happened is 0 without labels. */
export const tallied = (): ReadonlyArray<Tallied> => {
  const found = new Map<string, Array<Omit<Tallied, "name" | "help">>>()
  for (const { metricKey, metricState } of Metric.unsafeSnapshot()) {
    if (!("count" in metricState)) continue
    const labels = Object.fromEntries(metricKey.tags.map(({ key, value }) => [key, value]))
    const counted = { labels, value: Number(metricState.count) }
    found.set(metricKey.name, [...(found.get(metricKey.name) ?? []), counted])
  }
  return Object.entries(tallies).flatMap(([name, help]) =>
    (found.get(name) ?? [{ labels: {}, value: 0 }]).map((counted) => ({ name, help, ...counted }))
  )
}
