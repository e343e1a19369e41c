import { join, resolve } from "node:path"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { Wired } from "../../core/engine/engine/index.js"
import { type Engine, openEngine, openEngineOn, unwrapExit } from "../../core/engine/engine/index.js"
import { IdentityStore } from "../../core/platform/identity/index.js"
import { ReadReplicas } from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import {
  type ExportSource,
  type ImportReport,
  type ImportOptions as ImportSettings,
  importInto
} from "../engine/import.js"
import { forgetImport } from "../engine/import-mark.js"
import { openOptionsOf, requirePlaces } from "../engine/opening.js"
import type { CommonOptions } from "../engine/options.js"
import { auditHeadsFolder, portsOver } from "../engine/ports.js"
import { makePrivateFolder } from "../host/private-files.js"
import { secretKeyFile } from "../host/secret-keys.js"
import type { MigrationReport } from "../sql/migration-state.js"
import { bindWorkspaces } from "../sql/workspace-in-force.js"
import { ownFolder } from "../vault/paths.js"
import { isRemote } from "../vault/vault-address.js"
import { pooled, postgresClient, snapshotOf } from "./client.js"
import { postgresJobStore } from "./job-store.js"
import { vectorsOn } from "./nearest.js"
import { bindReplicaReads } from "./replica-reads.js"
import { Replicas } from "./replicas.js"
import { postgresRunSignals } from "./run-signals.js"
import { migrateSchema } from "./schema.js"
import { postgresStorage } from "./storage.js"

/** Options of a migration. */
export interface MigrateOptions {
  /** The URL of the role that owns the tables, or of one that may create them in an empty database. */
  readonly database: string
  /** Only lists the pending migrations. */
  readonly dryRun?: boolean
  /** A role that servers connect as; it is granted exactly the needed rights. */
  readonly serverRole?: string
}

/**
 * Migrates the schema of a database as opening it does, and grants servers their rights. Rejected with a KanonError
 * `data_too_new` or `data_unreadable` if the database is not for this program, and `invalid_body` if the role would
 * bypass row-level security; nothing is changed then.
 */
export const migrateDatabase = ({
  database,
  dryRun = false,
  serverRole
}: MigrateOptions): Promise<MigrationReport> =>
  unwrapExit(
    Effect.runPromiseExit(
      Effect.provide(migrateSchema({ dryRun, serverRole }), pooled({ url: database, connectionsMax: 1 }))
    )
  )

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

/** Options of an engine on Postgres. */
export interface PostgresEngineOptions extends CommonOptions {
  /** `postgres://user:password@host:port/database`; its schema is created and migrated on opening. */
  readonly database: string
  /**
   * A folder of this host for vector indexes, which are derived from the database (in memory without a folder), and
   * for workspace folders with relative names.
   */
  readonly data?: string
  /** Maximum number of connections of this process, default 10, plus one for notifications. */
  readonly connectionsMax?: number
  /**
   * URL for the connection that listens for job notifications, if `database` is a pooler in transaction mode: that of
   * the server itself. Default: `KANON_DATABASE_LISTEN_URL`, else `database`.
   */
  readonly listen?: string
  /**
   * URLs of streaming standbys of `database`, which then serve what is only read. Default: those in
   * `KANON_DATABASE_READ_URL`, separated by commas.
   */
  readonly replicas?: ReadonlyArray<string>
}

/**
 * Opens a workspace over a folder of Markdown files on Postgres (15 or newer); any number of processes may have it
 * open. Rejected with a KanonError `vault_unavailable` when the vault is no readable folder.
 */
export const createEngine = async (options: PostgresEngineOptions): Promise<Engine> => {
  requirePlaces(options)
  const data = dataFolder(options)
  const opening = openOptionsOf(options, data)
  const engine = await openEngine(postgresPorts(options), opening)
  if (opening.mend && data !== null) forgetImport(data)
  return engine
}

/**
 * Opens a workspace on shared services: those of `postgresPorts` with core's services on them, over the same database
 * and vaults. They stay open when the engine is closed.
 */
export const createEngineOn = async (
  services: ManagedRuntime.ManagedRuntime<Ports | Wired, unknown>,
  options: CommonOptions & Pick<PostgresEngineOptions, "data">
): Promise<Engine> => openEngineOn(services, openOptionsOf(options, dataFolder(options)))

/** Destination of an import; the name of the workspace is in the export. */
export interface ImportOptions
  extends ImportSettings,
    Pick<PostgresEngineOptions, "database" | "data" | "connectionsMax"> {}

/**
 * Imports an export (`engine.export()`, `kanon export`) of any database: ids, versions, history, trash and graph are
 * preserved, the files are written into the vault, which must be empty or missing. Other workspaces of the database
 * stay as they are. The import is atomic: rejected with a KanonError `invalid_export` when the export is incomplete or
 * altered, `conflict` when the database holds the workspace or the vault holds files.
 */
export const importWorkspace = (source: ExportSource, options: ImportOptions): Promise<ImportReport> =>
  importInto({ ports: postgresPorts, open: createEngine, data: dataFolder(options) }, source, options)

/** Returns the data folder beside the vault; null for none. */
const dataFolder = ({ data, vault }: Pick<PostgresEngineOptions, "data" | "vault">): string | null =>
  data === undefined && isRemote(vault) ? null : resolve(data ?? join(vault, ownFolder))

/** Names the standbys that serve reads. */
const readUrlVariable = "KANON_DATABASE_READ_URL"

const listenUrl = ({ database, listen = process.env["KANON_DATABASE_LISTEN_URL"] }: PostgresEngineOptions) =>
  listen === undefined || listen === "" ? database : listen

const replicaUrls = ({ replicas }: PostgresEngineOptions): ReadonlyArray<string> =>
  replicas ??
  (process.env[readUrlVariable] ?? "")
    .split(",")
    .map((url) => url.trim())
    .filter((url) => url !== "")

/**
 * Provides all ports on Postgres, directories and HNSW, for products that compose layers themselves; with the client of
 * the database, for tables of your own in the same transactions.
 */
export const postgresPorts = (options: PostgresEngineOptions): Layer.Layer<Ports | SqlClient> => {
  const { connectionsMax, data, database: url } = options
  if (data !== undefined) makePrivateFolder(data)
  const urls = replicaUrls(options)
  const replicas = new Replicas(urls)
  const bind = bindWorkspaces(new Set([IdentityStore.key, `${IdentityStore.key}.sessions`]))
  const ports = portsOver(
    {
      client: postgresClient({ url, replicas, ...(connectionsMax === undefined ? {} : { connectionsMax }) }),
      jobs: postgresJobStore(listenUrl(options)),
      runSignals: postgresRunSignals(listenUrl(options)),
      storage: postgresStorage,
      snapshot: snapshotOf(url),
      base: resolve(data ?? (isRemote(options.vault) ? "." : options.vault)),
      // No generated key without a data folder: several hosts may share the database, and a key created by one would
      // not open secrets for the others.
      secretKey: { file: data === undefined ? null : join(resolve(data), secretKeyFile), makesFile: false },
      auditHeads: data === undefined ? null : join(resolve(data), auditHeadsFolder),
      vectors: vectorsOn(data === undefined ? null : join(resolve(data), "vectors")),
      bind: (services) => bind(urls.length === 0 ? services : bindReplicaReads(services))
    },
    options
  )
  return urls.length === 0 ? ports : Layer.merge(ports, Layer.succeed(ReadReplicas, replicas.service))
}
