import { createRequire } from "node:module"
import { broken, tooLarge } from "./converted.js"
import type { FormulaNode } from "./formulas.js"
import { readXml } from "./xml-events.js"

/** An element of an XML document, as far as the converters use it. */
export interface XmlElement {
  readonly nodeType: number
  readonly nodeName: string
  /** The name without its prefix. */
  readonly localName: string
  readonly textContent: string | null
  readonly childNodes: ArrayLike<XmlElement>
  readonly parentNode: XmlElement | null
  readonly getElementsByTagName: (name: string) => ArrayLike<XmlElement>
}

interface XmlDom {
  readonly DOMParser: new (options: {
    readonly errorHandler: Readonly<Record<"warning" | "error" | "fatalError", (message: string) => void>>
  }) => {
    readonly parseFromString: (
      text: string,
      mediaType: string
    ) => { readonly documentElement?: XmlElement | null } | undefined
  }
}

// Its type declarations bring the whole DOM library of browsers along.
const { DOMParser }: XmlDom = createRequire(import.meta.url)("@xmldom/xmldom")

/** Characters of one XML file; what is larger takes too long to be parsed. */
const xmlCharsMax = 64 * 1024 * 1024

/** Parses XML and gives its root; entities that a document declares are not expanded. */
export const parseXml = (text: string): XmlElement => {
  if (text.length > xmlCharsMax) throw tooLarge("A part of the file is too large to be parsed.")
  const fail = (message: string): never => {
    throw broken(`The file holds XML that cannot be parsed: ${message.split("\n", 1)[0] ?? ""}`)
  }
  requireWellFormed(text)
  const errorHandler = { warning: () => {}, error: () => {}, fatalError: fail }
  const root = new DOMParser({ errorHandler }).parseFromString(text, "text/xml")?.documentElement
  return root ?? fail("it has no root element.")
}

/** Refuses XML with wrong or missing end tags, of which the parser makes a document that the file does not hold. */
export const requireWellFormed = (text: string): void =>
  readXml(text, {}, { elements: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY })

/** The value of an attribute; null where the element does not have it, for which the parser itself returns "". */
export const attributeOf = (element: XmlElement | undefined, name: string): string | null => {
  const { getAttribute, hasAttribute } = (element ?? {}) as Partial<AttributesOfParser>
  return hasAttribute?.call(element, name) === true ? (getAttribute?.call(element, name) ?? null) : null
}

interface AttributesOfParser {
  readonly hasAttribute: (name: string) => boolean
  readonly getAttribute: (name: string) => string | null
}

/** The child elements. */
export const elementsOf = (element: XmlElement): ReadonlyArray<XmlElement> =>
  Array.from(element.childNodes).filter(({ nodeType }) => nodeType === 1)

/** The first child of that name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element === undefined ? undefined : elementsOf(element).find(({ nodeName }) => nodeName === name)

/** The descendants of that name, prefix included, in document order. */
export const allOf = (element: XmlElement, name: string): ReadonlyArray<XmlElement> =>
  Array.from(element.getElementsByTagName(name))

/** The text of the first descendant of that name. */
export const textOf = (element: XmlElement | undefined, name: string): string | null =>
  element === undefined ? null : (allOf(element, name)[0]?.textContent ?? null)

/** Text for use in HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`)

/** A formula of an Office file or an OpenDocument file; attributes are found with and without their prefix. */
export const xmlFormula = (element: XmlElement): FormulaNode => ({
  name: element.localName,
  text: element.textContent ?? "",
  children: elementsOf(element).map(xmlFormula),
  attribute: (name) => attributeOf(element, name) ?? attributeOf(element, `m:${name}`)
})
