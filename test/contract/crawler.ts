import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { describe, expect, it } from "vitest"
import type {
  Checkpoint,
  CheckpointExpired,
  Crawler,
  FetchedItem,
  IdPage,
  SourceFault,
  SourceRejected
} from "../../core/connected/sources/index.js"
import { runEffect } from "./contract-tests.js"

/** A source with a crawler, for the contract tests. Names are those of documents: `alpha`, `beta`. */
export interface CrawledSource {
  /** A new crawler of the source, as a process that was just started opens it. */
  readonly open: Effect.Effect<Crawler, SourceRejected, Scope>
  /** Creates a document, or replaces its text. */
  readonly put: (name: string, text: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
  /** Renames a document. Absent where the source knows no names that change. */
  readonly rename?: (from: string, to: string) => Promise<void>
}

/** An item as a reader of the source sees it. */
interface KnownItem {
  readonly version: string | null
  readonly item: FetchedItem
}

/**
 * The contract tests of a crawler. `start` gives a source without documents; it is released with the scope. All
 * tests of a crawler share the source, one after the other.
 */
export const crawlerContract = (name: string, start: Effect.Effect<CrawledSource, unknown, Scope>) =>
  describe(`Crawler: ${name}`, () => {
    it("names, changes, moves and removes items as the source does", () =>
      runEffect(Effect.scoped(Effect.flatMap(Effect.orDie(start), (source) => wholeStory(source)))))
  })

const wholeStory = (source: CrawledSource) =>
  Effect.gen(function* () {
    const texts = new Map<string, string>()
    const put = (name: string, text: string) =>
      Effect.promise(async () => {
        await source.put(name, text)
        texts.set(name, text)
      })
    for (const name of ["alpha", "beta", "gamma", "delta", "epsilon"])
      yield* put(name, `The first text of ${name}.`)

    // A crawl from the start names every item.
    const items = new Map<string, KnownItem>()
    let cursor = yield* crawl(source, items, null)
    expectTexts(items, texts)
    expect(yield* listedIds(source)).toEqual([...items.keys()].sort())
    for (const { item } of items.values()) {
      expect(item.path).toMatch(/^[^/].*\.[a-z]+$/)
      expect(item.modifiedAt === null || new Date(item.modifiedAt).toISOString() === item.modifiedAt).toBe(
        true
      )
    }

    // Nothing has changed: nothing is fetched.
    const unchanged = yield* crawlCounting(source, items, cursor)
    expect(unchanged.fetched).toBe(0)
    cursor = unchanged.cursor

    // Changes are reported whether the crawl continues or starts over.
    yield* put("alpha", "The second text of alpha.")
    yield* put("zeta", "The first text of zeta.")
    yield* Effect.promise(() => source.remove("beta"))
    texts.delete("beta")
    const removed =
      [...items.values()].find(({ item }) => textOf(item).includes("text of beta"))?.item.externalId ?? ""
    const changed = yield* crawlCounting(source, items, cursor)
    cursor = changed.cursor
    expectTexts(items, texts)
    expect(changed.fetched).toBeLessThan(texts.size)
    const anew = new Map<string, KnownItem>()
    yield* crawl(source, anew, null)
    expectTexts(anew, texts)
    expect([...anew.keys()].sort()).toEqual([...items.keys()].sort())

    // An item that is gone is told apart from a source that fails.
    const missing = yield* Effect.scoped(
      Effect.flatMap(source.open, (crawler) => Effect.flip(crawler.fetch(removed)))
    )
    expect(missing._tag).toBe("ItemGone")

    if (source.rename !== undefined) {
      const rename = source.rename
      yield* Effect.promise(() => rename("gamma", "theta"))
      const before = [...items.values()].find(({ item }) => textOf(item).includes("text of gamma"))?.item.path
      cursor = yield* crawl(source, items, cursor)
      expectTexts(items, texts)
      const after = [...items.values()].find(({ item }) => textOf(item).includes("text of gamma"))?.item.path
      expect(after).not.toBe(before)
    }

    // Items are fetched side by side.
    yield* Effect.scoped(
      Effect.gen(function* () {
        const crawler = yield* source.open
        const fetched = yield* Effect.all([...items.keys()].map(crawler.fetch), { concurrency: 4 })
        for (const item of fetched) expect(item).toEqual(items.get(item.externalId)?.item)
      })
    )

    // A checkpoint of something else is refused, not misread.
    const fault = yield* Effect.scoped(
      Effect.flatMap(source.open, (crawler) => Effect.flip(crawler.changes({ of: ["another", "crawler"] })))
    )
    expect(fault._tag).toBe("CheckpointExpired")
    expect(cursor).not.toBeNull()
  })

/** Crawls to the end, with a new crawler for each page: every checkpoint outlives the process. */
const crawl = (source: CrawledSource, items: Map<string, KnownItem>, from: Checkpoint | null) =>
  Effect.map(crawlCounting(source, items, from), ({ cursor }) => cursor)

const crawlCounting = (source: CrawledSource, items: Map<string, KnownItem>, from: Checkpoint | null) =>
  Effect.gen(function* () {
    const seen = new Set<string>()
    let [checkpoint, fetched, isListing] = [from, 0, from === null]
    for (let page = 0; ; page++) {
      expect(page, "a crawl comes to its end").toBeLessThan(100)
      const isLast = yield* Effect.scoped(
        Effect.gen(function* () {
          const crawler = yield* source.open
          isListing ||= crawler.traits.changes === "listing"
          const found = yield* crawler.changes(checkpoint)
          expect(found.failures).toEqual([])
          for (const change of found.changes) {
            if (change.op === "delete") {
              items.delete(change.externalId)
              continue
            }
            seen.add(change.externalId)
            const known = items.get(change.op === "move" ? change.previousId : change.externalId)
            if (change.op === "move") items.delete(change.previousId)
            if (
              known !== undefined &&
              change.op === "upsert" &&
              change.version !== null &&
              known.version === change.version
            )
              continue
            const item = yield* crawler.fetch(change.externalId)
            fetched += 1
            expect(item.externalId).toBe(change.externalId)
            if (change.path !== null) expect(item.path).toBe(change.path)
            if (change.version !== null) expect(item.version).toBe(change.version)
            items.set(change.externalId, { version: item.version, item })
          }
          checkpoint = asStored(found.checkpoint)
          return found.isLast
        })
      )
      if (isLast) break
    }
    const deletions = yield* Effect.scoped(Effect.map(source.open, ({ traits }) => traits.deletions))
    const present = isListing ? [...seen] : deletions === "ids" ? yield* listedIds(source) : [...items.keys()]
    for (const id of items.keys()) if (!present.includes(id)) items.delete(id)
    return { cursor: checkpoint, fetched }
  })

const listedIds = (
  source: CrawledSource
): Effect.Effect<ReadonlyArray<string>, SourceFault | CheckpointExpired> =>
  Effect.gen(function* () {
    const ids = new Set<string>()
    let next: Checkpoint | null = null
    do {
      const position: Checkpoint | null = next
      const page: IdPage = yield* Effect.scoped(
        Effect.flatMap(source.open, (crawler) => crawler.listIds(position))
      )
      expect(page.failures).toEqual([])
      for (const id of page.ids) ids.add(id)
      next = page.next === null ? null : asStored(page.next)
    } while (next !== null)
    return [...ids].sort()
  })

/** A checkpoint as it comes back from a database. */
const asStored = (checkpoint: Checkpoint): Checkpoint => {
  const text = JSON.stringify(checkpoint)
  expect(text.length).toBeLessThanOrEqual(64 * 1024)
  return JSON.parse(text)
}

const textOf = ({ body }: FetchedItem): string =>
  "markdown" in body ? body.markdown : new TextDecoder().decode(body.bytes)

/** Each document of the source is one item with its text, and there are no others. */
const expectTexts = (items: ReadonlyMap<string, KnownItem>, texts: ReadonlyMap<string, string>): void => {
  const found = [...items.values()].map(({ item }) => textOf(item))
  expect(found).toHaveLength(texts.size)
  for (const text of texts.values()) expect(found.filter((one) => one.includes(text))).toHaveLength(1)
  expect(new Set([...items.values()].map(({ item }) => item.path.toLowerCase())).size).toBe(items.size)
}
