/**
 * Crawlers of content connectors: wikis, libraries of documents, chats, mail and uploads. Libraries are loaded when a
 * source needs them; connections go only where the options allow.
 */
import * as Effect from "effect/Effect"
import { FormatConverter } from "../../core/documents/index.js"
import { type ServiceLayer, serviceLayer } from "../../core/kernel/index.js"
import { type CrawlerProvider, Crawlers } from "../../core/sources/index.js"
import { mattermostExport } from "./chat/mattermost-export.js"
import { slack } from "./chat/slack-api.js"
import { slackExport } from "./chat/slack-export.js"
import { confluence } from "./confluence/crawler.js"
import { gitRepository } from "./git/crawler.js"
import { imapMail } from "./imap/crawler.js"
import { s3Bucket } from "./library/s3.js"
import { webDav } from "./library/webdav.js"
import { markdownUpload } from "./markdown-upload/crawler.js"
import { mediaWiki } from "./mediawiki/crawler.js"
import type { CrawlerOptions } from "./options.js"

export * from "../../core/sources/crawler.js"
export type { CrawlerOptions } from "./options.js"

/** The providers of this package. */
export const builtInCrawlers = (options: CrawlerOptions): ReadonlyArray<CrawlerProvider> => [
  mediaWiki(options),
  confluence(options),
  webDav(options),
  s3Bucket(options),
  gitRepository(options),
  slack(options),
  slackExport(options),
  mattermostExport(options),
  imapMail(options),
  markdownUpload(options)
]

/** The built-in crawlers as a service, and those of others; a name that is there already is replaced. */
export const crawlers = (
  options: Omit<CrawlerOptions, "converter">,
  others: ReadonlyArray<CrawlerProvider> = []
): ServiceLayer<Crawlers, never, FormatConverter> =>
  serviceLayer(
    Crawlers,
    Effect.map(FormatConverter, (converter) => {
      const all = [...builtInCrawlers({ ...options, converter }), ...others]
      return new Map(all.map((provider) => [provider.provider, provider]))
    })
  )
