import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { notTested } from "../support/not-tested.js"
import { runEffect } from "../support/run.js"
import { mailSource, webDavSource } from "../support/sources/crawled.js"
import { openCrawler } from "../support/sources/crawling.js"
import {
  debianServers,
  realMail,
  realMediaWiki,
  realSsh,
  realWebDav
} from "../support/sources/debian-servers.js"
import { changesIn, gitRepository } from "../support/sources/git-repository.js"
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

whereInstalled("ssh", "OpenSSH", () => {
  crawlerContract(
    "Git repository over SSH",
    Effect.gen(function* () {
      const server = yield* realSsh
      const repository = yield* gitRepository
      repository.write("ignored.bin", "no document")
      repository.commit("Begin")
      const url = `ssh://${server.user}@127.0.0.1:${server.port}${repository.folder}`
      return {
        open: openCrawler(
          { provider: "git", url, branch: "main", knownHosts: server.knownHosts },
          { credential: server.privateKey }
        ),
        ...changesIn(repository)
      }
    })
  )

  it("admits no other key, and a server with another key is sent nothing", () =>
    runEffect(
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* realSsh
          const { folder } = yield* gitRepository
          const check = (knownHosts: string, credential: string) =>
            Effect.gen(function* () {
              const url = `ssh://${server.user}@127.0.0.1:${server.port}${folder}`
              const crawler = yield* openCrawler({ provider: "git", url, knownHosts }, { credential })
              return yield* Effect.flip(crawler.check)
            })
          expect(yield* check(server.knownHosts, server.strangeKey)).toMatchObject({
            _tag: "SourceUnauthorized"
          })
          expect(yield* check(server.knownHosts, "no key")).toMatchObject({
            _tag: "SourceUnauthorized",
            message: "The credential is not a private key that ssh can read without a passphrase."
          })
          expect(yield* check(server.strangeHost, server.privateKey)).toMatchObject({
            _tag: "SourceRejected",
            message: expect.stringContaining("knownHosts")
          })
        })
      )
    ))
})
