import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "./caller.js"

/** Largest count or sequence number: storage uses 32-bit integers. */
export const numberMax = 2 ** 31 - 1

/**
 * An adapter of a database implements it with the checks of that database, so that `kanon doctor` can report damage.
 */
export class Storage extends Context.Tag("kanon/Storage")<
  Storage,
  {
    /**
     * Problems that the database reports about its own structure, in its own words, at most 100; empty when it is
     * intact. Missing guards of append-only tables count as problems. Reads everything.
     */
    readonly integrity: Effect.Effect<ReadonlyArray<string>>
    /** Notable facts about a healthy database. */
    readonly remarks: Effect.Effect<ReadonlyArray<StorageRemark>>
    /** Dies when the database cannot be written, with `DataFull` if that is the reason. Leaves no visible change. */
    readonly writable: Effect.Effect<void>
    /** What the host lacks so that writes fail, for people: space on the disk. Null when nothing is missing. */
    readonly shortage: Effect.Effect<string | null>
    /** Rebuilds the indexes of the database and the guards of append-only tables; a damaged table stays damaged. */
    readonly rebuildIndexes: Effect.Effect<void>
    /** Rows of the workspace whose structured columns cannot be parsed, at most 100 of each column. */
    readonly unreadable: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<UnreadableRow>>
    /** Empties the unreadable columns that hold derived data, so that the row can be read and rebuilt. */
    readonly emptyUnreadable: (workspace: WorkspaceScope) => Effect.Effect<void>
    /** Keys, members, credentials, usage and calibrations that cannot be parsed or refer to missing rows. */
    readonly unreadablePrincipals: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<DamagedRow>>
  }
>() {}

/** A damaged row of primary data and a sentence about the damage. */
export interface DamagedRow {
  readonly subject: string
  readonly problem: string
}

/**
 * `second_wall_down`: the database does not separate workspaces itself. `vectors_in_process`: it does not search vectors.
 * `replica_left_out`: a replica is not read.
 */
export interface StorageRemark {
  readonly code: "second_wall_down" | "vectors_in_process" | "replica_left_out"
  readonly message: string
}

/** A row with a column that cannot be parsed. */
export interface UnreadableRow {
  /** Table, column and key of the row: `document.front_matter doc_…`. */
  readonly subject: string
  /** Whether the column holds derived data, which can be rebuilt. */
  readonly isDerived: boolean
}
