import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type {
  ContradictionId,
  DocumentId,
  Page,
  PageRequest,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { ContradictionStatus, StoredContradiction } from "./model.js"

/**
 * An adapter of a database implements it to keep contradictions between documents with their states, and how far
 * documents were compared.
 */
export class ContradictionStore extends Context.Tag("kanon/ContradictionStore")<
  ContradictionStore,
  {
    /** Returns the feed position of documents up to which they were compared; 0 before the first time. */
    readonly position: (workspace: WorkspaceScope) => Effect.Effect<number>
    readonly setPosition: (workspace: WorkspaceScope, position: number) => Effect.Effect<void>
    readonly find: (
      workspace: WorkspaceScope,
      id: ContradictionId
    ) => Effect.Effect<Option<StoredContradiction>>
    /** Returns contradictions, oldest first. */
    readonly list: (
      workspace: WorkspaceScope,
      status: ContradictionStatus | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<StoredContradiction>>
    /** Returns those with a side in one of these documents. */
    readonly ofDocuments: (
      workspace: WorkspaceScope,
      documents: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<StoredContradiction>>
    /** Returns those with one of these pair keys. */
    readonly byKeys: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredContradiction>>
    /** Adds contradictions, or replaces those with the same pair key. */
    readonly save: (
      workspace: WorkspaceScope,
      contradictions: ReadonlyArray<StoredContradiction>
    ) => Effect.Effect<void>
  }
>() {}
