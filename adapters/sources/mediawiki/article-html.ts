import { linkBetween } from "../item-path.js"
import type { Site } from "./site.js"

/** Parts of a rendered page that are no text of the article. */
const apparatus =
  ".mw-editsection,.toc,#toc,.navbox,.navbox-styles,.vertical-navbox,.catlinks,.noprint,.mw-jump-link,.mw-cite-backlink,.mw-empty-elt,.mw-references-wrap .mw-cite-backlink,style,script,.error.mw-ext-cite-error,.sistersitebox,.metadata.plainlinks,.mw-indicators"

/** The content of an article. `html` needs to know where the redirects lead. */
export interface Article {
  readonly html: (redirects: ReadonlyMap<string, string>) => string
  /** Titles of linked pages that are redirects. */
  readonly redirects: ReadonlyArray<string>
}

/**
 * Cleans a rendered page: without boxes for navigation and editing, formulas as TeX, links to pages that are crawled
 * as links between documents, others as full addresses, links to pages that do not exist as text.
 */
export const articleHtml = async (
  html: string,
  path: string,
  site: Site,
  namespaces: ReadonlyArray<number>
): Promise<Article> => {
  const { parseHtml, selectAll } = await import("../../formats/dom.js")
  const document = parseHtml(html)
  for (const element of selectAll(document.body, apparatus)) element.remove()
  for (const math of selectAll(document.body, ".mwe-math-element")) {
    const tex =
      selectAll(math, "annotation")[0]?.textContent ?? math.querySelector("img")?.getAttribute("alt")
    const code = document.createElement("code")
    code.innerHTML = escaped((tex ?? "").trim())
    math.replaceWith(code)
  }
  const links = selectAll(document.body, "a[href]").flatMap((element) => {
    const href = element.getAttribute("href") ?? ""
    if (href.startsWith("#")) return []
    if (/(?:^|\s)new(?:\s|$)/.test(element.className)) {
      element.replaceWith(element.textContent ?? "")
      return []
    }
    const page = site.pageAt(href)
    return [{ element, href, page, isRedirect: /\bmw-redirect\b/.test(element.className) }]
  })
  const redirects = links.flatMap(({ isRedirect, page }) => (isRedirect && page !== null ? [page.title] : []))
  return {
    redirects: [...new Set(redirects)],
    html: (targets) => {
      for (const { element, href, isRedirect, page } of links) {
        const target = isRedirect ? targets.get(page?.title ?? "") : undefined
        const linked = target === undefined ? page : site.pageOf(target)
        element.setAttribute(
          "href",
          linked !== null && namespaces.includes(linked.namespace)
            ? linkBetween(path, site.pathOf(linked.title, linked.namespace)) + anchorOf(page?.fragment ?? "")
            : site.absolute(href)
        )
      }
      return document.body.innerHTML
    }
  }
}

/** The heading of a section as a fragment. */
const anchorOf = (fragment: string): string =>
  fragment === "" ? "" : `#${encodeURIComponent(fragment.replaceAll("_", " "))}`

const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
