/** A second, simple way to read the plain text of a file. `conserved-values.ts` compares the Markdown with it. */
import { edges } from "./conserved-values.js"
import type { HtmlElement, HtmlNode } from "./dom.js"

/** How to read the text of an XML format. Each pattern matches whole names of elements. */
export interface PlainRules {
  /** Elements whose own text is read; all elements by default. */
  readonly texts?: RegExp
  /** Elements that end a line, and elements that are read as a blank. */
  readonly lines: RegExp
  readonly blanks: RegExp
  /** Elements that are left out with their content. */
  readonly skipped: RegExp
  /** Elements whose text never continues a number beside them. */
  readonly apart: RegExp
  /**
   * For an element that formats one of its ancestors: how many levels up the ancestor is, and whether it is hidden or
   * how its text is set. Null for other elements.
   */
  readonly about?: (
    name: string,
    tag: string
  ) => { readonly above: number; readonly is: "hidden" | keyof typeof edges } | null
}

const tokens =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([^\s/>!?]+)((?:"[^"]*"|'[^']*'|[^"'>])*)>|<[^>]*>|([^<]+)/g

/** The text of a well-formed XML file, without a parser. */
export const plainXml = (xml: string, rules: PlainRules): string => {
  const out: Array<string> = []
  const names: Array<string> = []
  /** The depth at which something hidden ends, and those at which text that stands apart ends. */
  let hiddenAt = Number.POSITIVE_INFINITY
  const apartAt: Array<{ readonly depth: number; readonly edge: string }> = []
  const leave = (name: string): void => {
    names.pop()
    if (names.length < hiddenAt) hiddenAt = Number.POSITIVE_INFINITY
    while ((apartAt.at(-1)?.depth ?? -1) > names.length) out.push(apartAt.pop()?.edge ?? "")
    if (rules.lines.test(name)) out.push("\n")
    else if (rules.blanks.test(name)) out.push(" ")
    else if (rules.apart.test(name)) out.push(edges.apart[1])
  }
  for (const [, data, slash, name, attributes = "", text] of xml.matchAll(tokens)) {
    if (name === undefined) {
      const shown = data ?? (text === undefined ? "" : decoded(text))
      if (hiddenAt === Number.POSITIVE_INFINITY && (rules.texts?.test(names.at(-1) ?? "") ?? true))
        out.push(shown.replace(/\s+/g, " "))
      continue
    }
    if (slash === "/") {
      leave(name)
      continue
    }
    names.push(name)
    if (rules.skipped.test(name)) hiddenAt = Math.min(hiddenAt, names.length)
    else if (rules.apart.test(name)) out.push(edges.apart[0])
    const about = rules.about?.(name, attributes) ?? null
    if (about?.is === "hidden") hiddenAt = Math.min(hiddenAt, names.length - about.above)
    else if (about !== null) {
      const [before, after] = edges[about.is]
      out.push(before)
      apartAt.push({ depth: names.length - about.above, edge: after })
    }
    if (attributes.endsWith("/")) leave(name)
  }
  return out.join("")
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const decoded = (text: string): string =>
  text.includes("&")
    ? text.replace(
        /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi,
        (found, decimal, hexadecimal, name: string) => {
          const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal ?? "", 16)
          if (Number.isNaN(code)) return entities[name] ?? found
          return code <= 0x10ffff ? String.fromCodePoint(code) : found
        }
      )
    : text

const inlineNames =
  /^(?:ABBR|ACRONYM|B|BDI|BDO|BIG|CITE|CODE|DATA|DEL|DFN|EM|FONT|I|INS|KBD|LABEL|MARK|NOBR|Q|S|SAMP|SMALL|SPAN|STRIKE|STRONG|TIME|TT|U|VAR|WBR)$/

/** The text of an HTML element whose unseen parts are gone. `edgeOf` gives what stands on both sides of one. */
export const plainHtml = (
  root: HtmlElement,
  edgeOf: (element: HtmlNode) => keyof typeof edges | null
): string => {
  const out: Array<string> = []
  const visit = (node: HtmlNode, isCode: boolean): void => {
    if (node.nodeType === 3)
      out.push(isCode ? (node.textContent ?? "") : (node.textContent ?? "").replace(/\s+/g, " "))
    if (node.nodeType !== 1) return
    const mark = edgeOf(node)
    const edge = inlineNames.test(node.nodeName) ? "" : "\n"
    const [before, after] = mark === null ? [edge, edge] : edges[mark]
    out.push(before)
    for (const child of Array.from(node.childNodes)) visit(child, isCode || node.nodeName === "PRE")
    out.push(after)
  }
  visit(root, false)
  return out.join("")
}
