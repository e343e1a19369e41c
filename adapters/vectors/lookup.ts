import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { VectorLookup } from "../../core/vectors/index.js"
import type { Lookup } from "./packed-graph.js"

/** Asks the store for vectors in the name of the fiber that makes this, and so within its unit of work. */
export const lookupOf = (vectors: VectorLookup): Effect.Effect<Lookup> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const run = Runtime.runPromise(runtime)
    return (labels) =>
      run(vectors(labels)).then((found) => new Map(found.map(({ label, vector }) => [label, vector])))
  })
