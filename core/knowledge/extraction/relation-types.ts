import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import type { Facts } from "../document-facts/index.js"
import { relationTypes } from "../prose/index.js"

/** Returns the types of relations that sentences of the workspace's documents are read for. */
export const relationTypesOf = (workspace: WorkspaceScope) =>
  Effect.map(
    Effect.flatMap(WorkspaceStore, (store) => store.get(workspace)),
    ({ settings }) => settings.policy.relationTypes ?? relationTypes
  )

/** Returns facts without the relations of other types. */
export const ofTypes = (facts: Facts, types: ReadonlyArray<string>): Facts =>
  facts.prose === undefined
    ? facts
    : {
        ...facts,
        prose: {
          ...facts.prose,
          relations: facts.prose.relations.filter(({ type }) => types.includes(type))
        }
      }
