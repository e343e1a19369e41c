import type * as Layer from "effect/Layer"
import type { VectorIndex } from "../../core/vectors/index.js"
import { autoVectorIndex, type VectorIndexOptions } from "./auto.js"

/** A graph however few vectors there are, built in place: for trying what graphs do where there are not many. */
export const hnswVectorIndex = ({ folder }: Pick<VectorIndexOptions, "folder">): Layer.Layer<VectorIndex> =>
  autoVectorIndex({ folder, crossover: 0, worker: null })
