import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DocumentId, WorkspaceScope } from "../kernel/index.js"
import type { ScoredLabel } from "./channel.js"

/** A model whose vectors a workspace holds. `active` answers searches; `building` is being filled beside it. */
export interface VectorModel {
  /** For example `lsa-4:4f2a…`, or the `modelId` of the embedder: `text-embedding-3-small`. */
  readonly id: string
  readonly dimensions: number
  readonly state: "building" | "active"
  /** Position in the feed of document changes up to which its vectors are complete. */
  readonly cursor: number
  /** Live chunks at the moment of the fit; 0 where nothing is fitted. */
  readonly fittedChunks: number
  readonly drift: VectorDrift
  readonly createdAt: string
}

/** How far the chunks have moved since a model was fitted. All zero for a model that is not. */
export interface VectorDrift {
  /** Chunks added or removed since. */
  readonly chunks: number
  /** Occurrences of terms in the chunks added, and those of them that the model does not know. */
  readonly terms: number
  readonly unknownTerms: number
}

/** A vector as it is stored. */
export interface StoredVector {
  readonly label: number
  readonly documentId: DocumentId
  /** Digest of the indexed text that it was made from: tells whether it is still the chunk's. */
  readonly textHash: string
  /** Rounded by `storedVector`: stores keep twelve bits a number, and give back exactly what they got. */
  readonly vector: Float32Array
}

/** A row of the feed of vectors: a new or changed vector, or null when it was removed. */
export interface VectorChange {
  readonly seq: number
  readonly label: number
  readonly vector: Float32Array | null
}

/** Where the feed of a model stands. */
export interface VectorFeed {
  /** The last number given out. */
  readonly head: number
  /** Removals up to here are no longer told: whoever stands below it, save at 0, must begin anew from 0. */
  readonly floor: number
}

/**
 * The vectors themselves: the truth from which every index can be rebuilt. At most one model is active and at
 * most one is building. Numbers of the feed never repeat in a workspace, not even when a model is dropped and
 * begun again under the same id.
 */
export class VectorStore extends Context.Tag("kanon/VectorStore")<
  VectorStore,
  {
    /** The active and the building model, if any. */
    readonly models: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<VectorModel>>
    /** What the model needs to embed; empty for models that live elsewhere, none when it is not there. */
    readonly artefact: (workspace: WorkspaceScope, model: string) => Effect.Effect<Option<Uint8Array>>
    /** Adds a model in state `building`, without vectors; another one that is still building is dropped. */
    readonly begin: (
      workspace: WorkspaceScope,
      model: Omit<VectorModel, "state">,
      artefact: Uint8Array
    ) => Effect.Effect<void>
    /** Makes the building model the active one and drops the former, in one step. False when it is not building. */
    readonly activate: (workspace: WorkspaceScope, model: string) => Effect.Effect<boolean>
    /** Drops a model with its vectors. */
    readonly drop: (workspace: WorkspaceScope, model: string) => Effect.Effect<void>
    /** Frees the space of dropped models, at most so many vectors; gives how many. 0 when nothing is left. */
    readonly sweep: (workspace: WorkspaceScope, limit: number) => Effect.Effect<number>
    /** Notes how far the model has followed the documents. */
    readonly advance: (
      workspace: WorkspaceScope,
      model: string,
      progress: Pick<VectorModel, "cursor" | "drift">
    ) => Effect.Effect<void>
    /** The vectors that documents have of the model, without the vectors. */
    readonly ofDocuments: (
      workspace: WorkspaceScope,
      model: string,
      documents: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Omit<StoredVector, "vector">>>
    /**
     * Stores vectors, replacing those of the same labels; each gets the next number of the feed. Nothing is
     * stored when the model was dropped: false.
     */
    readonly put: (
      workspace: WorkspaceScope,
      model: string,
      vectors: ReadonlyArray<StoredVector>
    ) => Effect.Effect<boolean>
    /** Removes vectors; the removal stands in the feed until newer ones have pushed it out. */
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
    /** How many rows `since` would give without a limit. */
    readonly count: (workspace: WorkspaceScope, model: string, seq: number) => Effect.Effect<number>
    /** Where the feed stands; head and floor 0 when there is no such model. */
    readonly feed: (workspace: WorkspaceScope, model: string) => Effect.Effect<VectorFeed>
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

/** A stretch of the feed: all changes after `after`, up to and including `position`. */
export interface VectorBatch {
  readonly after: number
  readonly changes: ReadonlyArray<VectorChange>
  readonly position: number
}

/** The feed of one model, to be read by whoever builds an index. */
export interface VectorFeedReader extends VectorFeed {
  /** Where the feed stands by now: removals that were cut while it was read may have been missed. */
  readonly now: Effect.Effect<VectorFeed>
  /** How many changes there are after a number; from 0, how many vectors. */
  readonly count: (after: number) => Effect.Effect<number>
  /** The next stretch after a number: about a thousand changes, the last of which may lie beyond the head. */
  readonly page: (after: number) => Effect.Effect<VectorBatch>
}

/**
 * Finds the nearest vectors by cosine. A cache over VectorStore: it may lose what it holds at any time and is fed
 * from the store's feed. Several processes and threads may each hold one over the same disk: one builds, the others
 * take over what it has made. Vectors are unit vectors of the key's length; anything else (NaN, infinite, zero) is
 * a defect.
 */
export class VectorIndex extends Context.Tag("kanon/VectorIndex")<
  VectorIndex,
  {
    /**
     * The number of the feed that the index has seen, 0 when it is empty. What this feed does not support (below its
     * floor, beyond its head) is let go first; what another process has built in the meantime is taken over, within
     * a second of being asked.
     */
    readonly position: (key: VectorIndexKey, feed: VectorFeed) => Effect.Effect<number>
    /**
     * Applies a stretch of the feed, whole, and stands at its position then. Where the index does not stand at
     * `after` (somebody else moved it), or holds as much as it can search without a build, nothing is done: applying
     * one stretch twice is the same as once. Never takes long.
     */
    readonly apply: (key: VectorIndexKey, batch: VectorBatch) => Effect.Effect<void>
    /** The nearest labels with their cosines, best first, equal scores by label; with `allow`, only labels in it. */
    readonly search: (
      key: VectorIndexKey,
      vector: Float32Array,
      limit: number,
      allow?: ReadonlySet<number>
    ) => Effect.Effect<ReadonlyArray<ScoredLabel>>
    /** Whether more is searched one by one than a build would leave: then somebody should build. */
    readonly owes: (key: VectorIndexKey) => Effect.Effect<boolean>
    /**
     * Makes what searches at this size need, as of the feed's head or later, if too much has changed since it was
     * made last; else does nothing. Work for minutes on a large feed, beside which everything else goes on.
     */
    readonly build: (key: VectorIndexKey, feed: VectorFeedReader) => Effect.Effect<void>
    /** Lets go of what is held in memory. */
    readonly forget: (key: VectorIndexKey) => Effect.Effect<void>
    /** Forgets the index, on disk too. */
    readonly drop: (key: VectorIndexKey) => Effect.Effect<void>
  }
>() {}
