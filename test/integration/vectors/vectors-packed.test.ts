import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import library from "hnswlib-node"
import { afterAll, describe, expect, it } from "vitest"
import { dead, type Lookup, packGraph, withUnpacked } from "../../../adapters/vectors/packed-graph.js"
import {
  bytesToVector,
  bytesToVectors,
  storedBytes,
  storedVector,
  vectorToBytes
} from "../../../core/vectors/index.js"
import { runs } from "../../support/runs.js"

const folder = mkdtempSync(join(tmpdir(), "kanon-packed-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [whole, packed] = [join(folder, "whole"), join(folder, "packed")]

const unit = (seed: number, dimensions: number): Float32Array => {
  const raw = Float32Array.from({ length: dimensions }, (_, i) => Math.sin(seed * 12.9898 + i * 78.233))
  const length = Math.hypot(...raw)
  return raw.map((value) => value / length)
}

/** A graph in the library's own file, with some nodes marked as removed. */
const written = async (vectors: ReadonlyArray<Float32Array>, removed: ReadonlyArray<number>) => {
  const graph = new library.HierarchicalNSW("ip", vectors[0]?.length ?? 1)
  graph.initIndex(vectors.length + 7, 16, 200, 100)
  vectors.forEach((vector, place) => {
    graph.addPoint(Array.from(vector), place)
  })
  for (const place of removed) graph.markDelete(place)
  await graph.writeIndex(whole)
  return graph
}

const answers = (
  graph: InstanceType<typeof library.HierarchicalNSW>,
  vectors: ReadonlyArray<Float32Array>
) => {
  graph.setEf(50)
  const some = vectors.filter((_, place) => place % 37 === 0)
  return some.map((vector) => graph.searchKnn(Array.from(vector), Math.min(5, vectors.length)))
}

/** Labels of nodes: their places and a thousand, or -1 for those that are dead. */
const labelsOf = (vectors: ReadonlyArray<Float32Array>, removed: ReadonlyArray<number> = []) => {
  const gone = new Set(removed)
  return Int32Array.from(vectors, (_, place) => (gone.has(place) ? dead : 1000 + place))
}

const lookupIn =
  (vectors: ReadonlyArray<Float32Array>, gone: ReadonlySet<number> = new Set()): Lookup =>
  async (labels) =>
    new Map(
      labels.flatMap((label) => {
        const vector = vectors[label - 1000]
        return vector === undefined || gone.has(label) ? [] : [[label, vector] as const]
      })
    )

const read = async (labels: Int32Array, lookup: Lookup, dimensions: number) => {
  const again = new library.HierarchicalNSW("ip", dimensions)
  await withUnpacked({ file: packed, labels }, lookup, (file) => again.readIndex(file))
  return again
}

describe("a packed graph", () => {
  it("comes back as it was, its vectors looked up", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 2, 3, 64, 1023, 1024, 1025, 2100),
        fc.integer({ min: 1, max: 19 }),
        fc.nat(1000),
        async (count, dimensions, seed) => {
          const vectors = Array.from({ length: count }, (_, i) => storedVector(unit(seed + i, dimensions)))
          const graph = await written(vectors, [])
          expect(await packGraph(whole, packed)).toBe(true)
          const again = await read(labelsOf(vectors), lookupIn(vectors), dimensions)
          expect(again.getCurrentCount()).toBe(count)
          expect(again.getMaxElements()).toBe(graph.getMaxElements())
          expect(answers(again, vectors)).toEqual(answers(graph, vectors))
          expect(readdirSync(folder).sort()).toEqual(["packed", "whole"])
        }
      ),
      { numRuns: runs(12) }
    )
  })

  it("leads past nodes that were removed, before it was written and after, and whose vectors nobody has", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(3, 16, 40), fc.nat(1000), async (dimensions, seed) => {
        const vectors = Array.from({ length: 1500 }, (_, i) => storedVector(unit(seed + i, dimensions)))
        const removed = vectors.flatMap((_, place) => (place % 3 === 1 ? [place] : []))
        const later = new Set(vectors.flatMap((_, place) => (place % 10 === 2 ? [1000 + place] : [])))
        await written(vectors, removed)
        await packGraph(whole, packed)
        const labels = labelsOf(vectors, removed)
        const again = await read(labels, lookupIn(vectors, later), dimensions)
        again.setEf(300)
        let [found, wanted] = [0, 0]
        for (let asked = 0; asked < vectors.length; asked += 50) {
          const query = Array.from(vectors[asked] ?? [])
          const { neighbors } = again.searchKnn(query, 100)
          expect(neighbors.filter((slot) => labels[slot] === dead)).toEqual([])
          const near = neighbors.filter((slot) => !later.has(labels[slot] ?? dead)).slice(0, 10)
          const best = vectors
            .map((vector, slot) => ({
              slot,
              score: vector.reduce((sum, v, i) => sum + v * (query[i] ?? 0), 0)
            }))
            .filter(({ slot }) => labels[slot] !== dead && !later.has(1000 + slot))
            .sort((a, b) => b.score - a.score)
            .slice(0, 10)
          found += best.filter(({ score }) =>
            near.some((slot) => {
              const vector = vectors[slot] ?? new Float32Array()
              return Math.abs(vector.reduce((sum, v, i) => sum + v * (query[i] ?? 0), 0) - score) < 1e-6
            })
          ).length
          wanted += best.length
        }
        expect(found / wanted).toBeGreaterThan(0.97)
      }),
      { numRuns: runs(4) }
    )
  })

  it("takes an eighth of what the library writes", async () => {
    await written(
      Array.from({ length: 500 }, (_, i) => storedVector(unit(i, 256))),
      []
    )
    await packGraph(whole, packed)
    expect(statSync(packed).size / statSync(whole).size).toBeLessThan(0.12)
  })

  it("is refused with labels of another graph", async () => {
    await written([unit(1, 4), unit(2, 4)], [])
    await packGraph(whole, packed)
    await expect(read(Int32Array.of(1000), lookupIn([unit(1, 4)]), 4)).rejects.toThrow("other nodes")
  })

  it("is the library's own file, read as it is, where that was not packed", async () => {
    const vectors = [storedVector(unit(1, 4)), unit(2, 4)]
    const graph = await written(vectors, [])
    const again = new library.HierarchicalNSW("ip", 4)
    await withUnpacked({ file: whole, labels: labelsOf(vectors) }, lookupIn([]), (file) => {
      expect(file).toBe(whole)
      return again.readIndex(file)
    })
    expect(answers(again, vectors)).toEqual(answers(graph, vectors))
  })

  it("leaves nothing behind when its reader fails, or what looks up does", async () => {
    const vectors = [storedVector(unit(3, 4))]
    const own = { file: packed, labels: labelsOf(vectors) }
    await written(vectors, [])
    await packGraph(whole, packed)
    let made = ""
    const failing = withUnpacked(own, lookupIn(vectors), async (file) => {
      made = file
      throw new Error("no")
    })
    await expect(failing).rejects.toThrow("no")
    expect(made).not.toBe("")
    expect(existsSync(made)).toBe(false)
    const away = withUnpacked(
      own,
      () => Promise.reject(new Error("away")),
      async () => undefined
    )
    await expect(away).rejects.toThrow("away")
    expect(readdirSync(folder).sort()).toEqual(["packed", "whole"])
  })
})

describe("a stored vector", () => {
  const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 41 })

  it("is read number for number, wherever in other memory its bytes stand, and shares none of it", () => {
    fc.assert(
      fc.property(numbers, fc.nat(9), (values, before) => {
        const vector = storedVector(Float32Array.from(values))
        const bytes = vectorToBytes(vector)
        expect(bytes.length).toBe(storedBytes(values.length))
        const around = new Uint8Array(before + bytes.length + 3)
        around.set(bytes, before)
        const read = bytesToVector(around.subarray(before, before + bytes.length))
        around.fill(0)
        expect(read).toEqual(vector)
      }),
      { numRuns: runs(200) }
    )
  })

  it("is the same among many, which share one piece of memory", () => {
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 12 }), (many) => {
        const all = many.map((values) => vectorToBytes(Float32Array.from(values)))
        expect(bytesToVectors(all)).toEqual(all.map(bytesToVector))
        expect(() => bytesToVectors([...all, new Uint8Array(2)])).toThrow(RangeError)
      }),
      { numRuns: runs(100) }
    )
  })

  it("has each number within half a step of what it was, a step being the largest over 2,047", () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const vector = Float32Array.from(values)
        const largest = Math.max(...vector.map(Math.abs))
        // Of the smallest floats there are only so many.
        const most = (largest / 2047) * 0.5001 + 2 ** -148
        storedVector(vector).forEach((value, i) => {
          expect(Math.abs(value - (vector[i] ?? 0))).toBeLessThanOrEqual(most)
        })
      }),
      { numRuns: runs(200) }
    )
  })
})
