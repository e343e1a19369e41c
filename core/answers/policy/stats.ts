import { z } from "zod"
import { Timestamp } from "../../platform/kernel/index.js"
import type { CalibrationReport } from "./calibration.js"
import { allWithheld, refusedAfter } from "./decide.js"
import { CaveatCode, PolicyMode, Verdict } from "./model.js"
import type { DecisionGroup } from "./store.js"

const Count = z.int().min(0)
const Share = z.number().min(0).max(1)
const PerVerdict = z.record(Verdict, Count)
const PerCaveat = z.record(CaveatCode, Count)

/** Counts of the gate's decisions in the last thirty days. */
export const PolicyStats = z.object({
  windowDays: z.literal(30),
  from: Timestamp,
  to: Timestamp,
  total: Count.describe("Judged questions; those asked with the gate off leave no trace."),
  byVerdict: PerVerdict,
  byMode: z.record(PolicyMode, Count),
  byGate: z.object({ pre: Count, post: Count }),
  byDay: z
    .array(z.object({ day: z.iso.date(), total: Count, byVerdict: PerVerdict }))
    .describe("Every UTC day that the window touches, empty ones too, oldest first."),
  shadowWouldChange: Count.describe(
    "Shadow decisions of either gate that would have changed what the caller got."
  ),
  topReasons: z
    .array(z.object({ reason: z.string(), count: Count }))
    .describe("Kinds of reasons, the most frequent first; at most 10."),
  caveatCounts: PerCaveat,
  abstentionRate: Share.nullable(),
  clarifyRate: Share.nullable(),
  meanConfidence: Share.nullable(),
  confidenceHistogram: z.array(Count).length(10),
  groundedShare: Share.nullable().describe("Verified claims of all claims."),
  conflictRate: Share.nullable(),
  calibration: z.object({
    version: z.string(),
    fittedAt: Timestamp.nullable(),
    samples: Count,
    ece: z.number().nullable(),
    brier: z.number().nullable(),
    bins: z.array(
      z.object({
        from: Share,
        to: Share,
        count: Count,
        confidence: Share.nullable(),
        accuracy: Share.nullable()
      })
    )
  })
})
export type PolicyStats = z.infer<typeof PolicyStats>

const topReasonsMax = 10

/** Computes statistics over groups of decisions; `days` are all days of the window, oldest first. Pure. */
export const statsOf = (
  groups: ReadonlyArray<DecisionGroup>,
  window: { readonly from: string; readonly to: string; readonly days: ReadonlyArray<string> },
  calibration: { readonly version: string; readonly report: CalibrationReport }
): PolicyStats => {
  const count = (test: (group: DecisionGroup) => boolean): number =>
    sum(groups.filter(test), (one) => one.count)
  const total = sum(groups, (one) => one.count)
  const share = (part: number): number | null => (total === 0 ? null : part / total)
  const byVerdict = verdictsOf(groups)
  const claims = sum(groups, (one) => one.claims)
  const kinds = new Map<string, number>()
  for (const group of groups)
    for (const kind of group.reasonKinds) kinds.set(kind, (kinds.get(kind) ?? 0) + group.count)
  return {
    windowDays: 30,
    from: window.from,
    to: window.to,
    total,
    byVerdict,
    byMode: {
      off: 0,
      shadow: count(({ mode }) => mode === "shadow"),
      enforce: count(({ mode }) => mode === "enforce")
    },
    byGate: { pre: count(({ gate }) => gate === "pre"), post: count(({ gate }) => gate === "post") },
    byDay: window.days.map((day) => {
      const ofDay = groups.filter((group) => group.day === day)
      return { day, total: sum(ofDay, (one) => one.count), byVerdict: verdictsOf(ofDay) }
    }),
    // Answers that an enforcing gate would have replaced, before or after generation.
    shadowWouldChange: count(
      ({ gate, mode, reasonKinds }) =>
        mode === "shadow" &&
        (gate === "pre" ||
          (reasonKinds.some((kind) => refusedAfter.has(kind)) && !reasonKinds.includes(allWithheld)))
    ),
    topReasons: [...kinds]
      .map(([reason, times]) => ({ reason, count: times }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
      .slice(0, topReasonsMax),
    caveatCounts: PerCaveat.parse(
      Object.fromEntries(
        CaveatCode.options.map((code) => [code, count(({ caveatCodes }) => caveatCodes.includes(code))])
      )
    ),
    abstentionRate: share(byVerdict.abstain_with_pointers),
    clarifyRate: share(byVerdict.clarify),
    meanConfidence: share(sum(groups, (one) => one.confidenceSum)),
    confidenceHistogram: Array.from({ length: 10 }, (_, bin) =>
      count(({ confidenceBin }) => confidenceBin === bin)
    ),
    groundedShare: claims === 0 ? null : sum(groups, (one) => one.verified) / claims,
    conflictRate: share(sum(groups, (one) => one.conflicting)),
    calibration: { version: calibration.version, ...calibration.report, bins: [...calibration.report.bins] }
  }
}

const verdictsOf = (groups: ReadonlyArray<DecisionGroup>) =>
  PerVerdict.parse(
    Object.fromEntries(
      Verdict.options.map((verdict) => [
        verdict,
        sum(
          groups.filter((group) => group.verdict === verdict),
          (one) => one.count
        )
      ])
    )
  )

const sum = <Item>(items: ReadonlyArray<Item>, value: (item: Item) => number): number =>
  items.reduce((total, item) => total + value(item), 0)
