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
    const { end, take } = reading()
    const takeQuad = (quad: Quad): void => take(statementOf(quad))
    if (source.format === "json-ld") for (const quad of await jsonLd(source.document)) takeQuad(quad)
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

const jsonLd = async (document: unknown): Promise<ReadonlyArray<Quad>> => {
  const { default: jsonld } = await import("jsonld")
  let refused: string | undefined
  const documentLoader = async (url: string): Promise<never> => {
    refused = url
    throw new Unread("Nothing is fetched.")
  }
  const options: Options.ToRdf = { documentLoader }
  try {
    // Without a format it returns quads, which its types do not declare.
    const quads: unknown = await jsonld.toRDF(document as Parameters<typeof jsonld.toRDF>[0], options)
    return quads as ReadonlyArray<Quad>
  } catch (error) {
    if (refused !== undefined)
      throw new Unread(`It refers to ${refused}, and nothing is fetched: its context must be inline.`)
    throw error
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

/** Returns the IRI of a node; blank nodes get the prefix `_:` regardless of the library. */
const nodeOf = ({ termType, value }: Term): string =>
  storableText(termType === "BlankNode" ? `_:${value.replace(/^_:/, "")}` : value)

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
