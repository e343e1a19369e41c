import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Stream } from "effect/Stream"
import type { Conflict, InvalidExport, WorkspaceScope } from "../kernel/index.js"
import type { ArchiveRecord } from "./model.js"

/** A row that makes no record, by its kind and keys, and why. */
export interface UnmadeRecord {
  readonly subject: string
  readonly why: string
}

/** Everything that a workspace holds, as records that know nothing of tables. */
export class WorkspaceArchive extends Context.Tag("kanon/WorkspaceArchive")<
  WorkspaceArchive,
  {
    /**
     * Every record of the workspace: kinds in the order of `recordKinds`, within a kind by id (revisions by entity
     * and version, undecided names by code points), lists within a record in an order of their own content. It is
     * one moment's picture, however long the reader takes, and nobody waits for the reader. Equal workspaces give
     * equal streams. Fails when kept bytes are missing or are not those of their row.
     */
    readonly read: (workspace: WorkspaceScope) => Stream<ArchiveRecord, InvalidExport>
    /**
     * The same without the records whose kept bytes are missing or are not those of their row, or of which something
     * is kept that cannot be read; `tell` is told of each other row that makes no record.
     */
    readonly sound: (
      workspace: WorkspaceScope,
      tell: (problem: UnmadeRecord) => Effect.Effect<void>
    ) => Stream<ArchiveRecord>
    /**
     * Adds records to a workspace that holds nothing but what came before them in the same order, in the caller's
     * unit of work. Fails when something stands there already: an id, a path, a name or a number.
     */
    readonly write: (
      workspace: WorkspaceScope,
      records: ReadonlyArray<ArchiveRecord>
    ) => Effect.Effect<void, Conflict>
    /**
     * Derives what records do not carry (counts of evidence, canonical edges) once all are written; gives, as a
     * sentence, a reference of one of them to something that is not there.
     */
    readonly settle: (workspace: WorkspaceScope) => Effect.Effect<Option<string>>
    /** References to what is not there, and what stands twice, as sentences: at most one of a kind. */
    readonly dangling: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/** A digest in the making. */
export interface Digest {
  readonly update: (bytes: Uint8Array) => void
  /** In lower-case hexadecimal; the digest takes nothing more afterwards. */
  readonly finish: () => string
}

/** Makes digests of what is too long to be held. */
export class Digests extends Context.Tag("kanon/Digests")<Digests, { readonly sha256: () => Digest }>() {}
