import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { runEffect } from "../../../support/run.js"
import { confluenceServer } from "../../../support/sources/confluence.js"
import { openCrawler } from "../../../support/sources/crawling.js"

it("a page has its place in the tree, its labels, links and attachments, and a new version when one of them changes", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* confluenceServer("Bearer personal-token")
        const home = site.put("Home", "<p>home</p>")
        const guide = site.put("Guide", "<p>guide</p>", { parent: home })
        const id = site.put(
          "Install",
          `<p>After <ac:link><ri:page ri:content-title="Guide" /></ac:link> ask <ac:link><ri:user ri:account-id="u1" /></ac:link>.</p>
<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">bash</ac:parameter><ac:plain-text-body><![CDATA[npm ci && npm test]]></ac:plain-text-body></ac:structured-macro>
<ac:structured-macro ac:name="children" />`,
          { parent: guide, labels: ["howto"] }
        )
        site.attach(id, "manual.txt", "The manual.")
        site.attach(id, "photo.png", "no text")
        const crawler = yield* openCrawler(
          { provider: "confluence", url: `${site.url}/` },
          { credential: "personal-token", pageSize: 100 }
        )
        const versionOf = (externalId: string) =>
          Effect.map(crawler.changes(null), ({ changes }) =>
            changes.flatMap((change) =>
              change.op === "upsert" && change.externalId === externalId ? change.version : []
            )
          )
        expect(yield* crawler.fetch(id)).toMatchObject({
          path: "DOC/Guide/Install.md",
          title: "Install",
          url: `${site.url}/spaces/DOC/pages/${id}`,
          author: "Ada Lovelace",
          createdAt: "2023-01-02T03:04:05.000Z",
          modifiedAt: "2024-05-06T05:08:09.000Z",
          labels: ["howto"],
          body: {
            markdown:
              "# Install\n\nAfter [Guide](../Guide.md) ask @Grace Hopper.\n\n```bash\nnpm ci && npm test\n```\n"
          },
          attachments: [{ name: "manual.txt", body: { bytes: new TextEncoder().encode("The manual.") } }],
          warnings: ["The macro children was left out."]
        })
        const before = yield* versionOf(id)
        site.attach(id, "manual.txt", "The second manual.")
        const attached = yield* versionOf(id)
        expect(attached).not.toEqual(before)
        // Nothing of the page itself changes when the page above it moves.
        site.move(guide, null)
        expect(yield* versionOf(id)).not.toEqual(attached)
        expect((yield* crawler.fetch(id)).path).toBe("DOC/Install.md")
      })
    )
  ))
