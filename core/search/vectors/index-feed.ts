import * as Effect from "effect/Effect"
import { nextTurn, type WorkspaceScope } from "../../platform/kernel/index.js"
import { type VectorBatch, VectorIndex, type VectorIndexKey, type VectorModel, VectorStore } from "./store.js"

export const indexKey = (
  workspace: WorkspaceScope,
  { dimensions, id }: Pick<VectorModel, "dimensions" | "id">
): VectorIndexKey => ({ workspace, model: id, dimensions })

/** Vectors read from the store at a time: a quarter of a megabyte, one or two milliseconds of the database. */
const pageSize = 500

/** Number of attempts when the feed changes during a catch-up; after them the search uses what is there. */
const roundsMax = 3

/**
 * Applies the model's feed to the index up to its end; returns at once when nothing is new. Searches call it: it loads
 * what other processes have built and reads newer changes.
 */
export const catchUpIndex = (key: VectorIndexKey): Effect.Effect<void, never, VectorStore | VectorIndex> =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    const index = yield* VectorIndex
    for (let round = 0; round < roundsMax; round += 1) {
      const feed = yield* store.feed(key.workspace, key.model)
      const start = yield* index.position(key, feed)
      if (start === feed.head) return
      yield* follow(key, start, feed.head)
      // Removals that were cut from the feed while it was read may have been missed.
      const after = yield* store.feed(key.workspace, key.model)
      if (after.floor !== feed.floor) yield* index.forget(key)
      else if ((yield* index.position(key, after)) >= feed.head) return
    }
  })

/** Builds the index that searches at this size need, if enough has changed since the last build. */
export const buildIndex = (key: VectorIndexKey): Effect.Effect<void, never, VectorStore | VectorIndex> =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    const index = yield* VectorIndex
    const feed = yield* store.feed(key.workspace, key.model)
    yield* index.build(key, {
      ...feed,
      now: store.feed(key.workspace, key.model),
      count: (after) => store.count(key.workspace, key.model, after),
      page: (after) =>
        Effect.zipLeft(Effect.provideService(pageAfter(key, after, feed.head), VectorStore, store), nextTurn)
    })
  })

/** Reads the next batch of the feed; a batch that is not full is the last one. */
const pageAfter = (
  key: VectorIndexKey,
  after: number,
  head: number
): Effect.Effect<VectorBatch, never, VectorStore> =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    const changes = yield* store.since(key.workspace, key.model, after, pageSize)
    const last = changes[changes.length - 1]?.seq ?? after
    return { after, changes, position: changes.length < pageSize ? Math.max(head, last) : last }
  })

const follow = (key: VectorIndexKey, from: number, head: number) =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    const index = yield* VectorIndex
    let after = from
    while (after < head) {
      const batch = yield* pageAfter(key, after, head)
      yield* index.apply(key, batch)
      const feed = yield* store.feed(key.workspace, key.model)
      const now = yield* index.position(key, feed)
      // Another fiber moved the index, or it is full: a position ahead is fine, one behind needs another round.
      if (now < batch.position) return
      after = now
      yield* nextTurn
    }
  })
