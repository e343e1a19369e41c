import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DocumentId, WorkspaceScope } from "../kernel/index.js"
import type { VectorIndexKey } from "./store.js"

/** A vector's row as it lies in the store. */
export interface VectorRow {
  readonly label: number
  readonly documentId: DocumentId
  readonly textHash: string
  readonly seq: number
  /** Null when the bytes are not those of a vector of the model's length. */
  readonly vector: Float32Array | null
}

/** What no search is shown of the vectors: for those who look for damage. */
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
    /**
     * Ends the feed of a model where its last vector is, and gives another place to vectors that stand at none that
     * there can be, in the caller's unit of work; gives how many things were wrong. With `dryRun` it only counts.
     */
    readonly feedAgain: (
      workspace: WorkspaceScope,
      model: string,
      options: { readonly dryRun: boolean }
    ) => Effect.Effect<number>
    /** How many artefacts and vectors belong to no model. */
    readonly strayVectors: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Removes them, in the caller's unit of work. */
    readonly removeStrayVectors: (workspace: WorkspaceScope) => Effect.Effect<void>
  }
>() {}

/** What a vector index keeps beside the store, judged by itself. */
export class VectorIndexInspection extends Context.Tag("kanon/VectorIndexInspection")<
  VectorIndexInspection,
  {
    /**
     * Why what is kept on disk for this key cannot be trusted; null when it can, or nothing is there. `head` tells where
     * the feed of its vectors ends by now.
     */
    readonly damage: (key: VectorIndexKey, head: Effect.Effect<number>) => Effect.Effect<string | null>
    /** Why searches look at every vector whatever their number; null when they need not. */
    readonly exactOnly: Effect.Effect<string | null>
  }
>() {}
