import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Logger from "effect/Logger"
import type { CrawlerProvider } from "../../core/connected/sources/index.js"
import type { Chunk, Document, OwnChunker } from "../../core/files/documents/index.js"
import { builtInExtractor, Extractor, type Facts } from "../../core/knowledge/extraction/index.js"
import type { ScopesByRole } from "../../core/platform/identity/index.js"
import { HostFunctionFailed, invalid, KanonError } from "../../core/platform/kernel/index.js"
import type { Judge } from "../../core/platform/models/index.js"
import type { MaintenanceIntervals } from "../../core/upkeep/maintenance/index.js"
import type { RegisteredTool } from "../../core/work/agent-runs/index.js"
import type { GivenChat, GivenEmbedder, GivenReranker } from "../models/from-functions.js"
import type { CrawlerOptions } from "../sources/options.js"

/** Options common to all databases: where the files are, and which models to use. */
export interface CommonOptions {
  /** The folder of Markdown files. */
  readonly vault: string
  /** The id of the workspace to open; default: the first one, created if there is none. */
  readonly workspace?: string
  /** The name of a new workspace; default: the vault's folder name. */
  readonly name?: string
  /**
   * How the documents of a workspace that is created are cut into passages: at most `maxChars` characters (default
   * 1,500), of which two parts of one long paragraph share `overlapChars` (150). Ignored where the workspace exists.
   */
  readonly chunking?: { readonly maxChars?: number; readonly overlapChars?: number }
  /** Models to use; missing ones come from the environment (`KANON_CHAT_*`, `KANON_EMBEDDING_*`), else are built in. */
  readonly models?: {
    /** Its functions may return promises. */
    readonly chat?: GivenChat
    readonly judge?: Context.Tag.Service<Judge>
    /** Its function may return a promise. */
    readonly embedder?: GivenEmbedder
    /** Its function may return a promise. */
    readonly reranker?: GivenReranker
  }
  /**
   * False disables the built-in models: without a chat model `ask` is rejected with `no-model-configured`, without an
   * embedder search uses words alone. The graph still follows the documents. Default: true.
   */
  readonly builtInModels?: boolean
  /**
   * Whether models that a workspace chooses (`models` of its settings) may be at private network addresses, such as a
   * server on this machine. Default: true; set false where people who do not run the host own workspaces.
   */
  readonly privateModelAddresses?: boolean
  /**
   * Folder of the thesaurus files that workspaces may name (`policy.thesaurus` of their settings). Default:
   * `KANON_THESAURUS_FOLDER`, else `/usr/share/mythes`.
   */
  readonly thesaurusFolder?: string
  /**
   * Maximum scopes of members by role, applied to the agent runs that this engine works on. Use the value of
   * `consoleScopes` of a server on the same data. Default: all scopes for admins, all but `workspace:admin` for members.
   */
  readonly roleScopes?: ScopesByRole
  /** Folders below which SQLite files of live-data connectors may lie, links resolved; none by default. */
  readonly liveDataFolders?: ReadonlyArray<string>
  /** Whether live-data connectors may reach databases in private networks, as on this very machine; false by default. */
  readonly privateDataAddresses?: boolean
  /**
   * Command lines that MCP servers of workspaces may be started with, each with all its arguments: a list, or words
   * separated by blanks (`npx -y @modelcontextprotocol/server-github`); none by default. Servers over HTTP follow
   * `privateModelAddresses`.
   */
  readonly mcpCommands?: ReadonlyArray<string | ReadonlyArray<string>>
  /**
   * Environment variables that a workspace may set for these programs as a credential; none by default. Beside them a
   * program gets HOME, LOGNAME, PATH, SHELL, TERM and USER of this process.
   */
  readonly mcpEnvironment?: ReadonlyArray<string>
  /**
   * Providers of content connectors, or a function that makes them of what the host allows, such as `builtInCrawlers`
   * of `kanon/sources`; none by default.
   */
  readonly crawlers?:
    | ReadonlyArray<CrawlerProvider>
    | ((options: CrawlerOptions) => ReadonlyArray<CrawlerProvider>)
  /** Whether content connectors may reach sources in private networks, as on this very machine; false by default. */
  readonly privateConnectorAddresses?: boolean
  /** Folders below which sources with a `file:` address may lie, links resolved; none by default. */
  readonly sourceFolders?: ReadonlyArray<string>
  /**
   * Replaces the built-in extractor; its function may return a promise. Results of another extractor stay until their document changes, so use a fresh
   * data folder when you change it.
   */
  readonly extractor?: GivenExtractor
  /**
   * Cuts documents into passages in place of the built-in chunker. The next `ingest` after a change of its name or
   * version cuts all documents again. Give every program on the workspace the same one.
   */
  readonly chunker?: OwnChunker
  /** Functions that agents may call, beside the workspace's own operations. */
  readonly tools?: ReadonlyArray<RegisteredTool>
  /** Timeout for converting one file of another format, in milliseconds; default 30,000. */
  readonly formatTimeoutMs?: number
  /** Memory limit for converting one file, in MiB; default 512. */
  readonly formatMemoryMb?: number
  /** Receives warnings and errors of background work; default: logfmt lines on standard error. */
  readonly logger?: Logger.Logger<unknown, void>
  /** False leaves background jobs (vectors, graph, ranks) to another process; default: true. */
  readonly worker?: boolean
  /** Intervals of the recurring jobs: reconciliation, retention, staleness; 0 disables one. */
  readonly upkeep?: MaintenanceIntervals
  /**
   * Memory for caches of searches and answers in bytes, default 136 MiB; 0 disables them. A thread of the engine uses
   * at most the same again. Ignored by `createEngineOn`, whose services already have caches.
   */
  readonly cacheBytes?: number
  /** Time that `close` gives running calls before it stops them, in milliseconds; default 5,000. */
  readonly closeTimeoutMs?: number
  /** False leaves the results of a crash for `doctor`; default: true. */
  readonly mend?: boolean
}

/** An extractor of the host. Its function may return facts, a promise of them, or an effect. */
interface GivenExtractor {
  /**
   * Returns the facts of a document from its passages; equal documents must give equal facts. `builtIn` returns those
   * of the built-in extractor. Called in a transaction, so compute model results beforehand.
   */
  readonly read: (
    document: Document,
    chunks: ReadonlyArray<Chunk>,
    builtIn: () => Promise<Facts>
  ) => Effect.Effect<Facts> | Promise<Facts> | Facts
}

/** Returns the extractor as a service. What the function throws is the error of the job, with its message. */
export const extractorOf = ({ read }: GivenExtractor): Context.Tag.Service<Extractor> => ({
  read: (document, chunks) =>
    Effect.suspend(() => {
      const made = read(document, chunks, () => Effect.runPromise(readBuiltIn(document, chunks)))
      if (Effect.isEffect(made)) return made
      return made instanceof Promise ? Effect.promise(() => made) : Effect.succeed(made)
    }).pipe(Effect.catchAllDefect((thrown) => Effect.die(new HostFunctionFailed("The extractor", thrown))))
})

/** Returns the chunker; throws a KanonError `invalid_body` when it has no name or version. */
export const namedChunker = (chunker: OwnChunker): OwnChunker => {
  for (const field of ["name", "version"] as const)
    if (typeof chunker[field] !== "string" || chunker[field].trim() === "")
      throw new KanonError(invalid(["chunker", field], "required", "A chunker has a name and a version."))
  if (typeof chunker.cut !== "function")
    throw new KanonError(invalid(["chunker", "cut"], "required", "A chunker has a function that cuts."))
  return chunker
}

const readBuiltIn = (document: Document, chunks: ReadonlyArray<Chunk>) =>
  Effect.flatMap(Extractor, (extractor) => extractor.read(document, chunks)).pipe(
    Effect.provide(builtInExtractor)
  )
