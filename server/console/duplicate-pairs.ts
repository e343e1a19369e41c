import * as Effect from "effect/Effect"
import { operations } from "../../core/operations.js"
import { Caller, millisOf, now, type WorkspaceId } from "../../core/platform/kernel/index.js"
import { pairId } from "../../core/upkeep/overview/index.js"
import type { WaitingItem } from "./inbox-model.js"

/** Pairs are compared over all names of a workspace, so badges that poll share what was found. */
const keptMs = 5 * 60_000
const minScore = 0.8
const pairsMax = 100
const workspacesMax = 1000

const read = Effect.gen(function* () {
  const at = yield* now
  const { items } = yield* operations.listDuplicates.run({ minScore, limit: pairsMax, offset: 0 })
  return items.map(
    ({ duplicate, head, score }): WaitingItem => ({
      kind: "duplicate",
      id: pairId(head.id, duplicate.id),
      title: `${head.name} – ${duplicate.name}`,
      mine: false,
      at,
      data: {
        headId: head.id,
        headName: head.name,
        duplicateId: duplicate.id,
        duplicateName: duplicate.name,
        score
      }
    })
  )
})

/** Likely duplicates of the caller's workspace, read anew every few minutes. */
export interface DuplicatePairs {
  readonly items: typeof read
}

export const duplicatePairs = (): DuplicatePairs => {
  const kept = new Map<WorkspaceId, { readonly at: number; readonly items: ReadonlyArray<WaitingItem> }>()
  return {
    items: Effect.gen(function* () {
      const { workspace } = yield* Caller
      const at = millisOf(yield* now)
      const known = kept.get(workspace)
      if (known !== undefined && at - known.at < keptMs) return [...known.items]
      const items = yield* read
      if (kept.size >= workspacesMax) kept.clear()
      kept.set(workspace, { at, items })
      return items
    })
  }
}
