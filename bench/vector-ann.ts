import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { HierarchicalNSW } from "hnswlib-node"
import { autoVectorIndex } from "../adapters/vectors/auto.js"
import { exactVectorIndex } from "../adapters/vectors/exact.js"
import { workerLsaFitter } from "../adapters/vectors/fit-worker.js"
import { scopeOf, WorkspaceId } from "../core/kernel/index.js"
import {
  LsaFitter,
  type VectorChange,
  type VectorFeedReader,
  VectorIndex,
  type VectorIndexKey
} from "../core/vectors/index.js"
import { lsaFolder, sampleMax } from "../core/vectors/lsa.js"
import { decodeLsa } from "../core/vectors/lsa-artefact.js"
import { termCounts } from "../core/vectors/lsa-terms.js"
import { bundled } from "./bundle.js"
import { type Cost, compare, costOf, interleaved, type Pair } from "./measure.js"
import { passageTexts } from "./passages.js"
import { randomFrom, shuffled } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { mean } from "./statistics.js"

const counts: Readonly<Record<Size, number>> = { small: 300, default: 10_000, full: 100_000 }
const dimensions = 256
const learnedKind = "LSA vectors"
/** Neighbours asked for: what a search asks of the vectors. */
const limit = 100
const queriesPerWindow = 40
const [links, buildBreadth, searchBreadth] = [16, 200, 300]
const crossovers = [1000, 2000, 5000, 10_000]

const threads = await bundled("threads", [
  "adapters/vectors/build-worker-main.ts",
  "adapters/vectors/fit-worker-main.ts"
])
const buildThread = new URL("build-worker-main.js", threads)
const fitThread = new URL("fit-worker-main.js", threads)

const key: VectorIndexKey = {
  workspace: scopeOf(WorkspaceId.parse(`ws_01${"a".repeat(24)}`)),
  model: "bench",
  dimensions
}

/** Vectors of a kind, and others of that kind to ask with. */
interface Material {
  readonly kind: string
  readonly vectors: ReadonlyArray<Float32Array>
  readonly queries: ReadonlyArray<Float32Array>
}

export const vectorAnn: RunBench = async (context) => {
  const library = await import("hnswlib-node").then(
    (loaded) => loaded.default,
    () => null
  )
  if (library === null) return context.skip("hnswlib-node did not load")
  const learned = await learnedVectors(context)
  for (const material of learned === null ? [random(context)] : [learned, random(context)]) {
    await measure(context, library, material)
  }
}

type Library = typeof import("hnswlib-node")

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

/** Passages of a real vault, beyond its size written out again in other words, with the built-in vectors. */
const learnedVectors = async (context: BenchContext): Promise<Material | null> => {
  const { seed, size } = context
  const queriesWanted = 200
  const texts = passageTexts(counts[size] + queriesWanted, seed)
  if (texts === null) {
    context.skip("the collection eips is not there: random vectors alone")
    return null
  }
  const sample = shuffled(texts, seed).slice(0, sampleMax)
  const fitted = await offTheLoop(() =>
    Effect.runPromise(
      Effect.flatMap(LsaFitter, (fitter) => fitter.fit(sample)).pipe(
        Effect.provide(workerLsaFitter(fitThread))
      )
    )
  )
  const lsa = fitted.result === null ? null : decodeLsa(fitted.result)
  if (lsa === null || lsa.dimensions !== dimensions) {
    context.skip("too few passages for vectors of 256 numbers: random vectors alone")
    return null
  }
  const row = { floor: null, ratio: null, iqr: null, peer: "" }
  const about = `${sample.length.toLocaleString("en")} of ${texts.length.toLocaleString("en")} passages`
  context.report({ ...row, metric: `LSA fit, ${about}, CPU`, ours: fitted.cpuMs / 1000, n: 1, unit: "s" })
  reportDelay(context, "LSA fit in a thread", fitted)
  const fold = lsaFolder(lsa)
  const made: Array<Float32Array> = []
  const folded = await costOf(() => {
    for (const text of texts) {
      const { vector } = fold(termCounts(text))
      if (vector !== null) made.push(vector)
    }
  })
  context.report({
    ...row,
    metric: "LSA fold-in, CPU",
    ours: folded.cpuMs / texts.length,
    n: texts.length,
    unit: "ms/passage"
  })
  const mixed = shuffled(made, seed)
  return {
    kind: learnedKind,
    vectors: mixed.slice(0, counts[size]),
    queries: mixed.slice(counts[size], counts[size] + queriesWanted)
  }
}

/** The worst case for a graph, since nothing lies near anything: half as many do to show it. */
const random = ({ seed, size }: BenchContext): Material => {
  const draw = randomFrom(seed)
  const vector = () => {
    const raw = Float64Array.from({ length: dimensions }, () => draw() + draw() + draw() - 1.5)
    const length = Math.hypot(...raw)
    return Float32Array.from(raw, (value) => value / length)
  }
  return {
    kind: "random vectors",
    vectors: Array.from({ length: counts[size] / 2 }, vector),
    queries: Array.from({ length: 200 }, vector)
  }
}

/** Runs work and watches how long the main loop is held meanwhile. */
const offTheLoop = async <A>(work: () => Promise<A>) => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let result: A | undefined
  const cost = await costOf(async () => {
    result = await work()
  })
  // A loop that was held all the time shows it only at its next turn.
  await new Promise((resolve) => setTimeout(resolve, 20))
  delay.disable()
  if (result === undefined) throw new Error("The work gave nothing.")
  return { ...cost, result, maxMs: delay.max / 1e6, p99Ms: delay.percentile(99) / 1e6 }
}

const reportDelay = (
  { report }: BenchContext,
  metric: string,
  ours: { readonly maxMs: number; readonly p99Ms: number },
  floor: { readonly maxMs: number; readonly p99Ms: number } | null = null,
  peer = ""
): void => {
  const row = { ratio: null, n: 1, unit: "ms", peer, iqr: null }
  report({ ...row, metric: `${metric}: event-loop delay p99`, ours: ours.p99Ms, floor: floor?.p99Ms ?? null })
  report({ ...row, metric: `${metric}: event-loop delay max`, ours: ours.maxMs, floor: floor?.maxMs ?? null })
}

/** An index that is fed from arrays. */
const withIndex = async <A>(
  folder: string,
  worker: URL | null,
  use: (index: Awaited<ReturnType<typeof openIndex>>) => Promise<A>
): Promise<A> => {
  const index = await openIndex(folder, worker)
  try {
    return await use(index)
  } finally {
    await index.close()
  }
}

const openIndex = async (folder: string, worker: URL | null) => {
  const runtime = ManagedRuntime.make(autoVectorIndex({ folder, worker, crossover: 100 }))
  const port = await runtime.runPromise(VectorIndex)
  let head = 0
  const apply = async (changes: ReadonlyArray<VectorChange>) => {
    const after = head
    head += changes.length
    await runtime.runPromise(port.apply(key, { after, changes, position: head }))
  }
  return {
    apply,
    build: async (vectors: ReadonlyArray<Float32Array>) => {
      head = vectors.length
      await runtime.runPromise(
        Effect.zipRight(port.build(key, readerOf(vectors)), port.position(key, readerOf(vectors)))
      )
    },
    search: (query: Float32Array) => runtime.runPromise(port.search(key, query, limit)),
    close: () => runtime.dispose()
  }
}

const pageSize = 500

const readerOf = (vectors: ReadonlyArray<Float32Array>): VectorFeedReader => {
  const feed = { floor: 0, head: vectors.length }
  return {
    ...feed,
    now: Effect.succeed(feed),
    count: (after) => Effect.succeed(vectors.length - after),
    vectors: (labels) =>
      Effect.sync(() =>
        labels.flatMap((label) => {
          const vector = vectors[label - 1]
          return vector === undefined ? [] : [{ label, vector }]
        })
      ),
    page: (after) =>
      Effect.sync(() => {
        const changes = vectors
          .slice(after, after + pageSize)
          .map((vector, place) => ({ seq: after + place + 1, label: after + place + 1, vector }))
        return { after, changes, position: Math.min(vectors.length, after + pageSize) }
      })
  }
}

const bareGraph = async (
  library: Library,
  vectors: ReadonlyArray<Float32Array>,
  capacity = vectors.length * 1.5 + 5000
): Promise<HierarchicalNSW> => {
  const graph = new library.HierarchicalNSW("ip", dimensions)
  graph.initIndex(Math.ceil(capacity), links, buildBreadth)
  for (const [place, vector] of vectors.entries()) graph.addPoint(Array.from(vector), place + 1)
  graph.setEf(searchBreadth)
  return graph
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

type Index = Awaited<ReturnType<typeof openIndex>>

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
      ratio: ours,
      n: shares.length,
      unit: "",
      peer: `exact scan (bare hnswlib-node: ${bareShare})`,
      iqr: null,
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

/** Where looking at every vector stops being as good as a graph. */
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
