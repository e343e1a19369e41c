import type { CommonOptions } from "../engine/options.js"

/** Where the data and the files are, and what answers. */
export interface EngineOptions extends CommonOptions {
  /** The folder for database and indexes; `.kanon` in the vault by default. `:memory:` keeps nothing. */
  readonly data?: string
  /**
   * Whether long work (many changed files, jobs of a large workspace, long texts) is done in threads, which are started
   * when there is some; searches go on beside it as if nothing was. True by default. With `:memory:` and from TypeScript
   * sources there is no thread; an `extractor` of one's own stays on the main loop, and so does a model.
   */
  readonly thread?: boolean
}

/** The name of the database in the data folder. */
export const databaseFile = "kanon.sqlite"
