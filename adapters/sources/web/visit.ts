/** Visits one place of a crawl: what changed there, and where it leads. */
import * as Effect from "effect/Effect"
import {
  type FetchedItem,
  type ItemChange,
  type ListingFailure,
  type SourceFault,
  SourceRejected,
  SourceUnauthorized
} from "../../../core/connected/sources/index.js"
import type { FormatTasks } from "../../formats/format-tasks.js"
import { canonicalAddress, isWithin, looseAddress } from "./addresses.js"
import { variantsMax, type WebCrawl } from "./crawl.js"
import { type Found, readAddress } from "./read-page.js"
import type { KnownPage, QueuedPlace, Visit } from "./state.js"

/** What a visit gives to the listing. */
export interface Visited {
  readonly visit: Visit
  readonly changes: ReadonlyArray<ItemChange>
  readonly failures: ReadonlyArray<ListingFailure>
  readonly item: FetchedItem | null
}

export interface VisitLimits {
  /** Links from the start page to the farthest page. */
  readonly depth: number
}

/** Addresses in all sitemaps, and sitemaps that an index may name. */
const sitemapsMax = 500

export const visitPlace = (
  crawl: WebCrawl,
  tasks: FormatTasks["Type"],
  place: QueuedPlace,
  { depth: depthMax }: VisitLimits
): Effect.Effect<Visited, SourceFault> =>
  Effect.gen(function* () {
    if (place.isSitemap === true) return yield* visitSitemap(crawl, tasks, place)
    const { address, depth } = place
    const { robots, scope } = crawl.site
    const known = crawl.known.get(address) ?? null
    if (!robots.allows(address)) {
      if (address === scope.start)
        return yield* new SourceRejected({ message: "The robots.txt of the site forbids its start page." })
      return nothing(place)
    }
    // The same page under another spelling; one that is known is asked, so that its document is settled.
    if (known === null && place.from === undefined && crawl.taken.has(looseAddress(address)))
      return nothing(place)
    const found = yield* readAddress(crawl.site, tasks, address, known)
    if (address === scope.start) yield* refuseStart(found, scope.start)
    return outcome(crawl, place, known, found, depth < depthMax)
  })

const nothing = ({ address }: QueuedPlace, change: Partial<Visited> = {}): Visited => ({
  visit: { address, page: null, queued: [], bytes: 0 },
  changes: [],
  failures: [],
  item: null,
  ...change
})

/** A start page that does not answer is a fault of the source. */
const refuseStart = (found: Found, start: string): Effect.Effect<void, SourceFault> => {
  const { host } = new URL(start)
  if (found.is === "forbidden")
    return Effect.fail(
      new SourceUnauthorized({ message: `${host} does not show its start page (status ${found.status}).` })
    )
  if (found.is === "gone")
    return Effect.fail(
      new SourceRejected({ message: `${host} has no page at the address of the start page.` })
    )
  return found.is === "failing"
    ? Effect.fail(new SourceRejected({ message: `The start page cannot be read: ${found.message}` }))
    : Effect.void
}

const outcome = (
  crawl: WebCrawl,
  place: QueuedPlace,
  known: KnownPage | null,
  found: Found,
  isFollowed: boolean
): Visited => {
  const { address, depth, from } = place
  const removed: ReadonlyArray<ItemChange> =
    known === null ? [] : [{ op: "delete", externalId: known.address }]
  const failed = (message: string): Visited =>
    nothing(place, {
      visit: { address, page: known, queued: [], bytes: 0 },
      failures: [{ externalId: known?.address ?? address, message }]
    })
  const named = (version: string, path: string): ItemChange => {
    const previousId = from ?? known?.address ?? address
    return previousId === address
      ? { op: "upsert", externalId: address, version, path }
      : { op: "move", previousId, externalId: address, version, path }
  }
  switch (found.is) {
    case "unchanged":
      return known === null
        ? nothing(place)
        : nothing(place, {
            visit: { address, page: { ...known, address, depth }, queued: [], bytes: 0 },
            changes: [named(known.version, known.path)]
          })
    case "gone":
      return nothing(place, { changes: removed })
    case "forbidden":
      return known === null
        ? nothing(place)
        : failed(`The site does not show this page any more (status ${found.status}).`)
    case "failing":
      return failed(found.message)
    case "elsewhere": {
      const { scope } = crawl.site
      const target = found.address
      const isInside = target !== null && isWithin(target, scope) && crawl.site.robots.allows(target)
      if (known !== null && !found.isForGood)
        return {
          ...failed("The site sends readers of this page to another one for the time being."),
          visit: { address, page: known, queued: isInside ? [{ address: target, depth }] : [], bytes: 0 }
        }
      if (!isInside) {
        const isStart = address === scope.start
        return nothing(place, {
          changes: removed,
          failures: isStart
            ? [
                {
                  externalId: address,
                  message: "The start page leads to another site, or out of the prefix."
                }
              ]
            : []
        })
      }
      const origin = from ?? known?.address
      const queued = [{ address: target, depth, ...(origin === undefined ? {} : { from: origin }) }]
      return nothing(place, {
        visit: { address, page: null, queued, bytes: 0 },
        // Where the other page is known already, this one ends here.
        changes: crawl.visited.has(target) ? removed : []
      })
    }
    case "passage":
    case "document": {
      const { endless, queued } = isFollowed
        ? crawl.offer(found.links, depth + 1)
        : { endless: [], queued: [] }
      const failures = endless.map((path) => ({
        externalId: path,
        message: `More than ${variantsMax} addresses differ only in what follows "?"; the others were left out.`
      }))
      const bytes = found.bytes
      if (found.is === "passage")
        return nothing(place, { visit: { address, page: null, queued, bytes }, changes: removed, failures })
      const { etag, item, lastModified } = found
      const { path, version } = item
      const isCopy =
        known === null && from === undefined && crawl.versions.get(path.toLowerCase()) === version
      if (isCopy) return nothing(place, { visit: { address, page: null, queued, bytes }, failures })
      return {
        visit: { address, page: { address, depth, version, path, etag, lastModified }, queued, bytes },
        changes: [named(version, path)],
        failures,
        item
      }
    }
  }
}

const visitSitemap = (
  crawl: WebCrawl,
  tasks: FormatTasks["Type"],
  place: QueuedPlace
): Effect.Effect<Visited, SourceFault> =>
  Effect.gen(function* () {
    const { address, depth } = place
    const { http, robots, scope } = crawl.site
    const failed = (message: string) =>
      depth === 0
        ? Effect.fail(new SourceRejected({ message: `The sitemap cannot be read: ${message}` }))
        : Effect.succeed(nothing(place, { failures: [{ externalId: address, message }] }))
    const response = yield* http.send({ url: address, mayBeForbidden: true, maxBytes: sitemapMaxBytes })
    if (!response.ok)
      return yield* failed(response.refusal ?? `The site answered with status ${response.status}.`)
    const read = yield* Effect.either(tasks.run("webSitemap", response.bytes))
    if (read._tag === "Left") return yield* failed(read.left.message)
    const { addresses, isIndex } = read.right
    const found = addresses.flatMap((one) => canonicalAddress(one, address, scope) ?? [])
    if (isIndex) {
      // An index of indexes is not part of the protocol; two levels are read.
      const queued = depth >= 2 ? [] : found.slice(0, sitemapsMax)
      return nothing(place, {
        visit: {
          address,
          page: null,
          queued: queued.map((one) => ({ address: one, depth: depth + 1, isSitemap: true })),
          bytes: response.bytes.byteLength
        }
      })
    }
    const queued = found
      .filter((one) => isWithin(one, scope) && robots.allows(one))
      .map((one) => ({ address: one, depth: 0 }))
    return nothing(place, {
      visit: { address, page: null, queued, bytes: response.bytes.byteLength }
    })
  })

/** As the protocol allows. */
const sitemapMaxBytes = 50 * 1024 * 1024
