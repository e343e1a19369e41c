import type * as Context from "effect/Context"
import type * as Logger from "effect/Logger"
import type { RegisteredTool } from "../../core/agents/index.js"
import type { Extractor } from "../../core/extraction/index.js"
import type { MaintenanceIntervals } from "../../core/maintenance/index.js"
import type { Models } from "../../core/models/index.js"

/** Where the files are, and what answers; the same whatever the database. */
export interface CommonOptions {
  /** The folder of Markdown files. */
  readonly vault: string
  /** The id of the workspace to open; the first one of the data by default, made where there is none. */
  readonly workspace?: string
  /** The name of the workspace when it is made; the vault's folder name by default. */
  readonly name?: string
  /** Models to use; what is left out comes from the environment (`KANON_CHAT_*`, `KANON_EMBEDDING_*`), else is built in. */
  readonly models?: Partial<{
    readonly [Key in Exclude<
      keyof Models["Type"],
      "builtIn" | "of" | "refuses"
    >]: Models["Type"][Key] extends infer Maybe
      ? Maybe extends { readonly _tag: "Some"; readonly value: infer Service }
        ? Service
        : never
      : never
  }>
  /**
   * False switches the built-in models off: without a chat model `ask` is rejected with `no-model-configured`, without
   * an embedder searches go by words alone. The graph goes on following the documents. True by default.
   */
  readonly builtInModels?: boolean
  /**
   * Whether models that a workspace chooses (`models` of its settings) may stand in private networks, as a server on
   * this very machine does. True by default; false where workspaces belong to people who do not run the host.
   */
  readonly privateModelAddresses?: boolean
  /** Folders below which SQLite files of live-data connectors may lie, links resolved; none by default. */
  readonly liveDataFolders?: ReadonlyArray<string>
  /** Whether live-data connectors may reach databases in private networks, as on this very machine; false by default. */
  readonly privateDataAddresses?: boolean
  /**
   * Reads documents for the graph in place of the built-in extractor. What another one has read stays until its
   * document changes, so change it with a fresh data folder.
   */
  readonly extractor?: Context.Tag.Service<Extractor>
  /** Functions that agents may call, beside the workspace's own operations. */
  readonly tools?: ReadonlyArray<RegisteredTool>
  /** Where warnings and errors of the work behind go; by default one logfmt line each on the standard error. */
  readonly logger?: Logger.Logger<unknown, void>
  /** False leaves background jobs (vectors, graph, ranks) to another process; true by default. */
  readonly worker?: boolean
  /** How often the worker does what comes by itself: reconciliation, retention, staleness; 0 switches one off. */
  readonly upkeep?: MaintenanceIntervals
  /**
   * How many bytes searches and answers may keep in memory of what they have read, by default 136 MiB; 0 keeps nothing.
   * A thread of the engine keeps as much for itself at most.
   * Of no use to `createEngineOn`, whose services have their caches already.
   */
  readonly cacheBytes?: number
  /** False leaves what a crash left as it is, for `doctor` to tell or to mend; true by default. */
  readonly mend?: boolean
}
