import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { DocumentStore } from "../../files/documents/index.js"
import { EntityStore, entitiesAt } from "../../knowledge/entities/index.js"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { documentsAsOf } from "../../search/retrieval/index.js"
import type { Governance } from "./governance.js"

/**
 * Opens a workspace as it stood at an earlier moment: its documents, their standing and its entities. Names are found as
 * they are written today, and the graph leads to passages of today that were there then.
 */
export const workspaceAsOf = Effect.fnUntraced(function* (workspace: WorkspaceScope, asOf: string) {
  const { services, ...past } = yield* documentsAsOf(workspace, asOf)
  const entities = entitiesAt(yield* EntityStore, past.at)
  return { ...past, services: Context.add(services, EntityStore, entities) }
})

/** Returns since when the versions of documents are, or were, the current ones. */
export const validSince = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  { versions }: Pick<Governance, "versions">
) {
  const store = yield* DocumentStore
  const since = new Map<string, string>()
  for (const [id, version] of versions) {
    const { items } = yield* store.versions(workspace, id, { limit: 1, offset: 0 })
    const current = items.find((one) => one.version === version)
    if (current !== undefined) since.set(id, current.createdAt)
  }
  return since
})
