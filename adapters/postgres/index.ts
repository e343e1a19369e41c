import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import type * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { type Engine, openEngine, openEngineOn } from "../../core/engine/index.js"
import { IdentityStore } from "../../core/identity/index.js"
import type { Ports } from "../../core/ports.js"
import type { Wired } from "../../core/wiring.js"
import {
  type ExportSource,
  type ImportReport,
  type ImportOptions as ImportSettings,
  importInto
} from "../engine/import.js"
import { forgetImport } from "../engine/import-mark.js"
import { openOptionsOf } from "../engine/opening.js"
import type { CommonOptions } from "../engine/options.js"
import { portsOver } from "../engine/ports.js"
import { secretKeyFile } from "../host/secret-keys.js"
import { bindWorkspaces } from "../sql/workspace-in-force.js"
import { ownFolder } from "../vault/directory.js"
import { isRemote } from "../vault/vault-address.js"
import { postgresClient } from "./client.js"
import { postgresJobStore } from "./job-store.js"
import { vectorsOn } from "./nearest.js"
import { postgresRunSignals } from "./run-signals.js"
import { snapshotOf } from "./snapshot.js"
import { postgresStorage } from "./storage.js"

export type {
  AskOptions,
  Engine,
  EngineCalls,
  IngestOptions,
  IngestProgress,
  IngestReport,
  SearchOptions
} from "../../core/engine/index.js"
export { KanonError } from "../../core/kernel/index.js"
export type { ExportSource, ImportReport } from "../engine/import.js"
export type { MigrationReport } from "../sql/migration-state.js"
export { type MigrateOptions, migrateDatabase } from "./migrate.js"

/** Where the database and the files are, and what answers. */
export interface PostgresEngineOptions extends CommonOptions {
  /** `postgres://user:password@host:port/database`; its schema is made and migrated on opening. */
  readonly database: string
  /**
   * A folder of this host: vector indexes, which are made of the database (in memory without one), and folders of
   * workspaces that are named relative lie in it.
   */
  readonly data?: string
  /** Connections of this process at most; 10 by default, and one more that listens. */
  readonly connectionsMax?: number
  /**
   * By which URL the one connection listens that wakes workers, where a pooler in transaction mode stands at `database`:
   * that of the server itself. `KANON_DATABASE_LISTEN_URL` by default, else `database`.
   */
  readonly listen?: string
}

/**
 * Opens a workspace over a folder of Markdown files, with Postgres (15 or newer) beneath: any number of processes may
 * have it open at once. Rejected with a KanonError `vault_unavailable` when the vault is no readable folder.
 */
export const createEngine = async (options: PostgresEngineOptions): Promise<Engine> => {
  const data = dataFolder(options)
  const opening = openOptionsOf(options, data)
  const engine = await openEngine(postgresPorts(options), opening)
  if (opening.mend && data !== null) forgetImport(data)
  return engine
}

/**
 * The same on services that are open already: those of `postgresPorts` and what core makes of them, over the same
 * database and vaults. They stay open when the engine is closed.
 */
export const createEngineOn = async (
  services: ManagedRuntime.ManagedRuntime<Ports | Wired, unknown>,
  options: CommonOptions & Pick<PostgresEngineOptions, "data">
): Promise<Engine> => openEngineOn(services, openOptionsOf(options, dataFolder(options)))

/** Where the workspace goes; its name comes with it. */
export interface ImportOptions
  extends ImportSettings,
    Pick<PostgresEngineOptions, "database" | "data" | "connectionsMax"> {}

/**
 * Makes a workspace of an export (`engine.export()`, `kanon export`), whatever database it is of: ids, versions,
 * history, trash and graph as they were, the files written into the vault, which must be empty or missing. All of it
 * or nothing: rejected with a KanonError `invalid_export` when the export is not whole and unchanged, `conflict` when
 * something is there.
 */
export const importWorkspace = (source: ExportSource, options: ImportOptions): Promise<ImportReport> =>
  importInto({ ports: postgresPorts, open: createEngine, data: dataFolder(options) }, source, options)

/** The folder of what is kept beside the vault; null for none. */
const dataFolder = ({ data, vault }: Pick<PostgresEngineOptions, "data" | "vault">): string | null =>
  data === undefined && isRemote(vault) ? null : resolve(data ?? join(vault, ownFolder))

const listenUrl = ({ database, listen = process.env["KANON_DATABASE_LISTEN_URL"] }: PostgresEngineOptions) =>
  listen === undefined || listen === "" ? database : listen

/** All ports on Postgres, directories and HNSW, for products that combine layers themselves. */
export const postgresPorts = (options: PostgresEngineOptions): Layer.Layer<Ports> => {
  const { connectionsMax, data, database: url } = options
  if (data !== undefined) mkdirSync(data, { recursive: true })
  return portsOver(
    {
      client: postgresClient({ url, ...(connectionsMax === undefined ? {} : { connectionsMax }) }),
      jobs: postgresJobStore(listenUrl(options)),
      runSignals: postgresRunSignals(listenUrl(options)),
      storage: postgresStorage,
      snapshot: snapshotOf(url),
      base: resolve(data ?? (isRemote(options.vault) ? "." : options.vault)),
      // Several hosts may share the database: a key that one of them made would not open for the others.
      secretKey: { file: data === undefined ? null : join(resolve(data), secretKeyFile), makesFile: false },
      vectors: vectorsOn(data === undefined ? null : join(resolve(data), "vectors")),
      bind: bindWorkspaces(new Set([IdentityStore.key]))
    },
    options
  )
}
