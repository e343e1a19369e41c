import * as Layer from "effect/Layer"
import { VectorIndex } from "../../core/retrieval/index.js"
import { loadHnswLibrary } from "./hnsw-library.js"
import { makeVectorIndex } from "./index-of-keys.js"

export interface VectorIndexOptions {
  /** Where graphs are kept between runs; null keeps them in memory alone. */
  readonly folder: string | null
}

/**
 * A graph from the first vector on, and no change is done before the graph has it. Where hnswlib-node does not
 * load, searches are exact.
 */
export const hnswVectorIndex = ({ folder }: VectorIndexOptions): Layer.Layer<VectorIndex> =>
  Layer.scoped(
    VectorIndex,
    makeVectorIndex({ graphFrom: 1, background: false, folder, library: loadHnswLibrary })
  )
