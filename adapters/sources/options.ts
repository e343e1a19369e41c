import type { FormatConverter } from "../../core/documents/index.js"
import type { AddressRules } from "../host/addresses.js"

/** What the host allows crawlers, and what they share. */
export interface CrawlerOptions extends AddressRules {
  /** Folders below which repositories and exports with a `file:` address may lie; none by default. */
  readonly folders: ReadonlyArray<string>
  /** Where copies of repositories are kept between syncs; they can be removed at any time. Null: not kept. */
  readonly cacheFolder: string | null
  readonly converter: FormatConverter["Type"]
  /** Items that one page of a crawl names, about; by default as many as the source gives at once. */
  readonly pageSize?: number
}
