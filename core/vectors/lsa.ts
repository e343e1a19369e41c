import { rightSingularVectors } from "./lsa-svd.js"
import { termCounts, type Vocabulary, vocabularyOf, weightedRows, weightOf } from "./lsa-terms.js"

/** Most dimensions of a built-in vector: 192 measured nearly as good, 128 lose 0.003 nDCG@10. */
export const dimensionsMax = 256

/** Fewest chunks that a model is fitted on; 82 was measured, below that nothing was. */
export const chunksMin = 50

/** Most chunks that a fit reads; a larger corpus is sampled and the rest folded in. */
export const sampleMax = 8000

/** Steps of the largest number of a basis: as many as two bytes with a sign have. */
const stepsMax = 32_767

/** A model learned from the workspace's own chunks by latent semantic analysis. */
export interface Lsa extends Vocabulary {
  readonly dimensions: number
  /**
   * One row of `dimensions` numbers per term: the leading right singular vectors of the weighted chunks, in steps. What
   * rounding takes is a thousandth of a usual number, and averages out over the terms of a text.
   */
  readonly basis: Int16Array
  /** What one step is worth. */
  readonly step: number
}

/**
 * Learns a model from indexed texts; null when they hold no term that could carry one. Equal texts in equal order
 * give equal bytes, and the vectors do not depend on the order beyond rounding.
 */
export const fitLsa = (texts: ReadonlyArray<string>): Lsa | null => {
  const chunks = texts.map(termCounts)
  const vocabulary = vocabularyOf(chunks)
  const rows = weightedRows(chunks, vocabulary)
  if (rows.rows === 0) return null
  const { cells, columns } = rightSingularVectors(rows, dimensionsMax)
  if (columns === 0) return null
  const step = cells.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / stepsMax
  const basis = Int16Array.from(cells, (value) => Math.round(value / step))
  return { ...vocabulary, dimensions: columns, basis, step }
}

/** A vector and how much of its text the model knows, in occurrences of terms. */
export interface Folded {
  /** Unit vector; null when the text has no known term, or none that the basis reaches. */
  readonly vector: Float32Array | null
  readonly knownCount: number
  readonly unknownCount: number
}

/** Below this share of the row's length a projection is rounding, not meaning. */
const reachMin = 1e-6

/** Folds texts into a fitted model; the places of its terms are looked up once. */
export const lsaFolder = (model: Lsa): ((counts: ReadonlyMap<string, number>) => Folded) => {
  const placeOf = new Map(model.terms.map((term, place) => [term, place]))
  return (counts) => {
    // In steps: what they are worth does not change a direction.
    const sum = new Float64Array(model.dimensions)
    let [square, knownCount, unknownCount] = [0, 0, 0]
    // In the order of the vocabulary, so that the same words in another order give the same bytes.
    for (const [place, count] of placed(counts, placeOf)) {
      if (place === undefined) {
        unknownCount += count
        continue
      }
      knownCount += count
      const weight = weightOf(count, model.idf[place] ?? 0)
      square += weight * weight
      const from = place * model.dimensions
      for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + weight * (model.basis[from + i] ?? 0)
    }
    return { vector: unit(sum, (reachMin * Math.sqrt(square)) / model.step), knownCount, unknownCount }
  }
}

const placed = (
  counts: ReadonlyMap<string, number>,
  placeOf: ReadonlyMap<string, number>
): ReadonlyArray<readonly [number | undefined, number]> =>
  Array.from(counts, ([term, count]) => [placeOf.get(term), count] as const).sort(
    ([a], [b]) => (a ?? 0) - (b ?? 0)
  )

/** The unit vector in a direction; null when its length is not above `lengthMin`, or is not finite. */
export const unit = (vector: Float64Array, lengthMin = 0): Float32Array | null => {
  let square = 0
  for (const value of vector) square += value * value
  const length = Math.sqrt(square)
  if (!(length > lengthMin) || !Number.isFinite(length)) return null
  const made = new Float32Array(vector.length)
  for (let i = 0; i < made.length; i += 1) made[i] = (vector[i] ?? 0) / length
  return made
}
