import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { canonicalAddress, pathOfAddress } from "../../../../adapters/sources/web/addresses.js"
import { readRobots } from "../../../../adapters/sources/web/robots.js"
import type {
  ChangePage,
  Checkpoint,
  Crawler,
  FetchedItem
} from "../../../../core/connected/sources/index.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler } from "../../../support/sources/crawling.js"
import { webSite } from "../../../support/sources/web-site.js"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "kanon-web-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const markdownOf = ({ body }: FetchedItem): string => ("markdown" in body ? body.markdown : "")
const linked = (...paths: ReadonlyArray<string>) =>
  `<nav>${paths.map((path) => `<a href="${path}">${path}</a>`).join(" ")}</nav><main><h1>Page</h1><p>Text.</p></main>`

/** All parts of a crawl. */
const crawl = (crawler: Crawler, from: Checkpoint | null = null) =>
  Effect.gen(function* () {
    const all: {
      changes: Array<ChangePage["changes"][number]>
      failures: Array<ChangePage["failures"][number]>
    } = {
      changes: [],
      failures: []
    }
    let checkpoint = from
    for (;;) {
      const page = yield* crawler.changes(checkpoint)
      all.changes.push(...page.changes)
      all.failures.push(...page.failures)
      checkpoint = page.checkpoint
      if (page.isLast) return { ...all, checkpoint }
    }
  })

const pathsOf = (origin: string, { changes }: { readonly changes: ChangePage["changes"] }) =>
  changes.map(({ externalId, op }) => `${op} ${externalId.slice(origin.length)}`).sort()

it("a page becomes its readable text with tables, code and links between documents", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* webSite
        site.pages.set(
          "/docs/guide/install.html",
          `<html><head><title>Install | Boats</title><meta name="author" content="Ada"><meta property="article:modified_time" content="2026-02-03T10:00:00Z"></head><body>
<header><a href="/docs/">Home</a></header><nav>Menu <a href="/docs/other">Other</a></nav>
<div class="cookie-banner">We use cookies. <button>Accept</button></div>
<main><article><h1>Install the boat<a class="hash-link" href="#install">#</a></h1>
<p>See <a href="../start/?utm_source=x#first">the start</a>, <a href="https://elsewhere.example/x">elsewhere</a> and <a href="/blog/">the blog</a>.</p>
<table><tr><th>Part</th><th>Mass</th></tr><tr><td>Mast</td><td>12 kg</td></tr></table>
<pre><code class="language-sh">npm install boat</code></pre></article></main>
<footer>Imprint</footer></body></html>`
        )
        const crawler = yield* openCrawler({ provider: "web", url: `${site.origin}/docs/`, prefix: "/docs/" })
        const item = yield* crawler.fetch(`${site.origin}/docs/guide/install.html`)
        expect(item).toMatchObject({
          path: "guide/install.md",
          title: "Install the boat",
          url: `${site.origin}/docs/guide/install.html`,
          author: "Ada",
          modifiedAt: "2026-02-03T10:00:00.000Z"
        })
        expect(markdownOf(item).trim()).toBe(`# Install the boat

See [the start](../start.md#first), [elsewhere](https://elsewhere.example/x) and [the blog](${site.origin}/blog/).

| Part | Mass |
| --- | --- |
| Mast | 12 kg |

\`\`\`sh
npm install boat
\`\`\``)
      })
    )
  ))

it("follows links within prefix, depth and robots.txt, and takes files that are linked", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* webSite
        site.pages.set("/robots.txt", {
          type: "text/plain",
          body: "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /docs/private\nAllow: /docs/private/but$\n"
        })
        site.pages.set(
          "/docs/",
          linked(
            "a",
            "/docs/a#x",
            "/docs/a?utm_medium=mail",
            "private/x",
            "private/but",
            "/blog",
            "b/index.html",
            "notes.md",
            "logo.png",
            "report"
          )
        )
        site.pages.set("/docs/a", linked("deeper"))
        site.pages.set("/docs/deeper", linked("deepest"))
        site.pages.set("/docs/deepest", linked())
        site.pages.set("/docs/private/but", linked())
        site.pages.set(
          "/docs/b/",
          `<head><meta name="robots" content="noindex"></head>${linked("../c", "../d")}`
        )
        site.pages.set("/docs/c", `<head><link rel="canonical" href="/docs/c-proper"></head>${linked()}`)
        site.pages.set("/docs/c-proper", { body: linked("e"), headers: { "x-robots-tag": "nofollow" } })
        site.pages.set("/docs/d", { status: 302, headers: { location: "http://127.0.0.1:1/out" } })
        site.pages.set("/docs/e", linked())
        site.pages.set("/docs/notes.md", { body: "# Notes\n\nKept as they are.", type: "text/markdown" })
        site.pages.set("/docs/report", { body: "%PDF-1.4", type: "application/pdf" })
        const crawler = yield* openCrawler({ provider: "web", url: `${site.origin}/docs/`, depth: 2 })
        const found = yield* crawl(crawler)
        expect(found.failures).toEqual([])
        expect(pathsOf(site.origin, found)).toEqual([
          "upsert /docs/",
          "upsert /docs/a",
          "upsert /docs/c-proper",
          "upsert /docs/deeper",
          "upsert /docs/notes.md",
          "upsert /docs/private/but",
          "upsert /docs/report"
        ])
        const asked = site.asked()
        expect(new Set(asked).size).toBe(asked.length)
        expect(asked.join(" ")).not.toMatch(/private\/x|blog|logo|deepest|docs\/e /)
        expect(found.changes.flatMap((one) => ("path" in one ? one.path : [])).sort()).toEqual(
          ["index.md", "a.md", "c-proper.md", "deeper.md", "notes.md", "private/but.md", "report.pdf"].sort()
        )
      })
    )
  ))

it("asks for what it knows with its ETag; redirects are moves, missing pages removals, failures no end", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* webSite
        const cacheFolder = yield* temporaryFolder
        for (const name of ["one", "two", "three", "four"])
          site.pages.set(`/${name}`, `<main><p>This is ${name}.</p></main>`)
        site.pages.set("/", linked("one", "two", "three", "four"))
        const open = openCrawler({ provider: "web", url: site.origin }, { cacheFolder, pageSize: 2 })
        const first = yield* crawl(yield* open)
        expect(first.changes).toHaveLength(5)
        expect(site.asked().every((one) => one.endsWith(" 200"))).toBe(true)

        const again = yield* crawl(yield* open, first.checkpoint)
        expect(again.changes.map((one) => ("version" in one ? one.version : null))).toEqual(
          first.changes.map((one) => ("version" in one ? one.version : null))
        )
        expect(site.asked()).toHaveLength(5)

        site.pages.set("/one", { status: 301, headers: { location: "/uno" } })
        site.pages.set("/uno", "<main><p>This is one.</p></main>")
        site.pages.set("/two", { status: 410 })
        site.pages.set("/three", { status: 418 })
        site.pages.set("/four", { status: 302, headers: { location: "/maintenance" } })
        site.pages.set("/maintenance", { status: 403 })
        const changed = yield* crawl(yield* open, again.checkpoint)
        expect(changed.changes).toContainEqual(
          expect.objectContaining({
            op: "move",
            previousId: `${site.origin}/one`,
            externalId: `${site.origin}/uno`,
            path: "uno.md"
          })
        )
        expect(pathsOf(site.origin, changed)).toEqual(["delete /two", "move /uno", "upsert /"])
        expect(changed.failures.map(({ externalId }) => externalId).sort()).toEqual(
          [`${site.origin}/four`, `${site.origin}/three`].sort()
        )
        expect((yield* Effect.flip((yield* open).fetch(`${site.origin}/two`)))._tag).toBe("ItemGone")
        expect((yield* Effect.flip((yield* open).fetch(`${site.origin}/one`)))._tag).toBe("ItemGone")
        expect((yield* Effect.flip((yield* open).fetch(`${site.origin}/four`)))._tag).toBe("ItemUnreadable")

        // Pages that failed for a while are known still, and read when they are there again.
        for (const name of ["three", "four"])
          site.pages.set(`/${name}`, `<main><p>This is ${name}.</p></main>`)
        const healed = yield* crawl(yield* open, changed.checkpoint)
        expect(healed.failures).toEqual([])
        expect(pathsOf(site.origin, healed)).toEqual([
          "upsert /",
          "upsert /four",
          "upsert /three",
          "upsert /uno"
        ])
      })
    )
  ))

it("a crawl continues at its page in another process, and one that is lost says so", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* webSite
        const cacheFolder = yield* temporaryFolder
        for (let page = 0; page < 9; page++)
          site.pages.set(`/${page}`, linked(String(page + 1)).replace("Text", `Text ${page}`))
        site.pages.set("/", linked("0"))
        const open = (folder: string | null) =>
          openCrawler({ provider: "web", url: site.origin }, { cacheFolder: folder, pageSize: 3 })
        const start = yield* (yield* open(cacheFolder)).changes(null)
        expect(start.isLast).toBe(false)
        site.asked()
        const rest = yield* crawl(yield* open(cacheFolder), start.checkpoint)
        expect(site.asked().map((one) => one.split(" ")[0])).toEqual([
          "/2",
          "/3",
          "/4",
          "/5",
          "/6",
          "/7",
          "/8",
          "/9"
        ])
        expect([...start.changes, ...rest.changes].length).toBe(10)
        const lost = yield* Effect.flip((yield* open(null)).changes(start.checkpoint))
        expect(lost._tag).toBe("CheckpointExpired")
      })
    )
  ))

it("a site without an end is bounded, and the crawl says so", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* webSite
        let day = 0
        site.pages.set("/", linked("/calendar?day=0", "/maze/1"))
        site.pages.set("/calendar?", () => {
          day += 3
          return {
            body: linked(
              `/calendar?day=${day}`,
              `/calendar?day=${day + 1}`,
              `/calendar?day=${day + 2}`
            ).replace("Text", `Day ${day}`)
          }
        })
        site.pages.set("/maze/1", linked("1/1/1/1/1"))
        const crawler = yield* openCrawler(
          { provider: "web", url: site.origin, depth: 100 },
          { pageSize: 100 }
        )
        const found = yield* crawl(crawler)
        expect(found.failures).toEqual([
          { externalId: `${site.origin}/calendar`, message: expect.stringMatching(/More than 50 addresses/) }
        ])
        expect(site.asked().filter((one) => one.startsWith("/calendar"))).toHaveLength(50)
        const short = yield* crawl(
          yield* openCrawler({ provider: "web", url: site.origin, maxPages: 10 }, { pageSize: 100 })
        )
        expect(site.asked()).toHaveLength(10)
        expect(short.failures).toEqual([
          { externalId: `${site.origin}/`, message: expect.stringMatching(/ended after 10 addresses/) }
        ])
      })
    )
  ))

it("a sitemap, an index of them and a packed one name the pages", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* webSite
        const xml = "application/xml"
        const urls = (...paths: ReadonlyArray<string>) =>
          `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="x">${paths.map((path) => `<url><loc>${site.origin}${path}</loc><image:image><image:loc>${site.origin}/i.html</image:loc></image:image></url>`).join("")}</urlset>`
        site.pages.set("/sitemap.xml", {
          type: xml,
          body: `<sitemapindex><sitemap><loc>${site.origin}/a.xml</loc></sitemap><sitemap><loc>${site.origin}/b.xml.gz</loc></sitemap><sitemap><loc>${site.origin}/broken.xml</loc></sitemap></sitemapindex>`
        })
        site.pages.set("/a.xml", { type: xml, body: urls("/docs/a", "/other") })
        site.pages.set("/b.xml.gz", { type: "application/gzip", body: gzipSync(urls("/docs/b")) })
        site.pages.set("/broken.xml", { type: xml, body: "<urlset><url>" })
        for (const name of ["a", "b", "c"])
          site.pages.set(`/docs/${name}`, linked("c").replace("Text", `Text ${name}`))
        const crawler = yield* openCrawler({
          provider: "web",
          url: `${site.origin}/docs/`,
          sitemap: `${site.origin}/sitemap.xml`
        })
        yield* crawler.check
        const found = yield* crawl(crawler)
        expect(pathsOf(site.origin, found)).toEqual(["upsert /docs/a", "upsert /docs/b"])
        expect(found.failures.map(({ externalId }) => externalId)).toEqual([`${site.origin}/broken.xml`])
      })
    )
  ))

it("a start page that is missing, forbidden or private is refused with words", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* webSite
        const open = openCrawler({ provider: "web", url: site.origin })
        expect((yield* Effect.flip((yield* open).check))._tag).toBe("SourceRejected")
        site.pages.set("/", { status: 401 })
        expect((yield* Effect.flip((yield* open).check))._tag).toBe("SourceUnauthorized")
        site.pages.set("/", linked())
        site.pages.set("/robots.txt", "User-agent: Kanon/1.0\nDisallow: /")
        expect((yield* Effect.flip((yield* open).check)).message).toMatch(/robots\.txt/)
        const inside = yield* Effect.flip(
          openCrawler({ provider: "web", url: site.origin }, { privateAddresses: false })
        )
        expect(inside.message).toMatch(/private network/)
      })
    )
  ))

it("robots.txt and addresses are read as their standards say", () => {
  const robots = readRobots(
    "User-agent: *\nDisallow: /\n\nUser-agent: kanon\nUser-agent: b\nCrawl-delay: 900\nDisallow: /a\nAllow: /a/b\nDisallow: /*.php$\nDisallow: /q?*x=1\nSitemap: https://e.org/s.xml\nUser-agent: KANON\nDisallow: /%7euser"
  )
  const allowed = (path: string) => robots.allows(`https://e.org${path}`)
  expect(["/", "/a/b/c", "/x.php?y", "/q?y=2", "/robots.txt"].filter((path) => !allowed(path))).toEqual([])
  expect(["/a", "/abc", "/x/y.php", "/q?y=2&x=1", "/~user"].filter(allowed)).toEqual([])
  expect(robots).toMatchObject({ delay: 10, sitemaps: ["https://e.org/s.xml"] })
  const slow = readRobots(`User-agent: *\nDisallow: /${"*a".repeat(2000)}$`)
  const begin = performance.now()
  expect(slow.allows(`https://e.org/${"a".repeat(900)}b`)).toBe(true)
  expect(performance.now() - begin).toBeLessThan(500)

  const scope = { origin: "https://e.org", start: "https://e.org/", prefix: "/" }
  const canonical = (href: string) => canonicalAddress(href, "https://e.org/x/y", scope)
  expect(canonical("http://www.e.org//a//index.html?utm_source=1&b=2&sid=3#f")).toBe("https://e.org/a/?b=2")
  expect(canonical("../%7euser/%c3%bc")).toBe("https://e.org/~user/%C3%BC")
  expect(canonical("javascript:alert(1)")).toBeNull()
  expect(canonical("https://ada:secret@e.org/")).toBeNull()
  expect(pathOfAddress("https://e.org/a/%C3%BC.php?page=2", scope)).toBe("a/ü (page=2).md")
  expect(pathOfAddress("https://e.org/", scope)).toBe("index.md")
  expect(pathOfAddress("https://e.org/%2e%2e%2Fpasswd", scope)).not.toMatch(/\.\.|passwd\/|^\//)
})
