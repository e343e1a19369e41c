import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"

/** What is known of one immutable segment of the lexical index without reading it. */
export interface SegmentInfo {
  /** Hash of its content: a segment may be cached under it for ever, by any process. */
  readonly id: string
  /** Chunks written into it. */
  readonly chunkCount: number
  /** Chunks of it that were removed since. */
  readonly deadCount: number
  /** Hash of the set of removed chunks; the empty string while there are none. */
  readonly deadId: string
  /** Sum of the lengths (analysed words) of its live chunks. */
  readonly liveLength: number
  /** Smallest and largest label in it. */
  readonly firstLabel: number
  readonly lastLabel: number
  /** Bytes of its directory and blocks. */
  readonly sizeBytes: number
}

/** A segment to store: encoded by core, opaque to the adapter. */
export interface NewSegment
  extends Pick<SegmentInfo, "id" | "chunkCount" | "liveLength" | "firstLabel" | "lastLabel" | "sizeBytes"> {
  /** What is read of it at once: labels, lengths and the first term of each block. */
  readonly directory: Uint8Array
  /** Posting blocks in term order; a block is asked for by its index here. */
  readonly blocks: ReadonlyArray<Uint8Array>
}

/** The segment was merged away or lost its last chunk since it was listed: list again. */
export class SegmentGone extends Data.TaggedError("SegmentGone")<{ readonly segment: string }> {}

/** Keeps the segments of the lexical index; all ranking is core's. */
export class PostingStore extends Context.Tag("kanon/PostingStore")<
  PostingStore,
  {
    /** Live segments by first label, as of the last commit or the caller's unit of work. */
    readonly segments: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<SegmentInfo>>
    /** The directory of a segment, as it was stored. */
    readonly directory: (workspace: WorkspaceScope, segment: string) => Effect.Effect<Uint8Array, SegmentGone>
    /** Blocks with these indexes, in the order asked for. */
    readonly blocks: (
      workspace: WorkspaceScope,
      segment: string,
      indexes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Uint8Array>, SegmentGone>
    /** The set of removed chunks of a segment, with its hash as of the same moment. */
    readonly dead: (
      workspace: WorkspaceScope,
      segment: string
    ) => Effect.Effect<{ readonly deadId: string; readonly dead: Uint8Array }, SegmentGone>
    /** Adds a segment in the caller's unit of work. */
    readonly add: (workspace: WorkspaceScope, segment: NewSegment) => Effect.Effect<void>
    /**
     * Replaces the set of removed chunks in the caller's unit of work; drops the segment when all its chunks are
     * removed. False, and nothing done, when the segment is gone or its set is no longer `before.deadId`.
     */
    readonly remove: (
      workspace: WorkspaceScope,
      segment: string,
      before: Pick<SegmentInfo, "deadId">,
      after: Pick<SegmentInfo, "deadId" | "deadCount" | "liveLength"> & { readonly dead: Uint8Array }
    ) => Effect.Effect<boolean>
    /** Puts a merged segment (or none) in the place of others. False, and nothing done, when one of them changed. */
    readonly replace: (
      workspace: WorkspaceScope,
      merged: ReadonlyArray<Pick<SegmentInfo, "id" | "deadId">>,
      by: NewSegment | null
    ) => Effect.Effect<boolean>
    /** Drops everything: the first step of a rebuild. */
    readonly clear: (workspace: WorkspaceScope) => Effect.Effect<void>
    /**
     * A stamp of all that searches read of a workspace, in this store and in those it shares a database with
     * (settings, documents and their passages, the text index, the state of the vectors): while it is the same, none
     * of that has changed, whoever writes. Null inside a unit of work, and where asking would cost as much as reading.
     */
    readonly stamp: (workspace: WorkspaceScope) => Effect.Effect<string | null>
  }
>() {}
