import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type Crawler,
  type CrawlerProvider,
  SourceStore,
  scheduleHandler
} from "../../../../core/connected/sources/index.js"
import { JobStore, jobKinds } from "../../../../core/platform/jobs/index.js"
import type { ContentConnectorId } from "../../../../core/platform/kernel/index.js"
import { ModelSource } from "../../../support/model-source.js"
import { uploadProvider } from "../../../support/sources/crawling.js"
import { openSyncWorld, type SyncWorld } from "../../../support/sync-world.js"

/** Lets a provider's crawlers fetch in another way. */
const withFetch = (
  provider: CrawlerProvider,
  fetch: (crawler: Crawler, externalId: string) => ReturnType<Crawler["fetch"]>
): CrawlerProvider => ({
  ...provider,
  open: (target) =>
    Effect.map(provider.open(target), (crawler) => ({
      ...crawler,
      fetch: (externalId) => Effect.suspend(() => fetch(crawler, externalId))
    }))
})

let world: SyncWorld
let source: ModelSource
let fetched: Array<string>
/** Items during which the worker stops for ever, as one that was killed does. */
let deadly: Set<string>
let hung: Array<() => void>
const fetch = (crawler: Crawler, externalId: string): ReturnType<Crawler["fetch"]> => {
  fetched.push(externalId)
  if (!deadly.has(externalId)) return crawler.fetch(externalId)
  for (const tell of hung.splice(0)) tell()
  return Effect.never
}

/** A worker takes the runs and ends during an item. */
const die = async (id: ContentConnectorId) => {
  const isHung = new Promise<void>((done) => hung.push(done))
  void world.work(id)
  await isHung
}

beforeEach(async () => {
  ;[fetched, deadly, hung] = [[], new Set(), []]
  source = new ModelSource({ changes: "listing", deletions: "ids" }, 500)
  world = await openSyncWorld([withFetch(uploadProvider(), fetch), withFetch(source.provider(), fetch)])
})
afterEach(() => world.close())

describe("a worker that ends during uploads", () => {
  const file = (number: number) => ({ path: `file-${number}.md`, content: `# File ${number}\n` })
  const poison = "file-70.md"
  let id: ContentConnectorId
  beforeEach(async () => {
    id = await world.connect({ name: "Files", kind: "markdown_upload" })
    for (let upload = 0; upload < 3; upload++)
      await world.start(id, { files: Array.from({ length: 48 }, (_, at) => file(upload * 48 + at)) })
  })

  it("three times during one file loses that file alone: it is one failed item of its upload", async () => {
    deadly.add(poison)
    for (let death = 1; death <= 3; death++) await die(id)
    expect(await world.work(id)).toBe(true)
    const { syncs } = await world.read(id)
    expect(syncs.map(({ created, failed, status }) => ({ created, failed, status }))).toEqual([
      { created: 48, failed: 0, status: "succeeded" },
      { created: 47, failed: 1, status: "succeeded" },
      { created: 48, failed: 0, status: "succeeded" }
    ])
    expect(syncs[1]?.failures).toMatchObject([
      { externalId: poison, reason: expect.stringContaining("ended 3 times while it brought this item over") }
    ])
    expect((await world.texts()).size).toBe(143)
    // The third worker knew which file to try alone.
    expect(fetched.filter((path) => path === poison)).toHaveLength(3)
    expect(fetched.length).toBeLessThan(144 + 20)
  })

  it("twice during one file loses nothing", async () => {
    deadly.add(poison)
    for (let death = 1; death <= 2; death++) await die(id)
    deadly.clear()
    expect(await world.work(id)).toBe(true)
    expect((await world.texts()).size).toBe(144)
    expect((await world.read(id)).syncs.map(({ failed }) => failed)).toEqual([0, 0, 0])
  })

  it("so often that its job is given up leaves the waiting uploads to the next job", async () => {
    const jobs = await world.run(
      Effect.gen(function* () {
        const store = yield* JobStore
        const [lease] = yield* store.claim({
          kind: jobKinds.sync,
          limit: 1,
          workspaceMax: 1,
          loneMax: 1,
          maxAttempts: 5,
          owner: "test",
          leaseMs: 60_000
        })
        if (lease === undefined) throw new Error("no job")
        yield* store.fail(lease, "The worker that ran this job ended.", null)
        yield* scheduleHandler
          .run({} as never, { progress: () => Effect.void, fenced: (work) => work })
          .pipe(Effect.catchAll(() => Effect.void))
        return yield* store.list(world.workspace, { limit: 10, offset: 0 }, { kind: jobKinds.sync })
      })
    )
    expect(jobs.items.map(({ status }) => status)).toEqual(["queued", "dead"])
    expect(await world.work(id)).toBe(true)
    expect((await world.texts()).size).toBe(144)
  })
})

describe("a crawl whose worker ends", () => {
  let id: ContentConnectorId
  beforeEach(async () => {
    for (let item = 0; item < 200; item++) source.put(`i${item}`, `${item}.md`, `# Item ${item}\n`)
    id = await world.connect({ name: "Library", kind: "wiki", config: { provider: "model" } })
  })

  it.each([
    ["makes its documents", false],
    ["reads them again in full", true]
  ])("continues at its item while it %s", async (_, isSecond) => {
    if (isSecond) await world.sync(id)
    fetched = []
    await world.start(id, { mode: "full" })
    const isReached = new Promise<void>((done) => hung.push(done))
    // The listing is shuffled, so the item is chosen when it is reached.
    const add = fetched.push.bind(fetched)
    fetched.push = (...ids) => {
      const count = add(...ids)
      if (count === 125) for (const one of ids) deadly.add(one)
      return count
    }
    void world.work(id)
    await isReached
    deadly.clear()
    fetched.push = add
    expect(await world.work(id)).toBe(true)
    const { run } = await world.detail(id)
    expect(run).toMatchObject({ status: "succeeded", seen: 200, failed: 0, removed: 0 })
    expect(isSecond ? run.unchanged : run.created).toBeGreaterThanOrEqual(200)
    expect(fetched.length).toBeLessThanOrEqual(210)
    expect((await world.texts()).size).toBe(200)
  })

  it("leaves out an item that ended three workers until the item changes", async () => {
    deadly.add("i9")
    await world.start(id)
    for (let death = 1; death <= 3; death++) await die(id)
    expect(await world.work(id)).toBe(true)
    expect((await world.detail(id)).run).toMatchObject({ created: 199, failed: 1 })
    fetched = []
    expect((await world.sync(id)).run).toMatchObject({ created: 0, failed: 1, unchanged: 200 })
    expect(fetched).toEqual([])
    deadly.clear()
    source.put("i9", "9.md", "# Item 9, mended\n")
    expect((await world.sync(id)).run).toMatchObject({ created: 1, failed: 0 })
  })

  it("blames no item for a worker that was stopped in order", async () => {
    source.onRequest = (request, asked) =>
      request === "fetch" && asked === "i9" ? Effect.die(new Error("stopped")) : Effect.void
    await world.start(id)
    for (let stop = 1; stop <= 4; stop++) expect(await world.work(id)).toBe(false)
    source.onRequest = () => Effect.void
    expect(await world.work(id)).toBe(true)
    expect((await world.detail(id)).run).toMatchObject({ created: 200, failed: 0 })
  })
})

it("a full crawl keeps the document of an item that got another id", async () => {
  source = new ModelSource({ changes: "feed", deletions: "changes", moves: true }, 500)
  const moving = await openSyncWorld([source.provider()])
  try {
    for (let item = 0; item < 4; item++) source.put(`i${item}`, `${item}.md`, `# Item ${item}\n`)
    const id = await moving.connect({ name: "Library", kind: "wiki", config: { provider: "model" } })
    await moving.sync(id)
    const documentOf = (externalId: string) =>
      moving.run(
        Effect.flatMap(SourceStore, (items) => items.items.find(moving.workspace, id, [externalId])).pipe(
          Effect.map(([item]) => item?.documentId ?? null)
        )
      )
    const before = await documentOf("i1")
    expect(before).not.toBeNull()
    source.move("i1", "moved.md", "i9")
    expect((await moving.sync(id, { mode: "full" })).run).toMatchObject({
      created: 0,
      updated: 1,
      removed: 0,
      failed: 0
    })
    expect(await documentOf("i9")).toBe(before)
  } finally {
    await moving.close()
  }
})
