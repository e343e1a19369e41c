import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type {
  DataCallId,
  DataConnectorId,
  DataQueryId,
  SecretId,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { DataCall, DataConnector, DataQuery, DataRow } from "./model.js"

/** A connector as it is stored: its credential is named by the id of a secret. */
export type StoredConnector = Omit<DataConnector, "hasCredential"> & { readonly secret: SecretId | null }

/** Connectors of live data. Names are unique among those that are not deleted, without regard to case. */
export interface DataConnectorStore {
  /** By name. Deleted ones are not listed. */
  readonly list: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<StoredConnector>>
  readonly find: (workspace: WorkspaceScope, id: DataConnectorId) => Effect.Effect<Option<StoredConnector>>
  /** The id of the connector of this name, if there is one. */
  readonly named: (workspace: WorkspaceScope, name: string) => Effect.Effect<Option<DataConnectorId>>
  /** Adds one in the caller's unit of work; false, and nothing done, where the name is taken. */
  readonly insert: (workspace: WorkspaceScope, connector: StoredConnector) => Effect.Effect<boolean>
  /** Replaces one where it still is of the moment `before`; `changed` when somebody was faster. */
  readonly replace: (
    workspace: WorkspaceScope,
    connector: StoredConnector,
    before: string
  ) => Effect.Effect<"done" | "name_taken" | "changed">
  /** Deletes one; false where there is none. Its row stays, since data calls name it. */
  readonly remove: (workspace: WorkspaceScope, id: DataConnectorId, at: string) => Effect.Effect<boolean>
}

/** One version of a named query, kept for good. */
export interface QueryRevision {
  readonly query: DataQuery
  readonly activity: string
  readonly changedBy: string
}

/** Named queries with their revisions. */
export interface DataQueryStore {
  /** By slug; archived ones too. */
  readonly list: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<DataQuery>>
  /** By its slug or its id. */
  readonly find: (workspace: WorkspaceScope, slugOrId: string) => Effect.Effect<Option<DataQuery>>
  /**
   * Stores a version and keeps it as a revision, in the caller's unit of work. The first version is 1; each further
   * one must follow the one that is stored. False, and nothing done, where somebody else was faster.
   */
  readonly put: (workspace: WorkspaceScope, revision: QueryRevision) => Effect.Effect<boolean>
  /** Newest first. */
  readonly revisions: (
    workspace: WorkspaceScope,
    id: DataQueryId
  ) => Effect.Effect<ReadonlyArray<QueryRevision>>
}

/** The rows of a data call, as long as they are kept. */
export interface CallRows {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<DataRow>
}

/** Records of executions. They are only added; rows are removed when their retention is over. */
export interface DataCallStore {
  readonly add: (workspace: WorkspaceScope, call: DataCall, rows: CallRows | null) => Effect.Effect<void>
  readonly find: (
    workspace: WorkspaceScope,
    id: DataCallId
  ) => Effect.Effect<Option<{ readonly call: DataCall; readonly rows: CallRows | null }>>
  /** Newest first, at most so many; of one query where it is named. */
  readonly list: (
    workspace: WorkspaceScope,
    filter: { readonly queryId: DataQueryId | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<DataCall>>
  /** Notes for which answer calls were made, in the caller's unit of work. */
  readonly link: (
    workspace: WorkspaceScope,
    ids: ReadonlyArray<DataCallId>,
    answerId: string
  ) => Effect.Effect<void>
  /** Removes the rows of calls from before a moment, of at most `limit` calls; gives of how many. */
  readonly pruneRows: (workspace: WorkspaceScope, before: string, limit: number) => Effect.Effect<number>
}

/** An adapter of a database implements it to keep connectors to live data, named queries and records of executions. */
export class LiveDataStore extends Context.Tag("kanon/LiveDataStore")<
  LiveDataStore,
  {
    /** Connectors to databases. */
    readonly connectors: DataConnectorStore
    /** Named queries with their revisions. */
    readonly queries: DataQueryStore
    /** Records of executions. */
    readonly calls: DataCallStore
  }
>() {}
