import { mkdirSync, statSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import type { Engine } from "../../core/engine.js"
import { Extractor } from "../../core/graph/index.js"
import { openEngine } from "../../core/kanon.js"
import { KanonError, VaultUnavailable } from "../../core/kernel/index.js"
import { Models } from "../../core/models/index.js"
import type { Ports } from "../../core/ports.js"
import { fairScheduler } from "../host/fair-scheduler.js"
import { hostIds } from "../host/ids.js"
import { processOwner } from "../host/process-owner.js"
import { modelsFromEnvironment } from "../models/index.js"
import { sqlAtomic } from "../sql/atomic.js"
import { sqlAuditLog } from "../sql/audit-log.js"
import { sqlDocumentStore } from "../sql/document-store.js"
import { sqlEntityStore } from "../sql/entity-store.js"
import { sqlGraphStore } from "../sql/graph-store.js"
import { sqlExtractionStore } from "../sql/graph-store-extraction.js"
import { sqlPostingStore } from "../sql/posting-store.js"
import { sqlVectorStore } from "../sql/vector-store.js"
import { sqlWorkspaceStore } from "../sql/workspace-store.js"
import { directoryVault, ownFolder } from "../vault/directory.js"
import { autoVectorIndex } from "../vectors/auto.js"
import { workerLsaFitter } from "../vectors/fit-worker.js"
import { sqliteClient } from "./client.js"
import { sqliteJobStore } from "./job-store.js"
import type { EngineOptions } from "./options.js"

export type * from "../../core/engine.js"
export { KanonError } from "../../core/kernel/index.js"
export type { EngineOptions } from "./options.js"

/** The name of the database in the data folder. */
const databaseFile = "kanon.sqlite"
/** Names a database that is gone when the engine is closed. */
const inMemory = ":memory:"

/**
 * Opens a workspace over a folder of Markdown files, with SQLite and HNSW in a data folder beside it; both are
 * made on first use. Rejected with a KanonError `vault_unavailable` when the vault is no readable folder.
 */
export const createEngine = async (options: EngineOptions): Promise<Engine> => {
  const vault = resolve(options.vault)
  refuseMissing(vault)
  const data = dataFolder(options)
  if (data !== inMemory) mkdirSync(data, { recursive: true })
  return openEngine(sqlitePorts(options), {
    name: options.name ?? basename(vault),
    worker: options.worker ?? true,
    owner: processOwner("worker")
  })
}

/**
 * All ports on SQLite, a directory and HNSW, for products that combine layers themselves; with an extractor among
 * them when the options hold one.
 */
export const sqlitePorts = (options: EngineOptions): Layer.Layer<Ports> => {
  const data = dataFolder(options)
  const filename = data === inMemory ? inMemory : join(data, databaseFile)
  const folder = data === inMemory ? null : join(data, "vectors")
  const base = Layer.provideMerge(
    Layer.mergeAll(sqlAtomic, sqlAuditLog, sqlWorkspaceStore, sqliteJobStore),
    hostIds
  )
  return Layer.mergeAll(
    sqlDocumentStore,
    sqlEntityStore,
    sqlGraphStore,
    sqlExtractionStore,
    sqlPostingStore,
    sqlVectorStore
  ).pipe(
    Layer.provideMerge(base),
    Layer.provide(sqliteClient({ filename })),
    Layer.merge(
      Layer.mergeAll(
        directoryVault(options.vault),
        autoVectorIndex({ folder }),
        workerLsaFitter(),
        modelsLayer(options),
        options.extractor === undefined ? Layer.empty : Layer.succeed(Extractor, options.extractor)
      )
    ),
    // Standard output belongs to the program that embeds us.
    Layer.provide(Logger.replace(Logger.defaultLogger, options.logger ?? logfmtOnStandardError)),
    Layer.orDie,
    Layer.merge(fairScheduler)
  )
}

const logfmtOnStandardError = Logger.withConsoleError(Logger.logfmtLogger)

const modelsLayer = ({ models = {} }: EngineOptions) =>
  Layer.effect(
    Models,
    Effect.map(modelsFromEnvironment, ({ chat, embedder, reranker }) => ({
      chat: Option.orElse(Option.fromNullable(models.chat), () => chat),
      embedder: Option.orElse(Option.fromNullable(models.embedder), () => embedder),
      reranker: Option.orElse(Option.fromNullable(models.reranker), () => reranker)
    }))
  )

const dataFolder = ({ data, vault }: EngineOptions): string =>
  data === inMemory ? inMemory : resolve(data ?? join(vault, ownFolder))

const refuseMissing = (vault: string): void => {
  const found = statSync(vault, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  const message = found === undefined ? "There is no such folder." : "It is a file, not a folder."
  throw new KanonError(
    new VaultUnavailable({
      code: found === undefined ? "ENOENT" : "ENOTDIR",
      message: `${vault}: ${message}`
    })
  )
}
