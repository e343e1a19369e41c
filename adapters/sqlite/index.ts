/**
 * `kanon/sqlite`: an import loads little, and the first call the engine, so that a program which opens no workspace
 * does not wait for it.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { Engine, Wired } from "../../core/engine/engine/index.js"
import type { Ports } from "../../core/ports.js"
import type { ExportSource, ImportReport } from "../engine/import.js"
import type { MigrationReport } from "../sql/migration-state.js"
import type { EngineOptions, ImportOptions, MigrateOptions, ServedOptions } from "./engine.js"

export type {
  AskEvent,
  Asking,
  AskOptions,
  AskPart,
  CallOptions,
  Engine,
  EngineCalls,
  IngestOptions,
  IngestProgress,
  IngestReport,
  SearchOptions
} from "../../core/engine/engine/index.js"
export { KanonError } from "../../core/platform/kernel/index.js"
export type { ExportSource, ImportReport } from "../engine/import.js"
export type { MigrationReport } from "../sql/migration-state.js"
export type { EngineOptions, ImportOptions, MigrateOptions, ServedOptions } from "./engine.js"

const load = (): Promise<typeof import("./engine.js")> => import("./engine.js")

/**
 * Opens a workspace over a folder of Markdown files, with SQLite and HNSW in a data folder beside it; both are
 * created on first use. Rejected with a KanonError `vault_unavailable` when the vault is no readable folder.
 */
export const createEngine = async (options: EngineOptions): Promise<Engine> =>
  (await load()).createEngine(options)

/**
 * Opens a workspace on shared services: those of `sqlitePorts` with core's services on them, over the same data and
 * vaults. They stay open when the engine is closed.
 */
export const createEngineOn = async (
  services: ManagedRuntime.ManagedRuntime<Ports | Wired, unknown>,
  options: ServedOptions
): Promise<Engine> => (await load()).createEngineOn(services, options)

/**
 * Imports an export (`engine.export()`, `kanon export`): ids, versions, history, trash and graph are preserved, the
 * files are written into the vault, which must be empty or missing. Other workspaces of the data stay as they are. The
 * import is atomic: rejected with a KanonError `invalid_export` when the export is incomplete or altered, `conflict`
 * when the data holds the workspace or the vault holds files. If the process dies after the commit, the next
 * `createEngine` completes the files.
 */
export const importWorkspace = async (source: ExportSource, options: ImportOptions): Promise<ImportReport> =>
  (await load()).importWorkspace(source, options)

/**
 * Migrates the schema of a database as opening it does. Rejected with a KanonError `data_too_new`, `data_unreadable`
 * or `data_read_only`, without changes.
 */
export const migrateDatabase = async (options: MigrateOptions): Promise<MigrationReport> =>
  (await load()).migrateDatabase(options)

/**
 * Provides all ports on SQLite, a directory and HNSW, for products that compose layers themselves; with the extractor
 * of the options, if any, and with the client of the database, for tables of your own in the same transactions.
 */
export const sqlitePorts = (options: EngineOptions): Layer.Layer<Ports | SqlClient> =>
  Layer.unwrapEffect(Effect.map(Effect.promise(load), (engine) => engine.sqlitePorts(options)))
