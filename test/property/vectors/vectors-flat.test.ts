import fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import { dot, FlatVectors } from "../../../adapters/vectors/flat.js"
import { RowScoring, strideFor } from "../../../adapters/vectors/row-scoring.js"
import { byScore, Top } from "../../../adapters/vectors/top.js"
import { runs } from "../../support/runs.js"

/** Some of them are equal, and some nearly so, as where passages repeat each other. */
const unit = (seed: number, dimensions: number): Float32Array => {
  const kind = seed % 3 === 0 ? seed % 12 : seed
  const raw = Float32Array.from(
    { length: dimensions },
    (_, i) => Math.sin((kind + 0.5) * 12.9898 + i * 78.233 + i * i) + (seed % 2) * 1e-6
  )
  const length = Math.hypot(...raw)
  return raw.map((value) => value / length)
}

interface Held {
  readonly dimensions: number
  readonly vectors: Map<number, Float32Array>
  readonly flat: FlatVectors
}

const heldOf = (Flat: typeof FlatVectors, dimensions: number, count: number, removedEach: number): Held => {
  const [vectors, flat] = [new Map<number, Float32Array>(), new Flat(dimensions)]
  const put = (label: number, seed: number) => {
    const vector = unit(seed, dimensions)
    vectors.set(label, vector)
    flat.put(label, vector)
  }
  for (let label = 0; label < count; label += 1) put(label, label)
  for (let label = 0; label < count; label += removedEach) {
    vectors.delete(label)
    flat.remove(label)
  }
  for (let label = 0; label < count; label += 3 * removedEach) put(label, label + 100_000)
  return { dimensions, vectors, flat }
}

/** What exact search is: every allowed vector, multiplied number by number. */
const nearest = ({ vectors }: Held, query: Float32Array, limit: number, allow?: ReadonlySet<number>) =>
  [...vectors]
    .filter(([label]) => allow?.has(label) !== false)
    .map(([label, vector]) => ({ label, score: dot(query, vector, 0) }))
    .sort(byScore)
    .slice(0, limit)

const shapes = fc.record({
  dimensions: fc.integer({ min: 1, max: 70 }),
  count: fc.integer({ min: 1, max: 900 }),
  removedEach: fc.integer({ min: 2, max: 40 }),
  limit: fc.integer({ min: 1, max: 120 }),
  seed: fc.nat(1000),
  /** Of how many one is allowed; 0 where all are. */
  allowedEach: fc.constantFrom(0, 1, 2, 5, 30)
})

const allowedOf = (count: number, each: number): ReadonlySet<number> | undefined =>
  each === 0 ? undefined : new Set(Array.from({ length: Math.ceil((count + 50) / each) }, (_, i) => i * each))

const agrees = (Flat: typeof FlatVectors) =>
  fc.assert(
    fc.property(shapes, ({ allowedEach, count, dimensions, limit, removedEach, seed }) => {
      const held = heldOf(Flat, dimensions, count, removedEach)
      const query = unit(seed, dimensions)
      const allow = allowedOf(count, allowedEach)
      expect(held.flat.search(query, limit, allow)).toEqual(nearest(held, query, limit, allow))
    }),
    { numRuns: runs(100) }
  )

describe("vectors side by side", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  it("are searched exactly, to the last number of a score and the order of equal ones", () => {
    expect(RowScoring.of(8)).not.toBeNull()
    agrees(FlatVectors)
  })

  it("are searched exactly where WebAssembly was turned off", async () => {
    vi.resetModules()
    vi.stubGlobal("WebAssembly", undefined)
    const anew = await import("../../../adapters/vectors/flat.js")
    expect((await import("../../../adapters/vectors/row-scoring.js")).RowScoring.of(8)).toBeNull()
    agrees(anew.FlatVectors)
  })

  it("are searched by several at once, each a slice after the other, whatever their lengths", () => {
    const searched = [
      { held: heldOf(FlatVectors, 12, 2000, 7), query: unit(5, 12) },
      { held: heldOf(FlatVectors, 12, 2000, 9), query: unit(9, 12) },
      { held: heldOf(FlatVectors, 300, 700, 7), query: unit(3, 300) }
    ].map(({ held, query }) => {
      const top = new Top(20)
      return { held, query, top, work: held.flat.scan(top, query, 256) }
    })
    let turns = 0
    for (let open = [...searched]; open.length > 0; turns += 1)
      open = open.filter(({ work }) => work.next().done !== true)
    expect(turns).toBeGreaterThan(5)
    for (const { held, query, top } of searched) expect(top.sorted()).toEqual(nearest(held, query, 20))
  })
})

describe("scores of vectors side by side", () => {
  it("are within what they promise of the true ones, for the lengths that models have", () => {
    for (const dimensions of [1, 7, 256, 384, 768, 1536, 3072, 20_000]) {
      const stride = strideFor(dimensions)
      const scoring = RowScoring.of(stride)
      const count = 40
      const cells = new Float32Array(count * stride)
      const vectors = Array.from({ length: count }, (_, place) => unit(place, dimensions))
      vectors.forEach((vector, place) => {
        cells.set(vector, place * stride)
      })
      const scores = new Float32Array(count + 3)
      for (const query of [unit(4711, dimensions), vectors[1] ?? new Float32Array()]) {
        scoring?.ask(query)
        scoring?.score(cells, count, scores, 3)
        vectors.forEach((vector, place) => {
          const off = Math.abs((scores[place + 3] ?? 0) - dot(query, vector, 0))
          expect(off).toBeLessThanOrEqual(scoring?.tolerance ?? 0)
        })
      }
      expect([...scores.slice(0, 3)]).toEqual([0, 0, 0])
      expect(scoring?.tolerance).toBeLessThan(2e-4)
    }
  })
})
