import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { ImapFlow } from "imapflow"
import type { CrawledSource } from "../../contract/crawler.js"
import { openCrawler } from "./crawling.js"

/** Documents in a folder that a WebDAV server shows. */
export const webDavSource = (
  { folder, url }: { readonly folder: string; readonly url: string },
  username: string,
  password: string
): CrawledSource => {
  let clock = Date.UTC(2024, 0, 1)
  const fileOf = (name: string) => join(folder, `of ${name}`, `${name} & ü.md`)
  return {
    open: openCrawler({ provider: "webdav", url, username }, { credential: password }),
    put: async (name, text) => {
      mkdirSync(join(folder, `of ${name}`), { recursive: true })
      writeFileSync(fileOf(name), `${text} ${clock++}`)
    },
    remove: async (name) => rmSync(fileOf(name)),
    rename: async (from, to) => {
      mkdirSync(join(folder, `of ${to}`), { recursive: true })
      renameSync(fileOf(from), fileOf(to))
    }
  }
}

/** Threads in the inbox of an account. What was sent cannot be edited: a second text is an answer to the first. */
export const mailSource = (
  url: string,
  username: string,
  password: string
): Effect.Effect<CrawledSource, never, Scope> =>
  Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const { port } = new URL(url)
        const account = new ImapFlow({
          host: "127.0.0.1",
          port: Number(port),
          secure: false,
          auth: { user: username, pass: password },
          logger: false
        })
        await account.connect()
        await account.mailboxOpen("INBOX")
        return account
      }),
      (account) => Effect.promise(() => account.logout())
    )
    const sent = new Map<string, number>()
    return {
      open: openCrawler({ provider: "imap", url, username }, { credential: password }),
      put: async (name, text) => {
        const before = sent.get(name) ?? 0
        sent.set(name, before + 1)
        const reply =
          before === 0 ? [] : [`In-Reply-To: <${name}.0@example.org>`, `References: <${name}.0@example.org>`]
        const mail = [
          `Message-ID: <${name}.${before}@example.org>`,
          ...reply,
          "From: Ada Lovelace <ada@example.org>",
          "To: team@example.org",
          `Subject: ${before === 0 ? "" : "Re: "}About ${name}`,
          `Date: Mon, 06 May 2024 07:0${before}:00 +0000`,
          "Content-Type: text/plain; charset=utf-8",
          "",
          text
        ]
        await client.append("INBOX", mail.join("\r\n"))
      },
      remove: async (name) => {
        const uids = await client.search(
          { header: { "message-id": `<${name}.0@example.org>` } },
          { uid: true }
        )
        await client.messageDelete(Array.isArray(uids) ? uids.join(",") : "", { uid: true })
      }
    }
  })
