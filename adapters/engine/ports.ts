import { join } from "node:path"
import type { SqlClient } from "@effect/sql/SqlClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Crawlers } from "../../core/connected/sources/index.js"
import { Chunker, FormatConverter } from "../../core/files/documents/index.js"
import { Extractor } from "../../core/knowledge/extraction/index.js"
import { RoleScopes } from "../../core/platform/identity/index.js"
import type { JobStore } from "../../core/platform/jobs/index.js"
import {
  type Ids,
  mergeServices,
  noServices,
  type ServiceLayer,
  type Storage,
  scopeOf,
  serviceLayer,
  type WorkspaceScope
} from "../../core/platform/kernel/index.js"
import { Models } from "../../core/platform/models/index.js"
import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import type { Ports } from "../../core/ports.js"
import type { VectorIndex } from "../../core/search/vectors/index.js"
import { RegisteredTools, type RunSignals } from "../../core/work/agent-runs/index.js"
import { FormatTasks } from "../formats/format-tasks.js"
import { formatConverter } from "../formats/index.js"
import { crashPointsFromEnvironment } from "../host/crash-points.js"
import { fairScheduler } from "../host/fair-scheduler.js"
import { headFiles } from "../host/head-files.js"
import { hostIds } from "../host/ids.js"
import { longTexts } from "../host/long-texts.js"
import { isOwnerGone, processOwner } from "../host/process-owner.js"
import { hostSealer, type SealerOptions } from "../host/sealer.js"
import { secretKeyVariable } from "../host/secret-keys.js"
import { thesaurusFiles, usualThesaurusFolder } from "../host/thesaurus-files.js"
import { liveDatabases } from "../livedata/live-databases.js"
import { mcpClient } from "../mcp/client.js"
import { commandsIn } from "../mcp/rules.js"
import { modelsFromEnvironment, pricesFromEnvironment } from "../models/from-environment.js"
import { chatOf, embedderOf, rerankerOf } from "../models/from-functions.js"
import { withChoices } from "../models/workspace-models.js"
import { rdfReader } from "../rdf/reader.js"
import { sqlAnswerStore } from "../sql/answers/answering/answer-store.js"
import { sqlContradictionStore } from "../sql/answers/contradictions/contradiction-store.js"
import { sqlPolicyStore } from "../sql/answers/policy/policy-store.js"
import { sqlAtomic } from "../sql/atomic.js"
import { sqlLiveDataStore } from "../sql/connected/livedata/live-data-store.js"
import { sqlSourceStore } from "../sql/connected/sources/source-store.js"
import { sqlDocumentStore } from "../sql/files/documents/document-store.js"
import { sqlEntityStore } from "../sql/knowledge/entities/entity-store.js"
import { sqlGraphStore } from "../sql/knowledge/graph/graph-store.js"
import { sqlVocabularyStore } from "../sql/knowledge/vocabulary/vocabulary-store.js"
import { sqlAccessStore } from "../sql/platform/access/access-store.js"
import { sqlAuditLog } from "../sql/platform/audit/audit-log.js"
import { sqlIdentityStore } from "../sql/platform/identity/identity-store.js"
import { sqlWorkspaceStore } from "../sql/platform/workspace/workspace-store.js"
import { sqlPostingStore } from "../sql/search/lexical/posting-store.js"
import { sqlVectorStore } from "../sql/search/vectors/vector-store.js"
import { sqlOverviewStore } from "../sql/upkeep/overview/overview-store.js"
import { sqlWorkspaceArchive } from "../sql/upkeep/transfer/workspace-archive.js"
import { sqlRunStore } from "../sql/work/agents/run-store.js"
import { sqlEvalStore } from "../sql/work/evaluation/eval-store.js"
import { absoluteVault, isRemote } from "../vault/vault-address.js"
import { vaultsByWorkspace } from "../vault/vaults-by-workspace.js"
import { workerLsaFitter } from "../vectors/fit-worker.js"
import { autoVectorIndex } from "../vectors/vector-index.js"
import { type CommonOptions, extractorOf, namedChunker } from "./options.js"

/** Name of the folder, in the data folder, with the heads of audit trails. */
export const auditHeadsFolder = "audit-heads"

/** Services that differ between databases. */
export interface Database<E> {
  readonly client: Layer.Layer<SqlClient, E>
  readonly jobs: ServiceLayer<JobStore, E, SqlClient | Ids | Scope.Scope>
  readonly runSignals: Effect.Effect<RunSignals, never, SqlClient | Scope.Scope>
  readonly storage: ServiceLayer<Storage, E, SqlClient>
  /** A client that sees one moment of the database until its scope is closed, and keeps nobody waiting. */
  readonly snapshot: (
    sql: SqlClient,
    workspace: WorkspaceScope
  ) => Effect.Effect<SqlClient, never, Scope.Scope>
  /** Folders of workspaces that are not absolute lie in here. */
  readonly base: string
  /** Folder in which the heads of audit trails are kept beside the database; null for none. */
  readonly auditHeads: string | null
  /** File of the master key of credentials, used beside `KANON_SECRET_KEY`, and whether a missing one is created. */
  readonly secretKey: Pick<SealerOptions, "file" | "makesFile">
  /** Search of vectors, and its inspection for damage. */
  readonly vectors: ServiceLayer<VectorIndex, E, SqlClient | Scope.Scope>
  /** Has the statements of each method know their workspace, where the database asks for it. */
  readonly bind?: <Services>(services: Context.Context<Services>) => Context.Context<Services>
}

/** All ports over a SQL database, directories of files and HNSW; with an extractor and a chunker when the options hold them. */
export const portsOver = <E>(
  database: Database<E>,
  options: CommonOptions & { readonly thread?: boolean }
): Layer.Layer<Ports | SqlClient> => {
  const thesaurusFolder =
    options.thesaurusFolder ?? process.env["KANON_THESAURUS_FOLDER"] ?? usualThesaurusFolder
  const base = Layer.provideMerge(
    mergeServices(
      sqlAtomic,
      sqlAuditLog,
      sqlAnswerStore,
      sqlPolicyStore,
      sqlWorkspaceStore,
      sqlContradictionStore,
      database.jobs,
      sqlAccessStore
    ),
    mergeServices(
      hostIds,
      headFiles(database.auditHeads),
      formatConverter(options),
      hostSealer({ ...database.secretKey, variable: () => process.env[secretKeyVariable] })
    )
  )
  const stores = mergeServices(
    sqlDocumentStore,
    sqlEntityStore,
    sqlGraphStore,
    sqlPostingStore,
    sqlVectorStore,
    sqlIdentityStore,
    sqlOverviewStore,
    sqlLiveDataStore,
    liveDatabases(liveDataRules(options), ownFolders(options, database.base)),
    mcpClient(mcpRules(options)),
    sqlSourceStore,
    sqlRunStore({ isOwnerGone, owner: processOwner("agents"), signals: database.runSignals }),
    sqlEvalStore,
    sqlVocabularyStore(database.snapshot),
    rdfReader(),
    modelsLayer(options),
    vaultsByWorkspace(absoluteVault(options.vault), database.base),
    inspections(database),
    database.vectors,
    workerLsaFitter(),
    options.thread === false ? noServices : longTexts(thesaurusFolder),
    thesaurusFiles(thesaurusFolder),
    options.tools === undefined ? noServices : serviceLayer(RegisteredTools, Effect.succeed(options.tools)),
    options.roleScopes === undefined
      ? noServices
      : serviceLayer(RoleScopes, Effect.succeed(options.roleScopes)),
    crawlersOf(options, database.base),
    options.chunker === undefined
      ? noServices
      : serviceLayer(Chunker, Effect.succeed(namedChunker(options.chunker))),
    options.extractor === undefined
      ? noServices
      : serviceLayer(Extractor, Effect.succeed(extractorOf(options.extractor)))
  )
  return sqlWorkspaceArchive(database.snapshot).pipe(
    Layer.provideMerge(stores),
    Layer.provideMerge(base),
    Layer.provideMerge(database.client),
    // Standard output belongs to the program that embeds us.
    Layer.provide(Logger.replace(Logger.defaultLogger, options.logger ?? logfmtOnStandardError)),
    Layer.orDie,
    Layer.map((services) => database.bind?.(services) ?? services),
    Layer.merge(fairScheduler),
    Layer.provideMerge(crashPointsFromEnvironment)
  )
}

/** Ports that only inspection and rebuild use. */
const inspections = <E>({ storage }: Database<E>) => mergeServices(storage)

/** Vectors are searched by this process; indexes are kept in the folder between starts, or in memory with null. */
export const vectorsInProcess = (folder: string | null): ServiceLayer<VectorIndex, never, Scope.Scope> =>
  autoVectorIndex({ folder })

/** Returns the databases that connectors may reach; rules that the options leave open come from the environment. */
const liveDataRules = ({ liveDataFolders, privateDataAddresses }: CommonOptions) => ({
  folders: liveDataFolders ?? listedIn("KANON_LIVE_DATA_FOLDERS"),
  privateAddresses: privateDataAddresses ?? isSet("KANON_PRIVATE_DATA_ADDRESSES")
})

/** The data folder and the vaults of all workspaces. */
const ownFolders = ({ vault }: CommonOptions, base: string) =>
  Effect.gen(function* () {
    const store = yield* WorkspaceStore
    const vaults = yield* Effect.forEach(yield* store.readable, ({ id }) =>
      Effect.map(
        store.vault(scopeOf(id)),
        Option.getOrElse(() => vault)
      )
    )
    // Data in memory have no folder of their own.
    const data = base === absoluteVault(isRemote(vault) ? "." : vault) ? [] : [base]
    return [...data, ...vaults.filter((one) => !isRemote(one)).map((one) => absoluteVault(one, base))]
  })

/** Returns the MCP servers that workspaces may have; rules that the options leave open come from the environment. */
const mcpRules = ({ mcpCommands, mcpEnvironment, privateModelAddresses = true }: CommonOptions) => ({
  commands: mcpCommands ?? commandsIn(process.env["KANON_MCP_COMMANDS"] ?? ""),
  environment: mcpEnvironment ?? listedIn("KANON_MCP_ENVIRONMENT"),
  privateAddresses: privateModelAddresses
})

/** The crawlers of the options; what these leave open comes from the environment. */
const crawlersOf = (
  { crawlers = [], privateConnectorAddresses, sourceFolders, vault }: CommonOptions,
  base: string
) =>
  serviceLayer(
    Crawlers,
    Effect.map(Effect.all([FormatConverter, FormatTasks]), ([converter, tasks]) => {
      const made =
        typeof crawlers === "function"
          ? crawlers({
              converter,
              tasks,
              privateAddresses: privateConnectorAddresses ?? isSet("KANON_PRIVATE_CONNECTOR_ADDRESSES"),
              folders: sourceFolders ?? listedIn("KANON_SOURCE_FOLDERS"),
              // Data in memory have no folder of their own.
              cacheFolder: base === absoluteVault(vault) ? null : join(base, "source-cache")
            })
          : crawlers
      return new Map(made.map((provider) => [provider.provider, provider]))
    })
  )

const isSet = (variable: string): boolean => /^(?:1|true)$/u.test(process.env[variable] ?? "")
const listedIn = (variable: string): ReadonlyArray<string> =>
  (process.env[variable] ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

const logfmtOnStandardError = Logger.withConsoleError(Logger.logfmtLogger)

const modelsLayer = ({
  builtInModels: builtIn = true,
  models = {},
  privateModelAddresses: privateAddresses = true
}: CommonOptions) =>
  serviceLayer(
    Models,
    Effect.gen(function* () {
      const { chat, embedder, reranker } = yield* modelsFromEnvironment
      const prices = yield* pricesFromEnvironment
      return yield* withChoices(
        {
          chat: Option.orElse(Option.map(Option.fromNullable(models.chat), chatOf), () => chat),
          judge: Option.fromNullable(models.judge),
          embedder: Option.orElse(
            Option.map(Option.fromNullable(models.embedder), embedderOf),
            () => embedder
          ),
          reranker: Option.orElse(
            Option.map(Option.fromNullable(models.reranker), rerankerOf),
            () => reranker
          ),
          builtIn
        },
        { privateAddresses, prices }
      )
    })
  )
