/** The queue of one crawl of a site: what is to be visited, what was, and where it ends. */
import { canonicalAddress, isWithin, looseAddress } from "./addresses.js"
import type { WebSite } from "./site.js"
import type { KnownPage, KnownSite, QueuedPlace, Visit } from "./state.js"

/** Addresses of one path that differ in their query; calendars and filters make any number. */
export const variantsMax = 50

/** The state of a crawl. A process that resumes a crawl rebuilds it from the stored visits. */
export interface WebCrawl {
  readonly run: string
  readonly startedAt: number
  readonly key: string
  readonly site: WebSite
  /** The pages that earlier crawls found, by their address today. */
  readonly known: ReadonlyMap<string, KnownPage>
  /** The pages that this crawl found. */
  readonly pages: Map<string, KnownPage>
  readonly visited: Set<string>
  /** The addresses that pages were taken under, without how they end, and the versions by their path. */
  readonly taken: Set<string>
  readonly versions: Map<string, string>
  /** Paths of which further variants are left out. */
  readonly endless: Set<string>
  count: number
  bytes: number
  /** The next place; null at the end. */
  readonly next: () => QueuedPlace | null
  /** Notes a visit, made now or earlier. */
  readonly add: (visit: Visit) => void
  /** The places among some links that are new. */
  readonly offer: (links: ReadonlyArray<string>, depth: number) => Offered
}

interface Offered {
  readonly queued: ReadonlyArray<QueuedPlace>
  /** Paths of which this is the first variant too many. */
  readonly endless: ReadonlyArray<string>
}

export const webCrawl = (
  site: WebSite,
  about: Pick<WebCrawl, "run" | "startedAt" | "key">,
  from: KnownSite,
  first: ReadonlyArray<QueuedPlace>
): WebCrawl => {
  const { robots, scope } = site
  const known = new Map(
    from.pages.flatMap((page) => {
      const address = canonicalAddress(page.address, page.address, scope)
      if (address === null || !isWithin(address, scope) || !robots.allows(address)) return []
      // Under other rules the links of a page may count that did not before: it is read again.
      const validators = from.key === about.key ? {} : { etag: null, lastModified: null }
      return [[address, { ...page, ...validators }] as const]
    })
  )
  const [urgent, queue]: [Array<QueuedPlace>, Array<QueuedPlace>] = [[], []]
  const offered = new Set<string>()
  const variants = new Map<string, number>()
  let at = 0
  const enqueue = (place: QueuedPlace): void => {
    if (place.from !== undefined) urgent.push(place)
    else if (!offered.has(place.address)) queue.push(place)
    if (!offered.has(place.address)) {
      const path = variedPath(place.address)
      if (path !== null) variants.set(path, (variants.get(path) ?? 0) + 1)
    }
    offered.add(place.address)
  }
  for (const place of first) enqueue(place)
  for (const [address, { depth }] of known) enqueue({ address, depth })

  const crawl: WebCrawl = {
    ...about,
    site,
    known,
    pages: new Map(),
    visited: new Set(),
    taken: new Set(),
    versions: new Map(),
    endless: new Set(),
    count: 0,
    bytes: 0,
    next: () => {
      while (urgent.length > 0 && crawl.visited.has(urgent[0]?.address ?? "")) urgent.shift()
      while (at < queue.length && crawl.visited.has(queue[at]?.address ?? "")) at += 1
      return urgent[0] ?? queue[at] ?? null
    },
    add: ({ address, bytes, page, queued }) => {
      crawl.count += 1
      crawl.bytes += bytes
      crawl.visited.add(address)
      if (page !== null) {
        crawl.pages.set(address, page)
        crawl.taken.add(looseAddress(address))
        crawl.versions.set(page.path.toLowerCase(), page.version)
      }
      for (const place of queued) enqueue(place)
    },
    offer: (links, depth) => {
      const [found, endless, counts] = [
        new Map<string, QueuedPlace>(),
        [] as string[],
        new Map<string, number>()
      ]
      for (const address of links) {
        if (offered.has(address) || found.has(address) || !robots.allows(address)) continue
        const path = variedPath(address)
        if (path !== null) {
          const count = (variants.get(path) ?? 0) + (counts.get(path) ?? 0)
          if (count >= variantsMax) {
            if (!crawl.endless.has(path)) endless.push(path)
            crawl.endless.add(path)
            continue
          }
          counts.set(path, (counts.get(path) ?? 0) + 1)
        }
        found.set(address, { address, depth })
      }
      return { queued: [...found.values()], endless }
    }
  }
  return crawl
}

/** The address without its query; null for one that has none. */
const variedPath = (address: string): string | null => {
  const at = address.indexOf("?")
  return at < 0 ? null : address.slice(0, at)
}
