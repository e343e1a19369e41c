import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Redacted } from "effect/Redacted"
import type { DataConnectorId, WorkspaceScope } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import type {
  ColumnInfo,
  ConnectorLimits,
  ConnectorProbe,
  ConnectorSettings,
  DataConnectorKind
} from "./model.js"
import type { CompiledStatement } from "./statement.js"

/** A database to ask, with the credential that opens it. */
export interface DataTarget {
  readonly id: DataConnectorId
  /** Changes with settings and credential: connections of another version are not used again. */
  readonly version: string
  readonly kind: DataConnectorKind
  readonly settings: ConnectorSettings
  readonly credential: Redacted<string> | null
}

/** How much one execution may take. */
export interface DataLimits {
  readonly rowCap: number
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** A value that JSON holds exactly. */
export type Cell = unknown

/** Rows as the database gave them, in the order of the columns. */
export interface DataResult {
  /** Names as they are; the service makes them distinct. */
  readonly columns: ReadonlyArray<ColumnInfo>
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
  readonly truncated: boolean
}

/** Columns and plan of a statement, which the database returns without running it. */
export interface StatementDescription {
  readonly columns: ReadonlyArray<ColumnInfo>
  readonly plan: string
}

/** The guard refused the statement; nothing was sent to be run. The message says what, and what would pass. */
export class StatementRefused extends Data.TaggedError("StatementRefused")<{ readonly message: string }> {}
/** The database cannot be reached, or the connection broke. */
export class DatabaseUnreachable extends Data.TaggedError("DatabaseUnreachable")<{
  readonly message: string
}> {}
/** The database refused the statement. The detail is its own text: for whoever writes queries, not for callers. */
export class StatementFailed extends Data.TaggedError("StatementFailed")<{ readonly detail: string }> {}
/** The time limit stopped the statement. */
export class StatementTimedOut extends Data.TaggedError("StatementTimedOut") {}

export type DatabaseFault = StatementRefused | DatabaseUnreachable | StatementFailed | StatementTimedOut

/**
 * An adapter of further database systems implements it, so that named queries can ask them. Live databases, read-only.
 * Each statement passes a guard before it is sent, runs in a read-only session, and is bounded in time, rows and
 * bytes. A statement that is given up is stopped at the database too.
 */
export class LiveDatabases extends Context.Tag("kanon/LiveDatabases")<
  LiveDatabases,
  {
    /** Why the host allows no such database; null where it does. Opens no connection. */
    readonly refusalOf: (kind: DataConnectorKind, settings: ConnectorSettings) => Effect.Effect<string | null>
    /** Opens a connection and asks what the account may do. Never fails. */
    readonly probe: (workspace: WorkspaceScope, target: DataTarget) => Effect.Effect<ConnectorProbe>
    /** Reads a statement as the guard does, without a database where the dialect allows it. */
    readonly inspect: (
      workspace: WorkspaceScope,
      target: Omit<DataTarget, "credential">,
      statement: CompiledStatement
    ) => Effect.Effect<void, StatementRefused>
    readonly describe: (
      workspace: WorkspaceScope,
      target: DataTarget,
      statement: CompiledStatement,
      limits: DataLimits
    ) => Effect.Effect<StatementDescription, DatabaseFault>
    readonly run: (
      workspace: WorkspaceScope,
      target: DataTarget,
      statement: CompiledStatement,
      limits: DataLimits
    ) => Effect.Effect<DataResult, DatabaseFault>
    /** Closes the connections of a connector. */
    readonly close: (workspace: WorkspaceScope, id: DataConnectorId) => Effect.Effect<void>
  }
>() {}

/** The caps of the workspace, lowered by those of the connector. */
export const effectiveLimits = (
  workspace: WorkspaceScope,
  { rowCap, timeoutMs }: ConnectorLimits
): Effect.Effect<DataLimits, never, WorkspaceStore> =>
  Effect.gen(function* () {
    const { caps } = (yield* (yield* WorkspaceStore).get(workspace)).settings
    return {
      rowCap: Math.min(caps.dataRows, rowCap ?? caps.dataRows),
      maxBytes: caps.dataBytes,
      timeoutMs: Math.min(caps.dataTimeoutMs, timeoutMs ?? caps.dataTimeoutMs)
    }
  })
