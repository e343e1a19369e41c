import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ScoredLabel, VectorBatch, VectorIndex, VectorIndexKey } from "../../core/retrieval/index.js"
import { checkVector } from "./flat.js"
import { readIndex, removeIndex, writeIndex } from "./hnsw-files.js"
import type { HnswLibrary } from "./hnsw-library.js"
import { KeyIndex } from "./key-index.js"

export interface IndexSettings {
  /** A graph is kept from so many vectors on; below half of it, it is let go. */
  readonly graphFrom: number
  /** Whether the graph may lag behind while exact search answers. */
  readonly background: boolean
  readonly folder: string | null
  readonly library: Effect.Effect<HnswLibrary | null>
}

/** Indexes held in memory; the least recently used one goes first and is read or fed again when needed. */
const keysMax = 32

/** One index per key, opened on first use. */
export const makeVectorIndex = (
  settings: IndexSettings
): Effect.Effect<VectorIndex["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const library = yield* Effect.cached(settings.library)
    const open = new Map<string, KeyIndex>()
    const opening = yield* Effect.makeSemaphore(1)

    const hold = (name: string, index: KeyIndex) => {
      open.delete(name)
      open.set(name, index)
      const [oldest] = open.keys()
      if (open.size > keysMax && oldest !== undefined) {
        open.get(oldest)?.close()
        open.delete(oldest)
      }
      return index
    }

    const find = (key: VectorIndexKey) =>
      Effect.suspend(() => {
        const name = nameOf(key)
        const held = open.get(name)
        if (held !== undefined) return Effect.succeed(hold(name, held))
        const fresh = Effect.suspend(() => {
          const other = open.get(name)
          return other === undefined
            ? Effect.map(openKey(settings, library, scope, key), (index) => hold(name, index))
            : Effect.succeed(other)
        })
        return opening.withPermits(1)(fresh)
      })

    return {
      position: (key) => Effect.map(find(key), (index) => index.position),
      apply: (key, batch) =>
        Effect.flatMap(find(key), (index) => Effect.zipRight(checkBatch(key, batch), index.apply(batch))),
      search: (key, vector, limit, allow) =>
        Effect.map(find(key), (index): ReadonlyArray<ScoredLabel> => {
          checkVector(vector, key.dimensions)
          return limit < 1 ? [] : index.search(vector, limit, allow)
        }),
      persist: (key) =>
        Effect.flatMap(find(key), (index) =>
          index.settled((saved) => {
            const { folder } = settings
            if (folder === null || saved === null || saved.position === index.savedPosition)
              return Effect.void
            return Effect.tryPromise(() => writeIndex(folder, key, saved)).pipe(
              Effect.tap(() => Effect.sync(() => index.noteSaved(saved.position))),
              Effect.catchAll(({ error }) =>
                Effect.logWarning(
                  `The vector index could not be kept on disk and will be built again: ${error}`
                )
              )
            )
          })
        ),
      drop: (key) =>
        Effect.suspend(() => {
          const name = nameOf(key)
          open.get(name)?.close()
          open.delete(name)
          const { folder } = settings
          return folder === null
            ? Effect.void
            : Effect.ignore(Effect.tryPromise(() => removeIndex(folder, key)))
        })
    }
  })

const nameOf = ({ dimensions, model, workspace }: VectorIndexKey): string =>
  JSON.stringify([workspace, model, dimensions])

const checkBatch = ({ dimensions }: VectorIndexKey, { changes }: VectorBatch) =>
  Effect.sync(() => {
    for (const { vector } of changes) if (vector !== null) checkVector(vector, dimensions)
  })

/** What the disk holds when it can be trusted, else an empty index. */
const openKey = (
  { background, folder, graphFrom }: IndexSettings,
  library: Effect.Effect<HnswLibrary | null>,
  scope: Scope.Scope,
  key: VectorIndexKey
) =>
  Effect.gen(function* () {
    const saved =
      folder === null
        ? null
        : yield* Effect.flatMap(library, (loaded) =>
            loaded === null
              ? Effect.succeed(null)
              : Effect.catchAll(
                  Effect.tryPromise(() => readIndex(folder, key, loaded)),
                  ({ error }) =>
                    Effect.as(
                      Effect.logWarning(`The vector index on disk is built again. ${String(error)}`),
                      null
                    )
                )
          )
    return yield* KeyIndex.make({ dimensions: key.dimensions, graphFrom, background, library, scope, saved })
  })
