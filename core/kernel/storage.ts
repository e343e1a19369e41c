import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "./caller.js"

/** The highest number of what is counted or numbered: storage keeps it in 32 bits. */
export const numberMax = 2 ** 31 - 1

/** The database under all stores, as far as it can judge itself. */
export class Storage extends Context.Tag("kanon/Storage")<
  Storage,
  {
    /**
     * What the database finds wrong with its own structure, in its own words, at most 100 of them; empty when it
     * is whole. So is history that it would let be changed. Reads everything.
     */
    readonly integrity: Effect.Effect<ReadonlyArray<string>>
    /** What is worth knowing of the database while nothing is wrong with it. */
    readonly remarks: Effect.Effect<ReadonlyArray<StorageRemark>>
    /** Dies, with `DataFull` where that is why, while nothing can be written; changes nothing that anybody reads. */
    readonly writable: Effect.Effect<void>
    /**
     * Makes the indexes inside the database anew from its tables, and what keeps history as it is; what is wrong in a
     * table itself stays.
     */
    readonly rebuildIndexes: Effect.Effect<void>
    /** Structured texts in rows of the workspace that cannot be read as such, at most 100 of a kind. */
    readonly unreadable: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<UnreadableRow>>
    /**
     * Empties those of `unreadable` that are kept elsewhere too, so that the row can be read and compared again.
     * Whoever calls this sees to the rest. Leaves the others as they are.
     */
    readonly emptyUnreadable: (workspace: WorkspaceScope) => Effect.Effect<void>
    /**
     * Rows about who reaches the workspace and what it has (keys, members, credentials, use, calibrations) that say what
     * cannot be. They are kept nowhere else, and nobody but a person may say who reaches what.
     */
    readonly impossibleHolders: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<ImpossibleRow>>
    /** Rows of workspaces that there are not; none where the database shows this role those of its own alone. */
    readonly astray: Effect.Effect<ReadonlyArray<AstrayRows>>
    /**
     * Gives such rows to the workspace, in the caller's unit of work: where it is the only one and no other was ever in
     * the database. A row whose place another one has stays, save what is made from something else, which is removed.
     */
    readonly bringHome: (workspace: WorkspaceScope) => Effect.Effect<void>
  }
>() {}

/** A row that says what cannot be, and a sentence on what. */
export interface ImpossibleRow {
  readonly subject: string
  readonly why: string
}

/** Rows of one table that name a workspace which there is not: by its id, or its number. */
export interface AstrayRows {
  readonly table: string
  readonly workspace: string | number
  readonly count: number
}

/** `second_wall_down`: the database does not keep workspaces apart by itself. `vectors_in_process`: nor search vectors. */
export interface StorageRemark {
  readonly code: "second_wall_down" | "vectors_in_process"
  readonly message: string
}

/** A row that holds what cannot be read. */
export interface UnreadableRow {
  /** What of, and its id: `document doc_…`. */
  readonly subject: string
  /** Whether the same is kept elsewhere: in the text of a document, in the history of an entity. */
  readonly isKeptElsewhere: boolean
  /** What there is to do where it is not; null where an export or a copy has to be taken back. */
  readonly advice: string | null
}
