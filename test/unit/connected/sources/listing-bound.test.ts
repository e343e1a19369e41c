import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { mailThreads } from "../../../../adapters/sources/imap/threads.js"
import { listingBound } from "../../../../core/connected/sources/listing-bound.js"

/** Goes through pages as a crawl does; gives the message of the fault that ends it. */
const crawl = (page: (at: number) => { readonly ids: ReadonlyArray<string>; readonly next: object | null }) =>
  Effect.runSync(
    Effect.gen(function* () {
      const bound = listingBound()
      for (let at = 0; ; at++) {
        const { ids, next } = page(at)
        yield* bound(ids, next === null ? null : { ...next })
        if (next === null) return "ended"
      }
    }).pipe(Effect.catchAll(({ message }) => Effect.succeed(message)))
  )

describe("a listing", () => {
  it("ends, however many pages it has that name something", () => {
    expect(crawl((at) => ({ ids: [`${at}`], next: at < 5_000 ? { at } : null }))).toBe("ended")
    expect(crawl((at) => ({ ids: [], next: at < 900 ? { at } : null }))).toBe("ended")
    expect(crawl((at) => ({ ids: [`${at}`], next: at < 3 ? { always: "the same" } : null }))).toBe("ended")
  })

  it("is broken off when it would never end", () => {
    expect(crawl((at) => ({ ids: ["a"], next: { at } }))).toMatch(/1000 pages in a row without anything new/)
    expect(crawl(() => ({ ids: ["a"], next: { place: 1 } }))).toMatch(/again and again/)
    const ids = (at: number) => Array.from({ length: 100_000 }, (_, one) => `${at} ${one}`)
    expect(crawl((at) => ({ ids: ids(at), next: { at } }))).toMatch(/more than 1000000 items/)
  })
})

describe("threads of mails", () => {
  const header = (uid: number, id: string, inReplyTo: string | null) => ({
    uid,
    messageId: id,
    inReplyTo,
    references: [],
    subject: "Plan",
    date: null
  })
  const ids = (threads: ReturnType<typeof mailThreads>) =>
    threads.map(({ externalId, messages }) => [externalId, messages.length])

  it("follow a chain of 100,000 answers once, from its end too", () => {
    const chain = Array.from({ length: 100_000 }, (_, at) =>
      header(at, `<${at}>`, at === 0 ? null : `<${at - 1}>`)
    ).reverse()
    const before = process.cpuUsage()
    expect(ids(mailThreads("INBOX", chain))).toEqual([["INBOX/<0>", 100_000]])
    const { system, user } = process.cpuUsage(before)
    expect((system + user) / 1000).toBeLessThan(3_000)
  })

  it("keep messages apart that answer each other in a circle", () => {
    const circle = [header(1, "<a>", "<b>"), header(2, "<b>", "<a>"), header(3, "<c>", "<a>")]
    const expected = [
      ["INBOX/<a>", 2],
      ["INBOX/<b>", 1]
    ]
    expect(ids(mailThreads("INBOX", circle))).toEqual(expected)
    expect(ids(mailThreads("INBOX", [...circle].reverse())).sort()).toEqual(expected)
  })
})
