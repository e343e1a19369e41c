import { createRequire } from "node:module"
import { broken, tooLarge } from "./converted.js"

type Decode = (text: string) => string

interface Saxen {
  readonly Parser: new () => {
    readonly on: ((event: "error", hear: (error: Error) => void) => void) &
      ((event: "openTag", hear: (name: string, attributes: () => unknown, decode: Decode) => void) => void) &
      ((event: "text", hear: (text: string, decode: Decode) => void) => void) &
      ((event: "cdata", hear: (text: string) => void) => void) &
      ((event: "closeTag", hear: (name: string) => void) => void)
    readonly parse: (text: string) => void
  }
}

// The library brings no type declarations.
const { Parser }: Saxen = createRequire(import.meta.url)("saxen")

/** Elements and depth of one XML file. */
export interface XmlBounds {
  readonly elements: number
  readonly depth: number
}

/** Callbacks for each element; names of elements come without their prefixes. */
export interface XmlEvents {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void
  /** The text between the tags of an element, entities decoded; nothing of the elements within it. */
  readonly close?: (name: string, text: string) => void
}

/**
 * Reads XML in one pass without keeping it. Entities that a document declares are not expanded.
 *
 * @throws ConversionError when it is broken, nested too deeply or has too many elements.
 */
export const readXml = (text: string, events: XmlEvents, bounds: XmlBounds): void => {
  const parser = new Parser()
  const texts: Array<string> = []
  let elements = 0
  parser.on("error", (error) => {
    throw broken(`The file holds XML that cannot be parsed: ${error.message.split("\n", 1)[0] ?? ""}`)
  })
  parser.on("openTag", (name, attributes, decode) => {
    elements += 1
    if (elements > bounds.elements) throw tooLarge(`It has more than ${bounds.elements} elements.`)
    if (texts.length >= bounds.depth) throw tooLarge(`It is nested more than ${bounds.depth} deep.`)
    texts.push("")
    events.open?.(localName(name), events.open === undefined ? {} : decoded(attributes(), decode))
  })
  const add = (part: string): void => {
    if (texts.length > 0) texts[texts.length - 1] += part
  }
  parser.on("text", (part, decode) => add(part.includes("&") ? decode(part) : part))
  parser.on("cdata", add)
  parser.on("closeTag", (name) => events.close?.(localName(name), texts.pop() ?? ""))
  parser.parse(text)
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

const decoded = (attributes: unknown, decode: Decode): Readonly<Record<string, string>> =>
  typeof attributes === "object" && attributes !== null
    ? Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, decode(String(value))]))
    : {}
