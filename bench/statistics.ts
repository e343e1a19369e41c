import { randomFrom } from "./random.js"

/** The value below which `share` (0 to 1) of the values lie, interpolated between neighbours; NaN of none. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (low === undefined || high === undefined) return Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** NaN of none. */
export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Sign flips that are all tried rather than drawn. */
const exactPairsMax = 16

/**
 * Two-sided p of Fisher's randomisation test for paired values: how often flipping the signs of the differences
 * at random moves their mean at least as far from 0. Exact up to 16 pairs, else (b + 1) / (draws + 1) with seeded
 * draws. Differences are rounded to 12 decimals first. 1 for no pairs.
 */
export const randomisationP = (
  a: ReadonlyArray<number>,
  b: ReadonlyArray<number>,
  { draws, seed }: { readonly draws: number; readonly seed: number }
): number => {
  const differences = a.map((value, i) => Math.round(((b[i] ?? 0) - value) * 1e12) / 1e12)
  // Queries that came out equal change no sum.
  const moved = differences.filter((difference) => difference !== 0)
  const observed = Math.abs(moved.reduce((sum, difference) => sum + difference, 0)) - 1e-9
  if (differences.length <= exactPairsMax) {
    const all = 2 ** moved.length
    let asFar = 0
    for (let signs = 0; signs < all; signs++) {
      if (Math.abs(flippedSum(moved, (i) => ((signs >> i) & 1) === 1)) >= observed) asFar += 1
    }
    return asFar / all
  }
  const random = randomFrom(seed)
  let asFar = 0
  for (let draw = 0; draw < draws; draw++) {
    if (Math.abs(flippedSum(moved, () => random() < 0.5)) >= observed) asFar += 1
  }
  return (asFar + 1) / (draws + 1)
}

const flippedSum = (values: ReadonlyArray<number>, flipped: (index: number) => boolean): number => {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += flipped(i) ? -(values[i] ?? 0) : (values[i] ?? 0)
  return sum
}
