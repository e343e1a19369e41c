import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { ChangePage, Checkpoint } from "../../../../core/connected/sources/index.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler } from "../../../support/sources/crawling.js"
import { slackServer } from "../../../support/sources/slack.js"

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

it("replies that are added, edited and deleted are followed while their message stays the same", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const workspace = yield* slackServer("xoxb-secret")
        const messages = workspace.channel("general")
        const at = (daysAgo: number, second: number) =>
          `${(startOfToday - daysAgo * dayMs) / 1000 + second}.000100`
        const idOf = (daysAgo: number) =>
          `C1/${new Date(startOfToday - daysAgo * dayMs).toISOString().slice(0, 10)}`
        for (const day of [90, 40, 39, 2])
          messages.push({ ts: at(day, 0), user: "U1", text: `What of day ${day}?` })
        const reply = { ts: at(1, 0), user: "U2", text: "The first answer", thread_ts: at(2, 0) }
        messages.push(reply, { ts: at(1, 9), user: "U2", text: "Another answer", thread_ts: at(2, 0) })
        const open = openCrawler(
          { provider: "slack", url: workspace.url, requestsPerSecond: 1000, lookbackDays: 6 },
          { credential: "xoxb-secret", pageSize: 100 }
        )
        let checkpoint: Checkpoint | null = null
        const versions = new Map<string, string | null>()
        /** The texts of the documents that a crawl names with another version than before. */
        const changed = () =>
          Effect.gen(function* () {
            const crawler = yield* open
            const page = yield* crawler.changes(checkpoint)
            expect(page.isLast).toBe(true)
            checkpoint = page.checkpoint
            const texts = new Map<string, string>()
            for (const change of page.changes) {
              if (change.op !== "upsert" || versions.get(change.externalId) === change.version) continue
              const item = yield* crawler.fetch(change.externalId)
              // Whether it was read with the page or by itself.
              expect(yield* crawler.fetch(change.externalId)).toEqual(item)
              expect(item.version).toBe(change.version)
              versions.set(change.externalId, item.version)
              texts.set(change.externalId, "markdown" in item.body ? item.body.markdown : "")
            }
            return texts
          })
        expect((yield* changed()).size).toBe(4)
        expect((yield* changed()).size).toBe(0)

        Object.assign(reply, { text: "A better answer", edited: { ts: at(0, 0) } })
        const edited = yield* changed()
        expect([...edited.keys()]).toEqual([idOf(2)])
        expect(edited.get(idOf(2))).toContain("(00:00, edited): A better answer")
        messages.splice(messages.indexOf(reply), 1)
        expect((yield* changed()).get(idOf(2))).not.toContain("A better answer")

        // The message is older than what is read again; one that is older than `threadDays` is left alone.
        for (const day of [40, 90])
          messages.push({ ts: at(0, 1), user: "U2", text: `Late answer ${day}`, thread_ts: at(day, 0) })
        const late = yield* changed()
        expect([...late.keys()]).toEqual([idOf(40)])
        expect(late.get(idOf(40))).toContain("> **Grace Hopper** (00:00): Late answer 40")
        expect((yield* changed()).size).toBe(0)
      })
    )
  ))

it("conversations of two and of groups are taken when the configuration says so, except for those with bots", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const workspace = yield* slackServer("xoxb-secret")
        const ts = `${startOfToday / 1000}.000100`
        workspace.channel("general").push({ ts, user: "U1", text: "For all" })
        workspace.direct("U2").push({ ts, user: "U1", text: "For one" })
        workspace.direct("UB").push({ ts, user: "U1", text: "For a program" })
        workspace.direct(["grace", "ada", "someone"]).push({ ts, user: "U2", text: "For some" })
        const paths = (config: Readonly<Record<string, unknown>>) =>
          Effect.gen(function* () {
            const crawler = yield* openCrawler(
              { provider: "slack", url: workspace.url, requestsPerSecond: 1000, ...config },
              { credential: "xoxb-secret" }
            )
            const found: Array<string | null> = []
            let checkpoint: Checkpoint | null = null
            for (let isLast = false; !isLast; ) {
              const page: ChangePage = yield* crawler.changes(checkpoint)
              found.push(...page.changes.flatMap((one) => (one.op === "upsert" ? [one.path] : [])))
              checkpoint = page.checkpoint
              isLast = page.isLast
            }
            return found.sort()
          })
        const today = new Date(startOfToday).toISOString().slice(0, 10)
        expect(yield* paths({})).toEqual([`general/${today}.md`])
        expect(yield* paths({ directMessages: true, channels: ["general"] })).toEqual([
          `Direct messages/Ada, Grace Hopper, someone/${today}.md`,
          `Direct messages/Grace Hopper/${today}.md`,
          `general/${today}.md`
        ])
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
