import { createRequire } from "node:module"
import { tooLarge } from "./converted.js"

/** A node of an HTML document, as far as the converters use it. */
export interface HtmlNode {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly parentNode: HtmlElement | null
  readonly firstChild: HtmlNode | null
  readonly previousSibling: HtmlNode | null
  readonly nextSibling: HtmlNode | null
  readonly childNodes: ArrayLike<HtmlNode>
}

export interface HtmlElement extends HtmlNode {
  readonly className: string
  readonly previousElementSibling: HtmlElement | null
  readonly children: ArrayLike<HtmlElement>
  innerHTML: string
  readonly getAttribute: (name: string) => string | null
  readonly setAttribute: (name: string, value: string) => void
  readonly hasAttribute: (name: string) => boolean
  readonly remove: () => void
  readonly replaceWith: (...nodes: ReadonlyArray<HtmlNode | string>) => void
  readonly querySelector: (selector: string) => HtmlElement | null
  readonly querySelectorAll: (selector: string) => ArrayLike<HtmlElement>
}

export interface HtmlDocument extends HtmlElement {
  readonly body: HtmlElement
  readonly documentElement: HtmlElement
  readonly createElement: (name: string) => HtmlElement
}

interface Domino {
  readonly createDocument: (html: string) => HtmlDocument
}

// Its type declarations name a module that does not exist.
const domino: Domino = createRequire(import.meta.url)("@mixmark-io/domino")

/** Parses HTML as browsers do. Nothing is fetched, no script runs. Throws for a page that is too large or too deep. */
export const parseHtml = (html: string): HtmlDocument => {
  refuseTooLarge(html)
  return domino.createDocument(html)
}

/** Elements of a page, and how deep it is nested: the parser takes quadratic time for depth. */
const [elementsMax, depthMax] = [500_000, 1000]
/** Elements that authors leave open, or that have no end. */
const openElements = new Set(
  "a area b base big body br code col colgroup dd dt em embed font head hr html i img input li link meta nobr option p param s small source strike strong tbody td tfoot th thead tr track tt u wbr".split(
    " "
  )
)

const refuseTooLarge = (html: string): void => {
  let [elements, depth] = [0, 0]
  for (const [tag, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9:-]*)/gi)) {
    if (slash === "") elements += 1
    if (elements > elementsMax) throw tooLarge(`The page has more than ${elementsMax} elements.`)
    if (openElements.has(name.toLowerCase()) || tag.length > 50) continue
    depth = Math.max(0, depth + (slash === "" ? 1 : -1))
    if (depth > depthMax) throw tooLarge(`The page is nested more than ${depthMax} deep.`)
  }
}

export const selectAll = (root: HtmlElement, selector: string): ReadonlyArray<HtmlElement> => {
  try {
    return Array.from(root.querySelectorAll(selector))
  } catch {
    // A selector that the library does not know, as a style sheet may hold it.
    return []
  }
}

/** Returns a node that Turndown passes to a rule. It declares nodes of a browser, but is given those of this module. */
export const elementOf = (node: unknown): HtmlElement => node as HtmlElement
