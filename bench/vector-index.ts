import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { HierarchicalNSW } from "hnswlib-node"
import { autoVectorIndex } from "../adapters/vectors/vector-index.js"
import { scopeOf, WorkspaceId } from "../core/platform/kernel/index.js"
import {
  type VectorChange,
  type VectorFeedReader,
  VectorIndex,
  type VectorIndexKey
} from "../core/search/vectors/index.js"
import { bundled } from "./bundle.js"

export const dimensions = 256
/** Neighbours asked for: what a search asks of the vectors. */
export const limit = 100
const [links, buildBreadth, searchBreadth] = [16, 200, 300]

const threads = await bundled("threads", [
  "adapters/vectors/build-worker-main.ts",
  "adapters/vectors/fit-worker-main.ts"
])
export const buildThread = new URL("build-worker-main.js", threads)
export const fitThread = new URL("fit-worker-main.js", threads)

export const key: VectorIndexKey = {
  workspace: scopeOf(WorkspaceId.parse(`ws_01${"a".repeat(24)}`)),
  model: "bench",
  dimensions
}

export type Library = typeof import("hnswlib-node")
export type Index = Awaited<ReturnType<typeof openIndex>>

/** An index that is fed from arrays. */
export const withIndex = async <A>(
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
    page: (after) =>
      Effect.sync(() => {
        const changes = vectors
          .slice(after, after + pageSize)
          .map((vector, place) => ({ seq: after + place + 1, label: after + place + 1, vector }))
        return { after, changes, position: Math.min(vectors.length, after + pageSize) }
      })
  }
}

/** The library alone, with the same links and breadths. */
export const bareGraph = async (
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
