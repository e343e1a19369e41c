import * as Effect from "effect/Effect"
import { DocumentStore } from "../../files/documents/index.js"
import { Caller, type EntityId, traced } from "../../platform/kernel/index.js"
import { type EntityRecord, EntityStore, type SourceRef } from "../entities/index.js"
import { GraphStore } from "./store.js"

/** Maximum number of source references of an entity. */
const sourceRefsMax = 20

/** Returns at most twenty passages that mention an entity or an entity merged into it, each passage once. */
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

/** Returns the ids under which mentions of a head are stored: its own and those merged into it. */
export const namesOf = (head: EntityId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EntityStore, yield* Caller]
    return (yield* store.members(workspace, [head]))
      .filter(({ deletedAt }) => deletedAt === null)
      .map(({ id }) => id)
  })
