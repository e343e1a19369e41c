import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Stream } from "effect/Stream"
import type { Conflict, InvalidExport, WorkspaceScope } from "../../platform/kernel/index.js"
import type { ArchiveRecord } from "./model.js"

/** A row that cannot be converted to a record: its kind, its keys and the reason. */
export interface UnmadeRecord {
  readonly subject: string
  readonly why: string
}

/**
 * An adapter of a database implements it, so that a workspace can be exported and imported as a whole. Reads and
 * writes the whole content of a workspace as records, independent of tables.
 */
export class WorkspaceArchive extends Context.Tag("kanon/WorkspaceArchive")<
  WorkspaceArchive,
  {
    /**
     * Streams every record of the workspace from one snapshot without blocking writers: kinds in the order of
     * `recordKinds`, within a kind by id (revisions by entity and version, unresolved names by code points), lists
     * within a record sorted by content. Equal workspaces give equal streams. Fails when stored bytes are missing or
     * do not match their row.
     */
    readonly read: (workspace: WorkspaceScope) => Stream<ArchiveRecord, InvalidExport>
    /**
     * Like `read` without the records whose stored bytes are missing or wrong or which cannot be parsed; `tell` is
     * called for each other row that makes no record.
     */
    readonly sound: (
      workspace: WorkspaceScope,
      tell: (problem: UnmadeRecord) => Effect.Effect<void>
    ) => Stream<ArchiveRecord>
    /**
     * Adds records in stream order in the caller's unit of work, to a workspace that holds only preceding records.
     * Fails on a duplicate id, path, name or number.
     */
    readonly write: (
      workspace: WorkspaceScope,
      records: ReadonlyArray<ArchiveRecord>
    ) => Effect.Effect<void, Conflict>
    /**
     * Derives what records do not contain (evidence counts, canonical edges) after all are written; returns a
     * dangling reference, if any, as a sentence.
     */
    readonly settle: (workspace: WorkspaceScope) => Effect.Effect<Option<string>>
    /** Returns dangling references and duplicates as sentences, at most one of a kind. */
    readonly dangling: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}
