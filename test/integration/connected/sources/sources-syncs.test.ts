import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import {
  ItemUnreadable,
  SourceRateLimited,
  SourceStore,
  SourceUnreachable,
  scheduleHandler
} from "../../../../core/connected/sources/index.js"
import { atMoment } from "../../../support/clock-at.js"
import { ModelSource } from "../../../support/model-source.js"
import { openSyncWorld, type SyncWorld } from "../../../support/sync-world.js"

let source: ModelSource
let world: SyncWorld
let id: Awaited<ReturnType<SyncWorld["connect"]>>
const connector = { name: "Library", kind: "wiki", config: { provider: "model" } }
const open = async (converts: boolean) => {
  source = new ModelSource({ changes: "listing", deletions: "ids" })
  world = await openSyncWorld([source.provider()], { converts })
  id = await world.connect(connector)
}

const paths = async () => [...(await world.texts()).keys()]
/** Replaces the method of the source's next crawlers. */
const withFetch = (fetch: ReturnType<ModelSource["crawler"]>["fetch"]) => {
  const { crawler } = source
  source.crawler = () => ({
    ...crawler.call(source),
    fetch: (externalId) => Effect.suspend(() => fetch(externalId))
  })
}

const mail = (attachment: string) =>
  [
    "From: Ada <ada@example.org>",
    "Subject: Figures",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "The figures are attached.",
    ...(attachment === ""
      ? []
      : [
          "--b",
          `Content-Type: text/csv; name="${attachment}"`,
          `Content-Disposition: attachment; filename="${attachment}"`,
          "",
          "city,people",
          "Ghent,265086"
        ]),
    "--b--",
    ""
  ].join("\r\n")

describe("a sync run of files that are converted", () => {
  beforeAll(() => open(true))
  afterAll(() => world.close())

  it("fetches every item again whose document older readers made, though the source says that none changed", async () => {
    source.put("9", "tables/prices.csv", "part,price\nPump,40\n")
    await world.sync(id)
    const fetched: Array<string> = []
    const { crawler } = source
    source.crawler = () => {
      const made = crawler.call(source)
      return {
        ...made,
        fetch: (externalId) => {
          fetched.push(externalId)
          return made.fetch(externalId)
        }
      }
    }
    await world.sync(id)
    expect(fetched).toEqual([])
    await world.run(
      Effect.gen(function* () {
        const { connectors } = yield* SourceStore
        const stored = Option.getOrThrow(yield* connectors.find(world.workspace, id))
        const checkpoint = { ...stored.checkpoint, reader: "1" }
        yield* connectors.setProgress(world.workspace, id, { checkpoint })
      })
    )
    await world.sync(id)
    expect(fetched).toEqual(["9"])
    await world.sync(id)
    expect(fetched).toEqual(["9"])
    source.crawler = crawler
    source.remove("9")
    await world.sync(id)
  })

  it("converts files, and makes documents of the attachments of a message", async () => {
    source.put("1", "post/figures.eml", mail("cities.csv"))
    source.put("2", "tables/people.csv", "name,role\nAda,author\n")
    const { run } = await world.sync(id)
    expect(run.failures).toEqual([])
    expect(await paths()).toEqual([
      "library/post/figures.eml.md",
      "library/post/figures.eml/cities.csv.md",
      "library/tables/people.csv.md"
    ])
    expect((await world.texts()).get("library/post/figures.eml/cities.csv.md")).toContain("Ghent")
    source.put("1", "post/figures.eml", mail(""))
    expect((await world.sync(id)).run).toMatchObject({ removed: 1, failed: 0 })
    expect(await paths()).toEqual(["library/post/figures.eml.md", "library/tables/people.csv.md"])
  })

  it("puts the attachments of a page into a folder beside it, and leaves out images", async () => {
    source.put("9", "wiki/Budget.md", "# Budget\n\nSee the table.\n")
    const { fetch } = source.crawler()
    const { crawler } = source
    withFetch((externalId) =>
      Effect.map(fetch(externalId), (item) => ({
        ...item,
        attachments: [
          {
            name: "table.csv",
            body: { bytes: new TextEncoder().encode("year,sum\n2026,7\n"), mediaType: null },
            url: null
          },
          { name: "logo.png", body: { bytes: new Uint8Array([1, 2]), mediaType: "image/png" }, url: null }
        ]
      }))
    )
    expect((await world.sync(id)).run).toMatchObject({ failed: 0 })
    expect((await paths()).filter((path) => path.startsWith("library/wiki"))).toEqual([
      "library/wiki/Budget.md",
      "library/wiki/Budget/table.csv.md"
    ])
    source.crawler = crawler
    source.remove("9")
    expect((await world.sync(id)).run).toMatchObject({ removed: 2, failed: 0 })
  })

  it("tells a file that cannot be converted in every run until it changes, without fetching it again", async () => {
    source.put("3", "broken.docx", "This is no Word document.")
    expect((await world.sync(id)).run).toMatchObject({ status: "succeeded", failed: 1 })
    const fetched = source.fetched
    expect((await world.sync(id)).run).toMatchObject({ failed: 1 })
    expect(source.fetched).toBe(fetched)
    source.put("3", "broken.txt", "It is text now.")
    expect((await world.sync(id)).run).toMatchObject({ failed: 0, created: 1 })
  })
})

describe("a sync run", () => {
  beforeEach(() => open(false))
  afterEach(() => world.close())

  it("tries an item three times, then remembers it for the next run", async () => {
    source.put("1", "one.md", "# One\n")
    const { fetch } = source.crawler()
    let tries = 0
    withFetch((externalId) =>
      ++tries <= 4
        ? Effect.fail(new ItemUnreadable({ externalId, message: "Locked.", isPermanent: false }))
        : fetch(externalId)
    )
    expect((await world.sync(id)).run).toMatchObject({
      failed: 1,
      failures: [{ externalId: "1", reason: "Locked." }]
    })
    expect(tries).toBe(3)
    expect((await world.sync(id)).run).toMatchObject({ failed: 0, created: 1 })
  })

  it("waits as long as the source asks, up to a minute", async () => {
    source.put("1", "one.md", "# One\n")
    const { fetch } = source.crawler()
    const pauses = [60_000, 61_000]
    withFetch((externalId) => {
      const retryAfterMs = pauses.shift()
      return retryAfterMs === undefined
        ? fetch(externalId)
        : Effect.fail(new SourceRateLimited({ message: "Too many requests.", retryAfterMs }))
    })
    expect((await world.sync(id)).run).toMatchObject({
      status: "failed",
      failures: [
        { externalId: null, reason: "Too many requests. The source asks for a pause of 61 seconds." }
      ]
    })
    expect((await world.sync(id)).run).toMatchObject({ status: "succeeded", created: 1 })
  })

  it("fails when the source is down, not item by item", async () => {
    for (let number = 0; number < 30; number++) source.put(`${number}`, `${number}.md`, `# ${number}\n`)
    withFetch(() => Effect.fail(new SourceUnreachable({ message: "No answer." })))
    const { run } = await world.sync(id)
    expect(run.status).toBe("failed")
    expect(run.failed).toBeLessThan(10)
  })

  it("removes nothing while parts of the source cannot be listed", async () => {
    for (const number of [1, 2, 3]) source.put(`${number}`, `${number}.md`, `# ${number}\n`)
    await world.sync(id)
    source.remove("3")
    const { crawler } = source
    source.crawler = () => {
      const whole = crawler.call(source)
      const failures = [{ externalId: "folder", message: "The folder cannot be listed." }]
      return {
        ...whole,
        changes: (from) => Effect.map(whole.changes(from), (page) => ({ ...page, failures }))
      }
    }
    expect((await world.sync(id)).run).toMatchObject({ removed: 0, failures: [{ externalId: "folder" }] })
    expect(await paths()).toHaveLength(3)
    source.crawler = crawler
    expect((await world.sync(id)).run).toMatchObject({ removed: 1 })
  })

  it("removes nothing when the source is empty all of a sudden", async () => {
    source.put("1", "one.md", "# One\n")
    await world.sync(id)
    source.remove("1")
    expect((await world.sync(id)).run).toMatchObject({ removed: 0, heldRemovals: 1 })
    expect((await world.sync(id, { allowRemovals: true })).run).toMatchObject({ removed: 1 })
  })

  it("is started by the schedule, once for all times that were missed", async () => {
    const scheduled = await world.connect({ ...connector, name: "Nightly", schedule: "0 3 * * *" })
    const nextSync = async () => {
      const work = Effect.flatMap(SourceStore, (store) => store.connectors.find(world.workspace, scheduled))
      return Option.getOrThrow(await world.run(work)).nextSyncAt
    }
    expect(await nextSync()).toMatch(/T03:00:00.000Z$/)
    const tick = (moment: string) =>
      world.run(
        atMoment(Date.parse(moment))(
          scheduleHandler
            .run({} as never, { progress: () => Effect.void, fenced: (work) => work })
            .pipe(Effect.catchAll(() => Effect.void))
        )
      )
    await tick("2000-01-01T00:00:00.000Z")
    expect((await world.read(scheduled)).syncs).toHaveLength(0)
    await tick("2099-01-05T12:00:00.000Z")
    await tick("2099-01-05T12:01:00.000Z")
    expect(await nextSync()).toBe("2099-01-06T03:00:00.000Z")
    expect((await world.read(scheduled)).syncs).toHaveLength(1)
    await world.work(scheduled)
    expect((await world.read(scheduled)).syncs).toMatchObject([{ status: "succeeded" }])
  })
})
