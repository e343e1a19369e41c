import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ServiceLayer, serviceLayer } from "../../core/kernel/index.js"
import { VectorIndex } from "../../core/vectors/index.js"
import { makeVectorIndex } from "./index-of-keys.js"

/** Every search looks at every vector: always right, about 0.1 ms per thousand vectors of 256 numbers. Nothing on disk. */
export const exactVectorIndex: ServiceLayer<VectorIndex, never, Scope.Scope> = serviceLayer(
  VectorIndex,
  makeVectorIndex({
    exactNumbersMax: Number.POSITIVE_INFINITY,
    folder: null,
    library: Effect.succeed(null),
    worker: null
  })
)
