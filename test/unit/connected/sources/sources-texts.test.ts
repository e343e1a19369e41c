import * as Effect from "effect/Effect"
import { strToU8 } from "fflate"
import { describe, expect, it } from "vitest"
import { chatDays } from "../../../../adapters/sources/chat/conversation.js"
import { slackMarkdown, slackNames } from "../../../../adapters/sources/chat/slack-messages.js"
import { storageMarkdown, storageReferences } from "../../../../adapters/sources/confluence/storage-format.js"
import { historyArguments, readHistory } from "../../../../adapters/sources/git/history.js"
import { mailThreads, withoutQuote } from "../../../../adapters/sources/imap/threads.js"
import { globFilter, linkBetween, markdownPath, pathSegment } from "../../../../adapters/sources/item-path.js"
import type { Crawler, ItemReaders } from "../../../../core/connected/sources/index.js"
import { parseDocumentPath } from "../../../../core/files/markdown/index.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler } from "../../../support/sources/crawling.js"

describe("paths of items", () => {
  it("are document paths, whatever the source calls its items", () => {
    const names = [
      "a/b",
      "..",
      ".hidden",
      "CON",
      "what? *now*",
      "trailing. ",
      "",
      "x".repeat(400),
      "ü".repeat(300),
      "\u202eabc",
      "a\\b:c|d",
      "nul.txt"
    ]
    for (const name of names)
      expect(parseDocumentPath(markdownPath([name, name]))).toMatchObject({ _tag: "Right" })
    expect(pathSegment("x".repeat(400))).not.toBe(pathSegment(`${"x".repeat(399)}y`))
    expect(pathSegment("Q3 report.docx")).toBe("Q3 report.docx")
  })

  it("link to each other relatively", () => {
    expect(linkBetween("A/B/c.md", "A/D/e f (g).md")).toBe("../D/e%20f%20%28g%29.md")
    expect(linkBetween("a.md", "b.md")).toBe("b.md")
  })

  it("are chosen by patterns as Git reads them", () => {
    const filter = globFilter(["docs/**", "*.md", "!docs/**/draft-?.md"])
    expect(
      [
        "docs/a.md",
        "docs/x/y.pdf",
        "a.md",
        "b/a.md",
        "docs/x/draft-1.md",
        "docs/draft-12.md",
        "src/a.ts"
      ].filter(filter)
    ).toEqual(["docs/a.md", "docs/x/y.pdf", "a.md", "docs/draft-12.md"])
    expect(globFilter(["docs"])("docs/x/a.md")).toBe(true)
    expect(globFilter()("anything")).toBe(true)
  })
})

describe("text of Slack", () => {
  const names = slackNames([{ id: "U1", profile: { display_name: "Ada" } }], [{ id: "C1", name: "general" }])
  it.each([
    ["*bold* _slanted_ ~gone~", "**bold** _slanted_ ~~gone~~"],
    [
      "hi <@U1>, see <#C1|x> and <https://example.org/a|the page>",
      "hi @Ada, see #general and [the page](https://example.org/a)"
    ],
    ["<!here> <!subteam^S1|@team> <mailto:a@b.c|a@b.c>", "@here @team a@b.c"],
    ["2 &lt; 3 &amp;&amp; `a &lt; *b*`", "2 \\< 3 && `a < *b*`"],
    ["&gt; quoted\n• point", "> quoted\n- point"],
    ["```\nlet x = &lt;1&gt;\n```", "```\nlet x = <1>\n```"]
  ])("%s", (slack, markdown) => expect(slackMarkdown(slack, names)).toBe(markdown))
})

it("a chat becomes a document for each channel and day, with replies below the message that they answer", () => {
  const message = (id: string, at: string, markdown: string, thread: string | null = null) => ({
    id,
    thread,
    at,
    author: id === "1" ? "Ada" : "Grace",
    markdown,
    isEdited: id === "3",
    files: id === "2" ? ["plan.pdf"] : []
  })
  const days = chatDays({
    id: "C1",
    names: ["core", "general"],
    isDirect: false,
    readers: null,
    urlOf: ({ id }) => `https://example.org/${id}`,
    messages: [
      message("3", "2024-05-07T09:00:00.000Z", "A late answer", "1"),
      message("1", "2024-05-06T08:15:00.000Z", "When do we ship?"),
      message("2", "2024-05-06T09:00:00.000Z", "- one\n- two"),
      message("5", "2024-05-08T10:00:00.000Z", "Answer to a deleted message", "4")
    ]
  })
  expect(days.map(({ path }) => path)).toEqual(["core/general/2024-05-06.md", "core/general/2024-05-08.md"])
  expect(days[0]?.item).toMatchObject({
    url: "https://example.org/1",
    createdAt: "2024-05-06T08:15:00.000Z",
    modifiedAt: "2024-05-07T09:00:00.000Z",
    body: {
      markdown: `# general, 2024-05-06

**Ada** (08:15): When do we ship?

> **Grace** (09:00, edited): A late answer

**Grace** (09:00):

- one
- two

Attached: plan.pdf
`
    }
  })
})

/** Who reads items, as the crawler says with them and by itself. */
const readersOf = (crawler: Crawler, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const named = yield* crawler.readers?.(ids) ?? Effect.succeed(new Map<string, ItemReaders>())
    for (const id of ids) expect((yield* crawler.fetch(id)).readers).toEqual(named.get(id))
    return ids.map((id) => named.get(id))
  })

it("exports of chats leave out joins and bots, and follow edits and deletions", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const file = (path: string, value: unknown) => ({
          path,
          bytes: strToU8(JSON.stringify(value)),
          url: null,
          author: null,
          modifiedAt: null
        })
        const say = (ts: number, text: string, more = {}) => ({
          type: "message",
          user: "U1",
          ts: `${1_715_000_000 + ts}.000100`,
          text,
          ...more
        })
        const open = (config: Readonly<Record<string, unknown>>) =>
          openCrawler(
            { provider: "slack_export", url: "https://example.org/export.zip", ...config },
            {
              upload: {
                isComplete: true,
                files: [
                  file("users.json", [
                    { id: "U1", real_name: "Ada Lovelace", profile: { email: "Ada@example.org" } },
                    { id: "U2", is_bot: true },
                    { id: "U3", real_name: "Grace Hopper" }
                  ]),
                  file("channels.json", [{ id: "C1", name: "general" }]),
                  file("groups.json", [{ id: "C2", name: "pay", members: ["U1", "U3"] }]),
                  file("pay/2024-05-06.json", [say(3, "Of money")]),
                  file("dms.json", [{ id: "D1", members: ["U1", "U3"] }]),
                  file("mpims.json", [{ id: "G1", name: "mpdm-ada--grace-1", members: ["U3", "U1", "U4"] }]),
                  file("D1/2024-05-06.json", [say(1, "Between us")]),
                  file("mpdm-ada--grace-1/2024-05-06.json", [say(2, "Among some")]),
                  file("general/2024-05-06.json", [
                    say(1, "<@U1> has joined the channel", { subtype: "channel_join" }),
                    say(2, "A bot speaks", { subtype: "bot_message", bot_id: "B1" }),
                    say(3, "Another bot", { user: "U2" }),
                    say(4, "First wording"),
                    say(5, "Never mind"),
                    say(6, "", {
                      subtype: "message_changed",
                      message: say(4, "Second wording", { edited: { ts: "1" } })
                    }),
                    say(7, "", { subtype: "message_deleted", deleted_ts: "1715000005.000100" })
                  ])
                ]
              }
            }
          )
        const crawler = yield* open({})
        const { changes } = yield* crawler.changes(null)
        expect(changes).toMatchObject([
          { externalId: "C1/2024-05-06", path: "general/2024-05-06.md" },
          { externalId: "C2/2024-05-06", path: "pay/2024-05-06.md" }
        ])
        const ids = changes.map(({ externalId }) => externalId)
        expect(yield* readersOf(crawler, ids)).toEqual([null, ["email:ada@example.org"]])
        expect(yield* readersOf(yield* open({ readers: "everybody" }), ids)).toEqual([null, null])
        const more = yield* (yield* open({ directMessages: true, channels: ["none"] })).changes(null)
        expect(more.changes).toMatchObject([
          {
            externalId: "G1/2024-05-06",
            path: "Direct messages/Ada Lovelace, Grace Hopper, U4/2024-05-06.md"
          },
          { externalId: "D1/2024-05-06", path: "Direct messages/Ada Lovelace, Grace Hopper/2024-05-06.md" }
        ])
        expect((yield* crawler.fetch("C1/2024-05-06")).body).toEqual({
          markdown: "# general, 2024-05-06\n\n**Ada Lovelace** (12:53, edited): Second wording\n"
        })
      })
    )
  ))

it("an export of Mattermost gives conversations without a channel when the configuration says so", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const post = { user: "ada", create_at: 1_715_000_000_000 }
        const lines = [
          { type: "version", version: 1 },
          { type: "channel", channel: { team: "core", name: "general", type: "O" } },
          { type: "channel", channel: { team: "core", name: "pay", type: "P" } },
          {
            type: "user",
            user: {
              username: "ada",
              nickname: "Ada",
              email: "ada@example.org",
              teams: [{ name: "core", channels: [{ name: "pay" }, { name: "general" }] }]
            }
          },
          { type: "post", post: { ...post, team: "core", channel: "pay", message: "Of money" } },
          { type: "post", post: { ...post, team: "core", channel: "general", message: "For all" } },
          {
            type: "direct_post",
            direct_post: {
              ...post,
              channel_members: ["grace", "ada"],
              message: "Between us",
              replies: [{ ...post, user: "grace", message: "Indeed" }]
            }
          }
        ]
        const bytes = strToU8(lines.map((line) => JSON.stringify(line)).join("\n"))
        const file = { path: "import.jsonl", bytes, url: null, author: null, modifiedAt: null }
        const open = (config: Readonly<Record<string, unknown>>) =>
          openCrawler(
            { provider: "mattermost_export", url: "https://example.org/export.zip", ...config },
            { upload: { files: [file], isComplete: true } }
          )
        const paths = (crawler: Crawler) =>
          Effect.map(crawler.changes(null), ({ changes }) =>
            changes.map((change) => (change.op === "upsert" ? change.path : null))
          )
        expect(yield* paths(yield* open({}))).toEqual([
          "core/pay/2024-05-06.md",
          "core/general/2024-05-06.md"
        ])
        const all = yield* open({ directMessages: true })
        const ada = ["email:ada@example.org"]
        const ids = ["core/pay", "core/general", "direct/ada,grace"].map((id) => `${id}/2024-05-06`)
        expect(yield* readersOf(all, ids)).toEqual([ada, null, ada])
        expect(yield* paths(all)).toEqual([
          "core/pay/2024-05-06.md",
          "core/general/2024-05-06.md",
          "Direct messages/Ada, grace/2024-05-06.md"
        ])
        expect((yield* all.fetch("direct/ada,grace/2024-05-06")).body).toEqual({
          markdown: "# Ada, grace, 2024-05-06\n\n**Ada** (12:53): Between us\n\n> **grace** (12:53): Indeed\n"
        })
      })
    )
  ))

it("the storage format of Confluence becomes Markdown with its macros and links resolved", () => {
  const storage = `<p>See <ac:link><ri:page ri:content-title="Install &amp; run" ri:space-key="OPS" /><ac:plain-text-link-body><![CDATA[the <guide>]]></ac:plain-text-link-body></ac:link> by <ac:link><ri:user ri:account-id="u1" /></ac:link>&nbsp;<ac:emoticon ac:name="tick" ac:emoji-fallback="✅" /></p>
<ac:structured-macro ac:name="info"><ac:parameter ac:name="title">Careful</ac:parameter><ac:rich-text-body><p>Inside</p><ac:structured-macro ac:name="code"><ac:parameter ac:name="language">js</ac:parameter><ac:plain-text-body><![CDATA[if (a < b) { x() } // ]]]]><![CDATA[>]]></ac:plain-text-body></ac:structured-macro></ac:rich-text-body></ac:structured-macro>
<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body>Done</ac:task-body></ac:task></ac:task-list>
<ac:structured-macro ac:name="toc" /><ac:structured-macro ac:name="status"><ac:parameter ac:name="title">OPEN</ac:parameter></ac:structured-macro>
<ac:image><ri:attachment ri:filename="x.png" /></ac:image><p><ac:link><ri:page ri:content-title="Gone" /></ac:link></p>`
  const page = storageReferences(storage)
  expect(page.pages).toEqual([
    { title: "Install & run", space: "OPS" },
    { title: "Gone", space: null }
  ])
  expect(page.users).toEqual(["u1"])
  expect(page.leftOut).toEqual(["toc"])
  const markdown = storageMarkdown({
    storage,
    pageLinks: new Map([["OPS\0Install & run", "../Install.md"]]),
    userNames: new Map([["u1", "Grace"]])
  })
  expect(markdown).toContain("[the \\<guide>](../Install.md) by @Grace")
  expect(markdown).toContain("✅")
  expect(markdown).toContain(
    "> **Info: Careful**\n>\n> Inside\n>\n> ```js\n> if (a < b) { x() } // ]]>\n> ```"
  )
  expect(markdown).toContain("- [x] Done")
  expect(markdown).toContain("**OPEN**")
  expect(markdown).toContain("Gone")
})

it("mail is put into threads, also when the first message is missing, and replies lose what they quote", () => {
  const header = (
    uid: number,
    id: string | null,
    inReplyTo: string | null,
    references: ReadonlyArray<string> = []
  ) => ({
    uid,
    messageId: id,
    inReplyTo,
    references,
    subject: uid === 1 ? "Plan" : "Re: AW: Plan",
    date: `2024-05-06T0${uid}:00:00.000Z`
  })
  const threads = mailThreads("INBOX/Team", [
    header(3, "<c>", "<b>"),
    header(1, "<a>", null),
    header(2, "<b>", "<a>", ["<a>"]),
    header(4, "<e>", "<d>", ["<gone>", "<d>"]),
    header(5, "<f>", "<gone>"),
    header(6, null, null)
  ])
  expect(threads.map(({ externalId, messages }) => [externalId, messages.map(({ uid }) => uid)])).toEqual([
    ["INBOX/Team/<a>", [1, 2, 3]],
    ["INBOX/Team/<gone>", [4, 5]],
    ["INBOX/Team/uid 6", [6]]
  ])
  expect(threads[0]?.path).toMatch(/^INBOX\/Team\/Plan \([0-9a-f]{6}\)\.md$/)
  expect(withoutQuote("I agree.\n\nOn Mon, 6 May 2024, Ada wrote:\n> When?\n> \n> Soon.\n")).toBe("I agree.")
  expect(
    withoutQuote("On Mon, 6 May 2024 at 07:00, Ada Lovelace\n<ada@example.org> wrote:\n\n> When?")
  ).toContain("> When?")
  expect(withoutQuote("> When?\n\nSoon.")).toBe("> When?\n\nSoon.")
})

it("the history of a file is followed through renames", () => {
  expect(historyArguments("abc").at(-1)).toBe("abc")
  const commit = (author: string, date: string, ...changes: ReadonlyArray<string>) =>
    `\u0001${author}\u0002${date}\0${changes.length === 0 ? "" : `\n${changes.join("")}`}`
  const raw = (status: string, ...paths: ReadonlyArray<string>) =>
    `:100644 100644 a b ${status}\0${paths.join("\0")}\0`
  const history = readHistory(
    [
      commit("Cleo", "2024-03-01T00:00:00Z", raw("M", "b.md"), raw("A", "a.md")),
      commit("Bea", "2024-02-01T00:00:00Z", raw("R090", "a.md", "b.md")),
      commit("Ada", "2024-01-01T00:00:00Z", raw("A", "a.md"))
    ].join("")
  )
  expect(history.get("b.md")).toEqual({
    author: "Cleo",
    modifiedAt: "2024-03-01T00:00:00Z",
    createdAt: "2024-01-01T00:00:00Z"
  })
  expect(history.get("a.md")).toMatchObject({ author: "Cleo", createdAt: "2024-03-01T00:00:00Z" })
})
