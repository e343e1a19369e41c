import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  type Crawler,
  type CrawlTarget,
  type FetchedItem,
  ItemGone,
  type ProviderConfig,
  type SourceFault,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { readListing } from "../html.js"
import { credentialHeaders, sourceHttp } from "../http.js"
import { markdownPath, versionOf } from "../item-path.js"
import type { CrawlerOptions } from "../options.js"
import type { FeedEntry } from "./xml.js"

/** What makes the next request conditional. */
const Position = z.strictObject({ etag: z.string().nullable(), lastModified: z.string().nullable() })
type Position = z.infer<typeof Position>

const feedMaxBytes = 16 * 1024 * 1024

/**
 * A feed, RSS or Atom: a document for each entry. A feed names its newest entries alone, so one that it does not name
 * any more is none that was deleted.
 */
export const feedCrawler = (
  options: CrawlerOptions,
  { config, credential }: CrawlTarget<ProviderConfig<"web">>
): Effect.Effect<Crawler, SourceRejected> =>
  Effect.gen(function* () {
    const http = yield* sourceHttp(options, {
      url: config.url,
      requestsPerSecond: config.requestsPerSecond,
      secretHeaders: credentialHeaders(config.username, credential)
    })
    const { host } = new URL(config.url)
    /** The entries that were read last, until they are fetched. */
    const listed = new Map<string, FetchedItem>()

    const read = (since: Position) =>
      Effect.gen(function* () {
        const response = yield* http.send({
          url: config.url,
          maxBytes: feedMaxBytes,
          headers: {
            accept: "application/atom+xml,application/rss+xml,application/xml;q=0.9,*/*;q=0.5",
            ...(since.etag === null ? {} : { "if-none-match": since.etag }),
            ...(since.lastModified === null ? {} : { "if-modified-since": since.lastModified })
          }
        })
        if (response.status === 304) return { items: [], position: since }
        if (!response.ok)
          return yield* new SourceRejected({ message: `${host} gives no feed (status ${response.status}).` })
        const { bytes, headers, url } = response
        const entries = yield* readListing(options.tasks.run("webFeed", { bytes, url }), host)
        return {
          items: itemsOf(entries),
          position: { etag: headers.get("etag"), lastModified: headers.get("last-modified") }
        }
      })
    const all: Effect.Effect<ReadonlyArray<FetchedItem>, SourceFault> = Effect.map(
      read({ etag: null, lastModified: null }),
      ({ items }) => items
    )

    const changes = (checkpoint: Checkpoint | null) =>
      Effect.gen(function* () {
        const since =
          checkpoint === null
            ? { etag: null, lastModified: null }
            : yield* readCheckpoint(Position, checkpoint)
        const { items, position } = yield* read(since)
        listed.clear()
        for (const item of items) listed.set(item.externalId, item)
        return {
          changes: items.map(({ externalId, path, version }) => ({
            op: "upsert" as const,
            externalId,
            version,
            path
          })),
          failures: [],
          checkpoint: position,
          isLast: true,
          total: items.length
        } satisfies ChangePage
      })

    return {
      traits: { changes: "feed", deletions: "never" },
      check: Effect.asVoid(all),
      changes,
      listIds: (position) => Effect.map(changes(position), idsOf),
      fetch: (externalId) =>
        Effect.gen(function* () {
          const known = listed.get(externalId)
          if (listed.delete(externalId) && known !== undefined) return known
          const found = (yield* all).find((item) => item.externalId === externalId)
          return found === undefined ? yield* new ItemGone({ externalId }) : found
        })
    }
  })

/** Entries as items; those of one day and title carry a mark of their own in the path. */
const itemsOf = (entries: ReadonlyArray<FeedEntry>): ReadonlyArray<FetchedItem> => {
  const unique = [...new Map([...entries].reverse().map((entry) => [entry.id, entry])).values()]
  const counts = new Map<string, number>()
  for (const entry of unique) counts.set(nameOf(entry), (counts.get(nameOf(entry)) ?? 0) + 1)
  return unique.map((entry) => {
    const { author, createdAt, id, labels, markdown, modifiedAt, title, url } = entry
    const name = nameOf(entry)
    const path = markdownPath([(counts.get(name) ?? 0) > 1 ? `${name} (${versionOf(id).slice(0, 8)})` : name])
    const heading = title === null ? "" : `# ${title}\n\n`
    return {
      externalId: id,
      version: versionOf(
        path,
        heading,
        markdown,
        url ?? "",
        author ?? "",
        createdAt ?? "",
        modifiedAt ?? "",
        ...labels
      ),
      path,
      title,
      url,
      author,
      createdAt,
      modifiedAt,
      labels,
      body: { markdown: `${heading}${markdown}\n` },
      attachments: [],
      warnings: []
    }
  })
}

const nameOf = ({ createdAt, id, title }: FeedEntry): string => {
  const name =
    title ??
    URL.parse(id)
      ?.pathname.split("/")
      .findLast((part) => part !== "") ??
    id
  return createdAt === null ? name : `${createdAt.slice(0, 10)} ${name}`
}
