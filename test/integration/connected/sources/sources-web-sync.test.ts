import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { CrawlerProvider } from "../../../../core/connected/sources/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { builtInProvider } from "../../../support/sources/crawling.js"
import { webSite } from "../../../support/sources/web-site.js"
import { openSyncWorld, type SyncWorld } from "../../../support/sync-world.js"

let world: SyncWorld
let site: Effect.Effect.Success<typeof webSite>
/** The page at which the process ends. */
let deadly: string | null = null
const provider = (): CrawlerProvider => {
  const web = builtInProvider("web", { cacheFolder: folder })
  return {
    ...web,
    open: (target) =>
      Effect.map(web.open(target), (crawler) => ({
        ...crawler,
        fetch: (externalId) => (externalId === deadly ? Effect.die("killed") : crawler.fetch(externalId))
      }))
  }
}
const folder = temporaryFolder("web-sync")
const scope = Effect.runSync(Scope.make())

beforeAll(async () => {
  site = await Effect.runPromise(Scope.extend(webSite, scope))
  world = await openSyncWorld([provider()], { converts: true })
})
afterAll(async () => {
  await world.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

it("a site is synced, followed through a killed run, a move and a page that fails", async () => {
  const page = (name: string) => `<main><h1>${name}</h1><p>All about ${name}.</p></main>`
  const names = ["Mast", "Keel", "Sail", "Rudder", "Oars", "Anchor"]
  site.pages.set("/", `<nav>${names.map((name) => `<a href="${name}">x</a>`).join("")}</nav>`)
  for (const name of names) site.pages.set(`/${name}`, page(name))
  const id = await world.connect({
    name: "Boats",
    kind: "wiki",
    config: { provider: "web", url: site.origin }
  })
  await world.start(id)
  // The process ends in the middle of the run.
  deadly = `${site.origin}/Rudder`
  expect(await world.work(id)).toBe(false)
  deadly = null
  site.asked()
  await world.work(id)
  expect((await world.detail(id)).run).toMatchObject({ status: "succeeded", failed: 0 })
  expect([...(await world.texts()).keys()]).toEqual([...names].sort().map((name) => `boats/${name}.md`))

  site.asked()
  const unchanged = await world.sync(id)
  expect(unchanged.run).toMatchObject({ unchanged: 6, created: 0, updated: 0, failed: 0 })
  expect(site.asked().filter((one) => one.endsWith(" 200"))).toEqual(["/ 200"])

  site.pages.set("/Mast", { status: 301, headers: { location: "/Masts" } })
  site.pages.set("/Masts", page("Mast"))
  site.pages.set("/Keel", { status: 404 })
  site.pages.set("/Sail", { status: 418 })
  const changed = await world.sync(id)
  expect(changed.run).toMatchObject({ status: "succeeded", created: 0, updated: 1, removed: 1 })
  expect(changed.run.failures).toMatchObject([{ externalId: `${site.origin}/Sail` }])
  expect([...(await world.texts()).keys()]).toEqual(
    ["Anchor", "Masts", "Oars", "Rudder", "Sail"].map((name) => `boats/${name}.md`)
  )
  site.pages.set("/Sail", page("Sail"))
  expect((await world.sync(id, { mode: "full" })).run).toMatchObject({ failed: 0, removed: 0, created: 0 })
})

it("entries of a feed are documents, and stay when they leave it", async () => {
  const item = (name: string, text: string) =>
    `<item><title>${name} &amp;amp; more</title><link>/news/${name}</link><guid isPermaLink="false">id-${name}</guid><dc:creator>Ada</dc:creator><category>Boats</category><pubDate>Tue, 03 Feb 2026 10:00:00 GMT</pubDate><description>short</description><content:encoded><![CDATA[<p>${text} <a href="/x">there</a></p>]]></content:encoded></item>`
  const rss = (...items: ReadonlyArray<string>) => ({
    type: "application/rss+xml",
    body: `<rss version="2.0" xmlns:content="c" xmlns:dc="d"><channel><title>News</title>${items.join("")}</channel></rss>`
  })
  site.pages.set("/feed", rss(item("First", "The first."), item("Second", "The second.")))
  const config = { provider: "web", url: `${site.origin}/feed`, rss: true }
  const id = await world.connect({ name: "News", kind: "wiki", config })
  expect((await world.sync(id)).run).toMatchObject({ created: 2, failed: 0 })
  expect((await world.texts()).get("news/2026-02-03 First & more.md")).toBe(
    `---\ntags: ["Boats"]\n---\n\n# First & more\n\nThe first. [there](${site.origin}/x)\n`
  )
  site.asked()
  expect((await world.sync(id)).run).toMatchObject({ created: 0, updated: 0, failed: 0 })
  expect(site.asked()).toEqual(["/feed 304"])

  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><author><name>Grace</name></author><entry><id>id-Second</id><title>Second &amp; more</title><link href="/news/Second"/><published>2026-02-03T10:00:00Z</published><updated>2026-02-04T10:00:00Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>The <b>new</b> second.</p></div></content></entry></feed>`
  site.pages.set("/feed", { type: "application/atom+xml", body: atom })
  for (const mode of ["incremental", "full"]) {
    expect((await world.sync(id, { mode })).run).toMatchObject({ removed: 0, failed: 0, heldRemovals: 0 })
    expect([...(await world.texts()).keys()].filter((path) => path.startsWith("news/"))).toEqual([
      "news/2026-02-03 First & more.md",
      "news/2026-02-03 Second & more.md"
    ])
  }
  expect((await world.texts()).get("news/2026-02-03 Second & more.md")).toContain("The **new** second.")
})
