import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { breathe } from "./lsa-corpus.js"
import { type VectorBatch, VectorIndex, type VectorIndexKey, type VectorModel, VectorStore } from "./store.js"

export const indexKey = (
  workspace: WorkspaceScope,
  { dimensions, id }: Pick<VectorModel, "dimensions" | "id">
): VectorIndexKey => ({ workspace, model: id, dimensions })

/** Vectors read from the store at a time: a quarter of a megabyte, a millisecond or two of the database. */
const pageSize = 500

/** How often a catch-up begins anew when the ground moves under it; then the search takes what is there. */
const roundsMax = 3

/**
 * Brings the index to the end of the model's feed, whoever wrote it; at once when it stands there. Meant for who
 * searches: it takes over what others have built and reads what is newer.
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

/** Has the index built that searches at this size need, where too much has changed since it was built last. */
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
        Effect.zipLeft(Effect.provideService(pageAfter(key, after, feed.head), VectorStore, store), breathe)
    })
  })

/** The next stretch of the feed; one that is not full ends it. */
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
      // Somebody else moved it, or it is full: forward is as good as ours, backward begins anew.
      if (now < batch.position) return
      after = now
      yield* breathe
    }
  })
