import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Workspace } from "./model.js"

/** Stores workspaces: names, settings and counters. */
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
    /** Returns the revision of name and settings: 1 at first, plus 1 with each `update`. */
    readonly revision: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Replaces name and settings. */
    readonly update: (workspace: Workspace, at: string) => Effect.Effect<void>
    /**
     * Adds `by` to a counter of the workspace and returns the new value; counters start at 0. Values are assigned in
     * commit order, so a reader that saw n has seen all up to n.
     */
    readonly advance: (workspace: WorkspaceScope, counter: string, by: number) => Effect.Effect<number>
  }
>() {}
