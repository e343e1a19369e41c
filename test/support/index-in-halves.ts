import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { hnswVectorIndex } from "../../adapters/vectors/vector-index.js"
import { VectorIndex } from "../../core/search/vectors/index.js"
import { feedOf, keyOf, vectorOf } from "../contract/vector-feed.js"

const half = 400
const key = keyOf("d")

const vectors = (from: number) =>
  Array.from({ length: half }, (_, i) => ({ seq: 0, label: from + i, vector: vectorOf(from + i) }))

/**
 * Keeps an index in a folder: one of some vectors, and then of twice as many, made of the first. Gives what searches find
 * after each of the two, and what was said.
 */
export const indexInHalves = async (folder: string) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => void said.push(String(message)))
  const found = await Effect.runPromise(
    Effect.gen(function* () {
      const index = yield* VectorIndex
      const { add, build, catchUp } = feedOf(key)
      const results: Array<ReadonlyArray<number>> = []
      for (const from of [1, half + 1]) {
        yield* add(vectors(from), false)
        yield* catchUp
        yield* build
        yield* catchUp
        const hits = yield* index.search(key, vectorOf(half), 10)
        results.push(hits.map(({ label }) => label))
      }
      return results
    }).pipe(
      Effect.provide(hnswVectorIndex({ folder })),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.scoped
    )
  )
  return { found, said }
}
