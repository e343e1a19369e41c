import * as Effect from "effect/Effect"
import { strToU8, zipSync } from "fflate"
import { expect, it } from "vitest"
import type { FetchedItem } from "../../../../core/connected/sources/index.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler } from "../../../support/sources/crawling.js"

/** The documents of an uploaded archive by path. */
const documentsOf = (files: Readonly<Record<string, string>>) =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const zip = zipSync(
          Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)]))
        )
        const upload = {
          files: [{ path: "export.zip", bytes: zip, url: null, author: null, modifiedAt: null }],
          isComplete: true
        }
        const crawler = yield* openCrawler({ provider: "markdown_upload" }, { upload, pageSize: 100 })
        const { changes, isLast } = yield* crawler.changes(null)
        expect(isLast).toBe(true)
        const items = yield* Effect.all(changes.map(({ externalId }) => crawler.fetch(externalId)))
        return new Map(items.map((item) => [item.path, item]))
      })
    )
  )

const text = (item: FetchedItem | undefined): string =>
  item === undefined
    ? ""
    : "markdown" in item.body
      ? item.body.markdown
      : new TextDecoder().decode(item.body.bytes)

const id = (digit: string) => digit.repeat(32)

it("an export of Notion loses the ids in names and links, and its databases become tables", async () => {
  const documents = await documentsOf({
    [`Handbook ${id("a")}.md`]: `# Handbook\n\n[Onboarding](Handbook%20${id("a")}/Onboarding%20${id("b")}.md#first) and [Tasks](Handbook%20${id("a")}/Tasks%20${id("c")}.csv), [elsewhere](https://example.org/${id("d")})\n\n\`[code](Onboarding%20${id("b")}.md)\``,
    [`Handbook ${id("a")}/Onboarding ${id("b")}.md`]: `# Onboarding\n\n[Back](../Handbook%20${id("a")}.md)`,
    [`Handbook ${id("a")}/Tasks ${id("c")}.csv`]: "Name,State\nPack | ship,Open\n",
    [`Handbook ${id("a")}/Tasks ${id("c")}_all.csv`]: "Name,State\nPack | ship,Open\nOld,Done\n",
    [`Handbook ${id("a")}/Tasks/Old ${id("e")}.md`]: "# Old",
    [`Handbook ${id("a")}/Twin ${id("1")}.md`]: "one",
    [`Handbook ${id("a")}/Twin ${id("2")}.md`]: "two",
    [`Handbook ${id("a")}/photo.png`]: "no text"
  })
  expect([...documents.keys()].sort()).toEqual([
    "Handbook.md",
    "Handbook/Onboarding.md",
    "Handbook/Tasks.md",
    "Handbook/Tasks/Old.md",
    "Handbook/Twin 11111111.md",
    "Handbook/Twin 22222222.md"
  ])
  expect(text(documents.get("Handbook.md"))).toBe(
    `# Handbook\n\n[Onboarding](Handbook/Onboarding.md#first) and [Tasks](Handbook/Tasks.md), [elsewhere](https://example.org/${id("d")})\n\n\`[code](Onboarding%20${id("b")}.md)\``
  )
  expect(text(documents.get("Handbook/Onboarding.md"))).toBe("# Onboarding\n\n[Back](../Handbook.md)")
  expect(text(documents.get("Handbook/Tasks.md"))).toBe(
    "# Tasks\n\n| Name | State |\n| --- | --- |\n| Pack \\| ship | Open |\n| [Old](Tasks/Old.md) | Done |\n"
  )
  expect(documents.get("Handbook.md")?.url).toBe(`https://www.notion.so/${id("a")}`)
})

it("a vault of Obsidian loses its settings, templates, drawings, comments and block ids", async () => {
  const documents = await documentsOf({
    "My vault/.obsidian/app.json": "{}",
    "My vault/.obsidian/templates.json": '{"folder": "Templates"}',
    "My vault/Templates/Daily.md": "{{date}}",
    "My vault/Sketch.excalidraw.md": "drawing",
    "My vault/.trash/Old.md": "old",
    "My vault/Note.md":
      "Seen %%hidden%% text ^block-1\n%%\na whole\nhidden paragraph\n%%\n[[Other]] stays, `%%code%%` too\n```\n%% kept %% ^kept\n```\n",
    "My vault/Percent.md": "It is 100%% sure."
  })
  expect([...documents.keys()].sort()).toEqual(["Note.md", "Percent.md"])
  expect(text(documents.get("Note.md"))).toBe(
    "Seen  text\n[[Other]] stays, `%%code%%` too\n```\n%% kept %% ^kept\n```\n"
  )
  expect(text(documents.get("Percent.md"))).toBe("It is 100%% sure.")
})

it("an HTML export of Confluence becomes pages in the folders of the page tree", async () => {
  const page = (title: string, crumbs: ReadonlyArray<string>, content: string) => `<!DOCTYPE html><html>
<head><title>Docs : ${title}</title></head><body class="theme-default aui-theme-default"><div id="page">
<ol id="breadcrumbs">${crumbs.map((crumb) => `<li><span><a href="x.html">${crumb}</a></span></li>`).join("")}</ol>
<h1 id="title-heading"><span id="title-text"> Docs : ${title} </span></h1>
<div class="page-metadata">Created by <span class='author'> Ada</span>, last modified by <span class='editor'> Grace</span> on Sep 01, 2020</div>
<div id="main-content" class="wiki-content group">${content}</div>
<div id="labels-section"><ul><li><a href="/label">howto</a></li></ul></div><div id="footer">Atlassian</div></div></body></html>`
  const documents = await documentsOf({
    "DOC/index.html": page("Space", [], "index"),
    "DOC/Home_1.html": page("Home", ["Docs"], '<p>See <a href="Install_2.html#x">install</a>.</p>'),
    "DOC/Install_2.html": page(
      "Install",
      ["Docs", "Home"],
      "<p>Run it.</p><table><tbody><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></tbody></table>"
    ),
    "DOC/attachments/2/manual.txt": "manual",
    "DOC/styles/site.css": "css"
  })
  expect([...documents.keys()].sort()).toEqual(["DOC/attachments/2/manual.txt", "Home.md", "Home/Install.md"])
  expect(text(documents.get("Home.md"))).toContain("[install](Home/Install.md#x)")
  expect(text(documents.get("Home/Install.md"))).toBe("Run it.\n\n| A | B |\n| --- | --- |\n| 1 | 2 |")
  expect(documents.get("Home/Install.md")).toMatchObject({
    title: "Install",
    author: "Grace",
    modifiedAt: "2020-09-01T00:00:00.000Z",
    labels: ["howto"]
  })
})

it("an upload that is not complete tells which files were deleted, and a broken archive is refused", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const file = (path: string, bytes: Uint8Array | null) => ({
          path,
          bytes,
          url: null,
          author: null,
          modifiedAt: null
        })
        const some = yield* openCrawler(
          { provider: "markdown_upload" },
          { upload: { files: [file("a.md", strToU8("a")), file("b.md", null)], isComplete: false } }
        )
        expect(some.traits.changes).toBe("feed")
        expect((yield* some.changes(null)).changes).toMatchObject([
          { op: "delete", externalId: "b.md" },
          { op: "upsert", externalId: "a.md" }
        ])
        const broken = yield* openCrawler(
          { provider: "markdown_upload" },
          { upload: { files: [file("export.zip", strToU8("no zip"))], isComplete: true } }
        )
        expect(yield* Effect.flip(broken.changes(null))).toMatchObject({ _tag: "SourceRejected" })
      })
    )
  ))
