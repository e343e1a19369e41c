import type { ScoredLabel } from "./channel.js"
import { unit } from "./lsa.js"

/** Lexical hits that steer the query vector. Measured: docs/retrieval-quality.md. */
export const seedsMax = 5

/**
 * Exponent of the seed scores: a clearly best hit determines the vector nearly alone, and five close ones share it.
 */
const seedPower = 4

/** Returns the seed vector: the sum of (score / first score)⁴ * vector over the first five hits that have one. */
export const seedVector = (
  hits: ReadonlyArray<ScoredLabel>,
  vectors: ReadonlyMap<number, Float32Array>
): Float32Array | null => {
  const seeds = hits.filter(({ label, score }) => score > 0 && vectors.has(label)).slice(0, seedsMax)
  const first = hits[0]?.score ?? 0
  const sum = new Float64Array(vectors.get(seeds[0]?.label ?? 0)?.length ?? 0)
  for (const { label, score } of seeds) {
    const vector = vectors.get(label) ?? new Float32Array()
    const weight = (score / first) ** seedPower
    vector.forEach((value, place) => {
      sum[place] = (sum[place] ?? 0) + weight * value
    })
  }
  return unit(sum)
}

/**
 * Returns `unit((1 - share) q + share m)`. Without a known term it is the seed vector, without hits the query vector;
 * null when there is neither or when they cancel out.
 */
export const seededQuery = (
  query: Float32Array | null,
  seeds: Float32Array | null,
  share: number
): Float32Array | null => {
  if (seeds === null || share === 0) return query
  if (query === null) return seeds
  return unit(
    new Float64Array(query).map((value, place) => (1 - share) * value + share * (seeds[place] ?? 0))
  )
}
