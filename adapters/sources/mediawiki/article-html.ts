import { parseHtml, selectAll } from "../../formats/dom.js"
import { convertFragment } from "../../formats/html.js"
import { linkBetween } from "../item-path.js"
import { type SiteDescription, siteOf } from "./site.js"

/** Parts of a rendered page that are no text of the article. */
const apparatus =
  ".mw-editsection,.toc,#toc,.navbox,.navbox-styles,.vertical-navbox,.catlinks,.noprint,.mw-jump-link,.mw-cite-backlink,.mw-empty-elt,.mw-references-wrap .mw-cite-backlink,style,script,.error.mw-ext-cite-error,.sistersitebox,.metadata.plainlinks,.mw-indicators"

/** A rendered page of a wiki. */
export interface ArticleInput {
  readonly html: string
  /** Path of its document. */
  readonly path: string
  readonly site: SiteDescription
  readonly namespaces: ReadonlyArray<number>
}

/** A page with where its redirects lead, by the titles of the redirects. */
export interface LinkedArticleInput extends ArticleInput {
  readonly redirects: ReadonlyMap<string, string>
}

/** Titles of linked pages that are redirects; at most 5,000. */
export const articleRedirects = ({ html, site }: ArticleInput): ReadonlyArray<string> => {
  const { pageAt } = siteOf(site)
  const document = parseHtml(html)
  const titles = selectAll(document.body, "a.mw-redirect[href]").flatMap(
    (link) => pageAt(link.getAttribute("href") ?? "")?.title ?? []
  )
  return [...new Set(titles)].slice(0, redirectsMax)
}

const redirectsMax = 5000

/**
 * A rendered page as Markdown: without boxes for navigation and editing, formulas as TeX, links to pages that are
 * crawled as links between documents, others as full addresses, links to pages that do not exist as text.
 */
export const articleMarkdown = ({ html, namespaces, path, redirects, site }: LinkedArticleInput): string => {
  const { absolute, pageAt, pageOf, pathOf } = siteOf(site)
  const document = parseHtml(html)
  for (const element of selectAll(document.body, apparatus)) element.remove()
  for (const math of selectAll(document.body, ".mwe-math-element")) {
    const tex =
      selectAll(math, "annotation")[0]?.textContent ?? math.querySelector("img")?.getAttribute("alt")
    const code = document.createElement("code")
    code.innerHTML = escaped((tex ?? "").trim())
    math.replaceWith(code)
  }
  for (const link of selectAll(document.body, "a[href]")) {
    const href = link.getAttribute("href") ?? ""
    if (href.startsWith("#")) continue
    if (/(?:^|\s)new(?:\s|$)/.test(link.className)) {
      link.replaceWith(link.textContent ?? "")
      continue
    }
    const page = pageAt(href)
    const target = /\bmw-redirect\b/.test(link.className) ? redirects.get(page?.title ?? "") : undefined
    const linked = target === undefined ? page : pageOf(target)
    const isCrawled = linked !== null && namespaces.includes(linked.namespace)
    link.setAttribute(
      "href",
      isCrawled
        ? linkBetween(path, pathOf(linked.title, linked.namespace)) + anchorOf(page?.fragment ?? "")
        : absolute(href)
    )
  }
  return convertFragment(document)
}

/** The heading of a section as a fragment. */
const anchorOf = (fragment: string): string =>
  fragment === "" ? "" : `#${encodeURIComponent(fragment.replaceAll("_", " "))}`

const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
