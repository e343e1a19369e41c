import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DocumentId, WorkspaceScope } from "../kernel/index.js"
import type { KeptVersion } from "./model.js"

/** Versions and their texts as they lie there: for those who look for damage. */
export class VersionInspection extends Context.Tag("kanon/VersionInspection")<
  VersionInspection,
  {
    /** Every version of these documents, oldest first. */
    readonly versions: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<KeptVersion>>
    /** Documents that stand at another version than the last of those kept, in id order after `after`. */
    readonly outOfStep: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** Texts in the order of their hashes after `after`; bytes are null where they cannot be read. */
    readonly texts: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly contentHash: string; readonly bytes: Uint8Array | null }>>
    /** The text under a hash; null bytes as above, none when there is no such text. */
    readonly text: (
      workspace: WorkspaceScope,
      contentHash: string
    ) => Effect.Effect<Option<Uint8Array | null>>
    /** Kept bytes that a document has under this hash now, if one has. */
    readonly spareText: (workspace: WorkspaceScope, contentHash: string) => Effect.Effect<Option<Uint8Array>>
    /** Documents that are gone and have versions, and how many; at most `limit` of them. */
    readonly strayVersions: (
      workspace: WorkspaceScope,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly documentId: DocumentId; readonly count: number }>>
    /** Versions that the trail of their document tells nothing of, at most `limit`. */
    readonly untoldVersions: (
      workspace: WorkspaceScope,
      limit: number
    ) => Effect.Effect<ReadonlyArray<KeptVersion>>
    /** Hashes of texts that no older version tells of, at most `limit`. */
    readonly unusedTexts: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<string>>
    /** Hashes that older versions tell of and that no text has, at most `limit`. */
    readonly missingTexts: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<string>>
    /** The older versions that tell of this hash. */
    readonly versionsOfText: (
      workspace: WorkspaceScope,
      contentHash: string
    ) => Effect.Effect<ReadonlyArray<KeptVersion>>
    /** Makes the row of the present version by what the trail and the document tell of it. */
    readonly note: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<void>
    /** Writes a version in place of the one of that number. */
    readonly put: (workspace: WorkspaceScope, version: KeptVersion) => Effect.Effect<void>
    /** Removes versions of a document: one, or all. */
    readonly remove: (workspace: WorkspaceScope, id: DocumentId, version?: number) => Effect.Effect<void>
    readonly putText: (
      workspace: WorkspaceScope,
      contentHash: string,
      bytes: Uint8Array
    ) => Effect.Effect<void>
    readonly removeText: (workspace: WorkspaceScope, contentHash: string) => Effect.Effect<void>
  }
>() {}
