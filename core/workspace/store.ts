import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Workspace } from "./model.js"

/** Workspaces: their names, settings and counters. */
export class WorkspaceStore extends Context.Tag("kanon/WorkspaceStore")<
  WorkspaceStore,
  {
    /** The workspace; a scope always has one. */
    readonly get: (workspace: WorkspaceScope) => Effect.Effect<Workspace>
    /** The first workspace made in this store, if any: the one that `init` makes. */
    readonly first: Effect.Effect<Option<Workspace>>
    /** Every workspace of this store, in the order in which they were made. */
    readonly list: Effect.Effect<ReadonlyArray<Workspace>>
    /** The same without those that cannot be read: one that is damaged closes none of the others. */
    readonly readable: Effect.Effect<ReadonlyArray<Workspace>>
    /**
     * Adds a workspace; one that is there already is a defect. `vault` is what the host calls the place of its
     * files; the place that the host was started with where it is left out.
     */
    readonly insert: (workspace: Workspace, at: string, vault?: string) => Effect.Effect<void>
    /** What the host calls the place of the workspace's files; none where it is the host's own. */
    readonly vault: (workspace: WorkspaceScope) => Effect.Effect<Option<string>>
    /** Which state of name and settings this is: 1 at first, and one more with each `update`. */
    readonly revision: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** The place in its trail behind which events are of this installation; those before came with an import. */
    readonly trailFrom: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Replaces name and settings. */
    readonly update: (workspace: Workspace, at: string) => Effect.Effect<void>
    /**
     * Raises a counter of the workspace by `by` and gives its new value; counters start at 0. Values of
     * one counter are handed out in commit order, so a reader that saw n has seen all up to n.
     */
    readonly advance: (workspace: WorkspaceScope, counter: string, by: number) => Effect.Effect<number>
  }
>() {}
