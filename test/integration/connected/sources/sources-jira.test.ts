import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { readAdf } from "../../../../adapters/sources/jira/adf.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler } from "../../../support/sources/crawling.js"
import { adf, adfParagraph, jiraServer } from "../../../support/sources/jira.js"

const authorization = `Basic ${Buffer.from("ada@example.org:secret").toString("base64")}`
const open = (url: string, config = {}, credential = "secret") =>
  openCrawler({ provider: "jira", url, username: "ada@example.org", ...config }, { credential })
const cell = (type: string, text: string) => ({ type, content: [adfParagraph(text)] })

it("an issue becomes a document with its fields, text and comments", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* jiraServer(authorization)
        const comments = ["First.", "Second.", "Third."].map((text, at) => ({
          author: "Grace",
          at: `2026-02-0${at + 4}T01:00:00.000+0200`,
          body: adf(adfParagraph(text))
        }))
        const issue = site.put(
          "The mast bends",
          adf(
            { type: "heading", attrs: { level: 1 }, content: [{ type: "text", text: "Steps" }] },
            {
              type: "paragraph",
              content: [
                { type: "text", text: "Ask " },
                { type: "mention", attrs: { id: "1", text: "@Grace" } },
                { type: "text", text: " <now>", marks: [{ type: "strong" }] },
                { type: "text", text: ", see " },
                { type: "text", text: "here", marks: [{ type: "link", attrs: { href: "https://e.org/a" } }] },
                { type: "text", text: "x", marks: [{ type: "link", attrs: { href: "javascript:alert(1)" } }] }
              ]
            },
            {
              type: "orderedList",
              content: [
                {
                  type: "listItem",
                  content: [
                    adfParagraph("Hoist."),
                    {
                      type: "bulletList",
                      content: [{ type: "listItem", content: [adfParagraph("Slowly.")] }]
                    }
                  ]
                }
              ]
            },
            {
              type: "table",
              content: [
                { type: "tableRow", content: [cell("tableHeader", "Part"), cell("tableHeader", "Mass")] },
                { type: "tableRow", content: [cell("tableCell", "Mast"), cell("tableCell", "12 kg")] }
              ]
            },
            {
              type: "codeBlock",
              attrs: { language: "sh" },
              content: [{ type: "text", text: "sail --fast" }]
            },
            { type: "mediaSingle", content: [{ type: "media", attrs: { id: "1" } }] }
          ),
          {
            comments,
            fields: {
              labels: ["mast"],
              status: { name: "Done" },
              issuetype: { name: "Bug" },
              resolution: { name: "Fixed" },
              resolutiondate: "2026-02-10T00:30:00.000+0100",
              assignee: null
            }
          }
        )
        const crawler = yield* open(site.url, { projects: ["BOAT"] })
        const item = yield* crawler.fetch(issue.id)
        expect(item).toMatchObject({
          path: "BOAT/BOAT-1 The mast bends.md",
          url: `${site.url}/browse/BOAT-1`,
          author: "Ada",
          createdAt: "2026-02-03T09:05:00.000Z",
          warnings: ["1 images or files were left out."]
        })
        const shown = "markdown" in item.body ? item.body.markdown : ""
        expect(shown).toBe(`---
tags: ["mast"]
state: Done
type: Bug
resolution: Fixed
closed: 2026-02-09
---

# The mast bends

**Ada** (2026-02-03 09:05):

## Steps

Ask @Grace **\\<now>**, see [here](https://e.org/a)x

1. Hoist.
   - Slowly.

| Part | Mass |
| --- | --- |
| Mast | 12 kg |

\`\`\`sh
sail --fast
\`\`\`

**Grace** (2026-02-03 23:00):

First.

**Grace** (2026-02-04 23:00):

Second.

**Grace** (2026-02-05 23:00):

Third.
`)
        expect((yield* Effect.flip((yield* open(site.url, {}, "wrong")).check))._tag).toBe(
          "SourceUnauthorized"
        )
        expect((yield* Effect.flip((yield* open(site.url, { projects: ["NONE"] })).check))._tag).toBe(
          "SourceRejected"
        )
        const lost = { since: null, startedAt: 0, minutes: null, token: "gone" }
        expect((yield* Effect.flip(crawler.changes(lost)))._tag).toBe("CheckpointExpired")
      })
    )
  ))

it("a text that is nested without end, or is none, is bounded", () => {
  let nested: unknown = adfParagraph("deep")
  for (let depth = 0; depth < 5000; depth++) nested = { type: "panel", content: [nested] }
  const wide = { type: "doc", content: Array.from({ length: 60_000 }, () => adfParagraph("x")) }
  const [deep, none, long] = readAdf([adf(adfParagraph("flat"), nested), "no text", wide])
  expect(deep?.markdown).toContain("flat")
  expect(deep?.markdown).not.toContain("deep")
  expect([deep, none, long].map((one) => one?.isCut)).toEqual([true, false, true])
  expect(none?.markdown).toBe("")
  expect(long?.markdown.length).toBeLessThan(60_000)
})
