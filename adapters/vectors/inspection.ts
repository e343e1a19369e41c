import * as Effect from "effect/Effect"
import type { VectorIndexInspection } from "../../core/search/vectors/index.js"
import { SearchGraph } from "./graph.js"
import { readManifest, verifyIndex } from "./hnsw-files.js"
import { type HnswLibrary, loadHnswLibrary } from "./hnsw-library.js"
import { measureRecall } from "./recall.js"

/** Links, label and bookkeeping of a vector in a graph, measured with 256 numbers (docs/scale.md). */
const graphBytesPerVector = 176

/**
 * Compares the files of vector indexes with their manifests; a folder of null holds none.
 *
 * @param load The native library; null where it does not load.
 * @param available Bytes of memory that this process may still use.
 */
export const vectorIndexInspection = (
  folder: string | null,
  load: Effect.Effect<HnswLibrary | null> = loadHnswLibrary,
  available: () => number = () => process.availableMemory()
): VectorIndexInspection => ({
  damage: (key, head) =>
    folder === null
      ? Effect.succeed(null)
      : Effect.tryPromise(async () => {
          const manifest = await readManifest(folder, key)
          if (manifest === null) return null
          return verifyIndex(folder, key, manifest).catch(async (error: unknown) => {
            // A build that ended meanwhile takes the files of the one before away.
            const newer = await readManifest(folder, key)
            if (newer === null || newer.generation === manifest.generation) throw error
            return verifyIndex(folder, key, newer)
          })
        }).pipe(
          Effect.matchEffect({
            onFailure: ({ error }) =>
              Effect.succeed(`the index of vectors on disk is damaged: ${wordsOf(error)}`),
            onSuccess: (saved) =>
              saved === null
                ? Effect.succeed(null)
                : Effect.map(head, (last) => (saved.manifest.position > last ? later : null))
          })
        ),
  recall: (key) =>
    Effect.gen(function* () {
      const library = yield* load
      if (folder === null || library === null) return null
      return yield* Effect.promise(async () => {
        const manifest = await readManifest(folder, key)
        // The graph is read once more beside the one that searches use.
        if (manifest === null || 2 * bytesOf(key.dimensions, manifest.slots) > available()) return null
        const saved = await verifyIndex(folder, key, manifest)
        const graph = await SearchGraph.read(library, key.dimensions, saved)
        return measureRecall(graph).finally(() => graph.release())
      })
    }).pipe(Effect.catchAllDefect(() => Effect.succeed(null))),
  memory: (dimensions, vectors) =>
    Effect.sync(() => ({ needed: bytesOf(dimensions, vectors), available: available() })),
  exactOnly: Effect.map(load, (library) =>
    library === null
      ? "hnswlib-node does not load, so vector search is exact and slows down as the workspace grows"
      : null
  )
})

const bytesOf = (dimensions: number, vectors: number): number =>
  vectors * (dimensions * Float32Array.BYTES_PER_ELEMENT + graphBytesPerVector)

const later = "the index of vectors on disk was built from a later state of the database than this one"

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? ""
