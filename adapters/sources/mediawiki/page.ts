import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type FetchedItem,
  type ItemFault,
  ItemGone,
  ItemUnreadable,
  type SourceFault
} from "../../../core/connected/sources/index.js"
import type { FormatTasks } from "../../formats/format-tasks.js"
import { readText } from "../html.js"
import { isoMoment } from "../item-path.js"
import type { Parameters, WikiApi } from "./api.js"
import type { Site } from "./site.js"

/** Reply of MediaWiki's `action=parse`: a page as HTML, with its revision. */
const Parsed = z.object({
  parse: z.object({
    title: z.string(),
    pageid: z.int(),
    revid: z.int(),
    text: z.string(),
    displaytitle: z.string().optional(),
    categories: z.array(z.object({ category: z.string(), hidden: z.boolean().optional() })).catch([])
  })
})
const Revision = z.object({
  query: z.object({
    pages: z
      .array(
        z.object({
          ns: z.int(),
          fullurl: z.string().optional(),
          redirect: z.boolean().optional(),
          revisions: z
            .array(z.object({ timestamp: z.string().optional(), user: z.string().optional() }))
            .optional()
        })
      )
      .min(1)
  })
})
const Redirects = z.object({
  query: z.object({
    normalized: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
    redirects: z.array(z.object({ from: z.string(), to: z.string() })).optional()
  })
})

const titlesMax = 50

/** Reads pages of a wiki as Markdown. */
export const wikiPages = (
  api: WikiApi,
  site: Effect.Effect<Site, SourceFault>,
  namespaces: ReadonlyArray<number>,
  tasks: FormatTasks["Type"]
) => {
  const ask = <Value>(externalId: string, schema: z.ZodType<Value>, parameters: Parameters) =>
    Effect.flatMap(api.call(parameters), (reply): Effect.Effect<Value, ItemFault> => {
      if ("error" in reply)
        return Effect.fail(
          /^(?:nosuchpageid|missingtitle|nosuchrevid|pagedeleted)$/.test(reply.error.code)
            ? new ItemGone({ externalId })
            : new ItemUnreadable({
                externalId,
                message: `The wiki does not give the page (${reply.error.code}).`,
                isPermanent: false
              })
        )
      const parsed = schema.safeParse(reply.json)
      return parsed.success
        ? Effect.succeed(parsed.data)
        : Effect.fail(
            new ItemUnreadable({
              externalId,
              message: "The wiki gives the page in an unknown form.",
              isPermanent: false
            })
          )
    })

  /** Returns the targets of redirects, by the titles of the redirects. */
  const targetsOf = (externalId: string, titles: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const targets = new Map<string, string>()
      for (let at = 0; at < titles.length; at += titlesMax) {
        const some = titles.slice(at, at + titlesMax)
        const { query } = yield* ask(externalId, Redirects, {
          action: "query",
          titles: some.join("|"),
          redirects: 1
        })
        const normal = new Map(query.normalized?.map(({ from, to }) => [from, to]))
        const led = new Map(query.redirects?.map(({ from, to }) => [from, to]))
        for (const title of some) {
          const target = led.get(normal.get(title) ?? title)
          if (target !== undefined) targets.set(title, led.get(target) ?? target)
        }
      }
      return targets
    })

  return (externalId: string): Effect.Effect<FetchedItem, SourceFault | ItemFault> =>
    Effect.gen(function* () {
      if (!/^\d{1,15}$/.test(externalId)) return yield* new ItemGone({ externalId })
      const { parse } = yield* ask(externalId, Parsed, {
        action: "parse",
        pageid: externalId,
        prop: "text|displaytitle|categories|revid",
        disableeditsection: 1,
        disabletoc: 1,
        disablelimitreport: 1
      })
      const { query } = yield* ask(externalId, Revision, {
        action: "query",
        revids: parse.revid,
        prop: "info|revisions",
        inprop: "url",
        rvprop: "timestamp|user"
      })
      const [page] = query.pages
      if (page === undefined || page.redirect === true || !namespaces.includes(page.ns))
        return yield* new ItemGone({ externalId })
      const place = yield* site
      const path = place.pathOf(parse.title, page.ns)
      const article = { html: parse.text, path, site: place.description, namespaces }
      const named = parse.text.includes("mw-redirect")
        ? yield* readText(externalId, tasks.run("wikiRedirects", article))
        : []
      const redirects = yield* targetsOf(externalId, named)
      const markdown = yield* readText(externalId, tasks.run("wikiArticle", { ...article, redirects }))
      const [revision] = page.revisions ?? []
      return {
        externalId,
        version: String(parse.revid),
        path,
        title: parse.title,
        url: page.fullurl ?? null,
        author: revision?.user ?? null,
        createdAt: null,
        modifiedAt: isoMoment(revision?.timestamp),
        labels: parse.categories
          .filter(({ hidden }) => hidden !== true)
          .map(({ category }) => category.replaceAll("_", " ")),
        body: { markdown: `# ${parse.title}\n\n${markdown}\n` },
        attachments: [],
        warnings: []
      }
    })
}
