import type * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { CommonOptions } from "../adapters/engine/options.js"
import type { SpanSink } from "../adapters/host/span-tracer.js"
import type { MigrationReport } from "../adapters/postgres/index.js"
import type { DatabaseHome } from "../adapters/postgres/vault-home.js"
import { lazyCrawlers } from "../adapters/sources/lazy.js"
import type { ExportSource, ImportOptions, ImportReport } from "../adapters/sqlite/index.js"
import type { Engine, Wired } from "../core/engine/engine/index.js"
import type { Ports } from "../core/ports.js"

/** Location of the data: a folder, and optionally a database for what it holds. */
export interface DataPlace {
  readonly data: string
  readonly vault: string
  /** The URL of a Postgres database; without one, SQLite in the folder. */
  readonly database?: string | undefined
}

/** Opens the data of a location on any database. */
export interface Store {
  readonly createEngine: (options: CommonOptions & { readonly thread?: boolean }) => Promise<Engine>
  /** Creates an engine on shared services. */
  readonly createEngineOn: (
    services: ManagedRuntime.ManagedRuntime<Ports | Wired, unknown>,
    options: CommonOptions & { readonly spans?: SpanSink }
  ) => Promise<Engine>
  readonly ports: (options?: Partial<CommonOptions>) => Layer.Layer<Ports>
  readonly importWorkspace: (
    source: ExportSource,
    options: Omit<ImportOptions, "vault" | "data">
  ) => Promise<ImportReport>
}

/** The standard server and the commands read every kind of source. */
const crawlers = lazyCrawlers

/** Selects the database. Only the selected one is loaded. */
export const storeOf = async ({ data, database, vault }: DataPlace): Promise<Store> => {
  if (database === undefined) {
    const sqlite = await import("../adapters/sqlite/index.js")
    return {
      createEngine: (options) => sqlite.createEngine({ crawlers, ...options, data }),
      createEngineOn: (services, options) => sqlite.createEngineOn(services, { ...options, data }),
      ports: (options) => sqlite.sqlitePorts({ vault, crawlers, ...options, data }),
      importWorkspace: (source, options) => sqlite.importWorkspace(source, { ...options, vault, data })
    }
  }
  const postgres = await import("../adapters/postgres/index.js")
  return {
    createEngine: ({ thread: _, ...options }) =>
      postgres.createEngine({ crawlers, ...options, data, database }),
    // Work in this process uses the tracer of the runtime.
    createEngineOn: (services, { spans: _, ...options }) =>
      postgres.createEngineOn(services, { ...options, data }),
    ports: (options) => postgres.postgresPorts({ vault, crawlers, ...options, data, database }),
    importWorkspace: (source, { thread: _, ...options }) =>
      postgres.importWorkspace(source, { ...options, vault, data, database })
  }
}

/** Returns the owner that a database records; null for a database of another program. */
export const databaseHomeOf = async (database: string): Promise<DatabaseHome | null> =>
  (await import("../adapters/postgres/vault-home.js")).databaseHome(database)

/** Records in a database which vault it belongs to, since other hosts have data folders of their own. */
export const keepDatabaseHomeOf = async (database: string, vault: string): Promise<void> =>
  (await import("../adapters/postgres/vault-home.js")).keepDatabaseHome(database, vault)

/** Migrates the schema of a location, or only lists the pending migrations. */
export const migrateStore = async (
  place: Pick<DataPlace, "data" | "database">,
  options: { readonly dryRun: boolean; readonly serverRole?: string | undefined }
): Promise<MigrationReport> => {
  if (place.database === undefined) {
    const { migrateDatabase } = await import("../adapters/sqlite/index.js")
    return migrateDatabase({ data: place.data, dryRun: options.dryRun })
  }
  const { migrateDatabase } = await import("../adapters/postgres/index.js")
  const { dryRun, serverRole } = options
  return migrateDatabase({
    database: place.database,
    dryRun,
    ...(serverRole === undefined ? {} : { serverRole })
  })
}

/** Distributes a Postgres database over several servers, and shows how it is distributed. */
export const distributionOf = () => import("../adapters/postgres/distribution-status.js")
