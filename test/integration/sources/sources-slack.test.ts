import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { Checkpoint } from "../../../core/sources/index.js"
import { runEffect } from "../../support/run.js"
import { openCrawler } from "../../support/sources/crawling.js"
import { slackServer } from "../../support/sources/slack.js"

const dayMs = 24 * 3_600_000
const startOfToday = Math.floor(Date.now() / dayMs) * dayMs

it("a long channel is crawled in parts of whole days, threads and names are resolved, and deleted days are removed", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const workspace = yield* slackServer("xoxb-secret")
        const messages = workspace.channel("general")
        const at = (daysAgo: number, second: number) =>
          `${(startOfToday - daysAgo * dayMs) / 1000 + second}.000100`
        const dayOf = (daysAgo: number) => new Date(startOfToday - daysAgo * dayMs).toISOString().slice(0, 10)
        for (const day of [9, 8, 5, 4, 3])
          for (const second of [0, 1, 2])
            messages.push({ ts: at(day, second), user: "U1", text: `day ${day} message ${second}` })
        messages.push({ ts: at(2, 0), user: "U2", text: "answer for <@U1>", thread_ts: at(3, 2) })
        messages.push({ ts: at(2, 5), user: "UB", text: "a bot" })
        messages.push({ ts: at(2, 6), user: "U1", text: "joined", subtype: "channel_join" })

        const open = openCrawler(
          { provider: "slack", url: workspace.url, requestsPerSecond: 1000, lookbackDays: 6 },
          { credential: "xoxb-secret", pageSize: 4 }
        )
        /** Every page is read by a crawler of its own. */
        const crawl = (from: Checkpoint | null) =>
          Effect.gen(function* () {
            const [upserts, deletes] = [new Map<string, string | null>(), new Set<string>()]
            let [checkpoint, pages] = [from, 0]
            for (let isLast = false; !isLast; pages++) {
              const page = yield* Effect.flatMap(open, (crawler) => crawler.changes(checkpoint))
              for (const change of page.changes)
                if (change.op === "upsert") {
                  expect(upserts.has(change.externalId)).toBe(false)
                  upserts.set(change.externalId, change.version)
                } else deletes.add(change.externalId)
              checkpoint = page.checkpoint
              isLast = page.isLast
            }
            return { upserts, deletes, checkpoint, pages }
          })

        const first = yield* crawl(null)
        expect([...first.upserts.keys()].sort()).toEqual([9, 8, 5, 4, 3].map((day) => `C1/${dayOf(day)}`))
        expect(first.pages).toBeGreaterThan(2)
        const crawler = yield* open
        const item = yield* crawler.fetch(`C1/${dayOf(3)}`)
        expect(item.version).toBe(first.upserts.get(`C1/${dayOf(3)}`))
        expect(item.url).toBe(`https://example.slack.com/archives/C1/p${at(3, 0).replace(".", "")}`)
        expect(item.body).toEqual({
          markdown: `# general, ${dayOf(3)}

**Ada** (00:00): day 3 message 0

**Ada** (00:00): day 3 message 1

**Ada** (00:00): day 3 message 2

> **Grace Hopper** (00:00): answer for @Ada
`
        })

        // Within the days that are read again an edit and a deleted day are found.
        const edited = messages.find(({ ts }) => ts === at(4, 1))
        Object.assign(edited ?? {}, { text: "edited", edited: { ts: at(0, 0) } })
        for (const second of [0, 1, 2])
          messages.splice(
            messages.findIndex(({ ts }) => ts === at(5, second)),
            1
          )
        const second = yield* crawl(first.checkpoint)
        expect([...second.upserts.keys()].sort()).toEqual([4, 3].map((day) => `C1/${dayOf(day)}`))
        expect(second.upserts.get(`C1/${dayOf(4)}`)).not.toBe(first.upserts.get(`C1/${dayOf(4)}`))
        expect(second.upserts.get(`C1/${dayOf(3)}`)).toBe(first.upserts.get(`C1/${dayOf(3)}`))
        expect(second.deletes.has(`C1/${dayOf(5)}`)).toBe(true)
        expect([...second.deletes].filter((id) => second.upserts.has(id))).toEqual([])
        expect(second.deletes.has(`C1/${dayOf(9)}`)).toBe(false)
      })
    )
  ))

it("a token that Slack refuses is told, without the token", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const workspace = yield* slackServer("xoxb-secret")
        const crawler = yield* openCrawler(
          { provider: "slack", url: workspace.url },
          { credential: "xoxb-wrong" }
        )
        const refused = yield* Effect.flip(crawler.check)
        expect(refused._tag).toBe("SourceUnauthorized")
        expect(refused.message).not.toContain("xoxb")
      })
    )
  ))
