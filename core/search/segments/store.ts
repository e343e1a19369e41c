import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { WorkspaceScope } from "../../platform/kernel/index.js"

/** Metadata of one immutable segment of the lexical index. */
export interface SegmentInfo {
  /** Content hash; any process may cache a segment under it without expiry. */
  readonly id: string
  /** Number of chunks written into it. */
  readonly chunkCount: number
  /** Number of its chunks removed since. */
  readonly deadCount: number
  /** Hash of the set of removed chunks; the empty string when there are none. */
  readonly deadId: string
  /** Sum of the lengths (analysed words) of its live chunks. */
  readonly liveLength: number
  /** Smallest and largest label in it. */
  readonly firstLabel: number
  readonly lastLabel: number
  /** Size of its directory and blocks. */
  readonly sizeBytes: number
}

/** A segment to store: encoded by core, opaque to the adapter. */
export interface NewSegment
  extends Pick<SegmentInfo, "id" | "chunkCount" | "liveLength" | "firstLabel" | "lastLabel" | "sizeBytes"> {
  /** Labels, lengths and the first term of each block. */
  readonly directory: Uint8Array
  /** Posting blocks in term order; a block is addressed by its index here. */
  readonly blocks: ReadonlyArray<Uint8Array>
}

/** The segment was merged, or lost its last chunk, since it was listed: list again. */
export class SegmentGone extends Data.TaggedError("SegmentGone")<{ readonly segment: string }> {}

/**
 * An adapter of a database implements it, or one of an object store, to keep the segments of the full-text index. All
 * ranking is in core.
 */
export class PostingStore extends Context.Tag("kanon/PostingStore")<
  PostingStore,
  {
    /** Returns live segments by first label, as of the last commit or the caller's unit of work. */
    readonly segments: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<SegmentInfo>>
    /** Returns the labels of the chunks that the caller may read, ascending. */
    readonly visibleLabels: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<number>>
    /** Returns the directory of a segment. */
    readonly directory: (workspace: WorkspaceScope, segment: string) => Effect.Effect<Uint8Array, SegmentGone>
    /** Returns blocks by index, in the requested order. */
    readonly blocks: (
      workspace: WorkspaceScope,
      segment: string,
      indexes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Uint8Array>, SegmentGone>
    /** Returns the set of removed chunks of a segment with its hash, consistently. */
    readonly dead: (
      workspace: WorkspaceScope,
      segment: string
    ) => Effect.Effect<{ readonly deadId: string; readonly dead: Uint8Array }, SegmentGone>
    /** Adds a segment in the caller's unit of work. */
    readonly add: (workspace: WorkspaceScope, segment: NewSegment) => Effect.Effect<void>
    /**
     * Replaces the set of removed chunks in the caller's unit of work; drops the segment when all its chunks are
     * removed. Returns false and does nothing when the segment is gone or its set is no longer `before.deadId`.
     */
    readonly remove: (
      workspace: WorkspaceScope,
      segment: string,
      before: Pick<SegmentInfo, "deadId">,
      after: Pick<SegmentInfo, "deadId" | "deadCount" | "liveLength"> & { readonly dead: Uint8Array }
    ) => Effect.Effect<boolean>
    /** Replaces segments by a merged one, or by none. Returns false and does nothing when one of them changed. */
    readonly replace: (
      workspace: WorkspaceScope,
      merged: ReadonlyArray<Pick<SegmentInfo, "id" | "deadId">>,
      by: NewSegment | null
    ) => Effect.Effect<boolean>
    /** Drops all segments: the first step of a rebuild. */
    readonly clear: (workspace: WorkspaceScope) => Effect.Effect<void>
    /**
     * Returns a stamp of all data that searches read of a workspace, in this store and in those that share its
     * database (settings, documents and passages, the text index, the state of the vectors). An unchanged stamp means
     * that nothing has changed, by any process. Null inside a unit of work, and when computing it would cost as much
     * as reading.
     */
    readonly stamp: (workspace: WorkspaceScope) => Effect.Effect<string | null>
    /** Queries for inspection and rebuild. */
    readonly inspection: PostingInspection
  }
>() {}

/** Queries of the text index that only inspection and rebuild need. */
export interface PostingInspection {
  /** The stored directory of a segment, then its blocks in order; missing ones are left out. */
  readonly segmentParts: (workspace: WorkspaceScope, segment: string) => Stream.Stream<Uint8Array>
  /** Number of directories, blocks and sets of removed chunks that belong to no segment. */
  readonly orphanCount: (workspace: WorkspaceScope) => Effect.Effect<number>
  /** Removes them, in the caller's transaction. */
  readonly removeOrphans: (workspace: WorkspaceScope) => Effect.Effect<void>
}
