import { type CrawlerOptions, providerOf } from "../options.js"
import { exportCrawler } from "./export-archive.js"

/** Crawls the zip that Slack exports. */
export const slackExport = (options: CrawlerOptions) =>
  providerOf("slack_export", (target) => exportCrawler(options, target))

/** Crawls the bulk export of Mattermost. */
export const mattermostExport = (options: CrawlerOptions) =>
  providerOf("mattermost_export", (target) => exportCrawler(options, target))
