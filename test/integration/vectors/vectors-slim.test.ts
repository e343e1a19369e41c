import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import library from "hnswlib-node"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { dot } from "../../../adapters/vectors/flat.js"
import { readGraph } from "../../../adapters/vectors/hnsw-graph.js"
import { dead, type Lookup, packGraph, withUnpacked } from "../../../adapters/vectors/packed-graph.js"
import { Scoring } from "../../../adapters/vectors/scoring.js"
import { SlimGraph } from "../../../adapters/vectors/slim-graph.js"
import { Top } from "../../../adapters/vectors/top.js"
import { storedVector } from "../../../core/vectors/index.js"
import { runs } from "../../support/runs.js"

const folder = mkdtempSync(join(tmpdir(), "kanon-slim-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [whole, packed] = [join(folder, "whole"), join(folder, "packed")]

const unit = (seed: number, dimensions: number): Float32Array => {
  const raw = Float32Array.from({ length: dimensions }, (_, i) =>
    Math.sin((seed + 0.5) * 12.9898 + i * 78.233 + i * i)
  )
  const length = Math.hypot(...raw)
  return raw.map((value) => value / length)
}
const stored = (count: number, seed: number, dimensions: number) =>
  Array.from({ length: count }, (_, i) => storedVector(unit(seed + i, dimensions)))

/** A packed graph of some vectors, labelled from 1,000 on, with some nodes removed before it was written. */
const written = async (vectors: ReadonlyArray<Float32Array>, removed: ReadonlySet<number> = new Set()) => {
  const graph = new library.HierarchicalNSW("ip", vectors[0]?.length ?? 1)
  graph.initIndex(vectors.length, 16, 200, 100)
  vectors.forEach((vector, place) => {
    graph.addPoint(Array.from(vector), place)
  })
  for (const place of removed) graph.markDelete(place)
  await graph.writeIndex(whole)
  expect(await packGraph(whole, packed)).toBe(true)
  const labels = Int32Array.from(vectors, (_, place) => (removed.has(place) ? dead : 1000 + place))
  const lookup: Lookup = async (wanted) =>
    new Map(
      wanted.flatMap((label) => {
        const vector = vectors[label - 1000]
        return vector === undefined ? [] : [[label, vector] as const]
      })
    )
  return { own: { file: packed, labels }, lookup }
}

/** The library's own answer to the same file, as labels and scores. */
const ofLibrary = async ({ lookup, own }: Awaited<ReturnType<typeof written>>, dimensions: number) => {
  const graph = new library.HierarchicalNSW("ip", dimensions)
  await withUnpacked(own, lookup, (file) => graph.readIndex(file))
  return (query: Float32Array, limit: number) => {
    graph.setEf(Math.max(300, 2 * limit))
    const { distances, neighbors } = graph.searchKnn(Array.from(query), limit)
    return neighbors
      .map((slot, place) => ({ label: own.labels[slot] ?? dead, score: 1 - (distances[place] ?? 1) }))
      .sort((a, b) => b.score - a.score || a.label - b.label)
  }
}

describe("scores by vector instructions", () => {
  it("are the inner products, and exactly those of what is stored where that is asked for", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 150 }),
        fc.integer({ min: 1, max: 80 }),
        fc.nat(1000),
        (count, dimensions, seed) => {
          const vectors = stored(count, seed, dimensions)
          const [query, other] = [unit(seed + 4711, dimensions), unit(seed + 815, dimensions)]
          const scoring = Scoring.room(count, dimensions)
          if (scoring === null) throw new Error("This machine has no vector instructions.")
          vectors.forEach((vector, slot) => {
            scoring.put(slot, vector)
          })
          const slots = Int32Array.from({ length: count }, (_, i) => (i * 7919 + seed) % count)
          const scores = new Float64Array(count)
          for (const asked of [other, query]) {
            scoring.ask(asked)
            scoring.score(slots, count, scores)
            slots.forEach((slot, i) => {
              const vector = vectors[slot] ?? new Float32Array()
              expect(Math.abs((scores[i] ?? 0) - dot(asked, vector, 0))).toBeLessThan(1e-4)
              expect(Math.abs(scoring.exact(asked, slot) - dot(asked, vector, 0))).toBeLessThan(1e-6)
            })
          }
        }
      ),
      { numRuns: runs(60) }
    )
  })

  it("never overflow: vectors and queries that are largest everywhere, of 3,072 numbers", () => {
    const flat = new Float32Array(3072).fill(1 / Math.sqrt(3072))
    const scoring = Scoring.room(2, 3072)
    scoring?.put(0, flat)
    scoring?.put(
      1,
      flat.map((value) => -value)
    )
    scoring?.ask(flat)
    const scores = new Float64Array(2)
    scoring?.score(Int32Array.of(0, 1), 2, scores)
    expect(scores[0]).toBeCloseTo(1, 4)
    expect(scores[1]).toBeCloseTo(-1, 4)
  })

  it("take two bytes a number; the room of what was released is that of the next, with nothing left in it", () => {
    const held = () => {
      const { arrayBuffers, external } = process.memoryUsage()
      return external - arrayBuffers
    }
    const [count, dimensions] = [20_000, 256]
    const before = held()
    const slots = Int32Array.from({ length: count }, (_, slot) => slot)
    const scores = new Float64Array(count)
    const query = unit(1, dimensions)
    for (let round = 0; round < 12; round += 1) {
      // Each a little larger than the one before.
      const scoring = Scoring.room(count + 500 * round, dimensions)
      scoring?.ask(query)
      scoring?.score(slots, count, scores)
      expect(scores.every((score) => score === 0)).toBe(true)
      for (let slot = 0; slot < count; slot += 1) scoring?.put(slot, query)
      scoring?.score(slots, count, scores)
      expect(scores[count - 1]).toBeCloseTo(1, 4)
      scoring?.release()
    }
    expect((held() - before) / (count * dimensions)).toBeLessThan(2 * 1.5)
  })

  it("of what was released are nothing, and write nothing where others stand by now", () => {
    const [wide, narrow] = [Scoring.room(25, 1024), unit(2, 16)]
    wide?.ask(unit(3, 1024))
    wide?.release()
    const next = Scoring.room(2000, 16)
    for (let slot = 0; slot < 2000; slot += 1) next?.put(slot, narrow)
    const slots = Int32Array.from({ length: 25 }, (_, slot) => slot)
    const scores = new Float64Array(2000).fill(1)
    wide?.ask(unit(4, 1024))
    wide?.score(slots, 25, scores)
    expect(scores.subarray(0, 25).every((score) => score === 0)).toBe(true)
    next?.ask(narrow)
    next?.score(
      Int32Array.from({ length: 2000 }, (_, slot) => slot),
      2000,
      scores
    )
    expect(scores.every((score) => Math.abs(score - 1) < 1e-3)).toBe(true)
  })

  it("have no room beyond what a module can address", () => {
    expect(Scoring.room(2 ** 24, 3072)).toBeNull()
  })
})

describe("a slim graph", () => {
  it("finds what the library finds in the same file, scores alike, over removed nodes too", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 2, 63, 1024, 1025, 2100),
        fc.constantFrom(3, 16, 40),
        fc.nat(1000),
        fc.boolean(),
        async (count, dimensions, seed, removes) => {
          const vectors = stored(count, seed, dimensions)
          const removed = new Set(vectors.flatMap((_, slot) => (removes && slot % 3 === 1 ? [slot] : [])))
          const graph = await written(vectors, removed)
          const slim = await SlimGraph.read(dimensions, graph.own, graph.lookup)
          if (slim === null) throw new Error("It was packed.")
          const asLibrary = await ofLibrary(graph, dimensions)
          expect(slim.liveCount).toBe(count - removed.size)
          let [same, all] = [0, 0]
          // More searches than the marks of what was seen tell apart.
          for (let asked = 0; asked < 300; asked += 1) {
            const query = unit(seed + 7 * asked, dimensions)
            const limit = Math.min(10, slim.liveCount)
            const [found, wanted] = [slim.search(query, limit), asLibrary(query, limit)]
            expect(found.length).toBe(wanted.length)
            found.forEach(({ label, score }, place) => {
              expect(label).not.toBe(dead)
              expect(Math.abs(dot(query, vectors[label - 1000] ?? query, 0) - score)).toBeLessThan(1e-6)
              if (place > 0) expect(found[place - 1]?.score).toBeGreaterThanOrEqual(score)
              // Of two that are as near either may stand there.
              if (Math.abs(score - (wanted[place]?.score ?? 0)) < 1e-4) same += 1
            })
            all += wanted.length
          }
          expect(same / all).toBeGreaterThan(0.99)
        }
      ),
      { numRuns: runs(12) }
    )
  })

  it("finds all that there are, and nothing in a graph of removed nodes", async () => {
    const vectors = stored(200, 5, 8)
    const some = await written(vectors)
    const slim = await SlimGraph.read(8, some.own, some.lookup)
    const found = slim?.search(unit(1, 8), 1000) ?? []
    expect(found.map(({ label }) => label).sort()).toEqual(vectors.map((_, slot) => 1000 + slot))
    expect([slim?.has(999), slim?.has(1000), slim?.has(1199), slim?.has(1200)]).toEqual([
      false,
      true,
      true,
      false
    ])
    const gone = await written(vectors, new Set(vectors.keys()))
    expect((await SlimGraph.read(8, gone.own, gone.lookup))?.search(unit(1, 8), 10)).toEqual([])
  })

  it("scores those that a filter leaves without another copy of their vectors, also between two searches", async () => {
    const vectors = stored(6000, 9, 16)
    const graph = await written(vectors)
    const slim = await SlimGraph.read(16, graph.own, graph.lookup)
    const sketch = await slim?.sketch()
    const [query, other] = [unit(77, 16), unit(78, 16)]
    const top = new Top(20)
    const hidden = new Set([1003])
    for (const _ of sketch?.scan(top, query, undefined, hidden) ?? []) slim?.search(other, 3)
    const best = vectors
      .map((vector, slot) => ({ label: 1000 + slot, score: dot(query, vector, 0) }))
      .filter(({ label }) => !hidden.has(label))
      .sort((a, b) => b.score - a.score)
    const found = sketch?.sorted(top, query) ?? []
    expect(found.length).toBe(20)
    found.forEach(({ score }, place) => {
      expect(score).toBeCloseTo(best[place]?.score ?? 0, 4)
    })
  })
})

describe("a graph that has no slim form", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  it("is the library's: where a file was not packed", async () => {
    const graph = await written(stored(50, 1, 8))
    const own = { ...graph.own, file: whole }
    expect(await SlimGraph.read(8, own, graph.lookup)).toBeNull()
    const read = await readGraph(library, 8, own, graph.lookup)
    expect(read.search(unit(3, 8), 5)).toEqual((await ofLibrary(graph, 8))(unit(3, 8), 5))
    read.release()
  })

  it("is the library's: where WebAssembly was turned off", async () => {
    const graph = await written(stored(50, 1, 8))
    vi.resetModules()
    vi.stubGlobal("WebAssembly", undefined)
    const anew = await import("../../../adapters/vectors/hnsw-graph.js")
    const read = await anew.readGraph(library, 8, graph.own, graph.lookup)
    expect(read).not.toBeInstanceOf(SlimGraph)
    expect(read.search(unit(3, 8), 5)).toEqual((await ofLibrary(graph, 8))(unit(3, 8), 5))
    expect(read.has(1000)).toBe(true)
    const sketch = await read.sketch(graph.lookup)
    const top = new Top(5)
    for (const _ of sketch.scan(top, unit(3, 8), undefined, new Set())) break
    expect(sketch.sorted(top, unit(3, 8)).map(({ label }) => label)).toEqual(
      read.search(unit(3, 8), 5).map(({ label }) => label)
    )
    read.release()
  })
})
