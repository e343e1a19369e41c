import { randomFrom } from "./random.js"
import {
  clusterUnits,
  comparePaired,
  holm,
  nearestRank,
  type PairedComparison,
  type PairedOptions,
  pairedDifferences,
  standardError,
  type Unit
} from "./significance.js"

/** Two runs of a table compared. */
export interface RunPair extends PairedComparison {
  readonly baseline: string
  readonly run: string
  /** p of the randomisation test after Holm's correction over all pairs. */
  readonly adjusted: number
  /** Interval that covers the true difference of all pairs at once with 95 % confidence. */
  readonly simultaneous: readonly [number, number]
}

/** The result of a comparison of several runs: their means, groups, and all pairwise comparisons. */
export interface RunTable {
  readonly topics: number
  /** Best mean first. Runs that share a letter cannot be told apart. */
  readonly runs: ReadonlyArray<{ readonly name: string; readonly mean: number; readonly group: string }>
  readonly pairs: ReadonlyArray<RunPair>
}

const significant = 0.05

/**
 * Compares every two of several runs over the same topics, corrects for the number of comparisons, and gives each run
 * the letters of the groups whose members cannot be told apart.
 *
 * Sources: Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", JCGS 13(2), 2004;
 * Westfall and Young, "Resampling-based multiple testing", 1993 (simultaneous intervals by the largest statistic).
 *
 * @throws RangeError when the runs have different topics.
 */
export const compareRuns = (
  runs: ReadonlyMap<string, ReadonlyMap<string, number>>,
  options: PairedOptions = {}
): RunTable => {
  const named = [...runs]
  const pairs = named.flatMap(([baseline, before], at) =>
    named.slice(at + 1).map(([run, after]) => ({ baseline, run, before, after }))
  )
  const compared = pairs.map(({ after, baseline, before, run }) => ({
    baseline,
    run,
    ...comparePaired(before, after, options)
  }))
  const adjusted = holm(compared.map(({ randomisation }) => randomisation.p))
  const margins = simultaneousMargins(
    pairs.map(({ after, before }) => unitsOf(before, after, options)),
    options
  )
  const table = compared.map((pair, at) => ({
    ...pair,
    adjusted: adjusted[at] ?? 1,
    simultaneous: [pair.meanDiff - (margins[at] ?? 0), pair.meanDiff + (margins[at] ?? 0)] as const
  }))
  const ranked = named
    .map(([name, values]) => ({ name, mean: meanOf([...values.values()]) }))
    .sort((a, b) => b.mean - a.mean)
  const letters = groupLetters(
    ranked.map(({ name }) => name),
    table.filter((pair) => pair.adjusted < significant).map(({ baseline, run }) => [baseline, run])
  )
  return {
    topics: named[0]?.[1].size ?? 0,
    runs: ranked.map((run) => ({ ...run, group: letters.get(run.name) ?? "" })),
    pairs: table
  }
}

const meanOf = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

interface PairUnits {
  readonly units: ReadonlyArray<Unit>
  readonly mean: number
  readonly error: number
}

const unitsOf = (
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  { clusters }: PairedOptions
): PairUnits => {
  const { clusterOf, differences } = pairedDifferences(before, after, clusters)
  const units = clusterUnits(differences, clusterOf)
  const mean = meanOf(differences)
  return { units, mean, error: standardError(differences, units, mean) ?? 0 }
}

/** Margins of all pairs from one critical value: the 0.95 quantile of the largest studentised deviation. */
const simultaneousMargins = (
  pairs: ReadonlyArray<PairUnits>,
  { draws = 2000, seed = 1 }: PairedOptions
): ReadonlyArray<number> => {
  const count = pairs[0]?.units.length ?? 0
  if (count < 2) return pairs.map(() => Number.POSITIVE_INFINITY)
  const random = randomFrom(seed)
  const largest = Float64Array.from({ length: draws }, () => {
    // The same topics are drawn for all pairs, which keeps their dependence.
    const drawn = Int32Array.from({ length: count }, () => Math.floor(random() * count))
    return pairs.reduce((most, { error, mean, units }) => {
      if (error === 0) return most
      let [sum, size] = [0, 0]
      for (const at of drawn) {
        sum += units[at]?.sum ?? 0
        size += units[at]?.size ?? 0
      }
      return Math.max(most, Math.abs(sum / size - mean) / error)
    }, 0)
  }).sort()
  const critical = nearestRank(largest, 0.95)
  return pairs.map(({ error }) => critical * error)
}

/**
 * Letters for names in order, such that two names share none exactly when they are among the `apart` pairs.
 */
export const groupLetters = (
  names: ReadonlyArray<string>,
  apart: ReadonlyArray<readonly [string, string]>
): ReadonlyMap<string, string> => {
  let groups: ReadonlyArray<ReadonlySet<string>> = [new Set(names)]
  for (const [a, b] of apart) {
    const split = groups.flatMap((group) =>
      group.has(a) && group.has(b) ? [without(group, a), without(group, b)] : [group]
    )
    groups = split.filter(
      (group, at) =>
        !split.some(
          (other, place) => place !== at && isWithin(group, other) && (group.size < other.size || place < at)
        )
    )
  }
  const first = (group: ReadonlySet<string>) => names.findIndex((name) => group.has(name))
  const ordered = [...groups].sort((a, b) => first(a) - first(b) || b.size - a.size)
  return new Map(
    names.map((name) => [name, ordered.map((group, at) => (group.has(name) ? letterOf(at) : "")).join("")])
  )
}

const without = (group: ReadonlySet<string>, name: string): ReadonlySet<string> =>
  new Set([...group].filter((other) => other !== name))
const isWithin = (group: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...group].every((name) => other.has(name))

const letters = "abcdefghijklmnopqrstuvwxyz"
const letterOf = (at: number): string =>
  at < letters.length
    ? (letters[at] ?? "")
    : `(${Math.floor(at / letters.length)}${letters[at % letters.length]})`
