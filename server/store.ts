import type * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { CommonOptions } from "../adapters/engine/options.js"
import type { SpanSink } from "../adapters/host/span-tracer.js"
import type { MigrationReport } from "../adapters/postgres/index.js"
import type { DatabaseHome } from "../adapters/postgres/vault-home.js"
import type { ExportSource, ImportOptions, ImportReport } from "../adapters/sqlite/index.js"
import type { Engine } from "../core/engine/index.js"
import type { Ports } from "../core/ports.js"
import type { Wired } from "../core/wiring.js"

/** Where the data are: a folder, and what is in a database of a server in place of it. */
export interface DataPlace {
  readonly data: string
  readonly vault: string
  /** The URL of a Postgres database; SQLite in the folder without one. */
  readonly database?: string | undefined
}

/** Opens what a place holds, whatever holds it. */
export interface Store {
  readonly createEngine: (options: CommonOptions & { readonly thread?: boolean }) => Promise<Engine>
  /** An engine on services that are open already. */
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

/** The one place that chooses the database. Only the chosen one is loaded. */
export const storeOf = async ({ data, database, vault }: DataPlace): Promise<Store> => {
  if (database === undefined) {
    const sqlite = await import("../adapters/sqlite/index.js")
    return {
      createEngine: (options) => sqlite.createEngine({ ...options, data }),
      createEngineOn: (services, options) => sqlite.createEngineOn(services, { ...options, data }),
      ports: (options) => sqlite.sqlitePorts({ vault, ...options, data }),
      importWorkspace: (source, options) => sqlite.importWorkspace(source, { ...options, vault, data })
    }
  }
  const postgres = await import("../adapters/postgres/index.js")
  return {
    createEngine: ({ thread: _, ...options }) => postgres.createEngine({ ...options, data, database }),
    // What is worked on in this process is traced with the rest of it.
    createEngineOn: (services, { spans: _, ...options }) =>
      postgres.createEngineOn(services, { ...options, data }),
    ports: (options) => postgres.postgresPorts({ vault, ...options, data, database }),
    importWorkspace: (source, { thread: _, ...options }) =>
      postgres.importWorkspace(source, { ...options, vault, data, database })
  }
}

/** Whose a database is, by what it says itself; null where it is another program's. */
export const databaseHomeOf = async (database: string): Promise<DatabaseHome | null> =>
  (await import("../adapters/postgres/vault-home.js")).databaseHome(database)

/** Has a database know for which place of files it is, since other hosts have data folders of their own. */
export const keepDatabaseHomeOf = async (database: string, vault: string): Promise<void> =>
  (await import("../adapters/postgres/vault-home.js")).keepDatabaseHome(database, vault)

/** Brings the schema of a place to what this program knows, or only tells what is to come. */
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
