/** A matrix in row order: cell (i, j) is at `i * columns + j`. */
export interface Dense {
  readonly rows: number
  readonly columns: number
  readonly cells: Float64Array
}

export const zeros = (rows: number, columns: number): Dense => ({
  rows,
  columns,
  cells: new Float64Array(rows * columns)
})

/**
 * Returns the symmetric matrix of inner products of the columns. Processes four rows per pass, because a fit spends
 * most of its time here.
 */
export const gram = ({ cells, columns, rows }: Dense): Dense => {
  const product = zeros(columns, columns)
  const sums = product.cells
  const whole = rows - (rows % 4)
  for (let row = 0; row < whole; row += 4) {
    const [a, b, c, d] = [row * columns, (row + 1) * columns, (row + 2) * columns, (row + 3) * columns]
    for (let i = 0; i < columns; i += 1) {
      const p = cells[a + i] ?? 0
      const q = cells[b + i] ?? 0
      const r = cells[c + i] ?? 0
      const s = cells[d + i] ?? 0
      const at = i * columns
      for (let j = i; j < columns; j += 1) {
        sums[at + j] =
          (sums[at + j] ?? 0) +
          p * (cells[a + j] ?? 0) +
          q * (cells[b + j] ?? 0) +
          r * (cells[c + j] ?? 0) +
          s * (cells[d + j] ?? 0)
      }
    }
  }
  for (let row = whole; row < rows; row += 1) {
    const a = row * columns
    for (let i = 0; i < columns; i += 1) {
      const p = cells[a + i] ?? 0
      for (let j = i; j < columns; j += 1) {
        sums[i * columns + j] = (sums[i * columns + j] ?? 0) + p * (cells[a + j] ?? 0)
      }
    }
  }
  for (let i = 0; i < columns; i += 1) {
    for (let j = 0; j < i; j += 1) sums[i * columns + j] = sums[j * columns + i] ?? 0
  }
  return product
}

/** Multiplies a tall matrix by a small one. */
export const multiply = (left: Dense, right: Dense): Dense => {
  const product = zeros(left.rows, right.columns)
  const [a, b, out, inner, width] = [left.cells, right.cells, product.cells, left.columns, right.columns]
  const whole = inner - (inner % 4)
  for (let row = 0; row < left.rows; row += 1) {
    const [from, to] = [row * inner, row * width]
    for (let k = 0; k < whole; k += 4) {
      const p = a[from + k] ?? 0
      const q = a[from + k + 1] ?? 0
      const r = a[from + k + 2] ?? 0
      const s = a[from + k + 3] ?? 0
      const w = k * width
      const x = w + width
      const y = x + width
      const z = y + width
      for (let j = 0; j < width; j += 1) {
        out[to + j] =
          (out[to + j] ?? 0) +
          p * (b[w + j] ?? 0) +
          q * (b[x + j] ?? 0) +
          r * (b[y + j] ?? 0) +
          s * (b[z + j] ?? 0)
      }
    }
    for (let k = whole; k < inner; k += 1) {
      const p = a[from + k] ?? 0
      for (let j = 0; j < width; j += 1) out[to + j] = (out[to + j] ?? 0) + p * (b[k * width + j] ?? 0)
    }
  }
  return product
}

/**
 * A column that adds at most this share of its own squared length to the others counts as dependent; rounding errors
 * stay below it.
 */
const dependence = 1e-8

/**
 * Returns an orthonormal basis of the column space, by Cholesky QR. Dependent columns (of equal chunks) are omitted,
 * so the result has as many columns as the numerical rank and never a NaN. Works in place when no column is omitted.
 */
export const orthonormal = (matrix: Dense): Dense => {
  const inner = gram(matrix)
  const independentColumns = independent(inner)
  const width = independentColumns.length
  const upper = zeros(width, width)
  const cells = upper.cells
  for (let i = 0; i < width; i += 1) {
    for (let j = i; j < width; j += 1) {
      const product =
        inner.cells[(independentColumns[i] ?? 0) * inner.columns + (independentColumns[j] ?? 0)] ?? 0
      let sum = product
      for (let k = 0; k < i; k += 1) sum -= (cells[k * width + i] ?? 0) * (cells[k * width + j] ?? 0)
      cells[i * width + j] =
        i === j ? Math.sqrt(Math.max(sum, Number.EPSILON * product)) : sum / (cells[i * width + i] ?? 1)
    }
  }
  return solveRows(width === matrix.columns ? matrix : pick(matrix, independentColumns), upper)
}

/**
 * Returns the indices of linearly independent columns, ascending, given the inner products. Cholesky with pivoting:
 * the next column is the one that adds the largest share of its own length (Higham, "Accuracy and Stability of
 * Numerical Algorithms", 2002, chapter 10). In their original order, a nearly dependent column would amplify rounding
 * errors.
 */
const independent = ({ cells: inner, columns: n }: Dense): ReadonlyArray<number> => {
  const left = Array.from({ length: n }, (_, i) => inner[i * n + i] ?? 0)
  const shares = left.map((own): number => (own > 0 ? 1 : 0))
  const rows: Array<Float64Array> = []
  const independentColumns: Array<number> = []
  for (;;) {
    let next = -1
    for (let i = 0; i < n; i += 1) if ((shares[i] ?? 0) > (shares[next] ?? dependence)) next = i
    if (next < 0) return independentColumns.sort((a, b) => a - b)
    independentColumns.push(next)
    const root = Math.sqrt(left[next] ?? 0)
    shares[next] = 0
    const row = new Float64Array(n)
    for (let j = 0; j < n; j += 1) {
      if (!((shares[j] ?? 0) > 0)) continue
      let sum = inner[next * n + j] ?? 0
      for (const one of rows) sum -= (one[next] ?? 0) * (one[j] ?? 0)
      row[j] = sum / root
      left[j] = (left[j] ?? 0) - (row[j] ?? 0) ** 2
      shares[j] = Math.max(0, (left[j] ?? 0) / (inner[j * n + j] ?? 1))
    }
    rows.push(row)
  }
}

/** Selects columns by index. */
const pick = (matrix: Dense, columns: ReadonlyArray<number>): Dense => {
  const picked = zeros(matrix.rows, columns.length)
  for (let row = 0; row < matrix.rows; row += 1) {
    for (let j = 0; j < columns.length; j += 1) {
      picked.cells[row * columns.length + j] = matrix.cells[row * matrix.columns + (columns[j] ?? 0)] ?? 0
    }
  }
  return picked
}

/** Solves X R = Y for an upper triangular R, in place of Y. Solves four rows per pass, which read R once. */
const solveRows = (matrix: Dense, { cells: upper }: Dense): Dense => {
  const { cells, columns: n, rows } = matrix
  const whole = rows - (rows % 4)
  for (let row = 0; row < whole; row += 4) {
    const a = row * n
    const b = a + n
    const c = b + n
    const d = c + n
    for (let i = 0; i < n; i += 1) {
      const diagonal = upper[i * n + i] ?? 1
      const p = (cells[a + i] ?? 0) / diagonal
      const q = (cells[b + i] ?? 0) / diagonal
      const r = (cells[c + i] ?? 0) / diagonal
      const s = (cells[d + i] ?? 0) / diagonal
      cells[a + i] = p
      cells[b + i] = q
      cells[c + i] = r
      cells[d + i] = s
      const from = i * n
      for (let j = i + 1; j < n; j += 1) {
        const value = upper[from + j] ?? 0
        cells[a + j] = (cells[a + j] ?? 0) - p * value
        cells[b + j] = (cells[b + j] ?? 0) - q * value
        cells[c + j] = (cells[c + j] ?? 0) - r * value
        cells[d + j] = (cells[d + j] ?? 0) - s * value
      }
    }
  }
  for (let row = whole; row < rows; row += 1) {
    const at = row * n
    for (let i = 0; i < n; i += 1) {
      const value = (cells[at + i] ?? 0) / (upper[i * n + i] ?? 1)
      cells[at + i] = value
      for (let j = i + 1; j < n; j += 1)
        cells[at + j] = (cells[at + j] ?? 0) - value * (upper[i * n + j] ?? 0)
    }
  }
  return matrix
}
