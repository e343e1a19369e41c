import type * as Scope from "effect/Scope"
import { type ServiceLayer, serviceLayer } from "../../core/kernel/index.js"
import { VectorIndex } from "../../core/vectors/index.js"
import { buildWorkerFile } from "./build-worker.js"
import { loadHnswLibrary } from "./hnsw-library.js"
import { makeVectorIndex } from "./index-of-keys.js"

export interface VectorIndexOptions {
  /** Where graphs are kept between runs; null keeps them as long as this process. */
  readonly folder: string | null
  /** Vectors of 256 numbers that are searched exactly; those beyond get a graph. */
  readonly crossover?: number
  /** The thread that builds graphs; null builds in place, a slice of time after the other. */
  readonly worker?: URL | null
}

/**
 * Where it comes from: `npm run bench -- vector-ann`, and docs/decisions/0019. A graph is quicker from some hundreds of
 * vectors on, but up to here exact search costs one or two milliseconds, finds everything and owes no build.
 */
const exactVectorsMax = 5000

/** Exact up to the crossover; above it a graph, built beside the searches, and exact search of what it lacks. */
export const autoVectorIndex = ({
  crossover = exactVectorsMax,
  folder,
  worker = buildWorkerFile
}: VectorIndexOptions): ServiceLayer<VectorIndex, never, Scope.Scope> =>
  serviceLayer(
    VectorIndex,
    makeVectorIndex({ exactNumbersMax: crossover * 256, folder, library: loadHnswLibrary, worker })
  )
