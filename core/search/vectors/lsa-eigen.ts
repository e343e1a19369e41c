import { EigenvalueDecomposition, Matrix } from "ml-matrix"
import type { Dense } from "./lsa-dense.js"

/** Eigenvalues, largest first, and their unit eigenvectors: vector i is the column i of `vectors`. */
export interface Eigen {
  readonly values: Float64Array
  readonly vectors: Dense
}

/** Returns all eigenvalues and eigenvectors of a symmetric matrix. Equal input gives equal bytes. */
export const symmetricEigen = ({ cells, columns, rows: n }: Dense): Eigen => {
  const rows = Array.from({ length: n }, (_, i) => cells.subarray(i * columns, (i + 1) * columns))
  const { eigenvectorMatrix, realEigenvalues } = new EigenvalueDecomposition(new Matrix(rows), {
    assumeSymmetric: true
  })
  const order = realEigenvalues
    .map((value, from) => ({ value, from }))
    .sort((a, b) => b.value - a.value || a.from - b.from)
  const vectors = new Float64Array(n * n)
  for (let i = 0; i < n; i += 1)
    for (const [to, { from }] of order.entries()) vectors[i * n + to] = eigenvectorMatrix.get(i, from)
  return {
    values: Float64Array.from(order, ({ value }) => value),
    vectors: { rows: n, columns: n, cells: vectors }
  }
}
