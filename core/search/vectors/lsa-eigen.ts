import type { Dense } from "./lsa-dense.js"

/** Eigenvalues, largest first, and their unit eigenvectors: vector i is the column i of `vectors`. */
export interface Eigen {
  readonly values: Float64Array
  readonly vectors: Dense
}

/**
 * All eigenvalues and eigenvectors of a symmetric matrix: Householder reduction to a tridiagonal one, then the
 * QL method with implicit shifts (tred2 and tql2 of EISPACK; Wilkinson and Reinsch, Handbook for Automatic
 * Computation II, 1971). Total for finite input; equal eigenvalues keep the order in which they were found.
 */
export const symmetricEigen = (matrix: Dense): Eigen => {
  const n = matrix.rows
  // Rows of the working copy as separate arrays: the algorithm walks the columns of a symmetric matrix.
  const rows = Array.from({ length: n }, (_, i) => matrix.cells.slice(i * n, (i + 1) * n))
  const diagonal = new Float64Array(n)
  const beside = new Float64Array(n)
  tridiagonalise(rows, diagonal, beside)
  const turned = transpose(rows)
  iterate(turned, diagonal, beside)
  const order = Array.from(diagonal.keys()).sort((a, b) => (diagonal[b] ?? 0) - (diagonal[a] ?? 0) || a - b)
  const vectors = new Float64Array(n * n)
  order.forEach((from, to) => {
    const vector = turned[from] ?? diagonal
    for (let i = 0; i < n; i += 1) vectors[i * n + to] = vector[i] ?? 0
  })
  return {
    values: Float64Array.from(order, (from) => diagonal[from] ?? 0),
    vectors: { rows: n, columns: n, cells: vectors }
  }
}

const transpose = (rows: ReadonlyArray<Float64Array>): Array<Float64Array> =>
  rows.map((_, j) => Float64Array.from(rows, (row) => row[j] ?? 0))

/** Returns the dot product of the first `length` numbers. */
const dot = (a: Float64Array, b: Float64Array, length: number): number => {
  let sum = 0
  for (let k = 0; k < length; k += 1) sum += (a[k] ?? 0) * (b[k] ?? 0)
  return sum
}

/**
 * Reduces to tridiagonal form: the orthogonal transformation in `rows`, the diagonal in `d`, the off-diagonal in `e`
 * (from 1).
 */
const tridiagonalise = (rows: ReadonlyArray<Float64Array>, d: Float64Array, e: Float64Array): void => {
  const n = d.length
  const none = new Float64Array(0)
  for (let i = n - 1; i > 0; i -= 1) {
    const row = rows[i] ?? none
    let scale = 0
    for (let k = 0; k < i; k += 1) scale += Math.abs(row[k] ?? 0)
    if (i === 1 || scale === 0) {
      e[i] = row[i - 1] ?? 0
      d[i] = 0
      continue
    }
    for (let k = 0; k < i; k += 1) row[k] = (row[k] ?? 0) / scale
    let h = dot(row, row, i)
    const last = row[i - 1] ?? 0
    const g = last >= 0 ? -Math.sqrt(h) : Math.sqrt(h)
    e[i] = scale * g
    h -= last * g
    row[i - 1] = last - g
    reflect(rows, row, e, i, h)
    d[i] = h
  }
  d[0] = 0
  e[0] = 0
  accumulate(rows, d)
}

/** Applies one Householder reflection to the leading block of size `i` (lower triangle). */
const reflect = (
  rows: ReadonlyArray<Float64Array>,
  row: Float64Array,
  e: Float64Array,
  i: number,
  h: number
): void => {
  e.fill(0, 0, i)
  for (let j = 0; j < i; j += 1) {
    const other = rows[j] ?? row
    other[i] = (row[j] ?? 0) / h
    const f = row[j] ?? 0
    let g = (e[j] ?? 0) + (other[j] ?? 0) * f
    for (let k = 0; k < j; k += 1) {
      g += (other[k] ?? 0) * (row[k] ?? 0)
      e[k] = (e[k] ?? 0) + (other[k] ?? 0) * f
    }
    e[j] = g
  }
  let f = 0
  for (let j = 0; j < i; j += 1) {
    e[j] = (e[j] ?? 0) / h
    f += (e[j] ?? 0) * (row[j] ?? 0)
  }
  const half = f / (h + h)
  for (let j = 0; j < i; j += 1) {
    const p = row[j] ?? 0
    const q = (e[j] ?? 0) - half * p
    e[j] = q
    const other = rows[j] ?? row
    for (let k = 0; k <= j; k += 1) other[k] = (other[k] ?? 0) - (p * (e[k] ?? 0) + q * (row[k] ?? 0))
  }
}

/** Multiplies the reflections. */
const accumulate = (rows: ReadonlyArray<Float64Array>, d: Float64Array): void => {
  const none = new Float64Array(0)
  const sums = new Float64Array(d.length)
  for (let i = 0; i < d.length; i += 1) {
    const row = rows[i] ?? none
    if (d[i] !== 0) {
      sums.fill(0, 0, i)
      for (let k = 0; k < i; k += 1) {
        const [other, factor] = [rows[k] ?? none, row[k] ?? 0]
        for (let j = 0; j < i; j += 1) sums[j] = (sums[j] ?? 0) + factor * (other[j] ?? 0)
      }
      for (let k = 0; k < i; k += 1) {
        const other = rows[k] ?? none
        const factor = other[i] ?? 0
        for (let j = 0; j < i; j += 1) other[j] = (other[j] ?? 0) - factor * (sums[j] ?? 0)
      }
    }
    d[i] = row[i] ?? 0
    row[i] = 1
    for (let j = 0; j < i; j += 1) {
      row[j] = 0
      const other = rows[j]
      if (other !== undefined) other[i] = 0
    }
  }
}

/** An eigenvalue converges in two or three rounds; the bound stops invalid input from looping forever. */
const roundsMax = 60

/** QL with implicit shifts; `vectors[i]` becomes the eigenvector of `d[i]`. */
const iterate = (vectors: ReadonlyArray<Float64Array>, d: Float64Array, e: Float64Array): void => {
  const n = d.length
  for (let i = 1; i < n; i += 1) e[i - 1] = e[i] ?? 0
  if (n > 0) e[n - 1] = 0
  let size = 0
  for (let i = 0; i < n; i += 1) size = Math.max(size, Math.abs(d[i] ?? 0) + Math.abs(e[i] ?? 0))
  for (let l = 0; l < n; l += 1) {
    for (let round = 0; round < roundsMax; round += 1) {
      let m = l
      for (; m < n - 1; m += 1) {
        if (Math.abs(e[m] ?? 0) <= Number.EPSILON * size) break
      }
      if (m === l) break
      sweep(vectors, d, e, l, m)
    }
  }
}

const sweep = (
  vectors: ReadonlyArray<Float64Array>,
  d: Float64Array,
  e: Float64Array,
  l: number,
  m: number
): void => {
  const [first, beside] = [d[l] ?? 0, e[l] ?? 0]
  const slope = ((d[l + 1] ?? 0) - first) / (2 * beside)
  const length = Math.sqrt(slope * slope + 1)
  let g = (d[m] ?? 0) - first + beside / (slope + (slope >= 0 ? length : -length))
  let s = 1
  let c = 1
  let p = 0
  for (let i = m - 1; i >= l; i -= 1) {
    const f = s * (e[i] ?? 0)
    const b = c * (e[i] ?? 0)
    const r = Math.sqrt(f * f + g * g)
    e[i + 1] = r
    if (r === 0) {
      d[i + 1] = (d[i + 1] ?? 0) - p
      e[m] = 0
      return
    }
    s = f / r
    c = g / r
    g = (d[i + 1] ?? 0) - p
    const t = ((d[i] ?? 0) - g) * s + 2 * c * b
    p = s * t
    d[i + 1] = g + p
    g = c * t - b
    rotate(vectors[i], vectors[i + 1], s, c)
  }
  d[l] = first - p
  e[l] = g
  e[m] = 0
}

const rotate = (a: Float64Array | undefined, b: Float64Array | undefined, s: number, c: number): void => {
  if (a === undefined || b === undefined) return
  for (let k = 0; k < a.length; k += 1) {
    const x = a[k] ?? 0
    const y = b[k] ?? 0
    b[k] = s * x + c * y
    a[k] = c * x - s * y
  }
}
