import type { CommonOptions } from "../engine/options.js"

/** Options of an engine on SQLite. */
export interface EngineOptions extends CommonOptions {
  /** The folder for database and indexes; default `.kanon` in the vault. `:memory:` stores nothing. */
  readonly data?: string
  /**
   * Whether long work (many changed files, jobs of a large workspace, long texts) runs in threads, started on demand,
   * so that searches stay fast. Default: true. With `:memory:` and from TypeScript sources there is no thread; a
   * custom `extractor` or model stays on the main thread.
   */
  readonly thread?: boolean
}

/** File name of the database. */
export const databaseFile = "kanon.sqlite"
