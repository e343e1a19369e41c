import { reasonWeights } from "./duplicate-score.js"
import type { DuplicateReason } from "./governance-model.js"
import type { PassageVector } from "./store.js"

/** Minimum similarity after rescaling from baseline to 1; lower values give no reason. */
const shareMin = 0.5
/** Minimum number of passages for a baseline. */
const sampleMin = 8

/**
 * Returns the baseline similarity of a workspace: the mean cosine over all pairs of a sample of passages, which
 * differs between models. Null if the sample is too small.
 */
export const baselineSimilarity = (sample: ReadonlyArray<Float32Array>): number | null => {
  const units = sample.flatMap((vector) => unitOf(vector) ?? [])
  if (units.length < sampleMin) return null
  // The squared sum contains every pair twice, and each vector with itself.
  const sum = sumOf(units)
  return (dot(sum, sum) - units.length) / (units.length * (units.length - 1))
}

/**
 * Returns a reason if the passages about two entities are similar: the cosine of the mean vectors of passages that
 * mention only one of them, rescaled from baseline to 1 and reduced for few passages by n / (n + 1). Passages that
 * mention both are left out, because being mentioned together does not make them the same. It only supports a reason
 * in the names. Symmetric.
 */
export const meaningReason = (
  a: ReadonlyArray<PassageVector>,
  b: ReadonlyArray<PassageVector>,
  usual: number
): DuplicateReason | null => {
  const [own, other] = [without(a, b), without(b, a)]
  const few = Math.min(own.length, other.length)
  const [x, y] = [unitOf(sumOf(own)), unitOf(sumOf(other))]
  if (few === 0 || x === null || y === null || usual >= 1) return null
  const cosine = dot(x, y)
  const share = (cosine - usual) / (1 - usual)
  if (share < shareMin) return null
  return {
    code: "meaning",
    strength: Math.min(1, reasonWeights.meaning * share * (few / (few + 1))),
    detail: `What is written of both is alike: ${cosine.toFixed(2)}, where ${usual.toFixed(2)} is usual.`
  }
}

const without = (
  passages: ReadonlyArray<PassageVector>,
  others: ReadonlyArray<PassageVector>
): ReadonlyArray<Float32Array> => {
  const shared = new Set(others.map(({ label }) => label))
  return passages.flatMap(({ label, vector }) => (shared.has(label) ? [] : (unitOf(vector) ?? [])))
}

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

const sumOf = (vectors: ReadonlyArray<Float32Array>): Float32Array => {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
  return sum
}

/** Returns the unit vector, or null for a zero vector. */
const unitOf = (vector: Float32Array): Float32Array | null => {
  const length = Math.sqrt(dot(vector, vector))
  return length === 0 ? null : vector.map((value) => value / length)
}
