import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DocumentId, UserId, WorkspaceScope } from "../kernel/index.js"
import type { AccessExplanation, DocumentAccess, FolderRule } from "./model.js"

/** A list of readers that documents have; equal lists are one. */
export interface ReaderList {
  readonly id: string
  readonly principals: ReadonlyArray<string>
}

/** A document list as it is set: readers, everybody, or none of its own. */
export type OwnReaders = { readonly read: ReadonlyArray<string> | null } | null

/** A group with its members. */
export interface Group {
  readonly name: string
  readonly members: ReadonlyArray<UserId>
}

/** An adapter of a database implements it to keep who may read which document, and the groups of users. */
export class AccessStore extends Context.Tag("kanon/AccessStore")<
  AccessStore,
  {
    /**
     * Returns the lists that documents of the workspace have, none when every document is open to everybody. The
     * revision changes with every change of the readers of a document.
     */
    readonly lists: (
      workspace: WorkspaceScope
    ) => Effect.Effect<{ readonly revision: number; readonly lists: ReadonlyArray<ReaderList> }>
    /** Returns the readers of documents; those that are open to everybody are absent. */
    readonly readers: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyMap<string, NonNullable<DocumentAccess>>>
    /** Returns why a document has its readers, given the rules of the workspace. */
    readonly explain: (
      workspace: WorkspaceScope,
      id: DocumentId,
      folders: ReadonlyArray<FolderRule>
    ) => Effect.Effect<AccessExplanation>
    /** Sets the list of one document, in the caller's unit of work. */
    readonly setOwn: (
      workspace: WorkspaceScope,
      id: DocumentId,
      own: OwnReaders,
      folders: ReadonlyArray<FolderRule>
    ) => Effect.Effect<void>
    /**
     * Sets the readers that their source names for documents, null for none, in the caller's unit of work. Returns the
     * number of documents for which it named others before.
     */
    readonly setSource: (
      workspace: WorkspaceScope,
      source: ReadonlyMap<DocumentId, ReadonlyArray<string> | null>,
      folders: ReadonlyArray<FolderRule>
    ) => Effect.Effect<number>
    /** Applies the rules to these documents, whose paths changed, in the caller's unit of work. */
    readonly applyTo: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>,
      folders: ReadonlyArray<FolderRule>
    ) => Effect.Effect<void>
    /** Applies the rules to every document, in the caller's unit of work. Returns the number of changed documents. */
    readonly applyFolders: (
      workspace: WorkspaceScope,
      folders: ReadonlyArray<FolderRule>
    ) => Effect.Effect<number>
    /** Stores readers of an export as they are, in the caller's unit of work. */
    readonly adopt: (
      workspace: WorkspaceScope,
      readers: ReadonlyArray<{
        readonly documentId: DocumentId
        readonly own: OwnReaders
        readonly source: ReadonlyArray<string> | null
        readonly effective: ReadonlyArray<string> | null
      }>
    ) => Effect.Effect<void>
    /** Returns the documents whose stored readers differ from what the rules give, at most 100. */
    readonly differing: (
      workspace: WorkspaceScope,
      folders: ReadonlyArray<FolderRule>
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** Returns the readers that the rules give for a file that is no document; null for everybody. */
    readonly readersOfFile: (path: string, folders: ReadonlyArray<FolderRule>) => ReadonlyArray<string> | null
    /** Returns the patterns of rules that count for no document. */
    readonly unused: (
      workspace: WorkspaceScope,
      folders: ReadonlyArray<FolderRule>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Returns the ids of documents, passages, entities and relations among these that the caller may not read. */
    readonly hidden: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>>
    /** Returns the names and aliases of entities that the caller may read, by entity. */
    readonly names: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlySet<string>>>
    /** Lists groups in order of name. */
    readonly groups: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<Group>>
    /** Returns the groups of a user, in order of name. */
    readonly groupsOf: (workspace: WorkspaceScope, user: UserId) => Effect.Effect<ReadonlyArray<string>>
    /** Adds a user to a group, in the caller's unit of work. Returns false for a member of it. */
    readonly addToGroup: (workspace: WorkspaceScope, name: string, user: UserId) => Effect.Effect<boolean>
    /** Takes a user out of a group, in the caller's unit of work. Returns false for a user who is not in it. */
    readonly removeFromGroup: (
      workspace: WorkspaceScope,
      name: string,
      user: UserId
    ) => Effect.Effect<boolean>
    /** Replaces the groups of a user, in the caller's unit of work. Returns whether they changed. */
    readonly replaceGroups: (
      workspace: WorkspaceScope,
      user: UserId,
      names: ReadonlyArray<string>
    ) => Effect.Effect<boolean>
  }
>() {}
