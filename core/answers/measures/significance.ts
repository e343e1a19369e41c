import { studentP, studentQuantile } from "./distributions.js"
import { integersFrom } from "./random.js"

/** Values of one metric by topic; or in the order of the topics, where both runs have the same order. */
export type PairedValues = ReadonlyMap<string, number> | ReadonlyArray<number>

/** Options of a paired comparison of two runs. */
export interface PairedOptions {
  /** Seed of all draws; 1 when left out. */
  readonly seed?: number
  /** Random draws of the randomisation test and, at most, of the bootstrap; 10,000 when left out. */
  readonly draws?: number
  /**
   * Cluster of each topic, such as its conversation or document, by topic or in the order of the topics. Topics of one
   * cluster are not independent, so tests and intervals then treat the cluster as the unit.
   */
  readonly clusters?: ReadonlyMap<string, string> | ReadonlyArray<string>
}

/** The result of a paired comparison of a run with a baseline over the same topics. */
export interface PairedComparison {
  /** Topics compared. */
  readonly n: number
  /** Independent units: clusters where they are given, else topics. */
  readonly units: number
  /** Mean over the topics of run minus baseline. */
  readonly meanDiff: number
  readonly wins: number
  readonly ties: number
  readonly losses: number
  /** Effect size: mean over standard deviation of the differences; null where the deviation is 0 or unknown. */
  readonly dz: number | null
  /** Paired t-test with its 95 % interval; nulls for one unit, `t` null for a deviation of 0. */
  readonly t: {
    readonly t: number | null
    readonly p: number | null
    readonly interval: readonly [number, number] | null
  }
  /** Fisher's randomisation test over the signs, two-sided; `exact` when every sign pattern was tried. */
  readonly randomisation: { readonly p: number; readonly exact: boolean }
  /** Percentile bootstrap, 95 %, nearest rank. */
  readonly bootstrap: readonly [number, number]
  /** Smallest true difference that this topic set finds with 80 % power at p < 0.05; null for one unit. */
  readonly mde: number | null
}

/** Most units whose sign patterns are all tried. */
const exactUnitsMax = 16
/** Most bootstrap samples that are all enumerated rather than drawn. */
const exactSamplesMax = 50_000
const drawsDefault = 10_000
/** Most values that a bootstrap adds up; above 2,000 units it draws fewer samples, but never under 1,000. */
const resampledMax = 20_000_000
const [confidence, power] = [0.95, 0.8]

/**
 * Compares two runs topic by topic. Differences are rounded to 12 decimals first, so that equal shifts have no variance.
 *
 * Sources: Smucker, Allan and Carterette, "A comparison of statistical significance tests for information retrieval
 * evaluation", CIKM 2007 (randomisation, bootstrap, t); Cameron and Miller, "A practitioner's guide to cluster-robust
 * inference", Journal of Human Resources 50(2), 2015 (clusters).
 *
 * @throws RangeError when the topics differ, there are none, or a value is not a finite number.
 */
export const comparePaired = (
  baseline: PairedValues,
  run: PairedValues,
  options: PairedOptions = {}
): PairedComparison => {
  const { clusterOf, differences } = pairedDifferences(baseline, run, options.clusters)
  const units = clusterUnits(differences, clusterOf)
  const { draws = drawsDefault, seed = 1 } = options
  const n = differences.length
  const meanDiff = meanOf(differences)
  const error = standardError(differences, units, meanDiff)
  return {
    n,
    units: units.length,
    meanDiff,
    wins: differences.filter((difference) => difference > 0).length,
    ties: differences.filter((difference) => difference === 0).length,
    losses: differences.filter((difference) => difference < 0).length,
    dz: effectSize(differences, meanDiff),
    t: tTest(meanDiff, error, units.length),
    randomisation: randomisationTest(
      units.map(({ sum }) => sum),
      { draws, seed }
    ),
    bootstrap: bootstrapInterval(units, { draws, seed }),
    mde:
      error === null
        ? null
        : (studentQuantile((1 + confidence) / 2, units.length - 1) +
            studentQuantile(power, units.length - 1)) *
          error
  }
}

/** Returns the differences run minus baseline in the order of the baseline's topics, and the cluster of each. */
export const pairedDifferences = (
  baseline: PairedValues,
  run: PairedValues,
  clusters?: PairedOptions["clusters"]
) => {
  const isMap = (values: PairedValues): values is ReadonlyMap<string, number> => values instanceof Map
  const topics = isMap(baseline) ? [...baseline.keys()] : null
  const pairs = isMap(baseline)
    ? isMap(run) && run.size === baseline.size
      ? [...baseline].map(([topic, value]) => [value, run.get(topic)] as const)
      : null
    : isMap(run) || run.length !== baseline.length
      ? null
      : baseline.map((value, i) => [value, run[i]] as const)
  if (pairs === null) throw new RangeError("The runs do not have the same topics, so they cannot be paired.")
  if (pairs.length === 0) throw new RangeError("There is no topic to compare.")
  const differences = pairs.map(([before, after]) => {
    if (after === undefined)
      throw new RangeError("The runs do not have the same topics, so they cannot be paired.")
    if (!Number.isFinite(before) || !Number.isFinite(after))
      throw new RangeError("A value of a topic is not a finite number.")
    return Math.round((after - before) * 1e12) / 1e12
  })
  const clusterOf = (at: number): string => {
    if (clusters === undefined) return String(at)
    const cluster = clusters instanceof Map ? clusters.get(topics?.[at] ?? "") : Reflect.get(clusters, at)
    if (typeof cluster !== "string") throw new RangeError("A topic has no cluster.")
    return cluster
  }
  return { differences, clusterOf }
}

/** An independent unit: how many topics it has, and the sum of their differences. */
export interface Unit {
  readonly size: number
  readonly sum: number
}

export const clusterUnits = (
  differences: ReadonlyArray<number>,
  clusterOf: (at: number) => string
): ReadonlyArray<Unit> => {
  const units = new Map<string, Unit>()
  for (const [at, difference] of differences.entries()) {
    const cluster = clusterOf(at)
    const { size, sum } = units.get(cluster) ?? { size: 0, sum: 0 }
    units.set(cluster, { size: size + 1, sum: sum + difference })
  }
  return [...units.values()]
}

/** Standard error of the mean difference, robust to dependence within units; null for one unit. */
export const standardError = (
  differences: ReadonlyArray<number>,
  units: ReadonlyArray<Unit>,
  mean: number
): number | null => {
  const count = units.length
  if (count < 2) return null
  if (differences.every((difference) => difference === differences[0])) return 0
  const squares = units.reduce((total, { size, sum }) => total + (sum - size * mean) ** 2, 0)
  return Math.sqrt((count / (count - 1)) * squares) / differences.length
}

const effectSize = (differences: ReadonlyArray<number>, mean: number): number | null => {
  if (differences.length < 2) return null
  if (differences.every((difference) => difference === 0)) return 0
  if (differences.every((difference) => difference === differences[0])) return null
  const variance =
    differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) / (differences.length - 1)
  return mean / Math.sqrt(variance)
}

const tTest = (mean: number, error: number | null, units: number): PairedComparison["t"] => {
  if (error === null) return { t: null, p: null, interval: null }
  if (error === 0) return { t: mean === 0 ? 0 : null, p: mean === 0 ? 1 : 0, interval: [mean, mean] }
  const half = studentQuantile((1 + confidence) / 2, units - 1) * error
  return { t: mean / error, p: studentP(mean / error, units - 1), interval: [mean - half, mean + half] }
}

/** Signs that one table of partial sums covers. */
const tableBits = 8

/**
 * Two-sided p of Fisher's randomisation test: how often random signs move the sum at least as far from 0. Exact up to
 * 16 values, else (b + 1) / (draws + 1).
 */
export const randomisationTest = (
  values: ReadonlyArray<number>,
  { draws, seed }: { readonly draws: number; readonly seed: number }
): { readonly p: number; readonly exact: boolean } => {
  // Values of 0 change no sum.
  const nonZero = values.filter((value) => value !== 0)
  const observed = Math.abs(sumOf(nonZero)) - 1e-9
  const tables = signTables(nonZero)
  if (values.length <= exactUnitsMax) {
    const all = 2 ** nonZero.length
    let asFar = 0
    for (let signs = 0; signs < all; signs++) {
      let sum = 0
      for (const [at, table] of tables.entries()) sum += table[(signs >>> (at * tableBits)) & 255] ?? 0
      if (Math.abs(sum) >= observed) asFar += 1
    }
    return { p: asFar / all, exact: true }
  }
  const next = integersFrom(seed)
  let asFar = 0
  for (let draw = 0; draw < draws; draw++) {
    let [sum, bits] = [0, 0]
    for (let at = 0; at < tables.length; at++) {
      if (at % 4 === 0) bits = next()
      sum += tables[at]?.[bits & 255] ?? 0
      bits >>>= tableBits
    }
    if (Math.abs(sum) >= observed) asFar += 1
  }
  return { p: (asFar + 1) / (draws + 1), exact: false }
}

/** Sums under all 256 sign patterns for each run of eight values; a missing value counts as 0. */
const signTables = (values: ReadonlyArray<number>): ReadonlyArray<Float64Array> =>
  Array.from({ length: Math.ceil(values.length / tableBits) }, (_, table) => {
    const sums = new Float64Array(2 ** tableBits)
    for (let signs = 0; signs < sums.length; signs++) {
      let sum = 0
      for (let bit = 0; bit < tableBits; bit++) {
        const value = values[table * tableBits + bit] ?? 0
        sum += ((signs >>> bit) & 1) === 1 ? -value : value
      }
      sums[signs] = sum
    }
    return sums
  })

/** 95 % percentile interval of the mean over resampled units; every sample is enumerated where there are few. */
const bootstrapInterval = (
  units: ReadonlyArray<Unit>,
  { draws, seed }: { readonly draws: number; readonly seed: number }
): readonly [number, number] => {
  const count = units.length
  const sums = Float64Array.from(units, ({ sum }) => sum)
  const sizes = units.every(({ size }) => size === 1) ? null : Float64Array.from(units, ({ size }) => size)
  const isExact = count ** count <= exactSamplesMax
  const drawn = Math.min(draws, Math.max(1000, Math.floor(resampledMax / count)))
  const means = new Float64Array(isExact ? count ** count : drawn)
  const next = integersFrom(seed)
  const scale = count / 2 ** 32
  const sample = new Int32Array(count)
  for (let place = 0; place < means.length; place++) {
    if (isExact) enumerateSample(sample, place)
    else for (let i = 0; i < count; i++) sample[i] = next() * scale
    let [sum, size] = [0, sizes === null ? count : 0]
    for (let i = 0; i < count; i++) sum += sums[sample[i] ?? 0] ?? 0
    if (sizes !== null) for (const at of sample) size += sizes[at] ?? 0
    means[place] = sum / size
  }
  means.sort()
  return [nearestRank(means, (1 - confidence) / 2), nearestRank(means, (1 + confidence) / 2)]
}

/** Writes the sample of a number: its digits to the base of the number of units. */
const enumerateSample = (sample: Int32Array, number: number): void => {
  let rest = number
  for (let i = 0; i < sample.length; i++) {
    sample[i] = rest % sample.length
    rest = Math.floor(rest / sample.length)
  }
}

/** The value at a share of ascending values: the least one that at least that share does not exceed. */
export const nearestRank = (ascending: ArrayLike<number>, share: number): number =>
  ascending[Math.max(0, Math.ceil(share * ascending.length - 1e-9) - 1)] ?? Number.NaN

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: ReadonlyArray<number>): number => sumOf(values) / values.length

/**
 * Adjusts p values of several comparisons by Holm's step-down method, in the order given; the family-wise error holds
 * under any dependence.
 *
 * Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
 */
export const holm = (p: ReadonlyArray<number>): ReadonlyArray<number> => {
  const order = p.map((_, at) => at).sort((a, b) => (p[a] ?? 0) - (p[b] ?? 0))
  const adjusted = new Array<number>(p.length)
  let least = 0
  for (const [place, at] of order.entries()) {
    least = Math.max(least, Math.min(1, (p.length - place) * (p[at] ?? 0)))
    adjusted[at] = least
  }
  return adjusted
}
