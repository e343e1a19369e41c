import { rightSingularVectors } from "./lsa-svd.js"
import { termCounts, type Vocabulary, vocabularyOf, weightedRows, weightOf } from "./lsa-terms.js"

/** Maximum dimensions of a built-in vector: 192 measured nearly as good, 128 loses 0.003 nDCG@10. */
export const dimensionsMax = 256

/** Minimum number of chunks to fit a model; 82 was measured, fewer were not. */
export const chunksMin = 50

/** Maximum number of chunks that a fit reads; a larger corpus is sampled and the rest folded in. */
export const sampleMax = 8000

/** Quantization steps of the largest number of a basis: the range of a signed 16-bit integer. */
const stepsMax = 32_767

/** A model learned from the workspace's own chunks by latent semantic analysis. */
export interface Lsa extends Vocabulary {
  readonly dimensions: number
  /**
   * One row of `dimensions` numbers per term: the leading right singular vectors of the weighted chunks, in steps. The
   * rounding error is a thousandth of a typical number and averages out over the terms of a text.
   */
  readonly basis: Int16Array
  /** The value of one step. */
  readonly step: number
}

/**
 * Fits a model to indexed texts; null when they hold no usable term. Equal texts in equal order give equal bytes, and
 * the vectors depend on the order only up to rounding.
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

/** A vector, and how many term occurrences of its text the model knows. */
export interface Folded {
  /** Unit vector; null when the text has no known term, or none with a row in the basis. */
  readonly vector: Float32Array | null
  readonly knownCount: number
  readonly unknownCount: number
}

/** A projection below this share of the row's length is rounding noise. */
const reachMin = 1e-6

/** Returns a function that folds texts into a fitted model; term positions are looked up once. */
export const lsaFolder = (model: Lsa): ((counts: ReadonlyMap<string, number>) => Folded) => {
  const placeOf = new Map(model.terms.map((term, place) => [term, place]))
  return (counts) => {
    // In steps: scaling does not change a direction.
    const sum = new Float64Array(model.dimensions)
    let [square, knownCount, unknownCount] = [0, 0, 0]
    // In vocabulary order, so that the same words in another order give the same bytes.
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

/** Returns the unit vector of a direction; null when its length is at most `lengthMin` or not finite. */
export const unit = (vector: Float64Array, lengthMin = 0): Float32Array | null => {
  let square = 0
  for (const value of vector) square += value * value
  const length = Math.sqrt(square)
  if (!(length > lengthMin) || !Number.isFinite(length)) return null
  const made = new Float32Array(vector.length)
  for (let i = 0; i < made.length; i += 1) made[i] = (vector[i] ?? 0) / length
  return made
}
