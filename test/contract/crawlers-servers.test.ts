import * as Effect from "effect/Effect"
import { describe } from "vitest"
import { mailSource, webDavSource } from "../support/sources/crawled.js"
import { openCrawler } from "../support/sources/crawling.js"
import { debianServers, realMail, realMediaWiki, realWebDav } from "../support/sources/debian-servers.js"
import { crawlerContract } from "./crawler.js"

describe.skipIf(!debianServers.mediawiki)("MediaWiki of Debian", () => {
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

describe.skipIf(!debianServers.rclone)("rclone", () => {
  crawlerContract(
    "WebDAV",
    Effect.map(realWebDav("ada", "secret"), (server) => webDavSource(server, "ada", "secret"))
  )
})

describe.skipIf(!debianServers.dovecot)("Dovecot", () => {
  crawlerContract(
    "IMAP",
    Effect.flatMap(realMail("secret"), (url) => mailSource(url, "ada", "secret"))
  )
})
