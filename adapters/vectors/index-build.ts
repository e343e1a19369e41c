import * as Effect from "effect/Effect"
import type {
  VectorChange,
  VectorFeed,
  VectorFeedReader,
  VectorIndexKey
} from "../../core/search/vectors/index.js"
import { checkVector } from "./flat-vectors.js"
import type { BuildSession, BuildStart, PackedChanges } from "./graph-build.js"
import { readManifest, removeIndex, verifyIndex, writeIndex } from "./hnsw-files.js"

/** Dead slots that a graph may carry, in addition to as many as it has used ones. */
const deadSlack = 1000

export interface BuildOptions {
  readonly root: string
  /** Vectors that are searched exactly; a graph is built for more, and again when as many have changed since. */
  readonly exactMax: number
  readonly start: (start: BuildStart) => Effect.Effect<BuildSession>
}

/** Builds or extends the graph of a key on disk when too much has changed since it was built; else does nothing. */
export const buildGraph = (
  key: VectorIndexKey,
  feed: VectorFeedReader,
  { exactMax, root, start }: BuildOptions
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const manifest = yield* supportedManifest(root, key, feed)
    const live = yield* feed.count(0)
    if (live <= exactMax) {
      if (manifest !== null && live < exactMax / 2) yield* removeFiles(root, key)
      return
    }
    const pending = manifest === null ? live : yield* feed.count(manifest.position)
    if (manifest !== null && pending <= Math.min(exactMax, manifest.count)) return
    const from =
      manifest === null ||
      manifest.slots + pending > 2 * Math.min(live, manifest.usedSlots + pending) + deadSlack
        ? null
        : yield* Effect.promise(() => verifyIndex(root, key, manifest).catch(() => null))
    const capacity = Math.ceil((from === null ? live : pending) * 1.1)
    yield* Effect.acquireUseRelease(
      start({ dimensions: key.dimensions, capacity, from }),
      (session) =>
        Effect.gen(function* () {
          const reached = yield* feedSession(session, key, feed, from?.manifest.position ?? 0)
          const after = yield* feed.now
          // Removals were cut from the feed while it was read, and some may have been missed: the next build starts over.
          if (after.floor !== feed.floor) return
          yield* Effect.promise(() => writeIndex(root, key, reached, (file) => session.finish(file)))
        }),
      (session) => Effect.promise(() => session.end())
    )
  })

/** Whether a feed still lists everything after a position. */
export const isSupported = ({ floor, head }: VectorFeed, position: number): boolean =>
  position >= floor && position <= head

export const removeFiles = (root: string, key: VectorIndexKey): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => removeIndex(root, key)))

/**
 * Returns the manifest on disk when the feed supports it, and removes files that no build could replace: unreadable ones
 * and those ahead of the feed. The latter happens when an older copy of the database was restored: the feed gives out
 * the same numbers again and would seem to support them once it has passed them.
 */
const supportedManifest = (root: string, key: VectorIndexKey, feed: VectorFeedReader) =>
  Effect.gen(function* () {
    const manifest = yield* Effect.promise(() =>
      readManifest(root, key).catch((): "unreadable" => "unreadable")
    )
    if (manifest === null) return null
    if (manifest === "unreadable") return yield* Effect.as(removeFiles(root, key), null)
    if (isSupported(feed, manifest.position)) return manifest
    // Another process may have built it since the feed was read.
    if (manifest.position > (yield* feed.now).head) yield* removeFiles(root, key)
    return null
  })

/** Passes the feed to a build page by page; returns the position that is reached. */
const feedSession = (
  session: BuildSession,
  { dimensions }: VectorIndexKey,
  { head, page }: VectorFeedReader,
  from: number
) =>
  Effect.gen(function* () {
    let after = from
    while (after < head) {
      const { changes, position } = yield* page(after)
      yield* Effect.promise(() => session.change(packChanges(changes, dimensions)))
      after = position
    }
    return after
  })

const packChanges = (changes: ReadonlyArray<VectorChange>, dimensions: number): PackedChanges => {
  const puts = changes.flatMap(({ label, vector }) => (vector === null ? [] : [{ label, vector }]))
  const cells = new Float32Array(puts.length * dimensions)
  for (const [place, { vector }] of puts.entries()) {
    checkVector(vector, dimensions)
    cells.set(vector, place * dimensions)
  }
  return {
    labels: Int32Array.from(puts, ({ label }) => label),
    cells,
    removed: Int32Array.from(changes.flatMap(({ label, vector }) => (vector === null ? [label] : [])))
  }
}
