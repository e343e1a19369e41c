import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dotProduct, FlatVectors } from "../../../../adapters/vectors/flat-vectors.js"
import { byScore, TopK } from "../../../../adapters/vectors/top-k.js"
import { runs } from "../../../support/runs.js"

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

const heldOf = (dimensions: number, count: number, removedEach: number): Held => {
  const [vectors, flat] = [new Map<number, Float32Array>(), new FlatVectors(dimensions)]
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

/** Returns the nearest vectors by comparing every allowed one. */
const nearest = ({ vectors }: Held, query: Float32Array, limit: number, allow?: ReadonlySet<number>) =>
  [...vectors]
    .filter(([label]) => allow?.has(label) !== false)
    .map(([label, vector]) => ({ label, score: dotProduct(query, vector, 0) }))
    .sort(byScore)
    .slice(0, limit)

const shapes = fc.record({
  dimensions: fc.integer({ min: 1, max: 70 }),
  count: fc.integer({ min: 1, max: 900 }),
  removedEach: fc.integer({ min: 2, max: 40 }),
  limit: fc.integer({ min: 1, max: 120 }),
  seed: fc.nat(1000),
  /** One of so many labels is allowed; 0 allows all. */
  allowedEach: fc.constantFrom(0, 1, 2, 5, 30)
})

const allowedOf = (count: number, each: number): ReadonlySet<number> | undefined =>
  each === 0 ? undefined : new Set(Array.from({ length: Math.ceil((count + 50) / each) }, (_, i) => i * each))

describe("FlatVectors", () => {
  it("returns exact scores, best first, and orders equal ones by label", () => {
    fc.assert(
      fc.property(shapes, ({ allowedEach, count, dimensions, limit, removedEach, seed }) => {
        const held = heldOf(dimensions, count, removedEach)
        const query = unit(seed, dimensions)
        const allow = allowedOf(count, allowedEach)
        expect(held.flat.search(query, limit, allow)).toEqual(nearest(held, query, limit, allow))
      }),
      { numRuns: runs(100) }
    )
  })

  it("is scanned in slices by several searches at once", () => {
    const searches = [
      { held: heldOf(12, 2000, 7), query: unit(5, 12) },
      { held: heldOf(12, 2000, 9), query: unit(9, 12) },
      { held: heldOf(300, 700, 7), query: unit(3, 300) }
    ].map(({ held, query }) => {
      const top = new TopK(20)
      return { held, query, top, work: held.flat.scan(top, query, 256) }
    })
    let turns = 0
    for (let open = [...searches]; open.length > 0; turns += 1)
      open = open.filter(({ work }) => work.next().done !== true)
    expect(turns).toBeGreaterThan(5)
    for (const { held, query, top } of searches) expect(top.sorted()).toEqual(nearest(held, query, 20))
  })
})
