import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  type ContradictionId,
  NotFound,
  NotOpen,
  type PageRequest,
  traced
} from "../../platform/kernel/index.js"
import {
  type Contradiction,
  type ContradictionStatus,
  documentOfSide,
  type StoredContradiction
} from "./model.js"
import { ContradictionStore } from "./store.js"

/** Returns contradictions, oldest first. */
export const listContradictions = traced("contradictions.list")(function* (
  status: ContradictionStatus | undefined,
  page: PageRequest
) {
  const [store, { workspace }] = [yield* ContradictionStore, yield* Caller]
  const { items, total } = yield* store.list(workspace, status, page)
  return { items: items.map(shown), total, ...page }
})

const shown = ({ pairKey: _, ...contradiction }: StoredContradiction): Contradiction => contradiction

/** Ends an open contradiction with the reason that a person gives. NotOpen for one that has ended. */
export const settleContradiction = traced("contradictions.settle")(function* (
  id: ContradictionId,
  status: "both_true" | "settled",
  reason: string
) {
  const [store, { actor, workspace }] = [yield* ContradictionStore, yield* Caller]
  return yield* atomically(
    Effect.gen(function* () {
      const before = Option.getOrNull(yield* store.find(workspace, id))
      if (before === null) return yield* new NotFound({ what: "contradiction" })
      if (before.status !== "open")
        return yield* new NotOpen({ status: before.status.replace("_", " "), what: "contradiction" })
      const after = { ...before, status, reason, settledBy: actor }
      yield* store.save(workspace, [after])
      const documents = before.sides.flatMap((side) => documentOfSide(side) ?? [])
      yield* record([
        { action: "contradiction.settle", subjectId: id, details: { status, reason, documents } }
      ])
      return shown(after)
    })
  )
})
