import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type {
  Checkpoint,
  Crawler,
  FetchedItem,
  ItemChange
} from "../../../../core/connected/sources/index.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler } from "../../../support/sources/crawling.js"
import { gitHubServer } from "../../../support/sources/github.js"

const markdownOf = ({ body }: FetchedItem): string => ("markdown" in body ? body.markdown : "")
const token = "ghp_secret"
const open = (url: string, config = {}, credential = token) =>
  openCrawler({ provider: "github", url, repository: "boats/sail", ...config }, { credential, pageSize: 2 })

const crawl = (crawler: Crawler, from: Checkpoint | null = null) =>
  Effect.gen(function* () {
    const changes: Array<ItemChange> = []
    let checkpoint = from
    for (;;) {
      const page = yield* crawler.changes(checkpoint)
      changes.push(...page.changes)
      checkpoint = page.checkpoint
      if (page.isLast) return { ids: changes.map(({ externalId }) => externalId), checkpoint }
    }
  })

it("an issue, a pull request, a discussion and a release become documents with what was said", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* gitHubServer(token)
        const at = "2026-02-03T10:05:00Z"
        server.put("The mast bends", {
          body: "It bends.\r\n\r\n```sh\nsail --fast\n```",
          state: "closed",
          labels: ["bug", "mast"],
          comments: [
            { user: "grace", body: "Use **oak**.", at: "2099-02-03T10:05:00Z" },
            { user: "linus", body: "Seen as well.", at: "2098-01-01T00:00:00Z" }
          ]
        })
        server.put("Make it of oak", {
          isPull: true,
          mergedAt: at,
          reviews: [{ user: "linus", body: "Thicker?", at, path: "mast.ts" }]
        })
        server.put("Which wood?", {
          isDiscussion: true,
          body: "Any idea?",
          comments: [{ user: "grace", body: "Oak.", at, replies: [{ user: "ada", body: "Thanks." }] }]
        })
        server.releases.push({
          id: 7,
          tag_name: "v1.0",
          name: "First boat",
          body: "It floats.",
          html_url: "https://github.example/r",
          author: { login: "ada" },
          created_at: at,
          published_at: at
        })
        server.releases.push({
          id: 8,
          tag_name: "v2.0",
          name: "Draft",
          body: "",
          draft: true,
          html_url: "https://github.example/r",
          author: null,
          created_at: at,
          published_at: null
        })
        const crawler = yield* open(server.origin)
        const { ids } = yield* crawl(crawler)
        expect(ids).toEqual(["issue/1", "issue/2", "discussion/3", "release/7"])

        const issue = yield* crawler.fetch("issue/1")
        expect(issue).toMatchObject({
          path: "Issues/1 The mast bends.md",
          title: "The mast bends",
          url: `${server.origin}/boats/sail/issues/1`,
          author: "ada",
          labels: ["bug", "mast"]
        })
        const opened = server.issues.get(1)?.createdAt.slice(0, 16).replace("T", " ")
        expect(markdownOf(issue)).toBe(`---
tags: ["bug","mast"]
state: closed
reason: completed
closed: ${server.issues.get(1)?.updatedAt.slice(0, 10)}
---

# The mast bends

**ada** (${opened}):

It bends.

\`\`\`sh
sail --fast
\`\`\`

**linus** (2098-01-01 00:00):

Seen as well.

**grace** (2099-02-03 10:05):

Use **oak**.
`)
        const pull = yield* crawler.fetch("issue/2")
        expect(pull.path).toBe("Pull requests/2 Make it of oak.md")
        expect(markdownOf(pull)).toContain("state: merged")
        expect(markdownOf(pull)).toContain("**linus** (2026-02-03 10:05, on mast.ts):\n\nThicker?")
        const discussion = yield* crawler.fetch("discussion/3")
        expect(markdownOf(discussion)).toContain('category: "Q&A"')
        expect(markdownOf(discussion)).toContain(
          "**grace** (2026-02-03 10:05, the answer):\n\nOak.\n\n> **ada** (2026-02-03 10:05):\n>\n> Thanks."
        )
        expect(discussion.warnings).toEqual([expect.stringContaining("replies were left out")])
        expect(yield* crawler.fetch("release/7")).toMatchObject({
          path: "Releases/v1.0.md",
          body: { markdown: "# First boat\n\nIt floats.\n" }
        })
        expect((yield* Effect.flip(crawler.fetch("release/8")))._tag).toBe("ItemGone")
        const some = yield* open(server.origin, { include: ["pull_requests"], since: "2020-01-01" })
        expect((yield* crawl(some)).ids).toEqual(["issue/2"])
      })
    )
  ))

it("a crawl that continues reads what changed since, edited comments too, and little when nothing did", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* gitHubServer(token)
        for (const name of ["One", "Two", "Three", "Four", "Five"]) server.put(name)
        for (const name of ["Six", "Seven", "Eight"]) server.put(name, { isDiscussion: true })
        const crawler = open(server.origin)
        let { checkpoint } = yield* crawl(yield* crawler)
        // What changed shortly before the first crawl is read once more.
        for (let hour = 0; hour < 3600; hour++) server.tick()
        checkpoint = (yield* crawl(yield* crawler, checkpoint)).checkpoint
        for (let hour = 0; hour < 3600; hour++) server.tick()
        checkpoint = (yield* crawl(yield* crawler, checkpoint)).checkpoint
        server.asked()
        const quiet = yield* crawl(yield* crawler, checkpoint)
        expect(quiet.ids).toEqual([])
        expect(server.asked()).toEqual([
          " 200",
          "/issues 304",
          "/issues/comments 304",
          "/pulls/comments 304",
          "/api/graphql 200",
          "/releases 304"
        ])
        server.put("Two", { state: "closed" })
        server.put("Seven", { isDiscussion: true })
        // The comment changes, and its issue does not.
        server.issues.get(4)?.comments.push({ user: "ada", body: "New.", at: server.tick() })
        const changed = yield* crawl(yield* crawler, quiet.checkpoint)
        expect(changed.ids).toEqual(["issue/2", "issue/4", "discussion/7"])
      })
    )
  ))

it("a limit that is reached ends the crawl with the pause; a wrong token and a foreign page are refused", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* gitHubServer(token)
        server.put("One")
        const wrong = yield* Effect.flip((yield* open(server.origin, {}, "ghp_wrong")).check)
        expect(wrong._tag).toBe("SourceUnauthorized")
        expect(wrong.message).not.toContain("ghp_wrong")
        const crawler = yield* open(server.origin)
        server.limit(1)
        const limited = yield* Effect.flip(crawler.changes(null))
        expect(limited).toMatchObject({ _tag: "SourceRateLimited" })
        expect("retryAfterMs" in limited && limited.retryAfterMs / 60_000).toBeCloseTo(30, 0)
        server.limit(10)
        const { checkpoint } = yield* crawler.changes(null)
        const foreign = yield* Effect.flip(
          crawler.changes({ ...checkpoint, part: "issues", next: "http://127.0.0.1:1/issues" })
        )
        expect(foreign._tag).toBe("SourceRejected")
        const missing = yield* open(server.origin, { repository: "boats/none" })
        expect((yield* Effect.flip(missing.check))._tag).toBe("SourceRejected")
      })
    )
  ))
