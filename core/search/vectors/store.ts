import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DocumentId, WorkspaceScope } from "../../platform/kernel/index.js"
import type { ScoredLabel } from "./channel.js"

/**
 * A place for a model: `main` for the one that the workspace has chosen, `beside` for the built-in one that serves
 * searches beside the main one of an embedder.
 */
export type VectorSlot = "main" | "beside"

/** States of the models of each place: the one that serves searches, and the one that is being filled. */
export const slotStates = {
  main: { active: "active", building: "building" },
  beside: { active: "beside", building: "beside_building" }
} as const satisfies Readonly<Record<VectorSlot, Readonly<Record<"active" | "building", string>>>>

/** A model whose vectors a workspace stores. */
export interface VectorModel {
  /** For example `lsa-5:4f2a…`, or the `modelId` of the embedder: `text-embedding-3-small`. */
  readonly id: string
  readonly dimensions: number
  readonly state: (typeof slotStates)[VectorSlot]["active" | "building"]
  /**
   * Share of its weight that the model has earned, from 0 to 1: how well it finds the workspace's own texts, compared
   * with the built-in vectors. Absent before it was measured.
   */
  readonly trust?: number
  /** Position in the feed of document changes up to which its vectors are complete. */
  readonly cursor: number
  /** Number of live chunks at the time of the fit; 0 for models that are not fitted. */
  readonly fittedChunks: number
  readonly drift: VectorDrift
  readonly createdAt: string
}

/** Changes of the chunks since a model was fitted; all zero for models that are not. */
export interface VectorDrift {
  /** Chunks added or removed since the fit. */
  readonly chunks: number
  /** Term occurrences in added chunks, and those unknown to the model. */
  readonly terms: number
  readonly unknownTerms: number
}

/** A stored vector. */
export interface StoredVector {
  readonly label: number
  readonly documentId: DocumentId
  /** Digest of the indexed text that the vector was made from; shows whether it is still the chunk's. */
  readonly textHash: string
  /** Rounded by `storedVector`: stores keep twelve bits per number and return exactly what they were given. */
  readonly vector: Float32Array
}

/** A row of the feed of vectors: a new or changed vector, or null when it was removed. */
export interface VectorChange {
  readonly seq: number
  readonly label: number
  readonly vector: Float32Array | null
}

/** Bounds of a model's feed. */
export interface VectorFeed {
  /** The last assigned number. */
  readonly head: number
  /**
   * Removals up to this number are no longer listed: a reader at a lower position, except 0, must start over from 0.
   */
  readonly floor: number
}

/**
 * An adapter of a database implements it to keep the vectors from which any index is rebuilt. Stores the vectors, from
 * which every index can be rebuilt. Each place has at most one active and one building model. Feed numbers never
 * repeat in a workspace, even when a model is dropped and begun again under the same id.
 */
export class VectorStore extends Context.Tag("kanon/VectorStore")<
  VectorStore,
  {
    /** Returns the active and the building models, if any. */
    readonly models: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<VectorModel>>
    /** Returns the data that the model needs to embed; empty for external models, none when it is missing. */
    readonly artefact: (workspace: WorkspaceScope, model: string) => Effect.Effect<Option<Uint8Array>>
    /** Adds a building model without vectors, by default in the main place; drops another one that is still building there. */
    readonly begin: (
      workspace: WorkspaceScope,
      model: Omit<VectorModel, "state" | "trust">,
      artefact: Uint8Array,
      slot?: VectorSlot
    ) => Effect.Effect<void>
    /** Sets the trust in a model. */
    readonly setTrust: (workspace: WorkspaceScope, model: string, trust: number) => Effect.Effect<void>
    /** Activates the building model and drops the former one of its place, in one step. False when it is not building. */
    readonly activate: (workspace: WorkspaceScope, model: string) => Effect.Effect<boolean>
    /** Drops a model with its vectors. */
    readonly drop: (workspace: WorkspaceScope, model: string) => Effect.Effect<void>
    /** Frees at most `limit` vectors of dropped models; returns how many. 0 when none are left. */
    readonly sweep: (workspace: WorkspaceScope, limit: number) => Effect.Effect<number>
    /** Moves the model's cursor in the feed of documents. */
    readonly advance: (
      workspace: WorkspaceScope,
      model: string,
      progress: Pick<VectorModel, "cursor" | "drift">
    ) => Effect.Effect<void>
    /** Returns label and text hash of the vectors of documents. */
    readonly ofDocuments: (
      workspace: WorkspaceScope,
      model: string,
      documents: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Omit<StoredVector, "vector">>>
    /**
     * Stores vectors, replacing those of the same labels; each gets the next number of the feed. Returns false and
     * stores nothing when the model was dropped.
     */
    readonly put: (
      workspace: WorkspaceScope,
      model: string,
      vectors: ReadonlyArray<StoredVector>
    ) => Effect.Effect<boolean>
    /** Removes vectors; the removal stays in the feed until newer ones displace it. */
    readonly remove: (
      workspace: WorkspaceScope,
      model: string,
      labels: ReadonlyArray<number>
    ) => Effect.Effect<void>
    /** Returns the feed after `seq`, in order. From 0 it lists only vectors that still exist. */
    readonly since: (
      workspace: WorkspaceScope,
      model: string,
      seq: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<VectorChange>>
    /** Returns how many rows `since` would return without a limit. */
    readonly count: (workspace: WorkspaceScope, model: string, seq: number) => Effect.Effect<number>
    /** Returns the bounds of the feed; head and floor are 0 when there is no such model. */
    readonly feed: (workspace: WorkspaceScope, model: string) => Effect.Effect<VectorFeed>
    /** Returns the vectors of these labels; labels without one are omitted. */
    readonly vectors: (
      workspace: WorkspaceScope,
      model: string,
      labels: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<{ readonly label: number; readonly vector: Float32Array }>>
    /** Queries for inspection and rebuild. */
    readonly inspection: VectorInspection
  }
>() {}

/** Key of one index; vectors of two models are never mixed. */
export interface VectorIndexKey {
  readonly workspace: WorkspaceScope
  readonly model: string
  readonly dimensions: number
}

/** A batch of the feed: all changes after `after`, up to and including `position`. */
export interface VectorBatch {
  readonly after: number
  readonly changes: ReadonlyArray<VectorChange>
  readonly position: number
}

/** Reader of one model's feed, passed to an index build. */
export interface VectorFeedReader extends VectorFeed {
  /** The present bounds of the feed: removals that were cut while it was read may have been missed. */
  readonly now: Effect.Effect<VectorFeed>
  /** Returns the number of changes after a position; from 0, the number of vectors. */
  readonly count: (after: number) => Effect.Effect<number>
  /** Returns the next batch after a position: about a thousand changes, the last of which may be beyond the head. */
  readonly page: (after: number) => Effect.Effect<VectorBatch>
}

/**
 * An adapter of a vector database implements it, for search beyond the memory of one process. Finds the nearest
 * vectors by cosine. A cache over VectorStore: it may lose its content at any time and is filled from the store's
 * feed. Several processes and threads may each have one over the same disk: one builds, and the others load the
 * result. Vectors must be unit vectors of the key's length; anything else (NaN, infinite, zero) is a defect.
 */
export class VectorIndex extends Context.Tag("kanon/VectorIndex")<
  VectorIndex,
  {
    /**
     * Returns the feed position of the index, 0 when it is empty. First drops content that contradicts the feed (below
     * its floor or beyond its head), and loads what another process has built, within a second.
     */
    readonly position: (key: VectorIndexKey, feed: VectorFeed) => Effect.Effect<number>
    /**
     * Applies a batch of the feed as a whole and moves to its position. Does nothing when the index is not at `after`
     * (another fiber moved it) or is at its size limit without a build; so applying a batch twice has the effect of
     * once. Fast.
     */
    readonly apply: (key: VectorIndexKey, batch: VectorBatch) => Effect.Effect<void>
    /**
     * Returns the nearest labels with their cosines, best first, equal scores by label; with `allow`, only labels in
     * it.
     */
    readonly search: (
      key: VectorIndexKey,
      vector: Float32Array,
      limit: number,
      allow?: ReadonlySet<number>
    ) => Effect.Effect<ReadonlyArray<ScoredLabel>>
    /** Whether a build would reduce the number of vectors that are compared one by one. */
    readonly isBuildDue: (key: VectorIndexKey) => Effect.Effect<boolean>
    /**
     * Builds the structures that searches at this size need, up to the feed's head or later, if enough has changed
     * since the last build. Takes minutes on a large feed and does not block other work.
     */
    readonly build: (key: VectorIndexKey, feed: VectorFeedReader) => Effect.Effect<void>
    /** Releases the index's memory. */
    readonly forget: (key: VectorIndexKey) => Effect.Effect<void>
    /** Removes the index, including its files. */
    readonly drop: (key: VectorIndexKey) => Effect.Effect<void>
    /** Checks of `kanon doctor`; absent when the index keeps nothing that can be damaged. */
    readonly inspection?: VectorIndexInspection
  }
>() {}

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
export interface VectorInspection {
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

/** Verifies what a vector index keeps outside of the database. */
export interface VectorIndexInspection {
  /**
   * Why the files of this index are damaged; null when they are sound or do not exist. `head` is the present end of
   * the feed of vectors.
   */
  readonly damage: (key: VectorIndexKey, head: Effect.Effect<number>) => Effect.Effect<string | null>
  /**
   * Compares searches of the index on disk with exact ones, on a sample of its own vectors. Null when there is no
   * sound index, too little memory to read it, or the database searches exactly as asked.
   */
  readonly recall: (
    key: VectorIndexKey
  ) => Effect.Effect<{ readonly recall: number; readonly queries: number } | null>
  /** Why every search compares all vectors; null when an index can be used. */
  readonly exactOnly: Effect.Effect<string | null>
  /**
   * Estimates the bytes that this process holds for so many vectors, beside those that it may still use; null where
   * the database searches them.
   */
  readonly memory: (
    dimensions: number,
    vectors: number
  ) => Effect.Effect<{ readonly needed: number; readonly available: number } | null>
}

/** The inspection of an index that keeps nothing which can be damaged, and searches exactly as asked. */
const nothingToInspect: VectorIndexInspection = {
  damage: () => Effect.succeed(null),
  recall: () => Effect.succeed(null),
  exactOnly: Effect.succeed(null),
  memory: () => Effect.succeed(null)
}

/** The inspection of the vector index in use. */
export const vectorIndexInspection = Effect.map(
  VectorIndex,
  ({ inspection = nothingToInspect }) => inspection
)
