import type { Logistic } from "./model.js"

/** A labelled row: features in a fixed order, and whether it was right. */
export interface Example {
  readonly features: ReadonlyArray<number>
  readonly right: boolean
  /** Number of rows that it stands for; 1 by default. */
  readonly weight?: number
}

/** Convergence limit of gradient and step. */
const tolerance = 1e-10
const stepsMax = 100

/**
 * Fits a logistic regression with an L2 penalty on the weights alone, `l2 / 2 · |w|²` plus the summed log loss, by
 * Newton's method with step halving (Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2nd
 * ed., 4.4.1 and 4.4.4). Converges for data with both labels; with one label there is no finite intercept.
 */
export const fitLogistic = (
  rows: ReadonlyArray<Example>,
  l2: number
): { readonly intercept: number; readonly weights: ReadonlyArray<number> } => {
  const size = (rows[0]?.features.length ?? 0) + 1
  let weights: ReadonlyArray<number> = Array.from({ length: size }, () => 0)
  for (let step = 0; step < stepsMax; step++) {
    const { gradient, hessian } = derivatives(rows, weights, l2)
    if (Math.max(...gradient.map(Math.abs)) < tolerance) break
    const direction = solve(hessian, gradient)
    const next = shorten(rows, weights, direction, l2)
    const largestStep = Math.max(...next.map((value, at) => Math.abs(value - (weights[at] ?? 0))))
    weights = next
    if (largestStep < tolerance) break
  }
  const [intercept = 0, ...rest] = weights
  return { intercept, weights: rest }
}

/** Returns means and population standard deviations per column; a constant column has deviation 1. */
const standardOf = (rows: ReadonlyArray<ReadonlyArray<number>>) => {
  const columns = (rows[0] ?? []).map((_, at) => rows.map((row) => row[at] ?? 0))
  const means = columns.map(mean)
  const deviations = columns.map((column, at) => {
    const variance = mean(column.map((value) => (value - (means[at] ?? 0)) ** 2))
    return variance < 1e-18 ? 1 : Math.sqrt(variance)
  })
  return { means, deviations }
}

/** Suffix of missing-feature indicators. */
export const missingSuffix = ".missing"

/**
 * Standardizes and fits. For a feature that was never missing, the indicator's weight cancels the effect of a value
 * of 0.
 */
export const fitStandardised = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<Example>,
  l2: number
): Logistic => {
  const { deviations, means } = standardOf(rows.map(({ features }) => features))
  const standardised = rows.map(({ features, right, weight }) => ({
    right,
    ...(weight === undefined ? {} : { weight }),
    features: features.map((value, at) => (value - (means[at] ?? 0)) / (deviations[at] ?? 1))
  }))
  const { intercept, weights } = fitLogistic(standardised, l2)
  const neutral = weights.map((weight, at) => {
    const name = names[at] ?? ""
    const feature = name.endsWith(missingSuffix) ? names.indexOf(name.slice(0, -missingSuffix.length)) : -1
    const isSeen = rows.some(({ features }) => (features[at] ?? 0) !== 0)
    return feature < 0 || isSeen
      ? weight
      : ((weights[feature] ?? 0) * (means[feature] ?? 0)) / (deviations[feature] ?? 1)
  })
  return { names: [...names], means, deviations, weights: neutral, intercept }
}

/** Returns the probability that a model assigns to a row. */
export const logisticValue = (
  { deviations, intercept, means, weights }: Logistic,
  features: ReadonlyArray<number>
): number => {
  let sum = intercept
  for (let at = 0; at < weights.length; at += 1)
    sum += ((weights[at] ?? 0) * ((features[at] ?? 0) - (means[at] ?? 0))) / (deviations[at] ?? 1)
  return sigmoid(sum)
}

/** Returns 1 / (1 + e^-z) without overflow. */
export const sigmoid = (z: number): number =>
  z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z))

/** Returns the summed log loss with penalty. */
export const objectiveOf = (
  rows: ReadonlyArray<Example>,
  weights: ReadonlyArray<number>,
  l2: number
): number =>
  rows.reduce((sum, { features, right, weight = 1 }) => {
    const z = margin(features, weights)
    // log(1 + e^z) - y z in a form that does not overflow.
    return sum + weight * (Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - (right ? z : 0))
  }, 0) +
  (l2 / 2) * weights.slice(1).reduce((sum, weight) => sum + weight * weight, 0)

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

const margin = (
  features: ReadonlyArray<number>,
  [intercept = 0, ...weights]: ReadonlyArray<number>
): number => weights.reduce((sum, weight, at) => sum + weight * (features[at] ?? 0), intercept)

const derivatives = (rows: ReadonlyArray<Example>, weights: ReadonlyArray<number>, l2: number) => {
  const size = weights.length
  const gradient = weights.map((weight, at) => (at === 0 ? 0 : l2 * weight))
  const hessian = weights.map((_, i) => weights.map((_unused, j) => (i === j && i > 0 ? l2 : 0)))
  for (const { features, right, weight = 1 } of rows) {
    const row = [1, ...features]
    const probability = sigmoid(margin(features, weights))
    const curvature = weight * probability * (1 - probability)
    for (let i = 0; i < size; i++) {
      const value = row[i] ?? 0
      gradient[i] = (gradient[i] ?? 0) + weight * (probability - (right ? 1 : 0)) * value
      const line = hessian[i] ?? []
      for (let j = 0; j < size; j++) line[j] = (line[j] ?? 0) + curvature * value * (row[j] ?? 0)
    }
  }
  return { gradient, hessian }
}

/** Halves the step until the objective does not increase. */
const shorten = (
  rows: ReadonlyArray<Example>,
  weights: ReadonlyArray<number>,
  direction: ReadonlyArray<number>,
  l2: number
): ReadonlyArray<number> => {
  const now = objectiveOf(rows, weights, l2)
  for (let share = 1; share > 1e-6; share /= 2) {
    const next = weights.map((weight, at) => weight - share * (direction[at] ?? 0))
    if (objectiveOf(rows, next, l2) <= now + 1e-12) return next
  }
  return weights
}

/** Solves a linear system by Gaussian elimination with partial pivoting; columns without a pivot stay 0. */
const solve = (
  matrix: ReadonlyArray<ReadonlyArray<number>>,
  target: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const rows = matrix.map((row, at) => [...row, target[at] ?? 0])
  const size = rows.length
  for (let column = 0; column < size; column++) {
    const pivot = rows
      .map((row, at) => ({ at, size: at < column ? -1 : Math.abs(row[column] ?? 0) }))
      .reduce((best, one) => (one.size > best.size ? one : best))
    const [line, other] = [rows[pivot.at] ?? [], rows[column] ?? []]
    rows[pivot.at] = other
    rows[column] = line
    const head = line[column] ?? 0
    if (Math.abs(head) < 1e-14) continue
    for (let at = 0; at < size; at++) {
      const row = rows[at] ?? []
      if (at === column) continue
      const factor = (row[column] ?? 0) / head
      for (let j = column; j <= size; j++) row[j] = (row[j] ?? 0) - factor * (line[j] ?? 0)
    }
  }
  return rows.map((row, at) => {
    const head = row[at] ?? 0
    return Math.abs(head) < 1e-14 ? 0 : (row[size] ?? 0) / head
  })
}
