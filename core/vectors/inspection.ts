import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DocumentId, WorkspaceScope } from "../kernel/index.js"
import type { VectorIndexKey } from "./store.js"

/** The stored row of a vector. */
export interface VectorRow {
  readonly label: number
  readonly documentId: DocumentId
  readonly textHash: string
  readonly seq: number
  /** Null when the bytes are not those of a vector of the model's length. */
  readonly vector: Float32Array | null
}

/** Queries of vectors that only inspection and rebuild need. */
export class VectorInspection extends Context.Tag("kanon/VectorInspection")<
  VectorInspection,
  {
    /** Vectors of a model that were not removed, by label, after `after`. */
    readonly vectorsAfter: (
      workspace: WorkspaceScope,
      model: string,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<VectorRow>>
    /** Number of artefacts and vectors that belong to no model. */
    readonly orphanCount: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Removes them, in the caller's transaction. */
    readonly removeOrphans: (workspace: WorkspaceScope) => Effect.Effect<void>
  }
>() {}

/** Verifies what a vector index keeps outside of the database. */
export class VectorIndexInspection extends Context.Tag("kanon/VectorIndexInspection")<
  VectorIndexInspection,
  {
    /**
     * Why the files of this index are damaged; null when they are sound or do not exist. `head` is the present end of
     * the feed of vectors.
     */
    readonly damage: (key: VectorIndexKey, head: Effect.Effect<number>) => Effect.Effect<string | null>
    /** Why every search compares all vectors; null when an index can be used. */
    readonly exactOnly: Effect.Effect<string | null>
  }
>() {}
