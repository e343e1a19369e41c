import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { isClaimOf, sharedKey } from "../entities/index.js"
import { GraphStore } from "../graph/index.js"

/** Returns the documents that are about the entities with these claim keys, each once. */
export const documentsAbout = (workspace: WorkspaceScope, claimKeys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (claimKeys.length === 0) return []
    const store = (yield* GraphStore).claims
    const found = yield* Effect.forEach(claimKeys, (key) =>
      Effect.map(store.claimants(workspace, [sharedKey(key)]), (claimants) =>
        claimants.flatMap(({ documentId, role }) =>
          role === "self" && isClaimOf(key, documentId) ? [documentId] : []
        )
      )
    )
    return [...new Set(found.flat())]
  })
