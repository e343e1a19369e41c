import { randomUUID } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type Crawler,
  type CrawlTarget,
  type FetchedItem,
  type ItemChange,
  type ItemFault,
  ItemGone,
  ItemUnreadable,
  type ListingFailure,
  type ProviderConfig,
  type SourceFault,
  type SourceRejected
} from "../../../core/connected/sources/index.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { versionOf } from "../item-path.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { canonicalAddress, isWithin } from "./addresses.js"
import { type WebCrawl, webCrawl } from "./crawl.js"
import { feedCrawler } from "./feed.js"
import { readAddress } from "./read-page.js"
import { webSite } from "./site.js"
import { type QueuedPlace, type Visit, webState } from "./state.js"
import { type Visited, visitPlace } from "./visit.js"

const defaultDepth = 10
const defaultMaxPages = 10_000
/** Pages of one part of a crawl, and bytes of their texts and files that are kept until they are fetched. */
const [visitsOfPart, bytesOfPart] = [25, 32 * 1024 * 1024]
/** A crawl ends after so much, whatever is left to visit. */
const [crawlMaxBytes, crawlMaxMs] = [4 * 1024 ** 3, 6 * 3_600_000]
/** Requests in a row that may fail; then it is the site that fails. */
const unreachableMax = 5
const idsPerPage = 1000

/** Position of a crawl: after so many visits; without a run, before the next crawl. */
const Position = z.strictObject({
  run: z.string().nullable(),
  startedAt: z.number(),
  count: z.int().min(0)
})
const IdPosition = z.union([z.strictObject({ after: z.int().min(0) }), z.strictObject({ crawl: Position })])

/** A web site, read from its start page or its sitemap; or a feed. */
export const web = (options: CrawlerOptions) =>
  providerOf("web", (target) =>
    target.config.rss === true ? feedCrawler(options, target) : siteCrawler(options, target)
  )

const siteCrawler = (
  options: CrawlerOptions,
  target: CrawlTarget<ProviderConfig<"web">>
): Effect.Effect<Crawler, SourceRejected> =>
  Effect.gen(function* () {
    const { config } = target
    const sitemap =
      config.sitemap ?? (/\.xml(?:\.gz)?$/i.test(new URL(config.url).pathname) ? config.url : null)
    const depth = config.depth ?? (sitemap === null ? defaultDepth : 0)
    const maxPages = config.maxPages ?? defaultMaxPages
    const site = yield* webSite(options, target)
    const state = webState(options.cacheFolder, `${target.key}\0${config.url}`)
    /** The crawl that this process carries on, and the documents of its last part until they are fetched. */
    let current: WebCrawl | null = null
    const listed = new Map<string, FetchedItem>()

    const open = (position: z.infer<typeof Position>) =>
      Effect.gen(function* () {
        if (current?.run === position.run && current.count === position.count) return current
        const read = yield* site
        const known = yield* state.known
        const now = yield* Clock.currentTimeMillis
        const first: QueuedPlace =
          sitemap === null
            ? { address: read.scope.start, depth: 0 }
            : { address: sitemap, depth: 0, isSitemap: true }
        const about = {
          run: position.run ?? randomUUID(),
          startedAt: position.run === null ? now : position.startedAt,
          key: versionOf(JSON.stringify([read.scope, depth, sitemap]), read.robots.key)
        }
        const crawl = webCrawl(read, about, known, [first])
        if (position.run === null) yield* state.begin(about.run, about.key)
        else {
          const visits = yield* state.resume(about.run, position.count)
          if (visits === null)
            return yield* new CheckpointExpired({ message: "This host does not know where the crawl was." })
          for (const visit of visits) crawl.add(visit)
        }
        current = crawl
        return crawl
      })

    /** Why the crawl ends before everything was visited; null while it goes on. */
    const limitOf = ({ bytes, count, startedAt }: WebCrawl) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (count >= maxPages) return `${maxPages} addresses (maxPages)`
        if (bytes >= crawlMaxBytes) return `${crawlMaxBytes / 1024 ** 3} GiB`
        return now - startedAt >= crawlMaxMs ? `${crawlMaxMs / 3_600_000} hours` : null
      })

    /** Visits a place; a site that fails now and then does not end the crawl, one that fails in a row does. */
    const visit = (crawl: WebCrawl, place: QueuedPlace, failuresInRow: number) =>
      visitPlace(crawl, options.tasks, place, { depth }).pipe(
        Effect.catchTag(
          "SourceUnreachable",
          (fault): Effect.Effect<Visited & { hasFailed: true }, SourceFault> => {
            const isStart = place.address === crawl.site.scope.start || place.isSitemap === true
            if (isStart || failuresInRow + 1 >= unreachableMax) return Effect.fail(fault)
            const page = crawl.known.get(place.address) ?? null
            const failure = { externalId: page?.address ?? place.address, message: fault.message }
            const visited = { address: place.address, page, queued: [], bytes: 0 }
            return Effect.succeed({
              visit: visited,
              changes: [],
              failures: [failure],
              item: null,
              hasFailed: true
            })
          }
        )
      )

    const changes = (checkpoint: Checkpoint | null) =>
      Effect.gen(function* () {
        const start =
          checkpoint === null
            ? { run: null, startedAt: 0, count: 0 }
            : yield* readCheckpoint(Position, checkpoint)
        const crawl = yield* open(start)
        listed.clear()
        const visits: Array<Visit> = []
        const found: Array<ItemChange> = []
        const failures: Array<ListingFailure> = []
        let [bytes, failuresInRow, limit]: [number, number, string | null] = [0, 0, null]
        while (visits.length < (options.pageSize ?? visitsOfPart) && bytes < bytesOfPart) {
          const place = crawl.next()
          if (place === null) break
          limit = yield* limitOf(crawl)
          if (limit !== null) break
          const outcome = yield* Effect.either(visit(crawl, place, failuresInRow))
          if (outcome._tag === "Left") {
            // Return the pages of this part first; the next part starts with the page that failed.
            if (visits.length > 0) break
            return yield* outcome.left
          }
          const visited = outcome.right
          failuresInRow = "hasFailed" in visited ? failuresInRow + 1 : 0
          crawl.add(visited.visit)
          visits.push(visited.visit)
          found.push(...visited.changes)
          failures.push(...visited.failures)
          bytes += visited.visit.bytes
          if (visited.item !== null) listed.set(visited.item.externalId, visited.item)
        }
        if (limit !== null)
          failures.push({
            externalId: crawl.site.scope.start,
            message: `The crawl ended after ${limit}; what it had not visited by then is missing. A prefix or a smaller depth leads it.`
          })
        const isLast = limit !== null || crawl.next() === null
        yield* state.append(visits)
        if (isLast) {
          const left = [...crawl.known].filter(([address]) => !crawl.visited.has(address))
          yield* state.finish({
            key: crawl.key,
            pages: [...crawl.pages.values(), ...left.map(([, page]) => page)]
          })
          current = null
        }
        return {
          changes: found,
          failures,
          checkpoint: isLast
            ? { run: null, startedAt: 0, count: 0 }
            : { run: crawl.run, startedAt: crawl.startedAt, count: crawl.count },
          isLast,
          total: null
        } satisfies ChangePage
      })

    const listIds = (position: Checkpoint | null) =>
      Effect.gen(function* () {
        const from = position === null ? { after: 0 } : yield* readCheckpoint(IdPosition, position)
        const { pages } = "after" in from ? yield* state.known : { pages: [] }
        if ("after" in from && pages.length > 0) {
          const end = from.after + idsPerPage
          return {
            ids: pages.slice(from.after, end).map(({ address }) => address),
            failures: [],
            next: end < pages.length ? { after: end } : null
          }
        }
        const page = idsOf(yield* changes("crawl" in from ? from.crawl : null))
        return { ...page, next: page.next === null ? null : { crawl: page.next } }
      })

    const fetch = (externalId: string): Effect.Effect<FetchedItem, SourceFault | ItemFault> =>
      Effect.gen(function* () {
        const item = listed.get(externalId)
        // A repeated request reads the page as it is now.
        if (listed.delete(externalId) && item !== undefined) return item
        const read = yield* site
        const isPage =
          canonicalAddress(externalId, externalId, read.scope) === externalId &&
          isWithin(externalId, read.scope) &&
          read.robots.allows(externalId)
        if (!isPage) return yield* new ItemGone({ externalId })
        const found = yield* readAddress(read, options.tasks, externalId)
        if (found.is === "document") return found.item
        const unreadable = (message: string, isPermanent: boolean) =>
          new ItemUnreadable({ externalId, message, isPermanent })
        if (found.is === "failing") return yield* unreadable(found.message, found.isPermanent)
        if (found.is === "forbidden")
          return yield* unreadable(
            `The site does not show this page any more (status ${found.status}).`,
            false
          )
        if (found.is === "elsewhere" && !found.isForGood)
          return yield* unreadable(
            "The site sends readers of this page to another one for the time being.",
            false
          )
        return yield* new ItemGone({ externalId })
      })

    return {
      traits: { changes: "listing", deletions: "ids" },
      check: Effect.gen(function* () {
        const read = yield* site
        const first =
          sitemap === null
            ? { address: read.scope.start, depth: 0 }
            : { address: sitemap, depth: 0, isSitemap: true }
        const probe = webCrawl(read, { run: "", startedAt: 0, key: "" }, { key: "", pages: [] }, [])
        yield* visitPlace(probe, options.tasks, first, { depth: 0 })
      }),
      changes,
      listIds,
      fetch
    }
  })
