import type { Options } from "jsonld"
import {
  type RdfSource,
  reading,
  type Statement,
  type Vocabulary
} from "../../core/knowledge/vocabulary/index.js"
import { storableText } from "../../core/platform/kernel/index.js"

/** The vocabulary of a document, or its error as a sentence. */
export type Parsed = { readonly vocabulary: Vocabulary } | { readonly problem: string }

/** A term in the form that both libraries share. */
interface Term {
  readonly termType: string
  readonly value: string
  readonly language?: string
  readonly datatype?: { readonly value: string }
}
interface Quad {
  readonly subject: Term
  readonly predicate: Term
  readonly object: Term
}

/** Parses the vocabulary of a document. The libraries are loaded on first use and fetch nothing. */
export const parseVocabulary = async (source: RdfSource): Promise<Parsed> => {
  try {
    const { drop, end, take } = reading()
    const takeQuad = (quad: Quad): void => take(statementOf(quad))
    if (source.format === "json-ld") for (const quad of await jsonLd(source.document, drop)) takeQuad(quad)
    else await turtle(source, takeQuad)
    return { vocabulary: end() }
  } catch (error) {
    if (error instanceof Unread) return { problem: error.message }
    const other = source.format === "json-ld" ? undefined : otherSyntax(source.text, String(error))
    return { problem: other ?? problemOf(error) }
  }
}

/** A parse error with a message of our own. */
class Unread extends Error {}

/**
 * Relative IRIs are resolved against this base, so that what they identify is found and reported: without a base the
 * library drops the statements.
 */
const noBase = "no-base:///"

/** Stands before an IRI with a blank, which is encoded: the library drops statements about it. */
const withBlank = "with-blank:///"

/** Events of the library that tell of a dropped part of the document, and the field that names it. */
const drops: ReadonlyMap<string, string> = new Map([
  ["invalid property", "property"],
  ["relative graph reference", "graph"],
  ["relative subject reference", "subject"],
  ["relative predicate reference", "predicate"],
  ["relative object reference", "object"],
  ["relative @type reference", "type"],
  ["blank node predicate", "property"],
  ["free-floating scalar", "value"],
  ["object with only @language", "value"]
])

interface JsonLdEvent {
  readonly code?: unknown
  readonly details?: Readonly<Record<string, unknown>>
}

const jsonLd = async (
  document: unknown,
  drop: (word: string, about: string) => void
): Promise<ReadonlyArray<Quad>> => {
  const { default: jsonld } = await import("jsonld")
  let refused: string | undefined
  const documentLoader = async (url: string): Promise<never> => {
    refused = url
    throw new Unread("Nothing is fetched.")
  }
  const eventHandler = ({
    event,
    next
  }: {
    readonly event: JsonLdEvent
    readonly next: () => void
  }): void => {
    const field = drops.get(String(event.code))
    if (field !== undefined) {
      const named = event.details?.[field]
      const word = storableText(typeof named === "string" ? named : JSON.stringify(named ?? null)).slice(
        0,
        500
      )
      drop(word, String(event.code))
    }
    next()
  }
  // The types of the library lack its event handler.
  const options: Options.ToRdf & { readonly eventHandler: typeof eventHandler } = {
    base: noBase,
    documentLoader,
    eventHandler
  }
  try {
    // Without a format it returns quads, which its types do not declare.
    const expanded = await jsonld.expand(document as Parameters<typeof jsonld.expand>[0], options)
    encodeBlanks(expanded)
    const quads: unknown = await jsonld.toRDF(expanded, { ...options, skipExpansion: true })
    return quads as ReadonlyArray<Quad>
  } catch (error) {
    if (refused !== undefined)
      throw new Unread(`It refers to ${refused}, and nothing is fetched: its context must be inline.`)
    throw error
  }
}

/** Encodes the ids with blanks in an expanded document, in place. */
const encodeBlanks = (expanded: unknown): void => {
  const open: Array<unknown> = [expanded]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue
    if ("@id" in value && typeof value["@id"] === "string" && /\s/.test(value["@id"]))
      value["@id"] = withBlank + encodeURIComponent(value["@id"].toWellFormed())
    for (const one of Object.values(value)) if (typeof one === "object" && one !== null) open.push(one)
  }
}

/** Passes on each statement as it is parsed, so that a large document is never held as statements. */
const turtle = async (
  { format, text }: Exclude<RdfSource, { readonly format: "json-ld" }>,
  take: (quad: Quad) => void
): Promise<void> => {
  const { Parser } = await import("n3")
  const parser = new Parser({ format: format === "turtle" ? "text/turtle" : "application/n-triples" })
  return new Promise((done, failed) => {
    parser.parse(text, (error, quad) => {
      if (error) failed(error)
      else if (quad === null) done()
      else take(quad)
    })
  })
}

const statementOf = ({ object, predicate, subject }: Quad): Statement => ({
  subject: nodeOf(subject),
  predicate: storableText(predicate.value),
  object:
    object.termType === "Literal"
      ? {
          kind: "literal",
          text: storableText(object.value),
          language: object.language ?? "",
          datatype: plain.has(object.datatype?.value ?? "") ? "" : (object.datatype?.value ?? "")
        }
      : { kind: "node", id: nodeOf(object) }
})

/** Datatypes of plain text. */
const plain: ReadonlySet<string> = new Set([
  "",
  "http://www.w3.org/2001/XMLSchema#string",
  "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
])

/**
 * Returns the IRI of a node; blank nodes get the prefix `_:` regardless of the library, and IRIs that are relative or
 * have blanks stay as they are.
 */
const nodeOf = ({ termType, value }: Term): string =>
  storableText(
    termType === "BlankNode"
      ? `_:${value.replace(/^_:/, "")}`
      : value.startsWith(withBlank)
        ? decodeURIComponent(value.slice(withBlank.length))
        : value.startsWith(noBase)
          ? value.slice(noBase.length) || "."
          : value
  )

/** Recognizes the syntax of a text that is neither Turtle nor N-Triples, by its beginning or the parse error. */
const otherSyntax = (text: string, error: string): string | undefined => {
  const start = text.slice(0, 200).trimStart()
  const is = /^<(\?xml|rdf:|!doctype)/i.test(start)
    ? "It is XML"
    : /^\{/.test(start)
      ? "It is JSON"
      : /got \{|Expected punctuation to follow "http|Unexpected graph/.test(error)
        ? "It names graphs, as TriG and N-Quads do"
        : undefined
  return is === undefined
    ? undefined
    : `${is}: read are Turtle, N-Triples and JSON-LD, each given as what it is.`
}

const problemOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return `It is no RDF: ${message.split("\n", 1)[0] ?? ""}`.slice(0, 500)
}
