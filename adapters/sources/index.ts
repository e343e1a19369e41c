/**
 * Crawlers of content connectors: wikis, libraries of documents, chats, mail and uploads. Libraries are loaded when a
 * source needs them; connections go only where the options allow.
 */
import type { CrawlerProvider } from "../../core/connected/sources/index.js"
import { mattermostExport, slackExport } from "./chat/export-archive.js"
import { slack } from "./chat/slack-api.js"
import { confluence } from "./confluence/crawler.js"
import { gitRepository } from "./git/crawler.js"
import { gitHub } from "./github/crawler.js"
import { imapMail } from "./imap/crawler.js"
import { jira } from "./jira/crawler.js"
import { googleDrive } from "./library/google-drive.js"
import { s3Bucket } from "./library/s3.js"
import { sharePoint } from "./library/sharepoint.js"
import { webDav } from "./library/webdav.js"
import { markdownUpload } from "./markdown-upload/crawler.js"
import { mediaWiki } from "./mediawiki/crawler.js"
import type { CrawlerOptions } from "./options.js"
import { web } from "./web/crawler.js"

export {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type Crawler,
  type CrawlerProvider,
  type CrawlerTraits,
  type CrawlTarget,
  type CredentialNeed,
  crawlerProvider,
  type FetchedItem,
  type IdPage,
  type ItemAttachment,
  type ItemBody,
  type ItemChange,
  type ItemFault,
  ItemGone,
  ItemUnreadable,
  type ListingFailure,
  type SourceFault,
  type SourceKind,
  SourceRateLimited,
  SourceRejected,
  SourceUnauthorized,
  SourceUnreachable,
  type Upload,
  type UploadedFile
} from "../../core/connected/sources/index.js"
export type { CrawlerOptions } from "./options.js"

/** The providers of this package. */
export const builtInCrawlers = (options: CrawlerOptions): ReadonlyArray<CrawlerProvider> => [
  mediaWiki(options),
  confluence(options),
  web(options),
  webDav(options),
  s3Bucket(options),
  googleDrive(options),
  sharePoint(options),
  gitRepository(options),
  slack(options),
  slackExport(options),
  mattermostExport(options),
  imapMail(options),
  gitHub(options),
  jira(options),
  markdownUpload(options)
]
