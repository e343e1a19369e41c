import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { SecretId, WorkspaceScope } from "../kernel/index.js"
import type { MonthlyUsage } from "../models/index.js"
import type { Workspace } from "./model.js"

/**
 * An adapter of a database implements it to keep workspaces with their settings, counters, credentials and model
 * usage.
 */
export class WorkspaceStore extends Context.Tag("kanon/WorkspaceStore")<
  WorkspaceStore,
  {
    /** The workspace; a scope always has one. */
    readonly get: (workspace: WorkspaceScope) => Effect.Effect<Workspace>
    /**
     * Returns the workspace for which this store was created, if any: the oldest one whose files are at the location
     * that the host was started with.
     */
    readonly first: Effect.Effect<Option<Workspace>>
    /** Lists every workspace in order of creation. */
    readonly list: Effect.Effect<ReadonlyArray<Workspace>>
    /** Lists the workspaces that can be read, so that a damaged one does not block the others. */
    readonly readable: Effect.Effect<ReadonlyArray<Workspace>>
    /**
     * Adds a workspace; a duplicate is a defect. `vault` is the host's name for the location of its files; default:
     * the location that the host was started with.
     */
    readonly insert: (workspace: Workspace, at: string, vault?: string) => Effect.Effect<void>
    /** Returns the host's name for the location of the workspace's files; none for the host's default. */
    readonly vault: (workspace: WorkspaceScope) => Effect.Effect<Option<string>>
    /** Records the location of the workspace's files. */
    readonly setVault: (workspace: WorkspaceScope, vault: string) => Effect.Effect<void>
    /** Returns the identity of the chunker that cut the passages of the workspace; null for the built-in one. */
    readonly chunker: (workspace: WorkspaceScope) => Effect.Effect<string | null>
    /** Records that identity. */
    readonly setChunker: (workspace: WorkspaceScope, chunker: string | null) => Effect.Effect<void>
    /** Returns the revision of name and settings: 1 at first, plus 1 with each `update`. */
    readonly revision: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Replaces name and settings. */
    readonly update: (workspace: Workspace, at: string) => Effect.Effect<void>
    /**
     * Adds `by` to a counter of the workspace and returns the new value; counters start at 0. Values are assigned in
     * commit order, so a reader that saw n has seen all up to n.
     */
    readonly advance: (workspace: WorkspaceScope, counter: string, by: number) => Effect.Effect<number>
    /** Sealed credentials. */
    readonly secrets: SecretStore
    /** Usage of models by month. */
    readonly usage: UsageStore
  }
>() {}

/** A stored credential, unreadable without the host's master key. */
export interface SealedSecret {
  readonly id: SecretId
  readonly sealed: string
}

/** Stores sealed credentials of workspaces. */
export interface SecretStore {
  readonly find: (workspace: WorkspaceScope, id: SecretId) => Effect.Effect<Option<string>>
  /** Lists every sealed credential of the workspace by id. */
  readonly list: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<SealedSecret>>
  /** Adds a secret; a duplicate id is a defect. */
  readonly insert: (workspace: WorkspaceScope, secret: SealedSecret, at: string) => Effect.Effect<void>
  /** Replaces a seal if it still equals `before`; returns false if another writer was first. */
  readonly reseal: (workspace: WorkspaceScope, secret: SealedSecret, before: string) => Effect.Effect<boolean>
  /** Deletes a secret; a missing one is no error. */
  readonly remove: (workspace: WorkspaceScope, id: SecretId) => Effect.Effect<void>
}

/** Stores model usage by workspace and month. */
export interface UsageStore {
  /** Adds to a month in the caller's unit of work; exact under concurrency. */
  readonly add: (workspace: WorkspaceScope, month: string, usage: MonthlyUsage) => Effect.Effect<void>
  /** Returns the usage of a month; all zero if there was none. */
  readonly of: (workspace: WorkspaceScope, month: string) => Effect.Effect<MonthlyUsage>
}
