import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import library from "hnswlib-node"
import { afterAll, describe, expect, it } from "vitest"
import { packedSteps, packGraph, withUnpacked } from "../../adapters/vectors/packed-graph.js"
import { bytesToVector, storedVector, vectorSteps, vectorToBytes } from "../../core/vectors/index.js"
import { runs } from "../support/runs.js"

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

describe("a packed graph", () => {
  it("comes back as it was, removed nodes included, and tells its vectors by itself", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 2, 3, 64, 1023, 1024, 1025, 2100),
        fc.integer({ min: 1, max: 19 }),
        fc.nat(1000),
        async (count, dimensions, seed) => {
          const vectors = Array.from({ length: count }, (_, i) => storedVector(unit(seed + i, dimensions)))
          const removed = vectors.flatMap((_, place) => (place % 5 === 1 && count > 9 ? [place] : []))
          const graph = await written(vectors, removed)
          expect(await packGraph(whole, packed)).toBe(true)
          const again = new library.HierarchicalNSW("ip", dimensions)
          await withUnpacked(packed, (file) => again.readIndex(file))
          expect(again.getCurrentCount()).toBe(count)
          expect(again.getMaxElements()).toBe(graph.getMaxElements())
          expect(answers(again, vectors)).toEqual(answers(graph, vectors))
          const steps = vectors.flatMap((vector) =>
            Array.from(vector, (value) => Math.round(value * vectorSteps))
          )
          expect(Array.from((await packedSteps(packed, { dimensions, nodes: count })) ?? [])).toEqual(steps)
          expect(await packedSteps(packed, { dimensions, nodes: count + 1 })).toBeNull()
          expect(readdirSync(folder).sort()).toEqual(["packed", "whole"])
        }
      ),
      { numRuns: runs(12) }
    )
  })

  it("takes little more than half of what the library writes", async () => {
    await written(
      Array.from({ length: 500 }, (_, i) => storedVector(unit(i, 256))),
      []
    )
    await packGraph(whole, packed)
    expect(statSync(packed).size / statSync(whole).size).toBeLessThan(0.55)
  })

  it("is not made where a number would come back as another; the library's own file is read as it is", async () => {
    const graph = await written([storedVector(unit(1, 4)), unit(2, 4)], [])
    expect(await packGraph(whole, packed)).toBe(false)
    const again = new library.HierarchicalNSW("ip", 4)
    await withUnpacked(whole, (file) => {
      expect(file).toBe(whole)
      return again.readIndex(file)
    })
    expect(answers(again, [unit(1, 4)])).toEqual(answers(graph, [unit(1, 4)]))
    expect(await packedSteps(whole, { dimensions: 4, nodes: 2 })).toBeNull()
  })

  it("leaves nothing behind when its reader fails", async () => {
    await written([storedVector(unit(3, 4))], [])
    await packGraph(whole, packed)
    let made = ""
    const failing = withUnpacked(packed, async (file) => {
      made = file
      throw new Error("no")
    })
    await expect(failing).rejects.toThrow("no")
    expect(made).not.toBe("")
    expect(existsSync(made)).toBe(false)
  })
})

describe("a stored vector", () => {
  it("is read number for number, wherever in other memory its bytes stand, and shares none of it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -vectorSteps, max: vectorSteps }), { minLength: 1, maxLength: 40 }),
        fc.nat(9),
        (steps, before) => {
          const vector = Float32Array.from(steps, (step) => step / vectorSteps)
          const bytes = vectorToBytes(vector)
          const around = new Uint8Array(before + bytes.length + 3)
          around.set(bytes, before)
          const read = bytesToVector(around.subarray(before, before + bytes.length))
          around.fill(0)
          // A zero has no sign in two bytes.
          expect(read).toEqual(vector.map((value) => value + 0))
        }
      ),
      { numRuns: runs(50) }
    )
  })
})
