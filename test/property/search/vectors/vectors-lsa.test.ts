import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fitLsa, type Lsa, lsaFolder } from "../../../../core/search/vectors/lsa.js"
import { encodeLsa, readLsa } from "../../../../core/search/vectors/lsa-artefact.js"
import { type Dense, gram, multiply, orthonormal } from "../../../../core/search/vectors/lsa-dense.js"
import { symmetricEigen } from "../../../../core/search/vectors/lsa-eigen.js"
import { needsFit } from "../../../../core/search/vectors/lsa-fitter.js"
import { rightSingularVectors, type Sparse } from "../../../../core/search/vectors/lsa-svd.js"
import { termCounts, vocabularyOf, weightedRows } from "../../../../core/search/vectors/lsa-terms.js"
import { seededQuery, seedVector } from "../../../../core/search/vectors/query-vectors.js"
import { passage } from "../../../integration/search/vectors/vectors-corpus.js"
import { runs } from "../../../support/runs.js"

const word = fc.constantFrom(
  "kiln",
  "glaze",
  "clay",
  "tide",
  "anchor",
  "ledger",
  "audit",
  "graft",
  "the",
  "日本語",
  "Ωmega",
  ""
)
const text = fc.oneof(
  fc.array(word, { maxLength: 12 }).map((words) => words.join(" ")),
  fc.constant("kiln glaze kiln"),
  fc.string({ unit: "binary", maxLength: 30 })
)
const corpus = fc.array(text, { maxLength: 60 })

const fitted = (texts: ReadonlyArray<string>): Lsa => {
  const model = fitLsa(texts)
  if (model === null) throw new Error("Nothing was learned.")
  return model
}
const many = (count: number) => Array.from({ length: count }, (_, i) => passage(i))
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
const matrix = (rows: number, columns: number, cell: (i: number, j: number) => number): Dense => ({
  rows,
  columns,
  cells: Float64Array.from({ length: rows * columns }, (_, at) =>
    cell(Math.floor(at / columns), at % columns)
  )
})
const sparseOf = ({ cells, columns, rows }: Dense): Sparse => ({
  rows,
  columns,
  starts: Uint32Array.from({ length: rows + 1 }, (_, i) => i * columns),
  places: Uint32Array.from({ length: rows * columns }, (_, at) => at % columns),
  values: cells
})
const draw = (seed: number) => (i: number, j: number) =>
  Math.sin(seed + i * 12.9898 + j * 78.233 + i * j * 0.37) * 1.7 + Math.cos(i * 3.1 - j * seed)

describe("the built-in model", () => {
  it("learns the same bytes from the same texts", () => {
    fc.assert(
      fc.property(corpus, (texts) => {
        const [one, two] = [fitLsa(texts), fitLsa([...texts])]
        expect(one === null ? null : encodeLsa(one)).toEqual(two === null ? null : encodeLsa(two))
      }),
      { numRuns: runs(40) }
    )
    expect(encodeLsa(fitted(many(400)))).toEqual(encodeLsa(fitted(many(400))))
  })

  it("never holds a number that is not finite, and gives unit vectors or none", () => {
    fc.assert(
      fc.property(corpus, text, (texts, other) => {
        const model = fitLsa(texts)
        if (model === null) return
        expect(model.basis.every(Number.isFinite)).toBe(true)
        expect(model.dimensions).toBeGreaterThan(0)
        const fold = lsaFolder(model)
        for (const each of [...texts, other]) {
          const { vector } = fold(termCounts(each))
          if (vector !== null) expect(dot(vector, vector)).toBeCloseTo(1, 5)
        }
      }),
      { numRuns: runs(60) }
    )
  })

  it("survives a corpus of equal chunks, few or many", () => {
    for (const count of [50, 400]) {
      const model = fitted(Array.from({ length: count }, () => "kiln glaze clay kiln"))
      expect(model.dimensions).toBe(1)
      expect(model.basis.every(Number.isFinite)).toBe(true)
      const { vector } = lsaFolder(model)(termCounts("clay and glaze"))
      expect(vector).not.toBeNull()
    }
    const mixed = fitted([...Array.from({ length: 350 }, () => "moved to another page"), ...many(60)])
    expect(mixed.basis.every(Number.isFinite)).toBe(true)
  })

  it("keeps every cosine of the weighted chunks where nothing is cut off", () => {
    const texts = many(60)
    const model = fitted(texts)
    const fold = lsaFolder(model)
    const counts = texts.map(termCounts)
    const { places, rows, starts, values } = weightedRows(counts, vocabularyOf(counts))
    const row = (i: number) =>
      new Map(
        Array.from(places.slice(starts[i], starts[i + 1]), (place, at) => [
          place,
          values[(starts[i] ?? 0) + at] ?? 0
        ])
      )
    const vectors = counts.map((each) => fold(each).vector ?? new Float32Array())
    expect(rows).toBe(60)
    for (let i = 0; i < rows; i += 7) {
      for (let j = 0; j < rows; j += 1) {
        const other = row(j)
        let cosine = 0
        for (const [place, value] of row(i)) cosine += value * (other.get(place) ?? 0)
        expect(dot(vectors[i] ?? new Float32Array(), vectors[j] ?? new Float32Array())).toBeCloseTo(cosine, 4)
      }
    }
  })

  it("folds a fitted chunk in where the fit put it", () => {
    const texts = many(400)
    const counts = texts.map(termCounts)
    const rows = weightedRows(counts, vocabularyOf(counts))
    const basis = rightSingularVectors(rows, 256)
    const fold = lsaFolder(fitted(texts))
    for (let i = 0; i < rows.rows; i += 13) {
      const projected = new Float64Array(basis.columns)
      for (let at = rows.starts[i] ?? 0; at < (rows.starts[i + 1] ?? 0); at += 1) {
        for (let j = 0; j < basis.columns; j += 1) {
          projected[j] =
            (projected[j] ?? 0) +
            (rows.values[at] ?? 0) * (basis.cells[(rows.places[at] ?? 0) * basis.columns + j] ?? 0)
        }
      }
      const length = Math.sqrt(projected.reduce((sum, value) => sum + value * value, 0))
      const { vector } = fold(counts[i] ?? new Map())
      projected.forEach((value, j) => {
        expect(vector?.[j]).toBeCloseTo(value / length, 4)
      })
    }
  })

  it("gives no vector to a text without a known term, and counts what it does not know", () => {
    const fold = lsaFolder(fitted(many(60)))
    expect(fold(termCounts("zebra quux zebra"))).toEqual({ vector: null, knownCount: 0, unknownCount: 3 })
    expect(fold(termCounts("kiln zebra"))).toMatchObject({ knownCount: 1, unknownCount: 1 })
    expect(fitLsa(["the of and", "", "!?"])).toBeNull()
  })
})

describe("the stored model", () => {
  const bytes = encodeLsa(fitted(many(60)))

  const read = (stored: Uint8Array) => Effect.runPromise(readLsa(stored))

  it("comes back as it was", async () => {
    expect(await read(bytes)).toEqual(fitted(many(60)))
  })

  it("is refused when a byte is wrong, missing or too many", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const wrong = bytes.slice()
        wrong[at] = (wrong[at] ?? 0) ^ change
        expect(await read(wrong)).toBeNull()
        expect(await read(bytes.slice(0, at))).toBeNull()
      }),
      { numRuns: runs(40) }
    )
    expect(await read(Uint8Array.from([...bytes, 0]))).toBeNull()
  })
})

describe("the arithmetic", () => {
  it("finds eigenvalues and eigenvectors of symmetric matrices, largest first", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 24 }),
        fc.integer({ min: 1, max: 24 }),
        fc.nat(1000),
        (n, rank, seed) => {
          const symmetric = gram(matrix(rank, n, draw(seed)))
          const { values, vectors } = symmetricEigen(symmetric)
          const image = multiply(symmetric, vectors)
          const scale = Math.max(1, values[0] ?? 0)
          for (let i = 0; i < n; i += 1) {
            expect(values[i]).toBeLessThanOrEqual(values[i - 1] ?? Number.POSITIVE_INFINITY)
            for (let j = 0; j < n; j += 1) {
              const expected = (vectors.cells[i * n + j] ?? 0) * (values[j] ?? 0)
              expect(Math.abs((image.cells[i * n + j] ?? 0) - expected)).toBeLessThan(1e-9 * scale)
            }
          }
        }
      )
    )
  })

  it("makes as many orthonormal columns as are independent", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(1000),
        (rank, columns, seed) => {
          const product = multiply(matrix(30, rank, draw(seed)), matrix(rank, columns, draw(seed + 1)))
          const basis = orthonormal(product)
          expect(basis.columns).toBeLessThanOrEqual(Math.min(rank, columns))
          const inner = gram(basis)
          inner.cells.forEach((value, at) => {
            const expected = Math.floor(at / basis.columns) === at % basis.columns ? 1 : 0
            expect(Math.abs(value - expected)).toBeLessThan(1e-4)
          })
        }
      ),
      // Taken in their order, the fifth of these columns is noise that the fourth has swollen.
      { examples: [[4, 12, 165]] }
    )
  })

  it("captures nearly all that the best directions of that number could", () => {
    for (const [rows, columns] of [
      [120, 60],
      [60, 120]
    ] as const) {
      const dense = matrix(rows, columns, (i, j) => draw(5)(i, j) / (1 + ((i * 7 + j * 3) % 11)))
      const basis = rightSingularVectors(sparseOf(dense), 20)
      expect(basis.columns).toBe(20)
      const captured = multiply(dense, basis).cells.reduce((sum, value) => sum + value * value, 0)
      const best = symmetricEigen(gram(dense))
        .values.slice(0, 20)
        .reduce((sum, value) => sum + value, 0)
      expect(captured / best).toBeGreaterThan(0.98)
      expect(captured / best).toBeLessThan(1 + 1e-9)
    }
  })
})

describe("the vector of a query", () => {
  const [x, y, z] = [Float32Array.from([1, 0, 0]), Float32Array.from([0, 1, 0]), Float32Array.from([0, 0, 1])]

  it("leans on the first five hits that have a vector, by the fourth power of their scores", () => {
    const hits = [9, 1, 2, 3, 4, 5, 6].map((label, place) => ({ label, score: 8 / (place + 1) }))
    const vectors = new Map([
      [1, x],
      [2, y],
      [3, z],
      [4, y],
      [5, z],
      [6, x]
    ])
    const parts = [(1 / 2) ** 4, (1 / 3) ** 4 + (1 / 5) ** 4, (1 / 4) ** 4 + (1 / 6) ** 4]
    const length = Math.hypot(...parts)
    const seeds = seedVector(hits, vectors)
    parts.forEach((value, place) => {
      expect(seeds?.[place]).toBeCloseTo(value / length, 6)
    })
    expect(seedVector([], vectors)).toBeNull()
    expect(seedVector(hits, new Map())).toBeNull()
  })

  it("is the seeds without known words, itself without seeds, and nothing without both", () => {
    expect(seededQuery(null, x, 0.5)).toBe(x)
    expect(seededQuery(x, null, 0.5)).toBe(x)
    expect(seededQuery(null, null, 0.5)).toBeNull()
    expect(seededQuery(x, y, 0)).toBe(x)
    expect(seededQuery(x, y, 1)).toEqual(y)
    expect(seededQuery(x, y, 0.5)?.[0]).toBeCloseTo(Math.SQRT1_2, 6)
    expect(
      seededQuery(
        x,
        x.map((value) => -value),
        0.5
      )
    ).toBeNull()
  })
})

describe("the need for a new fit", () => {
  const model = (fittedChunks: number, chunks: number, terms = 0, unknownTerms = 0) => ({
    fittedChunks,
    drift: { chunks, terms, unknownTerms }
  })

  it("comes with any change up to a hundred chunks, above with a tenth, and with a fifth where it is large", () => {
    expect(needsFit(undefined, 60)).toBe("exactly")
    expect(needsFit(undefined, 60_000)).toBe("roughly")
    expect(needsFit(model(100, 0), 100)).toBe("no")
    expect(needsFit(model(99, 1), 100)).toBe("exactly")
    expect(needsFit(model(100, 1), 101)).toBe("no")
    expect(needsFit(model(900, 90), 990)).toBe("no")
    expect(needsFit(model(900, 91), 991)).toBe("roughly")
    expect(needsFit(model(10_000, 2000), 12_000)).toBe("no")
    expect(needsFit(model(10_000, 2001), 12_000)).toBe("roughly")
  })

  it("comes with strange words once a twentieth of the chunks brings them", () => {
    expect(needsFit(model(1000, 49, 1000, 900), 1049)).toBe("no")
    expect(needsFit(model(1000, 50, 1000, 200), 1050)).toBe("no")
    expect(needsFit(model(1000, 50, 1000, 201), 1050)).toBe("roughly")
  })
})
