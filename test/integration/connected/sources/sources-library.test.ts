import { readdirSync, readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { z } from "zod"
import { type Crawler, crawlerProvider, ItemGone } from "../../../../core/connected/sources/index.js"
import { isLong } from "../../../support/runs.js"
import { openSyncWorld, type SyncWorld } from "../../../support/sync-world.js"

const itemsWanted = isLong ? 10_000 : 64
const pageSize = isLong ? 500 : 16
/** Maximum number of items held at once: a few are fetched beside the one that is written. */
const heldMax = 12

const folder = new URL("../../../fixtures/formats/", import.meta.url)
const page = { name: "page.md", bytes: Buffer.from("# Page\n\nThe lock of Kvitsund opens at 06:00.\n") }
/** The smallest file of a format. */
const smallest = (format: string) =>
  readdirSync(new URL(`${format}/`, folder))
    .map((name) => ({ name, bytes: readFileSync(new URL(`${format}/${name}`, folder)) }))
    .reduce((least, one) => (one.bytes.length < least.bytes.length ? one : least))
/** As in most libraries, texts are many and Office files fewer. */
const samples = [
  ...Array.from({ length: 5 }, () => [page, ...["html", "csv", "txt"].map(smallest)]).flat(),
  ...["pdf", "docx", "pptx", "xlsx", "eml", "epub", "odt"].map(smallest)
]

/** Collects what nobody holds, now. */
const collect = (() => {
  setFlagsFromString("--expose-gc")
  const gc: unknown = runInNewContext("gc")
  return typeof gc === "function" ? () => gc() : () => undefined
})()

/** A library whose items are read from fixtures when they are asked for, which notes what of them is still held. */
class Library {
  readonly versions = new Map(Array.from({ length: itemsWanted }, (_, at) => [`item-${at}`, 1]))
  fetched: Array<string> = []
  held: Array<WeakRef<Uint8Array>> = []
  onPage: () => Promise<void> = async () => {}

  crawler(): Crawler {
    const Position = z.object({ after: z.int() })
    return {
      traits: { changes: "listing", deletions: "ids" },
      check: Effect.void,
      changes: (checkpoint) =>
        Effect.promise(async () => {
          await this.onPage()
          const { after } = Position.catch({ after: 0 }).parse(checkpoint)
          const all = [...this.versions]
          const end = after + pageSize
          const changes = all.slice(after, end).map(([externalId, version]) => ({
            op: "upsert" as const,
            externalId,
            version: `${version}`,
            path: null
          }))
          const isLast = end >= all.length
          return { changes, failures: [], checkpoint: { after: isLast ? 0 : end }, isLast, total: all.length }
        }),
      listIds: () => Effect.succeed({ ids: [...this.versions.keys()], failures: [], next: null }),
      fetch: (externalId) =>
        Effect.suspend((): ReturnType<Crawler["fetch"]> => {
          const version = this.versions.get(externalId)
          const number = Number(externalId.slice("item-".length)) || 0
          const sample = samples[number % samples.length]
          if (version === undefined || sample === undefined) return Effect.fail(new ItemGone({ externalId }))
          this.fetched.push(externalId)
          const bytes = new Uint8Array(sample.bytes)
          this.held.push(new WeakRef(bytes))
          return Effect.succeed({
            externalId,
            version: `${version}`,
            path: `shelf ${number % 97}/${externalId} ${sample.name}`,
            title: null,
            url: `https://library.example/${externalId}`,
            author: null,
            createdAt: null,
            modifiedAt: null,
            labels: [],
            body: { bytes, mediaType: null },
            attachments: [],
            warnings: []
          })
        })
    }
  }
}

const library = new Library()
let world: SyncWorld
let id: Awaited<ReturnType<SyncWorld["connect"]>>
beforeAll(async () => {
  const provider = crawlerProvider({
    provider: "library",
    kind: "document_library",
    config: z.object({ provider: z.literal("library") }),
    credential: "none",
    open: () => Effect.succeed(library.crawler())
  })
  world = await openSyncWorld([provider], { converts: true })
  id = await world.connect({
    name: "Library",
    kind: "document_library",
    config: { provider: "library" }
  })
})
afterAll(() => world.close())

it(`a library of ${itemsWanted} files of mixed formats is brought over within bounded memory and with progress`, async () => {
  const [percents, heaps]: [Array<number>, Array<number>] = [[], []]
  library.onPage = async () => {
    const { run } = await world.detail(id)
    percents.push(run.percent ?? 0)
    // Objects that were read through a WeakRef live until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    library.held = library.held.filter((bytes) => bytes.deref() !== undefined)
    expect(library.held.length).toBeLessThanOrEqual(heldMax)
    heaps.push(process.memoryUsage().heapUsed)
  }
  const { run } = await world.sync(id)
  expect(run).toMatchObject({ status: "succeeded", seen: itemsWanted, failed: 0, failures: [], percent: 100 })
  expect(run.created).toBeGreaterThanOrEqual(itemsWanted)
  expect(percents).toEqual([...percents].sort((a, b) => a - b))
  expect(new Set(percents).size).toBe(itemsWanted / pageSize)
  const megabytes = (Math.max(...heaps) - (heaps[1] ?? 0)) / 1024 / 1024
  expect(megabytes).toBeLessThan(60)
})

it("the next sync fetches only what changed", async () => {
  library.fetched = []
  expect((await world.sync(id)).run).toMatchObject({
    seen: itemsWanted,
    unchanged: itemsWanted,
    created: 0,
    updated: 0,
    removed: 0
  })
  expect(library.fetched).toEqual([])
  const changed = ["item-7", "item-60", `item-${itemsWanted - 1}`]
  for (const one of changed) library.versions.set(one, 2)
  library.versions.set("item-new", 1)
  library.versions.delete("item-8")
  const { run } = await world.sync(id)
  expect(run).toMatchObject({ seen: itemsWanted, failed: 0 })
  expect(library.fetched.toSorted()).toEqual([...changed, "item-new"].toSorted())
  expect(run.removed).toBeGreaterThanOrEqual(1)
})
