import type { Options } from "jsonld"
import { type RdfSource, type Statement, type Vocabulary, vocabularyOf } from "../../core/vocabulary/index.js"

/** What was read of a document, or, as a sentence, what is wrong with it. */
export type Parsed = { readonly vocabulary: Vocabulary } | { readonly problem: string }

/** A term as both libraries have it. */
interface Term {
  readonly termType: string
  readonly value: string
  readonly language?: string
}
interface Quad {
  readonly subject: Term
  readonly predicate: Term
  readonly object: Term
}

/** The vocabulary in a document. The libraries are loaded when they are needed, and never fetch anything. */
export const parseVocabulary = async (source: RdfSource): Promise<Parsed> => {
  try {
    const quads = source.format === "json-ld" ? await jsonLd(source.document) : await turtle(source)
    return { vocabulary: vocabularyOf(statements(quads)) }
  } catch (error) {
    return { problem: error instanceof Unread ? error.message : problemOf(error) }
  }
}

/** What is wrong with a document in our own words. */
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
    // Without a format it gives the quads themselves, which its types do not know.
    const quads: unknown = await jsonld.toRDF(document as Parameters<typeof jsonld.toRDF>[0], options)
    return quads as ReadonlyArray<Quad>
  } catch (error) {
    if (refused !== undefined)
      throw new Unread(`It refers to ${refused}, and nothing is fetched: its context must stand in it.`)
    throw error
  }
}

const turtle = async ({
  format,
  text
}: Exclude<RdfSource, { readonly format: "json-ld" }>): Promise<ReadonlyArray<Quad>> => {
  const { Parser } = await import("n3")
  return new Parser({ format: format === "turtle" ? "text/turtle" : "application/n-triples" }).parse(text)
}

function* statements(quads: ReadonlyArray<Quad>): Generator<Statement> {
  for (const { object, predicate, subject } of quads)
    yield {
      subject: nodeOf(subject),
      predicate: predicate.value,
      object:
        object.termType === "Literal"
          ? { kind: "literal", text: object.value, language: object.language ?? "" }
          : { kind: "node", id: nodeOf(object) }
    }
}

/** Labels of blank nodes are no IRIs, whichever way a library writes them. */
const nodeOf = ({ termType, value }: Term): string =>
  termType === "BlankNode" ? `_:${value.replace(/^_:/, "")}` : value

const problemOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return `It is no RDF: ${message.split("\n", 1)[0] ?? ""}`.slice(0, 500)
}
