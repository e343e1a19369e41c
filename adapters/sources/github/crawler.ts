import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  type FetchedItem,
  type ItemChange,
  ItemGone,
  type SourceFault
} from "../../../core/connected/sources/index.js"
import { readCheckpoint } from "../checkpoints.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { gitHubApi } from "./api.js"
import { listDiscussions, readDiscussion } from "./discussions.js"
import {
  Issue,
  IssueComment,
  issueId,
  issueItem,
  issuePath,
  Release,
  ReviewComment,
  readIssue,
  releaseId,
  releaseItem
} from "./issues.js"

/** Each crawl starts this much before the last one, because the API may list a change with a delay. */
const overlapMs = 120_000

/**
 * The lists that a crawl reads, in this order. Comments are listed for themselves when a crawl continues, since one that
 * is edited need not change its issue.
 */
const parts = ["issues", "comments", "reviews", "discussions", "releases"] as const
type Part = (typeof parts)[number]

/** The moment from which a list is read, and the ETag with which GitHub answers 304 when nothing changed since. */
const Feed = z.strictObject({ since: z.string().nullable(), etag: z.string().nullable() })
const Position = z.strictObject({
  part: z.enum(parts),
  next: z.string().nullable(),
  /** The moment at which this crawl began; null before it. */
  startedAt: z.string().nullable(),
  /** The lists as the next crawl reads them. */
  feeds: z.partialRecord(z.enum(parts), Feed)
})
type Position = z.infer<typeof Position>
const IdPosition = z.strictObject({
  part: z.enum(["issues", "discussions", "releases"]),
  next: z.string().nullable()
})
type IdPosition = z.infer<typeof IdPosition>

interface Listed {
  readonly changes: ReadonlyArray<ItemChange>
  readonly next: string | null
  /** Undefined when the list is what the ETag of the last crawl stands for. */
  readonly etag: string | null | undefined
}

/** A repository on GitHub: issues, pull requests, discussions and release notes. */
export const gitHub = (options: CrawlerOptions) =>
  providerOf("github", (target) =>
    Effect.gen(function* () {
      const api = yield* gitHubApi(options, target)
      const { include = ["issues", "pull_requests", "discussions", "releases"], since: earliest } =
        target.config
      const takes = {
        issues: include.includes("issues"),
        pulls: include.includes("pull_requests"),
        discussions: include.includes("discussions"),
        releases: include.includes("releases")
      }
      const isRead: Readonly<Record<Part, boolean>> = {
        issues: takes.issues || takes.pulls,
        comments: takes.issues || takes.pulls,
        reviews: takes.pulls,
        discussions: takes.discussions,
        releases: takes.releases
      }
      const pageSize = Math.min(100, options.pageSize ?? 100)
      const isTaken = ({ pull_request }: Pick<Issue, "pull_request">) =>
        pull_request === undefined ? takes.issues : takes.pulls
      /** Items that a list gave whole, until they are fetched. */
      const listed = new Map<string, FetchedItem>()

      const addressOf = (path: string, parameters: Readonly<Record<string, string>>) =>
        Effect.map(
          api.repository,
          ({ url }) => `${url}/${path}?${new URLSearchParams({ per_page: String(pageSize), ...parameters })}`
        )
      const issuesSince = (since: string | null) =>
        addressOf("issues", {
          state: "all",
          // In the order of creation, an issue that changes meanwhile moves no other.
          sort: "created",
          direction: "asc",
          ...(since === null ? {} : { since })
        })
      const commentsSince = (path: string, since: string) =>
        addressOf(path, { sort: "created", direction: "asc", since })

      const list = (part: Part, next: string | null, feed: z.infer<typeof Feed>) =>
        Effect.gen(function* () {
          const { since } = feed
          const etag = next === null ? feed.etag : null
          if (part === "discussions") {
            const page = yield* listDiscussions(api, { after: next, count: Math.min(50, pageSize), since })
            const changes = page.found.map((one) => ({ op: "upsert" as const, ...one }))
            return { changes, next: page.next, etag: null } satisfies Listed
          }
          if (part === "issues") {
            const page = yield* api.page(next ?? (yield* issuesSince(since)), Issue, etag)
            const issues = (page?.values ?? []).filter(isTaken)
            for (const issue of issues)
              if (issue.comments === 0 && issue.pull_request === undefined)
                listed.set(issueId(issue), yield* issueItem(api, issue))
            const changes = issues.map((issue) => ({
              op: "upsert" as const,
              externalId: issueId(issue),
              version: issue.updated_at,
              path: issuePath(issue)
            }))
            return { changes, next: page?.next ?? null, etag: page?.etag } satisfies Listed
          }
          if (part === "releases") {
            const page = yield* api.page(next ?? (yield* addressOf("releases", {})), Release, etag)
            const items = (page?.values ?? []).filter(({ draft }) => !draft).map(releaseItem)
            for (const item of items) listed.set(item.externalId, item)
            const changes = items.map(({ externalId, path, version }) => ({
              op: "upsert" as const,
              externalId,
              version,
              path
            }))
            return { changes, next: page?.next ?? null, etag: page?.etag } satisfies Listed
          }
          // All comments are new to a crawl from the start; it reads them with their issues.
          if (since === null) return { changes: [], next: null, etag: null } satisfies Listed
          const page =
            part === "comments"
              ? yield* api.page(next ?? (yield* commentsSince("issues/comments", since)), IssueComment, etag)
              : yield* api.page(next ?? (yield* commentsSince("pulls/comments", since)), ReviewComment, etag)
          const addresses = (page?.values ?? []).map((one) =>
            "issue_url" in one ? one.issue_url : one.pull_request_url
          )
          const ids = new Set(
            addresses.flatMap((address) => {
              const number = /\/(\d+)$/.exec(address)?.[1]
              return number === undefined ? [] : [`issue/${number}`]
            })
          )
          const changes = [...ids].map((externalId) => ({
            op: "upsert" as const,
            externalId,
            version: null,
            path: null
          }))
          return { changes, next: page?.next ?? null, etag: page?.etag } satisfies Listed
        })

      const begin: Position = {
        part: "issues",
        next: null,
        startedAt: null,
        feeds: {}
      }
      const first = earliest === undefined ? null : new Date(earliest).toISOString()

      const changes = (checkpoint: Checkpoint | null) =>
        Effect.gen(function* () {
          const position = checkpoint === null ? begin : yield* readCheckpoint(Position, checkpoint)
          const { now } = yield* api.repository
          const startedAt = position.startedAt ?? now
          const { part } = position
          const isWholeList = part === "releases"
          const isSinceAsked = part === "issues" || part === "discussions"
          const feed = position.feeds[part] ?? { since: isSinceAsked ? first : null, etag: null }
          listed.clear()
          const found: Listed = isRead[part]
            ? yield* list(part, position.next, feed)
            : { changes: [], next: null, etag: null }
          const following = parts[parts.indexOf(part) + 1]
          const isLast = found.next === null && following === undefined
          // With nothing new the address stays, so that its ETag counts; else the next crawl asks from here on.
          const since = new Date(Date.parse(startedAt) - overlapMs).toISOString()
          const isQuiet = position.next === null && found.changes.length === 0 && feed.since !== null
          const kept =
            found.etag === undefined
              ? feed
              : isWholeList
                ? {
                    since: null,
                    etag: position.next === null ? found.etag : (position.feeds[part]?.etag ?? null)
                  }
                : isQuiet
                  ? { since: feed.since, etag: found.etag }
                  : { since, etag: null }
          // Until its last page, a list goes on from where it began.
          const feeds = { ...position.feeds, [part]: found.next === null || isWholeList ? kept : feed }
          return {
            changes: found.changes,
            failures: [],
            checkpoint: {
              feeds,
              startedAt: isLast ? null : startedAt,
              part: found.next !== null ? part : (following ?? "issues"),
              next: found.next
            } satisfies Position,
            isLast,
            total: null
          } satisfies ChangePage
        })

      /** The ids of one page of a list, and where the next one is. */
      const idsAt = ({ next, part }: IdPosition) =>
        Effect.gen(function* () {
          if (part === "discussions") {
            if (!takes.discussions) return { ids: [], next: null }
            const page = yield* listDiscussions(api, {
              after: next,
              count: Math.min(50, pageSize),
              since: null
            })
            return { ids: page.found.map(({ externalId }) => externalId), next: page.next }
          }
          if (part === "releases") {
            if (!takes.releases) return { ids: [], next: null }
            const page = yield* api.page(next ?? (yield* addressOf("releases", {})), Release)
            return {
              ids: (page?.values ?? []).filter(({ draft }) => !draft).map(releaseId),
              next: page?.next ?? null
            }
          }
          if (!isRead.issues) return { ids: [], next: null }
          const page = yield* api.page(next ?? (yield* issuesSince(null)), Issue)
          return { ids: (page?.values ?? []).filter(isTaken).map(issueId), next: page?.next ?? null }
        })
      const idParts = ["issues", "discussions", "releases"] as const

      return {
        traits: { changes: "feed", deletions: "ids" } as const,
        check: Effect.asVoid(api.repository) satisfies Effect.Effect<void, SourceFault>,
        changes,
        listIds: (checkpoint) =>
          Effect.gen(function* () {
            const position: IdPosition =
              checkpoint === null
                ? { part: "issues", next: null }
                : yield* readCheckpoint(IdPosition, checkpoint)
            const { ids, next } = yield* idsAt(position)
            const following = idParts[idParts.indexOf(position.part) + 1]
            const isLast = next === null && following === undefined
            return {
              ids,
              failures: [],
              next: isLast ? null : { part: next === null ? (following ?? "issues") : position.part, next }
            }
          }),
        fetch: (externalId) =>
          Effect.gen(function* () {
            const known = listed.get(externalId)
            // A repeated request reads it as it is now.
            if (listed.delete(externalId) && known !== undefined) return known
            if (externalId.startsWith("discussion/")) return yield* readDiscussion(api, externalId)
            if (!externalId.startsWith("release/")) return yield* readIssue(api, externalId)
            const { url } = yield* api.repository
            const id = /^release\/(\d{1,15})$/.exec(externalId)?.[1]
            const release =
              id === undefined ? null : yield* api.one(externalId, `${url}/releases/${id}`, Release)
            return release === null || release.draft
              ? yield* new ItemGone({ externalId })
              : releaseItem(release)
          })
      }
    })
  )
