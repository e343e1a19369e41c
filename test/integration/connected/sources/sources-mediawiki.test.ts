import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { FetchedItem } from "../../../../core/connected/sources/index.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler } from "../../../support/sources/crawling.js"
import { mediaWikiServer } from "../../../support/sources/mediawiki.js"

const markdownOf = ({ body }: FetchedItem): string => ("markdown" in body ? body.markdown : "")

it("a page becomes Markdown with links between documents, in the folder of its namespace", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const wiki = yield* mediaWikiServer()
        wiki.edit("Main Page", "<p>Home</p>")
        wiki.edit("Old name", '<a href="/wiki/Main_Page">to</a>', { isRedirect: true })
        const id = wiki.edit(
          "Hilfe:Backup/Nightly run",
          `<h2><span class="mw-headline" id="Steps">Steps</span><span class="mw-editsection">[edit]</span></h2>
<div id="toc" class="toc">Contents</div>
<p>See <a href="/wiki/Main_Page#First_part" title="Main Page">home</a>, <a href="/wiki/Old_name" class="mw-redirect">the old page</a>,
<a href="/w/index.php?title=Nowhere&amp;action=edit&amp;redlink=1" class="new">nowhere</a>,
<a href="/wiki/Talk:Main_Page">the talk</a> and <a class="external" href="https://example.org/x">outside</a>.
<span class="mwe-math-element"><math><annotation encoding="application/x-tex">a &lt; b</annotation></math></span></p>
<table class="navbox"><tbody><tr><td>Navigation</td></tr></tbody></table>
<table class="wikitable"><tbody><tr><th>Day</th><th>Size</th></tr><tr><td>Monday</td><td>3 TB</td></tr></tbody></table>`,
          { ns: 12 }
        )
        const crawler = yield* openCrawler({
          provider: "mediawiki",
          url: `${wiki.origin}/w/api.php`,
          namespaces: [0, 12]
        })
        const item = yield* crawler.fetch(String(id))
        expect(item).toMatchObject({
          path: "Hilfe/Backup/Nightly run.md",
          title: "Hilfe:Backup/Nightly run",
          url: `${wiki.origin}/wiki/Hilfe%3ABackup%2FNightly_run`,
          author: "Ada",
          labels: ["Fresh pages"]
        })
        expect(markdownOf(item)).toBe(
          `# Hilfe:Backup/Nightly run

## Steps

See [home](../../Main%20Page.md#First%20part "Main Page"), [the old page](../../Main%20Page.md), nowhere, [the talk](${wiki.origin}/wiki/Talk:Main_Page) and [outside](https://example.org/x). \`a < b\`

| Day | Size |
| --- | --- |
| Monday | 3 TB |
`
        )
      })
    )
  ))

it("a page that becomes a redirect or leaves its namespace is removed, and a crawl that is too old begins anew", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const wiki = yield* mediaWikiServer()
        for (const title of ["One", "Two", "Three"]) wiki.edit(title, "<p>text</p>")
        const crawler = yield* openCrawler({ provider: "mediawiki", url: wiki.origin }, { pageSize: 100 })
        const { checkpoint } = yield* crawler.changes(null)
        const redirect = wiki.edit("One", '<a href="/wiki/Two"></a>', { isRedirect: true })
        const moved = wiki.edit("Two", "<p>text</p>")
        wiki.move("Two", "Two again")
        const { changes } = yield* crawler.changes(checkpoint)
        expect(changes.filter(({ externalId }) => externalId === String(redirect))).toMatchObject([
          { op: "delete" }
        ])
        expect(changes).toContainEqual(
          expect.objectContaining({ op: "upsert", externalId: String(moved), path: "Two again.md" })
        )
        expect(yield* Effect.flip(crawler.fetch(String(redirect)))).toMatchObject({ _tag: "ItemGone" })
        wiki.wait(40)
        wiki.edit("Three", "<p>later</p>")
        expect(yield* Effect.flip(crawler.changes(checkpoint))).toMatchObject({ _tag: "CheckpointExpired" })
      })
    )
  ))

it("a private wiki is read with a bot password, and tells when it is wrong or missing", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const login = { username: "Ada@kanon", password: "bot-secret" }
        const wiki = yield* mediaWikiServer({ pauses: 0, login })
        wiki.edit("Secret page", "<p>inside</p>")
        const config = { provider: "mediawiki", url: `${wiki.origin}/w/api.php` }
        const right = yield* openCrawler(
          { ...config, username: login.username },
          { credential: login.password }
        )
        expect((yield* right.changes(null)).changes).toHaveLength(1)
        const wrong = yield* openCrawler(
          { ...config, username: login.username },
          { credential: "wrong-secret" }
        )
        const refused = yield* Effect.flip(wrong.check)
        expect(refused._tag).toBe("SourceUnauthorized")
        expect(refused.message).not.toContain("wrong-secret")
        const without = yield* openCrawler(config)
        expect((yield* Effect.flip(without.check))._tag).toBe("SourceUnauthorized")
      })
    )
  ))

it("an address without a wiki is refused", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const wiki = yield* mediaWikiServer()
        const crawler = yield* openCrawler({ provider: "mediawiki", url: `${wiki.origin}/elsewhere/api.php` })
        expect((yield* Effect.flip(crawler.check))._tag).toBe("SourceRejected")
      })
    )
  ))
