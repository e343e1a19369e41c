import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type ItemChange,
  type SourceFault,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import { readCheckpoint } from "../checkpoints.js"
import type { Parameters, WikiApi } from "./api.js"
import type { Site } from "./site.js"

/** Recent changes from before the start of the last crawl are read again: a change may become visible late. */
const overlapMs = 120_000
/** Wikis keep recent changes for 90 days by default, some for 30. */
const changesKeptMs = 28 * 24 * 3_600_000
/** Most pages that one call may ask for. */
const idsMax = 50

const Continue = z.record(z.string(), z.union([z.string(), z.number()]))

/** Position of a crawl: in a listing of all pages, in the recent changes, or before the next crawl. */
const Position = z.discriminatedUnion("phase", [
  z.object({
    phase: z.literal("all"),
    namespace: z.int().min(0),
    since: z.string(),
    next: Continue.nullable()
  }),
  z.object({ phase: z.literal("recent"), from: z.string(), since: z.string(), next: Continue.nullable() }),
  z.object({ phase: z.literal("idle"), since: z.string() })
])
type Position = z.infer<typeof Position>

const Page = z.object({
  pageid: z.int().optional(),
  ns: z.int().optional(),
  title: z.string().optional(),
  lastrevid: z.int().optional(),
  redirect: z.boolean().optional(),
  missing: z.boolean().optional()
})
const Listed = z.object({
  continue: Continue.optional(),
  curtimestamp: z.string().optional(),
  query: z
    .object({
      pages: z.array(Page).optional(),
      recentchanges: z.array(z.object({ pageid: z.int().optional() })).optional(),
      logevents: z.array(z.object({ logpage: z.int().optional(), pageid: z.int().optional() })).optional()
    })
    .optional()
})

/** Lists the pages of a wiki, and what changed since. */
export const wikiListing = (
  api: WikiApi,
  site: Effect.Effect<Site, SourceFault>,
  namespaces: ReadonlyArray<number>,
  pageSize: number
) => {
  const ask = (parameters: Parameters) =>
    Effect.flatMap(api.call({ action: "query", curtimestamp: 1, ...parameters }), (reply) => {
      const parsed = Listed.safeParse("json" in reply ? reply.json : null)
      if (parsed.success) return Effect.succeed(parsed.data)
      const reason = "error" in reply ? ` (${reply.error.code})` : ""
      return Effect.fail(
        "error" in reply && reply.error.code === "badcontinue"
          ? new CheckpointExpired({ message: "The wiki does not know the place of the crawl any more." })
          : new SourceRejected({ message: `The wiki gives no list of its pages${reason}.` })
      )
    })

  const allPages = (position: Extract<Position, { phase: "all" }> | null) =>
    Effect.gen(function* () {
      const at = position?.namespace ?? 0
      const { curtimestamp, query, ...reply } = yield* ask({
        generator: "allpages",
        gapnamespace: namespaces[at] ?? 0,
        gapfilterredir: "nonredirects",
        gaplimit: pageSize,
        prop: "info",
        ...position?.next
      })
      const { articles, pathOf } = yield* site
      const changes = (query?.pages ?? []).flatMap((page) => upsertOf(page, pathOf))
      // The wiki's own clock, from before the first page.
      const since = position?.since ?? curtimestamp ?? new Date(0).toISOString()
      const next = reply.continue ?? null
      const isLast = next === null && at + 1 >= namespaces.length
      const checkpoint: Position = isLast
        ? { phase: "idle", since }
        : { phase: "all", namespace: next === null ? at + 1 : at, since, next }
      const total = namespaces.length === 1 && namespaces[0] === 0 ? articles : null
      return { changes, failures: [], checkpoint, isLast, total } satisfies ChangePage
    })

  /** The pages of some ids as they are now; one that is gone, a redirect or elsewhere is deleted here. */
  const pagesNow = (ids: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const { pathOf } = yield* site
      const changes: Array<ItemChange> = []
      for (let at = 0; at < ids.length; at += idsMax) {
        const some = ids.slice(at, at + idsMax)
        const { query } = yield* ask({ pageids: some.join("|"), prop: "info" })
        for (const page of query?.pages ?? []) {
          if (page.pageid === undefined) continue
          const isTaken =
            page.missing !== true &&
            page.redirect !== true &&
            page.ns !== undefined &&
            namespaces.includes(page.ns)
          if (isTaken) changes.push(...upsertOf(page, pathOf))
          else changes.push({ op: "delete", externalId: String(page.pageid) })
        }
      }
      return changes
    })

  const recentPages = (position: Extract<Position, { phase: "recent" }>) =>
    Effect.gen(function* () {
      const { query, ...reply } = yield* ask({
        list: "recentchanges|logevents",
        rcdir: "newer",
        rcstart: position.from,
        rcprop: "ids",
        rctype: "edit|new|log",
        rclimit: pageSize,
        // Recent changes of a deletion do not name the page's id, the log does.
        ledir: "newer",
        lestart: position.from,
        letype: "delete",
        leprop: "ids",
        lelimit: pageSize,
        ...position.next
      })
      const ids = new Set<number>()
      for (const { pageid = 0 } of query?.recentchanges ?? []) ids.add(pageid)
      for (const { logpage = 0, pageid = 0 } of query?.logevents ?? []) ids.add(logpage).add(pageid)
      ids.delete(0)
      const next = reply.continue ?? null
      const checkpoint: Position =
        next === null ? { phase: "idle", since: position.since } : { ...position, next }
      return {
        changes: yield* pagesNow([...ids]),
        failures: [],
        checkpoint,
        isLast: next === null,
        total: null
      } satisfies ChangePage
    })

  return (checkpoint: Checkpoint | null): Effect.Effect<ChangePage, SourceFault | CheckpointExpired> =>
    Effect.gen(function* () {
      if (checkpoint === null) return yield* allPages(null)
      const position = yield* readCheckpoint(Position, checkpoint)
      if (position.phase === "all") return yield* allPages(position)
      if (position.phase === "recent") return yield* recentPages(position)
      const since = Date.parse(position.since)
      const { curtimestamp } = yield* ask({ meta: "siteinfo", siprop: "general" })
      const now = Date.parse(curtimestamp ?? "") || (yield* Clock.currentTimeMillis)
      if (!(now - since < changesKeptMs))
        return yield* new CheckpointExpired({
          message: "The last crawl is so long ago that the wiki may have forgotten changes since."
        })
      return yield* recentPages({
        phase: "recent",
        from: new Date(since - overlapMs).toISOString(),
        since: new Date(now).toISOString(),
        next: null
      })
    })
}

const upsertOf = (
  { lastrevid, ns, pageid, title }: z.infer<typeof Page>,
  pathOf: Site["pathOf"]
): ReadonlyArray<ItemChange> =>
  pageid === undefined || title === undefined
    ? []
    : [
        {
          op: "upsert",
          externalId: String(pageid),
          version: lastrevid === undefined ? null : String(lastrevid),
          path: pathOf(title, ns ?? 0)
        }
      ]
