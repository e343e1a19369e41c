import * as Effect from "effect/Effect"
import { DocumentStore } from "../documents/index.js"
import { type EntityRecord, EntityStore, type SourceRef } from "../entities/index.js"
import { Caller, type EntityId, traced } from "../kernel/index.js"
import { GraphStore } from "./store.js"

/** Most source references that an entity shows. */
const sourceRefsMax = 20

/** Passages that mention an entity, or what was merged into it; one for each passage, at most twenty. */
export const sourceRefsOf = traced("graph.sourceRefs")(function* ({
  id,
  mergedIds
}: Pick<EntityRecord, "id" | "mergedIds">) {
  const [graph, documents, { workspace }] = [yield* GraphStore, yield* DocumentStore, yield* Caller]
  const { items } = yield* graph.mentions(
    workspace,
    { entityIds: mergedIds.length === 0 ? [id] : yield* namesOf(id) },
    { limit: sourceRefsMax * 5, offset: 0 }
  )
  const runs = new Map([...items].reverse().map(({ label, runId }) => [label, runId]))
  const labels = [...new Set(items.map(({ label }) => label))].slice(0, sourceRefsMax)
  const passages = new Map((yield* documents.passages(workspace, labels)).map((one) => [one.label, one]))
  return labels.flatMap((label): ReadonlyArray<SourceRef> => {
    const passage = passages.get(label)
    return passage === undefined
      ? []
      : [{ docId: passage.documentId, chunkId: passage.id, runId: runs.get(label) ?? null }]
  })
})

/** The ids under which mentions of a head are kept: its own, and those of what was merged into it. */
export const namesOf = (head: EntityId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EntityStore, yield* Caller]
    return (yield* store.members(workspace, [head]))
      .filter(({ deletedAt }) => deletedAt === null)
      .map(({ id }) => id)
  })
