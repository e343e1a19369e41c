import * as Effect from "effect/Effect"
import { z } from "zod"
import { type SourceFault, SourceRejected } from "../../../core/connected/sources/index.js"
import { markdownPath } from "../item-path.js"
import type { WikiApi } from "./api.js"

/** Reply of MediaWiki's `meta=siteinfo`: addresses, namespaces and size of a wiki. */
const SiteInfo = z.object({
  query: z.object({
    general: z.object({
      server: z.string(),
      articlepath: z.string(),
      script: z.string(),
      sitename: z.string()
    }),
    namespaces: z.record(
      z.string(),
      z.object({ id: z.int(), name: z.string(), canonical: z.string().optional() })
    ),
    namespacealiases: z.array(z.object({ id: z.int(), alias: z.string() })).catch([]),
    statistics: z.object({ articles: z.int() }).optional()
  })
})

/** Description of a wiki by itself, with the address at which it was reached. */
export interface SiteDescription {
  readonly query: z.infer<typeof SiteInfo>["query"]
  readonly base: string
}

/** Functions for the addresses and titles of a wiki. */
export interface Site {
  readonly description: SiteDescription
  readonly articles: number | null
  /** The document path of a page. */
  readonly pathOf: (title: string, namespace: number) => string
  /** The page that an address of a link in rendered text shows; null for addresses elsewhere. */
  readonly pageAt: (href: string) => LinkedPage | null
  readonly pageOf: (title: string, fragment?: string) => LinkedPage
  readonly absolute: (href: string) => string
}

export interface LinkedPage {
  readonly title: string
  readonly namespace: number
  readonly fragment: string
}

/** Asks the wiki for its addresses and namespaces. `base` is the address that the wiki was reached at. */
export const readSite = (api: WikiApi, base: string): Effect.Effect<Site, SourceFault> =>
  Effect.gen(function* () {
    const reply = yield* api.call({
      action: "query",
      meta: "siteinfo",
      siprop: "general|namespaces|namespacealiases|statistics"
    })
    const parsed = SiteInfo.safeParse("json" in reply ? reply.json : null)
    if (!parsed.success)
      return yield* new SourceRejected({
        message: "The wiki does not tell about itself as a MediaWiki does."
      })
    return siteOf({ query: parsed.data.query, base })
  })

/** The addresses and titles of a wiki that tells this about itself. */
export const siteOf = (description: SiteDescription): Site => {
  const { general, namespacealiases, namespaces, statistics } = description.query
  const server = new URL(general.server, description.base).href
  const names = new Map(Object.values(namespaces).map(({ id, name }) => [id, name]))
  const ids = new Map<string, number>()
  for (const { canonical, id, name } of Object.values(namespaces))
    for (const one of [name, canonical ?? name]) ids.set(one.toLowerCase(), id)
  for (const { alias, id } of namespacealiases) ids.set(alias.toLowerCase(), id)
  const article = articlePattern(new URL(general.articlepath, server))
  const script = new URL(general.script, server)

  const pageOf = (raw: string, fragment = ""): LinkedPage => {
    const title = raw.replaceAll("_", " ").trim()
    const colon = title.indexOf(":")
    const namespace = (colon > 0 ? ids.get(title.slice(0, colon).trim().toLowerCase()) : undefined) ?? 0
    const bare = title.slice(colon + 1).trim()
    return { title: namespace === 0 ? title : `${names.get(namespace)}:${bare}`, namespace, fragment }
  }

  return {
    description,
    pageOf,
    articles: statistics?.articles ?? null,
    absolute: (href) => URL.parse(href, server)?.href ?? href,
    pathOf: (title, namespace) => {
      const name = names.get(namespace) ?? ""
      const bare = name !== "" && title.startsWith(`${name}:`) ? title.slice(name.length + 1) : title
      const segments = bare.split("/").map((segment) => (segment.trim() === "" ? "_" : segment))
      return markdownPath(name === "" ? segments : [name, ...segments])
    },
    pageAt: (href) => {
      const url = URL.parse(href, server)
      if (url === null || url.host !== script.host) return null
      const raw = article(url) ?? scriptTitle(url, script)
      if (raw === null) return null
      return pageOf(raw, decoded(url.hash.slice(1)))
    }
  }
}

/** Reads the title out of an address like `/wiki/$1`. */
const articlePattern = ({ pathname, search }: URL) => {
  const pattern = decoded(pathname + search)
  const [before = "", after = ""] = pattern.split("$1", 2)
  return (url: URL): string | null => {
    if (pattern.includes("?")) return null
    const path = decoded(url.pathname)
    const isArticle =
      url.search === "" && path.startsWith(before) && path.endsWith(after) && path.length > pattern.length - 2
    return isArticle ? path.slice(before.length, path.length - after.length) : null
  }
}

const scriptTitle = (url: URL, script: URL): string | null => {
  if (url.pathname !== script.pathname && !url.pathname.startsWith(`${script.pathname}/`)) return null
  const other = [...url.searchParams.keys()].some((key) => key !== "title")
  if (other) return null
  return url.searchParams.get("title") ?? (decoded(url.pathname.slice(script.pathname.length + 1)) || null)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
