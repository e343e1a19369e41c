import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { HierarchicalNSW } from "hnswlib-node"
import { exactVectorIndex } from "../adapters/vectors/vector-index.js"
import { VectorIndex } from "../core/search/vectors/index.js"
import { type Cost, compare, costOf, interleaved, type Pair } from "./measure.js"
import type { BenchContext, RunBench } from "./result.js"
import { mean } from "./statistics.js"
import { bareGraph, buildThread, type Index, key, type Library, limit, withIndex } from "./vector-index.js"
import {
  learnedKind,
  learnedVectors,
  type Material,
  offTheLoop,
  randomVectors,
  reportDelay
} from "./vector-material.js"

const queriesPerWindow = 40
const crossovers = [1000, 2000, 5000, 10_000]

export const vectorAnn: RunBench = async (context) => {
  const library = await import("hnswlib-node").then(
    (loaded) => loaded.default,
    () => null
  )
  if (library === null) return context.skip("hnswlib-node did not load")
  const learned = await learnedVectors(context)
  for (const material of learned === null ? [randomVectors(context)] : [learned, randomVectors(context)]) {
    await measure(context, library, material)
  }
}

const measure = async (context: BenchContext, library: Library, material: Material): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-bench-ann-"))
  try {
    await measureBuild(context, library, material, folder)
    await withIndex(join(folder, "searched"), buildThread, async (index) => {
      await index.build(material.vectors)
      const bare = await bareGraph(library, material.vectors)
      await measureRecall(context, material, index, bare)
      await measureQueries(context, material, index, bare)
      await measureChanges(context, material, index, bare)
    })
    await measureCrossover(context, library, material)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const measureBuild = async (
  context: BenchContext,
  library: Library,
  { kind, vectors }: Material,
  folder: string
): Promise<void> => {
  const pairs: Array<Pair<Cost>> = []
  const delays: Array<Pair<Awaited<ReturnType<typeof offTheLoop<unknown>>>>> = []
  for (let round = 0; round < (context.size === "full" ? 1 : 2); round += 1) {
    const ours = await withIndex(join(folder, `built-${round}`), buildThread, (index) =>
      offTheLoop(async () => {
        await index.build(vectors)
        return true
      })
    )
    const floor = await offTheLoop(() => bareGraph(library, vectors))
    floor.result.initIndex(1)
    pairs.push({ ours, floor })
    delays.push({ ours, floor })
  }
  const peer = "bare hnswlib-node, same links and breadths"
  const row = { unit: "ms/vector", peer, target: "<= 1.15" }
  context.report({
    ...row,
    metric: `${kind}: build, CPU`,
    ...compare(pairs, (cost) => cost.cpuMs / vectors.length)
  })
  const [last] = delays
  if (last !== undefined)
    reportDelay(context, `${kind}: build in a thread`, last.ours, last.floor, "the same on the main loop")
  const inPlace = await withIndex(join(folder, "in-place"), null, (index) =>
    offTheLoop(async () => {
      await index.build(vectors.slice(0, 5000))
      return true
    })
  )
  reportDelay(context, `${kind}: build in place, in slices`, inPlace)
}

const productOf = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/** Equal passages, of which real vaults have many, are as good as each other. */
const tie = 1e-6

const measureRecall = async (
  { report }: BenchContext,
  { kind, queries, vectors }: Material,
  index: Index,
  bare: HierarchicalNSW
): Promise<void> => {
  const found: Record<number, Array<readonly [ours: number, floor: number]>> = { 10: [], [limit]: [] }
  for (const query of queries.slice(0, 100)) {
    const scores = vectors.map((vector) => productOf(query, vector))
    const sorted = Float64Array.from(scores).sort().reverse()
    const ours = (await index.search(query)).map(({ label }) => label)
    const floor = bare.searchKnn(Array.from(query), Math.min(limit, vectors.length)).neighbors
    for (const count of [10, limit]) {
      const wanted = Math.min(count, vectors.length)
      const bar = (sorted[wanted - 1] ?? 0) - tie
      const share = (labels: ReadonlyArray<number>) =>
        labels.slice(0, wanted).filter((label) => (scores[label - 1] ?? -1) >= bar).length / wanted
      found[count]?.push([share(ours), share(floor)])
    }
  }
  for (const count of [10, limit]) {
    const shares = found[count] ?? []
    const ours = mean(shares.map(([share]) => share))
    const bareShare = mean(shares.map(([, share]) => share)).toFixed(4)
    report({
      metric: `${kind}: recall@${count}`,
      ours,
      floor: 1,
      n: shares.length,
      unit: "",
      peer: `exact scan (bare hnswlib-node: ${bareShare})`,
      // Vectors drawn at random have no neighbourhoods; they are here for the worst case.
      ...(count === 10 && kind === learnedKind ? { target: ">= 0.98" } : {})
    })
  }
}

const window = (place: number, queries: ReadonlyArray<Float32Array>) =>
  Array.from({ length: queriesPerWindow }, (_, i) => queries[(place * queriesPerWindow + i) % queries.length])

const measureQueries = async (
  { report, size }: BenchContext,
  { kind, queries, vectors }: Material,
  index: Index,
  bare: HierarchicalNSW
): Promise<void> => {
  const ready = queries.map((query) => Array.from(query))
  const pairs = await interleaved(
    size === "small" ? 2 : 20,
    (place) =>
      costOf(async () => {
        for (const query of window(place, queries)) if (query !== undefined) await index.search(query)
      }),
    (place) =>
      costOf(() => {
        for (let i = 0; i < queriesPerWindow; i += 1) {
          const query = ready[(place * queriesPerWindow + i) % ready.length]
          if (query !== undefined) bare.searchKnn(query, Math.min(limit, vectors.length))
        }
      })
  )
  const row = { unit: "ms", peer: "bare hnswlib-node, same links and breadths" }
  report({
    ...row,
    metric: `${kind}: query, CPU`,
    target: "<= 1.15",
    ...compare(pairs, (cost) => cost.cpuMs / queriesPerWindow)
  })
}

/** Removes some vectors and puts them back: ours notes it beside the graph, the library changes the graph. */
const measureChanges = async (
  { report, size }: BenchContext,
  { kind, vectors }: Material,
  index: Index,
  bare: HierarchicalNSW
): Promise<void> => {
  const perRound = Math.min(200, Math.floor(vectors.length / 20))
  let slot = vectors.length + 1
  const pairs = await interleaved(
    size === "small" ? 2 : 15,
    (round) =>
      costOf(async () => {
        const labels = Array.from(
          { length: perRound },
          (_, i) => 1 + ((round * perRound + i) % vectors.length)
        )
        await index.apply(labels.map((label) => ({ seq: 0, label, vector: null })))
        await index.apply(labels.map((label) => ({ seq: 0, label, vector: vectors[label - 1] ?? null })))
      }),
    (round) =>
      costOf(() => {
        for (let i = 0; i < perRound; i += 1) {
          const label = 1 + ((round * perRound + i) % vectors.length)
          const vector = vectors[label - 1]
          if (vector === undefined || round * perRound + i >= vectors.length) continue
          bare.markDelete(label)
          bare.addPoint(Array.from(vector), slot)
          slot += 1
        }
      })
  )
  const row = { unit: "ms", peer: "bare hnswlib-node: markDelete, addPoint under a new label" }
  report({
    ...row,
    metric: `${kind}: delete and re-add, CPU`,
    ...compare(pairs, (cost) => cost.cpuMs / perRound)
  })
}

/** Measures the number of vectors from which a graph beats an exact search. */
const measureCrossover = async (
  { report, size }: BenchContext,
  library: Library,
  { kind, queries, vectors }: Material
): Promise<void> => {
  const ready = queries.map((query) => Array.from(query))
  for (const count of crossovers.filter((each) => each <= vectors.length)) {
    const some = vectors.slice(0, count)
    const graph = await bareGraph(library, some, count)
    const runtime = ManagedRuntime.make(exactVectorIndex)
    const port = await runtime.runPromise(VectorIndex)
    const changes = some.map((vector, place) => ({ seq: place + 1, label: place + 1, vector }))
    await runtime.runPromise(port.apply(key, { after: 0, changes, position: count }))
    const pairs = await interleaved(
      size === "small" ? 2 : 15,
      (place) =>
        costOf(async () => {
          for (const query of window(place, queries))
            if (query !== undefined) await runtime.runPromise(port.search(key, query, limit))
        }),
      (place) =>
        costOf(() => {
          for (let i = 0; i < queriesPerWindow; i += 1) {
            const query = ready[(place * queriesPerWindow + i) % ready.length]
            if (query !== undefined) graph.searchKnn(query, limit)
          }
        })
    )
    await runtime.dispose()
    report({
      metric: `${kind}: exact search of ${count.toLocaleString("en")}, CPU`,
      unit: "ms",
      peer: "bare hnswlib-node over as many",
      ...compare(pairs, (cost) => cost.cpuMs / queriesPerWindow)
    })
  }
}
