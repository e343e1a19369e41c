import * as Effect from "effect/Effect"
import { VectorStore } from "../../core/search/vectors/index.js"
import { depth } from "../quality.js"
import type { BenchWorkspace } from "../workspace.js"

/** Links, breadth of building and of searching: those of ours. */
const [links, buildBreadth, searchBreadth] = [16, 200, 300]

/**
 * The library itself over the workspace's own vectors, without anything of ours around it. Gives a search for the
 * neighbours of the vector at a place, or what is missing.
 */
export const bareHnsw = async ({
  run,
  scope
}: BenchWorkspace): Promise<((place: number) => unknown) | string> => {
  const library = await import("hnswlib-node").then(
    (loaded) => loaded.default,
    () => null
  )
  if (library === null) return "hnswlib-node did not load"
  const vectors = await run(
    Effect.gen(function* () {
      const store = yield* VectorStore
      const model = (yield* store.models(scope)).find(({ state }) => state === "active")
      if (model === undefined) return []
      const changes = yield* store.since(scope, model.id, 0, Number.MAX_SAFE_INTEGER)
      return changes.flatMap(({ vector }) => (vector === null ? [] : [Array.from(vector)]))
    })
  )
  const [first] = vectors
  if (first === undefined) return "too few passages for vectors"
  const graph = new library.HierarchicalNSW("ip", first.length)
  graph.initIndex(vectors.length, links, buildBreadth)
  vectors.forEach((vector, place) => {
    graph.addPoint(vector, place)
  })
  graph.setEf(searchBreadth)
  return (place) => graph.searchKnn(vectors[place % vectors.length] ?? first, Math.min(depth, vectors.length))
}
