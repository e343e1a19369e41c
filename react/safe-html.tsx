import { createElement, type ReactNode } from "react"
import { markSpans, type Span } from "./marks.js"
import { parseInert } from "./trusted.js"

/** Elements that are shown; of any other the content is. */
const shown = new Set(
  (
    "a abbr b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p " +
    "pre q s samp section small span strong sub summary sup table tbody td tfoot th thead tr u ul var"
  ).split(" ")
)
/** Elements whose content is not text for people. */
const dropped = new Set([
  "script",
  "style",
  "template",
  "iframe",
  "object",
  "embed",
  "noscript",
  "math",
  "svg",
  "title"
])
const empty = new Set(["br", "hr", "img", "input"])
const withDirection = new Set([
  "p",
  "li",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "td",
  "th",
  "blockquote",
  "dt",
  "dd",
  "summary",
  "caption"
])
const betweenCells = new Set(["TABLE", "THEAD", "TBODY", "TFOOT", "TR"])
const numbers = { start: "start", colspan: "colSpan", rowspan: "rowSpan" } as const

export interface HtmlOptions {
  /** The text that the HTML was made from, for marks. */
  readonly content?: string | undefined
  readonly marks?: ReadonlyArray<Span> | undefined
  /** The address to load an image from; null shows its description instead. Without it no image is shown. */
  readonly imageUrl?: ((source: string) => string | null) | undefined
  /** A link that is not http(s) or mailto, such as one to another document; null shows its text. */
  readonly linkUrl?: ((target: string) => string | null) | undefined
  /** The name of the metadata at the head of a document, which are folded. */
  readonly frontMatterLabel?: string | undefined
}

const outside = /^(?:https?:|mailto:)/i

/**
 * Renders HTML of the server as React elements: known elements without foreign attributes, links to http(s) and mailto,
 * images of the given addresses. It never becomes HTML of the page, so nothing in it runs.
 */
export const renderHtml = (html: string, options: HtmlOptions = {}): ReactNode => {
  const { body } = parseInert(html)
  if (options.content !== undefined && options.marks !== undefined)
    markSpans(body, options.content, options.marks)
  return childrenOf(body, options)
}

const childrenOf = (parent: Node, options: HtmlOptions): ReadonlyArray<ReactNode> =>
  [...parent.childNodes].map((node, index) => nodeOf(node, index, options))

const nodeOf = (node: ChildNode, key: number, options: HtmlOptions): ReactNode => {
  // Between rows and cells white space is no text.
  if (node.nodeType === 3) return betweenCells.has(node.parentNode?.nodeName ?? "") ? null : node.nodeValue
  if (node.nodeType !== 1) return null
  const element = node as Element
  const name = element.localName
  if (dropped.has(name)) return null
  if (!shown.has(name)) return childrenOf(element, options)
  if (name === "img") return imageOf(element, key, options)
  if (name === "input") {
    if (element.getAttribute("type") !== "checkbox") return null
    return <input key={key} type="checkbox" disabled checked={element.hasAttribute("checked")} readOnly />
  }
  if (name === "pre" && element.classList.contains("front-matter"))
    return (
      <details key={key} className="kanon-front-matter" {...attributesOf(element, "details")}>
        <summary>{options.frontMatterLabel ?? "Properties"}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
        <pre tabIndex={0}>{element.textContent}</pre>
      </details>
    )
  const link = name === "a" ? linkOf(element, options) : {}
  if (link === null) return childrenOf(element, options)
  const properties = { key, ...attributesOf(element, name), ...link }
  return empty.has(name)
    ? createElement(name, properties)
    : createElement(name, properties, ...childrenOf(element, options))
}

const attributesOf = (element: Element, name: string): Readonly<Record<string, unknown>> => {
  const given: Record<string, unknown> = {}
  for (const [attribute, property] of Object.entries(numbers)) {
    const value = Number.parseInt(element.getAttribute(attribute) ?? "", 10)
    if (!Number.isNaN(value)) given[property] = value
  }
  for (const attribute of ["data-start", "data-end"])
    if (element.hasAttribute(attribute)) given[attribute] = element.getAttribute(attribute)
  // Headings and footnotes are targets of links within the document.
  if (/^[\p{L}\p{N}_.:-]{1,200}$/u.test(element.id)) given["id"] = `text-${element.id}`
  if (withDirection.has(name)) given["dir"] = "auto"
  if (name === "mark") given["data-testid"] = "source-mark"
  if (name === "pre") given["tabIndex"] = 0
  return given
}

const linkOf = (element: Element, { linkUrl }: HtmlOptions): Readonly<Record<string, string>> | null => {
  const target = element.getAttribute("href") ?? ""
  if (outside.test(target)) return { href: target, rel: "noopener noreferrer", target: "_blank" }
  if (target.startsWith("#"))
    return { href: `${location.pathname}${location.search}#text-${target.slice(1)}` }
  const url = target === "" ? null : (linkUrl?.(target) ?? null)
  return url === null || /^[a-z][a-z0-9+.-]*:/i.test(url) ? null : { href: url }
}

const imageOf = (element: Element, key: number, { imageUrl }: HtmlOptions): ReactNode => {
  const alt = element.getAttribute("alt") ?? ""
  const url = imageUrl?.(element.getAttribute("src") ?? "") ?? null
  return url === null ? <span key={key}>{alt}</span> : <img key={key} src={url} alt={alt} loading="lazy" />
}
