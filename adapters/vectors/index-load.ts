import type { VectorFeed, VectorIndexKey } from "../../core/search/vectors/index.js"
import { SearchGraph } from "./graph.js"
import { readManifest, verifyIndex } from "./hnsw-files.js"
import type { HnswLibrary } from "./hnsw-library.js"
import { isSupported } from "./index-build.js"
import type { BaseGraph } from "./key-index.js"

/** The files of an index do not match their manifest, or cannot be read. */
export class DamagedIndex extends Error {
  constructor(
    /** The generation of the files; null when the manifest itself is damaged. */
    readonly generation: string | null,
    cause: unknown
  ) {
    super(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Attempts when another process replaces the files while they are read. */
const triesMax = 3

/**
 * Loads the verified graph on disk; null when there is none, when the feed does not support it, or when its generation
 * is one of the known ones. Fails with `DamagedIndex`.
 */
export const loadGraph = async (
  root: string,
  key: VectorIndexKey,
  library: HnswLibrary,
  feed: VectorFeed,
  known: ReadonlyArray<string | null>
): Promise<BaseGraph | null> => {
  for (let tries = 1; ; tries += 1) {
    const manifest = await readManifest(root, key).catch((cause: unknown) => {
      throw new DamagedIndex(null, cause)
    })
    if (manifest === null || known.includes(manifest.generation)) return null
    const { generation, position } = manifest
    if (!isSupported(feed, position)) return null
    try {
      const saved = await verifyIndex(root, key, manifest)
      return { graph: await SearchGraph.read(library, key.dimensions, saved), generation, position }
    } catch (cause) {
      // A build that completes removes the files of the one before; then there is a newer manifest.
      const newer = await readManifest(root, key).catch(() => null)
      if (newer?.generation === generation || tries === triesMax) throw new DamagedIndex(generation, cause)
    }
  }
}
