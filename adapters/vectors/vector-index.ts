import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type ServiceLayer, serviceLayer } from "../../core/platform/kernel/index.js"
import { VectorIndex } from "../../core/search/vectors/index.js"
import { buildWorkerFile } from "./build-worker.js"
import { loadHnswLibrary } from "./hnsw-library.js"
import { makeVectorIndex } from "./index-registry.js"
import { vectorIndexInspection } from "./inspection.js"

export interface VectorIndexOptions {
  /** Folder in which graphs are kept between runs; null keeps them only while this process runs. */
  readonly folder: string | null
  /** Vectors of 256 numbers that are searched exactly; more of them get a graph. */
  readonly crossover?: number
  /** The thread that builds graphs; null builds in place, in slices of time. */
  readonly worker?: URL | null
}

/**
 * A graph is faster from some hundreds of vectors on, but up to here exact search takes one or two milliseconds, finds
 * everything and needs no build (docs/decisions/0014-vector-index.md).
 */
const exactVectorsMax = 5000

/** Exact search up to the crossover; above it HNSW, with exact search of the vectors that the graph does not hold yet. */
export const autoVectorIndex = ({
  crossover = exactVectorsMax,
  folder,
  worker = buildWorkerFile
}: VectorIndexOptions): ServiceLayer<VectorIndex, never, Scope.Scope> =>
  serviceLayer(
    VectorIndex,
    Effect.map(
      makeVectorIndex({ exactNumbersMax: crossover * 256, folder, library: loadHnswLibrary, worker }),
      (index) => ({ ...index, inspection: vectorIndexInspection(folder) })
    )
  )

/** HNSW for any number of vectors, built in place: for tests and measurements of graphs on little data. */
export const hnswVectorIndex = ({ folder }: Pick<VectorIndexOptions, "folder">): Layer.Layer<VectorIndex> =>
  autoVectorIndex({ folder, crossover: 0, worker: null })

/** Exact search for any number of vectors, about 0.3 ms per thousand vectors of 256 numbers. Writes no files. */
export const exactVectorIndex: ServiceLayer<VectorIndex, never, Scope.Scope> = serviceLayer(
  VectorIndex,
  makeVectorIndex({
    exactNumbersMax: Number.POSITIVE_INFINITY,
    folder: null,
    library: Effect.succeed(null),
    worker: null
  })
)
