import { rm } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type {
  ScoredLabel,
  VectorBatch,
  VectorFeed,
  VectorIndex,
  VectorIndexKey
} from "../../core/search/vectors/index.js"
import { temporaryFolder } from "../host/temporary-folder.js"
import { buildInThread } from "./build-worker.js"
import { checkVector } from "./flat-vectors.js"
import { type BuildStart, buildInPlace } from "./graph-build.js"
import type { HnswLibrary } from "./hnsw-library.js"
import { buildGraph, isSupported, removeFiles } from "./index-build.js"
import { DamagedIndex, loadGraph } from "./index-load.js"
import { type BaseGraph, KeyIndex } from "./key-index.js"

export interface IndexSettings {
  /**
   * A graph is built for more numbers than this (vectors times dimensions), and again when as many have changed since:
   * vectors that are in no graph are searched exactly.
   */
  readonly exactNumbersMax: number
  /** Folder in which graphs are kept between runs; null keeps them only while this process runs. */
  readonly folder: string | null
  readonly library: Effect.Effect<HnswLibrary | null>
  /** The thread that builds; null builds in place, in slices of time. */
  readonly worker: URL | null
}

/** Indexes in memory. The least recently used one is released first, and read or fed again when needed. */
const openMax = 32

/** How often the disk is checked for a newer graph. */
const reloadCheckMs = 500

/** Numbers held for exact search while there is no graph: 100 MB. More are added once there is a graph. */
const freshNumbersMax = 25_600_000

/** An index in memory, and the state of its files. */
interface OpenIndex {
  readonly index: KeyIndex
  checkedAt: number
  /** The floor of the feed when it was followed from its beginning; null when it was not. */
  startFloor: number | null
  /** The generation that was found damaged. */
  damagedGeneration: string | null
  isLoading: boolean
  /** A graph that was loaded in the background and becomes the base with the next search. */
  loaded: BaseGraph | null
  isDamaged: boolean
}

/** Makes a vector index: one index per key, opened on first use. */
export const makeVectorIndex = (
  settings: IndexSettings
): Effect.Effect<VectorIndex["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const ownContext = yield* Effect.context<never>()
    /** Without the unit of work of the caller, which may end before. */
    const detached = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.mapInputContext(effect, () => ownContext)
    const library = yield* Effect.cached(settings.library)
    const folder =
      settings.folder === null ? yield* Effect.cached(folderOfScope(scope)) : Effect.succeed(settings.folder)
    const warnNoThread = yield* Effect.once(
      Effect.logWarning(
        "The thread for vector indexes could not be started; they are built in the main thread."
      )
    )
    const open = new Map<string, OpenIndex>()
    const opening = yield* Effect.makeSemaphore(1)

    const close = (name: string) => {
      open.get(name)?.index.setBase(null)
      open.delete(name)
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => [...open.keys()].forEach(close)))

    const find = (key: VectorIndexKey) =>
      Effect.sync(() => {
        const name = nameOf(key)
        const entry = open.get(name) ?? { ...initialState, index: new KeyIndex(key.dimensions) }
        open.delete(name)
        open.set(name, entry)
        const [oldest] = open.keys()
        if (open.size > openMax && oldest !== undefined) close(oldest)
        return entry
      })

    /** Loads the graph on disk when it is another than the one in use. */
    const load = (key: VectorIndexKey, entry: OpenIndex, feed: VectorFeed) =>
      Effect.gen(function* () {
        const hnsw = yield* library
        if (hnsw === null) return
        const root = yield* folder
        entry.isLoading = true
        entry.checkedAt = performance.now()
        const known = [entry.index.base?.generation ?? null, entry.damagedGeneration]
        entry.loaded = yield* Effect.tryPromise(() => loadGraph(root, key, hnsw, feed, known)).pipe(
          Effect.catchAll(({ error }) =>
            Effect.gen(function* () {
              entry.damagedGeneration = error instanceof DamagedIndex ? error.generation : null
              entry.isDamaged = true
              yield* Effect.logWarning(`The vector index on disk is built again. ${String(error)}`)
              yield* removeFiles(root, key)
              return null
            })
          )
        )
        entry.isLoading = false
      })

    const useLoaded = (entry: OpenIndex) => {
      const { index, loaded } = entry
      entry.loaded = null
      if (loaded === null) return
      entry.isDamaged = false
      entry.startFloor = null
      index.setBase(loaded)
    }

    const position: VectorIndex["Type"]["position"] = (key, feed) =>
      Effect.gen(function* () {
        const entry = yield* find(key)
        const { index } = entry
        // The first search waits for the graph on disk; later ones continue with what is in memory.
        if (entry.checkedAt === 0)
          yield* opening.withPermits(1)(
            Effect.suspend(() => (entry.checkedAt === 0 ? load(key, entry, feed) : Effect.void))
          )
        useLoaded(entry)
        // An index that was fed from the start of the feed lacks nothing as long as no more removals were cut.
        const isWhole = entry.startFloor === feed.floor && index.position <= feed.head
        if (!(isWhole || isSupported(feed, index.position))) index.setBase(null)
        if (index.position === 0) entry.startFloor = feed.floor
        if (!entry.isLoading && performance.now() - entry.checkedAt > reloadCheckMs) {
          entry.checkedAt = performance.now()
          yield* Effect.forkIn(detached(load(key, entry, feed)), scope)
        }
        return index.position
      })

    const startSession = (hnsw: HnswLibrary) => (start: BuildStart) =>
      Effect.gen(function* () {
        const { worker } = settings
        const threaded = worker === null ? null : yield* Effect.promise(() => buildInThread(worker, start))
        if (threaded !== null) return threaded
        if (worker !== null) yield* warnNoThread
        return yield* Effect.promise(() => buildInPlace(hnsw, start))
      })

    const exactMaxOf = ({ dimensions }: VectorIndexKey) =>
      Math.max(1, Math.floor(settings.exactNumbersMax / dimensions))

    return {
      position,
      apply: (key, batch) =>
        Effect.gen(function* () {
          const { index } = yield* find(key)
          checkBatch(key, batch)
          const isFull = index.base === null && index.freshCount * key.dimensions >= freshNumbersMax
          if (isFull && (yield* library) !== null) return
          index.apply(batch)
        }),
      search: (key, vector, limit, allow) =>
        Effect.flatMap(find(key), ({ index }): Effect.Effect<ReadonlyArray<ScoredLabel>> => {
          checkVector(vector, key.dimensions)
          return limit < 1 ? Effect.succeed([]) : index.search(vector, limit, allow)
        }),
      isBuildDue: (key) =>
        Effect.map(Effect.zip(find(key), library), ([{ index, isDamaged }, hnsw]) => {
          if (hnsw === null) return false
          const exactMax = exactMaxOf(key)
          return index.base === null
            ? index.freshCount > exactMax
            : isDamaged || index.freshCount > 2 * exactMax
        }),
      build: (key, feed) =>
        Effect.gen(function* () {
          const hnsw = yield* library
          if (hnsw === null) return
          const root = yield* folder
          const options = { root, exactMax: exactMaxOf(key), start: startSession(hnsw) }
          yield* Effect.catchAllDefect(buildGraph(key, feed, options), (defect) =>
            Effect.logWarning(`The vector index could not be built; searches go without. ${String(defect)}`)
          )
          // A process that searches continues with the new graph; one that only builds holds none.
          const entry = open.get(nameOf(key))
          if (entry !== undefined && !entry.isLoading) yield* load(key, entry, feed)
        }),
      forget: (key) => Effect.sync(() => close(nameOf(key))),
      drop: (key) =>
        Effect.gen(function* () {
          close(nameOf(key))
          yield* removeFiles(yield* folder, key)
        })
    }
  })

const initialState = {
  checkedAt: 0,
  startFloor: null,
  damagedGeneration: null,
  isLoading: false,
  loaded: null,
  isDamaged: false
}

const nameOf = ({ dimensions, model, workspace }: VectorIndexKey): string =>
  JSON.stringify([workspace, model, dimensions])

const checkBatch = ({ dimensions }: VectorIndexKey, { changes }: VectorBatch): void => {
  for (const { vector } of changes) if (vector !== null) checkVector(vector, dimensions)
}

/** A temporary folder that is removed with the scope. */
const folderOfScope = (scope: Scope.Scope) =>
  Effect.acquireRelease(
    Effect.sync(() => temporaryFolder("vectors")),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  ).pipe(Effect.provideService(Scope.Scope, scope))
