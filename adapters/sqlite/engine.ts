/** The engine on SQLite: what `kanon/sqlite` loads on its first call. */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { Wired } from "../../core/engine/engine/index.js"
import {
  type Engine,
  type OpenOptions,
  openEngine,
  openEngineOn,
  unwrapExit
} from "../../core/engine/engine/index.js"
import { invalid, KanonError } from "../../core/platform/kernel/index.js"
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
import { auditHeadsFolder, portsOver, vectorsInProcess } from "../engine/ports.js"
import { makePrivateFolder } from "../host/private-files.js"
import { secretKeyFile } from "../host/secret-keys.js"
import type { SpanSink } from "../host/span-tracer.js"
import { embedderOf } from "../models/from-functions.js"
import { knownMigrations, type MigrationReport, newestMigration } from "../sql/migration-state.js"
import { ownFolder } from "../vault/paths.js"
import { absoluteVault, isRemote } from "../vault/vault-address.js"
import { snapshotOf, sqliteClient } from "./client.js"
import { sqliteJobStore } from "./job-store.js"
import { isReadOnly } from "./read-only.js"
import { sqliteRunSignals } from "./run-signals.js"
import { pendingSchema } from "./schema.js"
import { sqliteStorage } from "./storage.js"
import { workThread, workThreadFile } from "./work-thread.js"

/** Options of an engine on SQLite. */
export interface EngineOptions extends CommonOptions {
  /** The folder for database and indexes; default `.kanon` in the vault. `:memory:` stores nothing. */
  readonly data?: string
  /**
   * Whether long work (many changed files, jobs of a large workspace, long texts) runs in threads, started on demand,
   * so that searches stay fast. Default: true. With `:memory:` and from TypeScript sources there is no thread; a
   * custom `extractor` or model stays on the main thread; with a `chunker` there is no thread.
   */
  readonly thread?: boolean
}

/** File name of the database. */
const databaseFile = "kanon.sqlite"

/** Options of a migration. */
export interface MigrateOptions {
  /** The folder of the database. */
  readonly data: string
  /** Only lists the pending migrations. */
  readonly dryRun?: boolean
}

/** `migrateDatabase` of `kanon/sqlite`. */
export const migrateDatabase = async ({ data, dryRun = false }: MigrateOptions): Promise<MigrationReport> => {
  const filename = join(resolve(data), databaseFile)
  const { pending, schema } = existsSync(filename)
    ? await unwrapExit(
        Effect.runPromiseExit(Effect.provide(pendingSchema, sqliteClient({ filename, readonly: true })))
      )
    : { schema: 0, pending: knownMigrations }
  if (!dryRun) {
    makePrivateFolder(resolve(data))
    await unwrapExit(Effect.runPromiseExit(Effect.scoped(Layer.build(sqliteClient({ filename })))))
  }
  return { schema, newest: newestMigration, migrations: pending, repairs: [], dryRun }
}

/** Name of an in-memory database, which ends with its engine. */
const inMemory = ":memory:"

/** `createEngine` of `kanon/sqlite`. */
export const createEngine = async (options: EngineOptions): Promise<Engine> => {
  const opening = sqliteOpening(options)
  const engine = await openEngine(sqlitePorts(options), opening)
  if (opening.mend) forgetImport(dataFolder(options))
  return engine
}

/** Options of an engine in a process with tracing. */
export interface ServedOptions extends EngineOptions {
  /** Receives the spans of work in a thread. */
  readonly spans?: SpanSink
}

/** `createEngineOn` of `kanon/sqlite`. */
export const createEngineOn = async (
  services: ManagedRuntime.ManagedRuntime<Ports | Wired, unknown>,
  options: ServedOptions
): Promise<Engine> => openEngineOn(services, sqliteOpening(options))

/** Returns the options for opening, and creates the data folder. A read-only file is opened for reading. */
const sqliteOpening = (options: ServedOptions): OpenOptions => {
  requirePlaces(options)
  const data = dataFolder(options)
  const opening = openOptionsOf(options, data)
  if (data !== inMemory) makePrivateFolder(data)
  const readOnly = data !== inMemory && isReadOnly(join(data, databaseFile))
  const worker = !readOnly && opening.worker
  const workshop = workshopOf({ ...options, worker, thread: !readOnly && (options.thread ?? true) }, data)
  return {
    ...opening,
    worker,
    mend: !readOnly && opening.mend,
    ...(workshop === undefined ? {} : { workshop })
  }
}

/** Returns the background worker; an in-memory database cannot be shared with a thread. */
const workshopOf = (
  {
    builtInModels = true,
    cacheBytes,
    chunker,
    extractor,
    formatMemoryMb,
    formatTimeoutMs,
    models,
    privateModelAddresses = true,
    spans,
    thread = true,
    vault,
    worker = true
  }: ServedOptions,
  data: string
) =>
  // A thread of its own cannot call the chunker of this program.
  thread && chunker === undefined && data !== inMemory && workThreadFile !== null
    ? workThread({
        file: workThreadFile,
        vault: absoluteVault(vault),
        data,
        embedder: models?.embedder === undefined ? undefined : embedderOf(models.embedder),
        builtInModels,
        cacheBytes: cacheBytes ?? null,
        formatMemoryMb: formatMemoryMb ?? null,
        formatTimeoutMs: formatTimeoutMs ?? null,
        privateModelAddresses,
        worker,
        ownExtractor: extractor !== undefined,
        spans
      })
    : undefined

/** `importWorkspace` of `kanon/sqlite`. */
export const importWorkspace = (source: ExportSource, options: ImportOptions): Promise<ImportReport> =>
  importInto({ ports: sqlitePorts, open: createEngine, data: dataFolder(options) }, source, options)

/** Destination of an import; the name of the workspace is in the export. */
export interface ImportOptions extends ImportSettings, Pick<EngineOptions, "data" | "thread"> {}

/** `sqlitePorts` of `kanon/sqlite`. */
export const sqlitePorts = (options: EngineOptions): Layer.Layer<Ports | SqlClient> => {
  const data = dataFolder(options)
  const filename = data === inMemory ? inMemory : join(data, databaseFile)
  const folder = data === inMemory ? null : join(data, "vectors")
  return portsOver(
    {
      client: sqliteClient({ filename, readonly: filename !== inMemory && isReadOnly(filename) }),
      jobs: sqliteJobStore(filename),
      runSignals: sqliteRunSignals,
      storage: sqliteStorage,
      snapshot: snapshotOf(filename),
      base: data === inMemory ? resolve(isRemote(options.vault) ? "." : options.vault) : data,
      secretKey: { file: data === inMemory ? null : join(data, secretKeyFile), makesFile: true },
      auditHeads: data === inMemory ? null : join(data, auditHeadsFolder),
      vectors: vectorsInProcess(folder)
    },
    options
  )
}

const dataFolder = ({ data, vault }: EngineOptions): string => {
  if (data === undefined && isRemote(vault))
    throw new KanonError(
      invalid(["data"], "required", "Where the files are in no folder, a data folder is named.")
    )
  return data === inMemory ? inMemory : resolve(data ?? join(vault, ownFolder))
}
