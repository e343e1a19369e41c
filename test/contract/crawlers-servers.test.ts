import * as Effect from "effect/Effect"
import { describe, it } from "vitest"
import { notTested } from "../support/not-tested.js"
import { mailSource, webDavSource } from "../support/sources/crawled.js"
import { openCrawler } from "../support/sources/crawling.js"
import { debianServers, realMail, realMediaWiki, realWebDav } from "../support/sources/debian-servers.js"
import { crawlerContract } from "./crawler.js"

/** Tests a server that is installed here; says in one line which package is missing otherwise. */
const whereInstalled = (server: keyof typeof debianServers, title: string, suite: () => void): void => {
  if (debianServers[server]) describe(title, suite)
  else
    it(`${title} is not installed here`, (context) => {
      notTested(title, "It is not installed; CONTRIBUTING.md names the Debian packages.")
      context.skip("not installed")
    })
}

whereInstalled("mediawiki", "MediaWiki of Debian", () => {
  crawlerContract(
    "MediaWiki",
    Effect.map(realMediaWiki, ({ call, url }) => ({
      open: openCrawler({ provider: "mediawiki", url, namespaces: [0, 12] }),
      put: (name, text) => call({ action: "edit", title: name, text, summary: "test" }),
      remove: (name) => call({ action: "delete", title: name }),
      rename: (from, to) => call({ action: "move", from, to })
    }))
  )
})

whereInstalled("rclone", "rclone", () => {
  crawlerContract(
    "WebDAV",
    Effect.map(realWebDav("ada", "secret"), (server) => webDavSource(server, "ada", "secret"))
  )
})

whereInstalled("dovecot", "Dovecot", () => {
  crawlerContract(
    "IMAP",
    Effect.flatMap(realMail("secret"), (url) => mailSource(url, "ada", "secret"))
  )
})
