import { reasonWeights } from "./duplicate-score.js"
import type { DuplicateReason } from "./governance-model.js"
import type { PassageVector } from "./store.js"

/** Share of the way from usual to the same below which closeness says nothing. */
const shareMin = 0.5
/** Fewer passages than this do not tell what is usual in a workspace. */
const sampleMin = 8

/**
 * How alike two passages of a workspace usually are: the mean cosine over all pairs of a sample. Models differ in
 * this, so closeness is told from here on. Null of a sample too small to say.
 */
export const usualCloseness = (sample: ReadonlyArray<Float32Array>): number | null => {
  const units = sample.flatMap((vector) => unitOf(vector) ?? [])
  if (units.length < sampleMin) return null
  // The square of the sum holds every pair twice, and each vector with itself.
  const sum = sumOf(units)
  return (dot(sum, sum) - units.length) / (units.length * (units.length - 1))
}

/**
 * That what is written of two entities is about the same: the cosine of the means of the passages that mention one and
 * not the other, from what is usual (nothing) to 1, less where passages are few (n / (n + 1)). Passages that mention
 * both are left out: who is named beside another is not thereby the other. Only ever beside a reason in the names,
 * since siblings are spoken of alike too. Symmetric.
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

/** Null of what has no direction. */
const unitOf = (vector: Float32Array): Float32Array | null => {
  const length = Math.sqrt(dot(vector, vector))
  return length === 0 ? null : vector.map((value) => value / length)
}
