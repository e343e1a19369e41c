import * as Effect from "effect/Effect"

export type HnswLibrary = typeof import("hnswlib-node")

/** Returns the optional native library; null, with one log line, when it does not load. */
export const loadHnswLibrary: Effect.Effect<HnswLibrary | null> = Effect.catchAll(
  Effect.tryPromise(async (): Promise<HnswLibrary> => (await import("hnswlib-node")).default),
  ({ error }) =>
    Effect.as(
      Effect.logWarning(
        `hnswlib-node did not load, so vector search is exact and slows down as the workspace grows. ${firstLine(error)}`
      ),
      null
    )
)

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? ""
