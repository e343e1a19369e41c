import * as Effect from "effect/Effect"
import { DocumentStore } from "../../files/documents/index.js"
import { Caller } from "../../platform/kernel/index.js"
import { EntityStore } from "../entities/index.js"
import { GraphStore } from "../graph/index.js"

/** The current indexing lag of the graph: whether it has applied every change of documents and entities. */
export const indexingLag = Effect.gen(function* () {
  const [documents, inspection, entities, extraction, readingStore, unresolved, { workspace }] = [
    yield* DocumentStore,
    (yield* DocumentStore).inspection,
    yield* EntityStore,
    (yield* GraphStore).extraction,
    (yield* GraphStore).records,
    (yield* GraphStore).unresolved,
    yield* Caller
  ]
  const { documentCursor, entityCursor, relink } = yield* extraction.state(workspace)
  if (documentCursor > (yield* inspection.feedEnd(workspace))) return "ahead" as const
  if (entityCursor > (yield* entities.position(workspace))) return "ahead" as const
  const owes =
    relink ||
    (yield* documents.changesSince(workspace, documentCursor, 1)).length > 0 ||
    (yield* entities.changesSince(workspace, entityCursor, 1)).length > 0 ||
    (yield* unresolved.list(workspace, 1)).length > 0 ||
    (yield* readingStore.unfollowed(workspace, 1)).length > 0 ||
    (yield* readingStore.staleCount(workspace)) > 0
  return owes ? ("behind" as const) : ("none" as const)
})
