import jsonld from "jsonld"
import { Parser, Store } from "n3"
import SHACLValidator from "rdf-validate-shacl"
import { textOf } from "./tree.js"

const nothingIsFetched = async (url: string): Promise<never> => {
  throw new Error(`It refers to ${url}.`)
}

/** The statements of a JSON-LD document, by a library that is not ours. */
export const statementsOf = async (document: object): Promise<Store> => {
  const text: unknown = await jsonld.toRDF(document as Parameters<typeof jsonld.toRDF>[0], {
    format: "application/n-quads",
    documentLoader: nothingIsFetched
  })
  return new Store(new Parser({ format: "application/n-quads" }).parse(String(text)))
}

export const turtleOf = (text: string): Store => new Store(new Parser().parse(text))

const shapes = turtleOf(textOf("test/fixtures/skos-shapes.ttl"))

/** The shapes that the statements break, each with the node that does; a shape is named where it is one of ours. */
export const complaintsAbout = async (data: Store): Promise<ReadonlyArray<string>> => {
  const report = await new SHACLValidator(shapes).validate(data)
  return report.results.map(({ focusNode, sourceShape }) => {
    const shape = sourceShape?.value ?? ""
    const [parent] = shapes
      .getQuads(null, "http://www.w3.org/ns/shacl#property", null, null)
      .flatMap((quad) => (quad.object.value === shape ? [quad.subject.value] : []))
    return `${(parent ?? shape).slice(ours.length)} ${focusNode?.value ?? ""}`
  })
}

const ours = "urn:kanon:shapes#"

export const skos = "http://www.w3.org/2004/02/skos/core#"
