import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DocumentId, WorkspaceScope } from "../kernel/index.js"

/** What is known of one immutable segment of the lexical index without reading it. */
export interface SegmentInfo {
  /** Rises with each segment made; never reused. */
  readonly id: number
  /** Chunks written into it. */
  readonly chunkCount: number
  /** Chunks of it that were removed since. */
  readonly deadCount: number
  /** Sum of the lengths (analysed tokens) of its live chunks. */
  readonly liveLength: number
  /** Rises with each removal, so that a cached set of dead chunks can be trusted. */
  readonly deadRevision: number
  readonly sizeBytes: number
}

/** A segment to store: encoded by core, opaque to the adapter. */
export interface NewSegment {
  readonly chunkCount: number
  readonly length: number
  /** Labels and lengths of its chunks. */
  readonly directory: Uint8Array
  /** Labels alone, ascending, so that the adapter can find the segment of a label. */
  readonly labels: ReadonlyArray<number>
  /** Posting blocks in term order; `firstTerm` (UTF-16 order) is the smallest term inside. */
  readonly blocks: ReadonlyArray<{ readonly firstTerm: string; readonly bytes: Uint8Array }>
}

/** Keeps the segments of the lexical index; all ranking is core's. */
export class PostingStore extends Context.Tag("kanon/PostingStore")<
  PostingStore,
  {
    /** Segments by id, as of the last commit. */
    readonly segments: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<SegmentInfo>>
    readonly directory: (workspace: WorkspaceScope, segment: number) => Effect.Effect<Uint8Array>
    /** First terms of the blocks of a segment, in order. */
    readonly blockTerms: (workspace: WorkspaceScope, segment: number) => Effect.Effect<ReadonlyArray<string>>
    readonly block: (workspace: WorkspaceScope, segment: number, firstTerm: string) => Effect.Effect<Uint8Array>
    /** Labels that were removed from a segment, ascending. */
    readonly dead: (workspace: WorkspaceScope, segment: number) => Effect.Effect<ReadonlyArray<number>>
    /** Adds a segment in the caller's unit of work; gives its id. */
    readonly add: (workspace: WorkspaceScope, segment: NewSegment) => Effect.Effect<number>
    /** Marks chunks as removed, wherever they are, with their lengths; labels not there are ignored. */
    readonly remove: (
      workspace: WorkspaceScope,
      chunks: ReadonlyArray<{ readonly label: number }>
    ) => Effect.Effect<void>
    /** Puts a merged segment (or none) in the place of others. False, and nothing done, when one of them changed. */
    readonly replace: (
      workspace: WorkspaceScope,
      merged: ReadonlyArray<Pick<SegmentInfo, "id" | "deadRevision">>,
      by: NewSegment | null
    ) => Effect.Effect<boolean>
    /** Drops everything: the first step of a rebuild. */
    readonly clear: (workspace: WorkspaceScope) => Effect.Effect<void>
  }
>() {}

/** A model whose vectors a workspace holds. `active` answers searches; `building` is being filled beside it. */
export interface VectorModel {
  /** For example `lsa-1:4f2a…` or `ai-sdk:text-embedding-3-small`. */
  readonly id: string
  readonly dimensions: number
  readonly state: "building" | "active"
  /** Position in the feed of document changes up to which its vectors are complete. */
  readonly cursor: number
  /** What the built-in model needs to embed (vocabulary, weights, basis); empty for others. */
  readonly artefact: Uint8Array
  /** Chunks the fit has seen, and the chunks added or removed since. */
  readonly fittedChunks: number
  readonly driftedChunks: number
  readonly createdAt: string
}

/** A row of the feed of vectors: a new or changed vector, or null when it was removed. */
export interface VectorChange {
  readonly seq: number
  readonly label: number
  readonly vector: Float32Array | null
}

/** The vectors themselves: the truth from which every index can be rebuilt. */
export class VectorStore extends Context.Tag("kanon/VectorStore")<
  VectorStore,
  {
    /** Models of the workspace, without their artefacts. */
    readonly models: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<Omit<VectorModel, "artefact">>>
    readonly artefact: (workspace: WorkspaceScope, model: string) => Effect.Effect<Uint8Array>
    /** Adds a model in state `building`, or replaces one of that id that is still building. */
    readonly begin: (workspace: WorkspaceScope, model: VectorModel) => Effect.Effect<void>
    /** Makes a model the active one and drops every other with its vectors, in one step. */
    readonly activate: (workspace: WorkspaceScope, model: string) => Effect.Effect<void>
    /** Notes how far the model has followed the documents. */
    readonly advance: (
      workspace: WorkspaceScope,
      model: string,
      progress: { readonly cursor: number; readonly driftedChunks: number }
    ) => Effect.Effect<void>
    /** Labels of a document that have a vector of the model. */
    readonly labels: (
      workspace: WorkspaceScope,
      model: string,
      documentId: DocumentId
    ) => Effect.Effect<ReadonlyArray<number>>
    /** Stores vectors; each gets the next number of the model's feed. */
    readonly put: (
      workspace: WorkspaceScope,
      model: string,
      vectors: ReadonlyArray<{
        readonly label: number
        readonly documentId: DocumentId
        readonly vector: Float32Array
      }>
    ) => Effect.Effect<void>
    /** Removes vectors; the removal stands in the feed. */
    readonly remove: (
      workspace: WorkspaceScope,
      model: string,
      labels: ReadonlyArray<number>
    ) => Effect.Effect<void>
    /** The feed after `seq`, in order. From 0 it gives only vectors that still are. */
    readonly since: (
      workspace: WorkspaceScope,
      model: string,
      seq: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<VectorChange>>
    /** The last number of the feed; 0 when nothing was ever stored. */
    readonly head: (workspace: WorkspaceScope, model: string) => Effect.Effect<number>
    /** Vectors of these labels; those without one are left out. */
    readonly vectors: (
      workspace: WorkspaceScope,
      model: string,
      labels: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<{ readonly label: number; readonly vector: Float32Array }>>
  }
>() {}

/** Names one index: vectors of two models never meet. */
export interface VectorIndexKey {
  readonly workspace: WorkspaceScope
  readonly model: string
  readonly dimensions: number
}

/**
 * Finds the nearest vectors by cosine. A cache over VectorStore: it may be dropped at any time and is fed from
 * the store's feed. Vectors are unit vectors; NaN, infinite and all-zero ones are refused as a defect.
 */
export class VectorIndex extends Context.Tag("kanon/VectorIndex")<
  VectorIndex,
  {
    /** The number of the feed that the index has seen; 0 when it is empty or could not be trusted. */
    readonly position: (key: VectorIndexKey) => Effect.Effect<number>
    /** Applies changes in order; applying one twice is the same as once. */
    readonly apply: (key: VectorIndexKey, changes: ReadonlyArray<VectorChange>) => Effect.Effect<void>
    /** The nearest labels, best first, equal scores by label; with `allow`, only labels in it. */
    readonly search: (
      key: VectorIndexKey,
      vector: Float32Array,
      limit: number,
      allow?: ReadonlySet<number>
    ) => Effect.Effect<ReadonlyArray<{ readonly label: number; readonly score: number }>>
    /** Writes what is held to disk, where the adapter has one. */
    readonly persist: (key: VectorIndexKey) => Effect.Effect<void>
    /** Forgets the index, on disk too. */
    readonly drop: (key: VectorIndexKey) => Effect.Effect<void>
  }
>() {}
