import { createRequire } from "node:module"

/** A node of an HTML document, as far as the converters use it. */
export interface HtmlNode {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly parentNode: HtmlElement | null
  readonly firstChild: HtmlNode | null
  readonly childNodes: ArrayLike<HtmlNode>
}

export interface HtmlElement extends HtmlNode {
  readonly className: string
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

/** Parses HTML as browsers do. Nothing is fetched, no script runs. */
export const parseHtml = (html: string): HtmlDocument => domino.createDocument(html)

export const selectAll = (root: HtmlElement, selector: string): ReadonlyArray<HtmlElement> => {
  try {
    return Array.from(root.querySelectorAll(selector))
  } catch {
    // A selector that the library does not know, as a style sheet may hold it.
    return []
  }
}
