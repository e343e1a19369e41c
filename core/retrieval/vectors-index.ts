import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { breathe } from "./lsa-corpus.js"
import { VectorIndex, type VectorIndexKey, type VectorModel, VectorStore } from "./store.js"

export const indexKey = (
  workspace: WorkspaceScope,
  { dimensions, id }: Pick<VectorModel, "dimensions" | "id">
): VectorIndexKey => ({ workspace, model: id, dimensions })

/** Vectors read from the store at a time: about a megabyte. */
const pageSize = 1000

/** How often a catch-up begins anew when the ground moves under it; then the search takes what is there. */
const roundsMax = 3

/**
 * Brings the index to the end of the model's feed, whoever wrote it; at once when it stands there. An index that
 * stands where the feed no longer tells removals, or beyond its end, is rebuilt.
 */
export const catchUpIndex = (key: VectorIndexKey): Effect.Effect<void, never, VectorStore | VectorIndex> =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    const index = yield* VectorIndex
    for (let round = 0; round < roundsMax; round += 1) {
      const { floor, head } = yield* store.feed(key.workspace, key.model)
      const start = yield* index.position(key)
      if (start === head) return
      const trusted = start === 0 || (start >= floor && start < head)
      if (!trusted) yield* index.drop(key)
      yield* follow(key, trusted ? start : 0, head)
      // Removals that were cut from the feed while it was read may have been missed.
      const after = yield* store.feed(key.workspace, key.model)
      if (after.floor !== floor) yield* index.drop(key)
      else if ((yield* index.position(key)) >= head) return
    }
  })

const follow = (key: VectorIndexKey, from: number, head: number) =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    const index = yield* VectorIndex
    let after = from
    while (after < head) {
      const changes = yield* store.since(key.workspace, key.model, after, pageSize)
      const last = changes[changes.length - 1]?.seq ?? after
      const position = changes.length < pageSize ? Math.max(head, last) : last
      yield* index.apply(key, { after, changes, position })
      const now = yield* index.position(key)
      // Somebody else moved it: forward is as good as ours, backward begins anew.
      if (now < position) return
      after = now
      yield* breathe
    }
  })
