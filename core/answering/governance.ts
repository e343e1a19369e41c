import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ConceptStanding, DeclaredStanding } from "../conflicts/index.js"
import type { DocumentId, EntityId, WorkspaceScope } from "../kernel/index.js"
import type { ReadState } from "./evidence-source.js"

/** What governance says of what an answer rests on. */
export interface Governance {
  /** Those of the documents whose review is overdue. */
  readonly reviewDue: ReadonlySet<DocumentId>
  /** Those asked for, those that the titles name, and in whose favour any of them was retired. */
  readonly entities: ReadonlyArray<ConceptStanding & { readonly name: string }>
  /** What the documents say of themselves; absent where nobody looked. */
  readonly documents?: ReadonlyMap<DocumentId, DeclaredStanding>
  /** Some documents of the workspace are verified or certified. */
  readonly workspaceVerifies: boolean
  /** Some entities of the workspace are more than machine-extracted. */
  readonly workspaceCurates: boolean
}

/** The documents that say of themselves that they are out of use. */
export const retiredOf = ({ documents }: Governance): ReadonlySet<DocumentId> =>
  new Set([...(documents ?? [])].flatMap(([id, { isRetired }]) => (isRetired ? [id] : [])))

/** Nothing is known: as of a workspace that governs nothing. */
export const noGovernance: Governance = {
  reviewDue: new Set(),
  entities: [],
  workspaceVerifies: false,
  workspaceCurates: false
}

/** Tells how documents and entities stand; wired where the engine is put together, by default nothing is known. */
export class GovernanceSource extends Context.Reference<GovernanceSource>()("kanon/GovernanceSource", {
  defaultValue: () => ({
    of: (
      _workspace: WorkspaceScope,
      _subjects: {
        readonly documents: ReadonlyArray<DocumentId>
        /** Titles of documents that may be about an entity. */
        readonly titles: ReadonlyArray<string>
        readonly entities: ReadonlyArray<EntityId>
        /** In which they were found; absent where it is to be asked. */
        readonly seen?: ReadState
      }
    ): Effect.Effect<Governance> => Effect.succeed(noGovernance)
  })
}) {}
