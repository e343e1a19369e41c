import { rm } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import type {
  ScoredLabel,
  VectorBatch,
  VectorChange,
  VectorFeed,
  VectorFeedReader,
  VectorIndex,
  VectorIndexKey,
  VectorLookup,
  VectorSource
} from "../../core/vectors/index.js"
import { giveMemoryBack } from "../host/spare-memory.js"
import { temporaryFolder } from "../host/temporary-folder.js"
import { buildInThread } from "./build-worker.js"
import { checkVector } from "./flat.js"
import { type BuildSession, type BuildStart, buildInPlace, type PackedChanges } from "./graph-build.js"
import { readManifest, removeIndex, verifyIndex, writeIndex } from "./hnsw-files.js"
import { readGraph } from "./hnsw-graph.js"
import type { HnswLibrary } from "./hnsw-library.js"
import { type BaseGraph, KeyIndex } from "./key-index.js"
import { lookupOf } from "./lookup.js"
import { type Lookup, NoRoom, type Packed, withUnpacked } from "./packed-graph.js"

export interface IndexSettings {
  /**
   * A graph is made for more numbers than this (vectors times dimensions), and made anew when as many have changed
   * since: what no graph has is searched exactly.
   */
  readonly exactNumbersMax: number
  /** Where graphs are kept between runs; null keeps them as long as this process. */
  readonly folder: string | null
  readonly library: Effect.Effect<HnswLibrary | null>
  /** The thread that builds; null builds in place, a slice of time after the other. */
  readonly worker: URL | null
}

/** Indexes held in memory; the least recently used one goes first and is read or fed again when needed. */
const keysMax = 32

/** How often it is looked whether somebody else has made a newer graph. */
const lookEveryMs = 500

/** Numbers held for exact search while there is no graph: 100 MB. More are taken in when the graph is there. */
const heldNumbersMax = 25_600_000

/** Dead nodes that a graph may carry beside as many as it has live ones. */
const deadSlack = 1000

/** An index in memory, and what is known of that on disk. */
interface Held {
  readonly index: KeyIndex
  lookedAt: number
  /** The floor of the feed when it was followed from its beginning; null when it was not. */
  begunAt: number | null
  /** The generation that was found damaged. */
  refused: string | null
  /** Whether some graph is being read. */
  reading: boolean
  /** A graph that was read in the background, to be stood on by the next search. */
  arrived: BaseGraph | null
  damaged: boolean
}

/** One index per key, opened on first use. */
export const makeVectorIndex = (
  settings: IndexSettings
): Effect.Effect<VectorIndex["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const own = yield* Effect.context<never>()
    /** Outside of the unit of work of whoever began it: that may end before. */
    const apart = <A>(effect: Effect.Effect<A>): Effect.Effect<A> => Effect.mapInputContext(effect, () => own)
    const library = yield* Effect.cached(settings.library)
    const folder =
      settings.folder === null ? yield* Effect.cached(folderOfScope(scope)) : Effect.succeed(settings.folder)
    const threadRefused = { told: false }
    const open = new Map<string, Held>()
    const opening = yield* Effect.makeSemaphore(1)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const { index } of open.values()) index.stand(null)
      })
    )

    const hold = (name: string, held: Held) => {
      open.delete(name)
      open.set(name, held)
      const [oldest] = open.keys()
      if (open.size > keysMax && oldest !== undefined) {
        open.get(oldest)?.index.stand(null)
        open.delete(oldest)
      }
      return held
    }

    /** Reads the graph on disk when it is another than the one in use. */
    const look = (key: VectorIndexKey, held: Held, feed: VectorSource) =>
      Effect.gen(function* () {
        const loaded = yield* library
        if (loaded === null) return
        const root = yield* folder
        held.reading = true
        held.lookedAt = performance.now()
        const current = held.index.base?.generation ?? null
        const lookup = yield* lookupOf(feed.vectors)
        const arrived = yield* Effect.tryPromise(() =>
          load(root, key, loaded, feed, lookup, [current, held.refused])
        ).pipe(
          Effect.catchAll(({ error }) =>
            Effect.gen(function* () {
              if (error instanceof NoRoom) {
                yield* Effect.logWarning(
                  `The vector index cannot be read: there is no room. ${error.message}`
                )
                return null
              }
              held.refused = error instanceof Damaged ? error.generation : null
              held.damaged = true
              yield* Effect.logWarning(`The vector index on disk is built again. ${String(error)}`)
              yield* Effect.promise(() => removeIndex(root, key).catch(() => undefined))
              return null
            })
          )
        )
        held.arrived = arrived === null ? null : { ...arrived, vectors: feed.vectors }
        held.reading = false
        // All vectors have passed through on the way, piece by piece. No search waits for it.
        if (arrived !== null) void giveMemoryBack()
      })

    const takeOver = (held: Held) => {
      const { arrived, index } = held
      held.arrived = null
      if (arrived === null) return
      held.damaged = false
      held.begunAt = null
      index.stand(arrived)
    }

    const find = (key: VectorIndexKey) =>
      Effect.sync(() => {
        const name = nameOf(key)
        return hold(name, open.get(name) ?? { ...unread, index: new KeyIndex(key.dimensions) })
      })

    const position: VectorIndex["Type"]["position"] = (key, feed) =>
      Effect.gen(function* () {
        const held = yield* find(key)
        const { index } = held
        // The first search waits for what is on disk; later ones go on with what they have.
        if (held.lookedAt === 0)
          yield* opening.withPermits(1)(
            Effect.suspend(() => (held.lookedAt === 0 ? look(key, held, feed) : Effect.void))
          )
        takeOver(held)
        // What was fed from the feed's beginning lacks nothing as long as no more removals were cut.
        const isWhole = held.begunAt === feed.floor && index.position <= feed.head
        if (!(isWhole || supports(feed, index.position))) index.stand(null)
        if (index.position === 0) held.begunAt = feed.floor
        if (!held.reading && performance.now() - held.lookedAt > lookEveryMs) {
          held.lookedAt = performance.now()
          yield* Effect.forkIn(apart(look(key, held, feed)), scope)
        }
        return index.position
      })

    const startSession = (loaded: HnswLibrary, start: BuildStart) =>
      Effect.gen(function* () {
        const { worker } = settings
        const threaded = worker === null ? null : yield* Effect.promise(() => buildInThread(worker, start))
        if (threaded !== null) return threaded
        if (worker !== null && !threadRefused.told) {
          threadRefused.told = true
          yield* Effect.logWarning("No thread to build vector indexes in; they are built in place.")
        }
        return yield* Effect.promise(() => buildInPlace(loaded, start))
      })

    const limitOf = ({ dimensions }: VectorIndexKey) =>
      Math.max(1, Math.floor(settings.exactNumbersMax / dimensions))

    const build = (key: VectorIndexKey, feed: VectorFeedReader, loaded: HnswLibrary, root: string) =>
      Effect.gen(function* () {
        const manifest = yield* trusted(root, key, feed)
        const live = yield* feed.count(0)
        if (live <= limitOf(key)) {
          if (manifest !== null && live < limitOf(key) / 2)
            yield* Effect.promise(() => removeIndex(root, key).catch(() => undefined))
          return
        }
        const owed = manifest === null ? live : yield* feed.count(manifest.position)
        if (manifest !== null && owed <= Math.min(limitOf(key), manifest.count)) return
        const saved =
          manifest === null || manifest.slots + owed > 2 * live + deadSlack
            ? null
            : yield* Effect.promise(() => verifyIndex(root, key, manifest).catch(() => null))
        const capacity = Math.ceil((saved === null ? live : owed) * 1.1)
        const { dimensions } = key
        const begin = (from: Packed | null) => startSession(loaded, { dimensions, capacity, from })
        yield* Effect.acquireUseRelease(
          saved === null ? begin(null) : goOn(saved, feed.vectors, begin),
          (session) =>
            Effect.gen(function* () {
              const reached = yield* feedSession(session, key, feed, saved?.manifest.position ?? 0)
              const after = yield* feed.now
              // Removals were cut while we read: some may have been missed, and the next build begins anew.
              if (after.floor !== feed.floor) return
              yield* Effect.promise(() => writeIndex(root, key, reached, (file) => session.finish(file)))
            }),
          (session) => Effect.promise(() => session.end())
        )
      })

    return {
      position,
      apply: (key, batch) =>
        Effect.gen(function* () {
          const { index } = yield* find(key)
          yield* checkBatch(key, batch)
          const isFull = index.base === null && index.freshCount * key.dimensions >= heldNumbersMax
          if (isFull && (yield* library) !== null) return
          index.apply(batch)
        }),
      search: (key, vector, limit, allow) =>
        Effect.flatMap(find(key), ({ index }): Effect.Effect<ReadonlyArray<ScoredLabel>> => {
          checkVector(vector, key.dimensions)
          return limit < 1 ? Effect.succeed([]) : index.search(vector, limit, allow)
        }),
      owes: (key) =>
        Effect.map(Effect.zip(find(key), library), ([{ damaged, index }, loaded]) => {
          if (loaded === null) return false
          const limit = limitOf(key)
          return index.base === null ? index.freshCount > limit : damaged || index.freshCount > 2 * limit
        }),
      build: (key, feed) =>
        Effect.gen(function* () {
          const loaded = yield* library
          if (loaded === null) return
          const root = yield* folder
          yield* Effect.catchAllDefect(build(key, feed, loaded, root), (defect) =>
            Effect.logWarning(`The vector index could not be built; searches go without. ${String(defect)}`)
          )
          const held = open.get(nameOf(key))
          // Who searches here goes on with the new graph; who only builds holds nothing.
          if (held !== undefined && !held.reading) yield* look(key, held, feed)
        }),
      forget: (key) =>
        Effect.sync(() => {
          open.get(nameOf(key))?.index.stand(null)
          open.delete(nameOf(key))
        }),
      drop: (key) =>
        Effect.gen(function* () {
          open.get(nameOf(key))?.index.stand(null)
          open.delete(nameOf(key))
          const root = yield* folder
          yield* Effect.ignore(Effect.tryPromise(() => removeIndex(root, key)))
        })
    }
  })

const unread = { lookedAt: 0, begunAt: null, refused: null, reading: false, arrived: null, damaged: false }

const nameOf = ({ dimensions, model, workspace }: VectorIndexKey): string =>
  JSON.stringify([workspace, model, dimensions])

const checkBatch = ({ dimensions }: VectorIndexKey, { changes }: VectorBatch) =>
  Effect.sync(() => {
    for (const { vector } of changes) if (vector !== null) checkVector(vector, dimensions)
  })

/** Removals below the floor are no longer told; what lies beyond the head is of another life of the feed. */
const supports = ({ floor, head }: VectorFeed, position: number): boolean =>
  position >= floor && position <= head

/** What is on disk does not agree with itself. */
class Damaged extends Error {
  constructor(
    readonly generation: string | null,
    cause: unknown
  ) {
    super(cause instanceof Error ? cause.message : String(cause))
  }
}

/** The verified graph on disk, in memory; null when there is none or it is one of those that are known. */
const load = async (
  root: string,
  key: VectorIndexKey,
  library: HnswLibrary,
  feed: VectorFeed,
  lookup: Lookup,
  known: ReadonlyArray<string | null>
) => {
  for (let tries = 1; ; tries += 1) {
    const manifest = await readManifest(root, key).catch((cause: unknown) => {
      throw new Damaged(null, cause)
    })
    if (manifest === null || known.includes(manifest.generation)) return null
    const { generation, position } = manifest
    if (!supports(feed, position)) return null
    try {
      const saved = await verifyIndex(root, key, manifest)
      return { graph: await readGraph(library, key.dimensions, saved, lookup), generation, position }
    } catch (cause) {
      if (cause instanceof NoRoom) throw cause
      // Its files go when another build is complete: then there is a newer manifest, and that counts.
      const newer = await readManifest(root, key).catch(() => null)
      if (newer?.generation === generation || tries === 3) throw new Damaged(generation, cause)
    }
  }
}

/**
 * The manifest on disk when the feed supports it. What stands in its place otherwise goes: it would be in the way. So
 * does one that is ahead of the feed, as where an older copy of the database was put back: the feed, which hands out
 * those places anew, would seem to support it once it had passed them.
 */
const trusted = (root: string, key: VectorIndexKey, feed: VectorFeedReader) =>
  Effect.gen(function* () {
    const remove = Effect.promise(() => removeIndex(root, key).catch(() => undefined))
    const manifest = yield* Effect.promise(() =>
      readManifest(root, key).catch((): "unreadable" => "unreadable")
    )
    if (manifest === null) return null
    if (manifest === "unreadable") return yield* Effect.as(remove, null)
    if (supports(feed, manifest.position)) return manifest
    // Another process may have built it since the feed was read.
    if (manifest.position > (yield* feed.now).head) yield* remove
    return null
  })

/** Begins a build with a graph that was saved, whose file is needed in the library's form until it has begun. */
const goOn = (
  saved: Packed,
  vectors: VectorLookup,
  begin: (from: Packed) => Effect.Effect<BuildSession>
): Effect.Effect<BuildSession> =>
  Effect.gen(function* () {
    const lookup = yield* lookupOf(vectors)
    const run = Runtime.runPromise(yield* Effect.runtime<never>())
    return yield* Effect.promise(() =>
      withUnpacked(saved, lookup, (file) => run(begin({ file, labels: saved.labels })))
    )
  })

/** Hands the feed over page by page; gives the position that is reached. */
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
      yield* Effect.promise(() => session.change(pack(changes, dimensions)))
      after = position
    }
    return after
  })

const pack = (changes: ReadonlyArray<VectorChange>, dimensions: number): PackedChanges => {
  const kept = changes.flatMap(({ label, vector }) => (vector === null ? [] : [{ label, vector }]))
  const cells = new Float32Array(kept.length * dimensions)
  for (const [place, { vector }] of kept.entries()) {
    checkVector(vector, dimensions)
    cells.set(vector, place * dimensions)
  }
  return {
    labels: Int32Array.from(kept, ({ label }) => label),
    cells,
    removed: Int32Array.from(changes.flatMap(({ label, vector }) => (vector === null ? [label] : [])))
  }
}

/** A folder of this process, which goes with it. */
const folderOfScope = (scope: Scope.Scope) =>
  Effect.acquireRelease(
    Effect.sync(() => temporaryFolder("vectors")),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  ).pipe(Effect.provideService(Scope.Scope, scope))
