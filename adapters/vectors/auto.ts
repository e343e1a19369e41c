import * as Layer from "effect/Layer"
import { VectorIndex } from "../../core/retrieval/index.js"
import type { VectorIndexOptions } from "./hnsw.js"
import { loadHnswLibrary } from "./hnsw-library.js"
import { makeVectorIndex } from "./index-of-keys.js"

/**
 * From more vectors than this a graph is kept. Measured on built-in vectors of real texts, 256 numbers, 100
 * neighbours, one core (exact; graph and its recall): 1,000 vectors 0.28 and 0.18 ms (0.999), 5,000 1.25 and
 * 0.30 (0.987), 13,000 4.9 and 0.23 (0.994), plus 0.2 to 0.6 ms a vector to build it. The graph is quicker from
 * some hundreds on, but nobody feels a millisecond; what counts is that up to here, where the built-in vectors
 * equal those of a fresh build, the answers do too.
 */
const crossover = 5000

/** Exact up to the crossover, a graph above it, which is built while exact search answers. */
export const autoVectorIndex = (
  { folder }: VectorIndexOptions,
  graphFrom: number = crossover + 1
): Layer.Layer<VectorIndex> =>
  Layer.scoped(
    VectorIndex,
    makeVectorIndex({ graphFrom, background: true, folder, library: loadHnswLibrary })
  )
