import { type Dense, gram, multiply, orthonormal, zeros } from "./lsa-dense.js"
import { symmetricEigen } from "./lsa-eigen.js"

/** A sparse matrix by rows: row i has its cells from `starts[i]` to `starts[i + 1]`, columns ascending. */
export interface Sparse {
  readonly rows: number
  readonly columns: number
  readonly starts: Uint32Array
  readonly places: Uint32Array
  readonly values: Float64Array
}

/** Columns of the random start beyond the requested rank; with one power iteration, more gained nothing. */
const oversampling = 16

/** A direction whose eigenvalue is below this share of the largest is rounding noise. */
const noise = 1e-10

/**
 * Returns the leading right singular vectors of a sparse matrix, at most `rankMax`, fewer when its rank is lower: a
 * matrix of `columns` rows with orthonormal columns, strongest direction first.
 * Randomised: a random start, one power iteration with orthogonalisation in between, then the small eigenproblem
 * (Halko, Martinsson and Tropp, "Finding structure with randomness", SIAM Review 53, 2011), on the smaller side of the
 * matrix. The start uses a fixed seed and all sums run in one order, so equal input gives equal bytes. Every result is
 * finite, also with equal or empty columns or rows.
 */
export const rightSingularVectors = (matrix: Sparse, rankMax: number): Dense => {
  const byRows = matrix.rows <= matrix.columns
  const side = Math.min(matrix.rows, matrix.columns)
  const there = byRows ? timesTransposed : times
  const back = byRows ? times : timesTransposed
  let basis = identityOrRandom(side, Math.min(side, rankMax + oversampling))
  if (basis.columns < side) {
    basis = orthonormal(back(matrix, there(matrix, basis)))
    basis = orthonormal(back(matrix, there(matrix, basis)))
  }
  const image = there(matrix, basis)
  const { values, vectors } = symmetricEigen(gram(image))
  const floor = noise * (values[0] ?? 0)
  let rank = 0
  while (rank < Math.min(rankMax, values.length) && (values[rank] ?? 0) > floor) rank += 1
  const rotation = zeros(vectors.rows, rank)
  for (let i = 0; i < vectors.rows; i += 1) {
    for (let j = 0; j < rank; j += 1) {
      const scale = byRows ? 1 / Math.sqrt(values[j] ?? 1) : 1
      rotation.cells[i * rank + j] = (vectors.cells[i * vectors.columns + j] ?? 0) * scale
    }
  }
  return multiply(byRows ? image : basis, rotation)
}

/** When the whole side fits into the start, the identity is used and nothing is random. */
const identityOrRandom = (rows: number, columns: number): Dense => {
  const start = zeros(rows, columns)
  if (rows === columns) {
    for (let i = 0; i < rows; i += 1) start.cells[i * columns + i] = 1
    return start
  }
  const draw = signs()
  for (let i = 0; i < start.cells.length; i += 1) start.cells[i] = draw()
  return start
}

/**
 * Returns random signs from a fixed seed (xorshift32; Marsaglia, "Xorshift RNGs", 2003). Any other seed works as well.
 */
const signs = (): (() => number) => {
  let state = 0x9e3779b9
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state < 0 ? -1 : 1
  }
}

/** M B: one row of the result for each row of the matrix. Adds four cells of a row per pass, in their order. */
const times = ({ places, rows, starts, values }: Sparse, { cells, columns }: Dense): Dense => {
  const product = zeros(rows, columns)
  const out = product.cells
  for (let row = 0; row < rows; row += 1) {
    const to = row * columns
    const end = starts[row + 1] ?? 0
    let at = starts[row] ?? 0
    for (; at + 4 <= end; at += 4) {
      const p = values[at] ?? 0
      const q = values[at + 1] ?? 0
      const r = values[at + 2] ?? 0
      const s = values[at + 3] ?? 0
      const w = (places[at] ?? 0) * columns
      const x = (places[at + 1] ?? 0) * columns
      const y = (places[at + 2] ?? 0) * columns
      const z = (places[at + 3] ?? 0) * columns
      for (let j = 0; j < columns; j += 1) {
        out[to + j] =
          (out[to + j] ?? 0) +
          p * (cells[w + j] ?? 0) +
          q * (cells[x + j] ?? 0) +
          r * (cells[y + j] ?? 0) +
          s * (cells[z + j] ?? 0)
      }
    }
    for (; at < end; at += 1) {
      const value = values[at] ?? 0
      const from = (places[at] ?? 0) * columns
      for (let j = 0; j < columns; j += 1) out[to + j] = (out[to + j] ?? 0) + value * (cells[from + j] ?? 0)
    }
  }
  return product
}

/** Mᵀ B: one row of the result for each column of the matrix. */
const timesTransposed = (matrix: Sparse, { cells, columns }: Dense): Dense => {
  const product = zeros(matrix.columns, columns)
  const out = product.cells
  for (let row = 0; row < matrix.rows; row += 1) {
    const from = row * columns
    for (let at = matrix.starts[row] ?? 0; at < (matrix.starts[row + 1] ?? 0); at += 1) {
      const value = matrix.values[at] ?? 0
      const to = (matrix.places[at] ?? 0) * columns
      for (let j = 0; j < columns; j += 1) out[to + j] = (out[to + j] ?? 0) + value * (cells[from + j] ?? 0)
    }
  }
  return product
}
