/** Reads one page of a web site: its text, its links, and what it says to robots. Runs in the child process. */
import { firstHeading } from "../../../core/files/markdown/index.js"
import { completed } from "../../formats/converted.js"
import { type HtmlDocument, type HtmlElement, selectAll } from "../../formats/dom.js"
import { convertDocument, readHtml } from "../../formats/html.js"
import { linkBetween } from "../item-path.js"
import { canonicalAddress, isWithin, pathOfAddress, type WebScope } from "./addresses.js"

export interface PageInput {
  readonly bytes: Uint8Array
  /** The encoding that the server tells. */
  readonly charset: string | null
  /** The canonical address of the page. */
  readonly address: string
  readonly scope: WebScope
}

export interface WebPage {
  readonly markdown: string
  readonly title: string | null
  readonly author: string | null
  readonly createdAt: string | null
  readonly modifiedAt: string | null
  /** Canonical addresses within the scope, each once, in the order of the page. */
  readonly links: ReadonlyArray<string>
  /** The address that the page names as its own, on the same site; null without one. */
  readonly canonical: string | null
  readonly isIndexed: boolean
  readonly isFollowed: boolean
  readonly warnings: ReadonlyArray<string>
}

const linksMax = 5000
/** A note about cookies is short; a page about cookies is not one. */
const noteMaxLength = 1500

const apparatus =
  "a.hash-link,a.headerlink,a.header-anchor,a.anchor,a.anchorjs-link,a.md-content__button,a.skip-link,[class*=skip-to],[class*=skipToContent],.breadcrumbs,.breadcrumb,.theme-edit-this-page,.theme-doc-toc-mobile,.theme-doc-footer,.theme-doc-version-badge,.edit-this-page,.pagination-nav,.prev-next,.md-source-file,.toc,#toc,#TOC,.table-of-contents"
const notes =
  "[id*=cookie],[class*=cookie],[id*=consent],[class*=consent],[class*=gdpr],[id*=gdpr],[aria-label*=cookie],[aria-label*=Cookie]"

/** Reads a page of HTML. */
export const readPage = async ({ address, bytes, charset, scope }: PageInput): Promise<WebPage> => {
  const document = readHtml(bytes, charset)
  const base = baseOf(document, address)
  const robots = robotsOf(document)
  const named = selectAll(document, "link[rel=canonical][href]")[0]?.getAttribute("href") ?? null
  const canonical = named === null ? null : canonicalAddress(named, base, scope)
  const links = new Set<string>()
  const path = pathOfAddress(address, scope)
  for (const link of selectAll(document.body, "a[href]")) {
    const href = link.getAttribute("href") ?? ""
    if (/^\s*#/.test(href)) continue
    const target = canonicalAddress(href, base, scope)
    const isInside = target !== null && isWithin(target, scope)
    const isPointed = !/\b(?:nofollow|ugc|sponsored)\b/i.test(link.getAttribute("rel") ?? "")
    if (isInside && isPointed && links.size < linksMax) links.add(target)
    const { hash = "" } = URL.parse(href, base) ?? {}
    if (isInside && isPointed)
      link.setAttribute("href", linkBetween(path, pathOfAddress(target, scope)) + hash)
    else link.setAttribute("href", URL.parse(href, base)?.href ?? href)
  }
  for (const element of selectAll(document.body, apparatus)) element.remove()
  for (const element of selectAll(document.body, notes)) if (isNote(element)) element.remove()
  for (const anchor of selectAll(document.body, "h1 a,h2 a,h3 a,h4 a,h5 a,h6 a"))
    if (/^[\s#¶§🔗\u200b]*$/u.test(anchor.textContent ?? "")) anchor.remove()
  const page = await completed("text/html", convertDocument(document, { html: "page" }))
  return {
    markdown: page.markdown,
    title: firstHeading(page.markdown) ?? page.title,
    author: page.author,
    createdAt: page.createdAt,
    modifiedAt: page.modifiedAt,
    links: [...links],
    canonical,
    isIndexed: !/\b(?:noindex|none)\b/i.test(robots),
    isFollowed: !/\b(?:nofollow|none)\b/i.test(robots),
    warnings: page.warnings.map(({ message }) => message)
  }
}

const baseOf = (document: HtmlDocument, address: string): string => {
  const href = selectAll(document, "base[href]")[0]?.getAttribute("href") ?? ""
  return URL.parse(href, address)?.href ?? address
}

const robotsOf = (document: HtmlDocument): string =>
  selectAll(document, "meta[name][content]")
    .filter((meta) => /^(?:robots|kanon)$/i.test(meta.getAttribute("name") ?? ""))
    .map((meta) => meta.getAttribute("content") ?? "")
    .join(",")

const isNote = (element: HtmlElement): boolean =>
  !/^(?:BODY|MAIN|ARTICLE|H[1-6]|CODE|PRE|A)$/.test(element.nodeName) &&
  (element.textContent ?? "").trim().length <= noteMaxLength &&
  selectAll(element, "main,article,h1").length === 0 &&
  selectAll(element, "button,[role=button],input").length > 0
