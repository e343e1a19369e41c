import {
  type ApiDocument,
  type ApiOperation,
  bodyOf,
  isSchema,
  nameAt,
  ownParameters,
  type Schema
} from "../../tools/api-document.js"

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

export interface Field {
  readonly name: string
  readonly place: "path" | "query" | "body"
  readonly required: boolean
  readonly schema: Schema
}

/** The prefix of the ids that a schema takes, if it takes ids: of one, of the first of some kinds, or of a list. */
export const idPrefixOf = (document: ApiDocument, schema: Schema): string | undefined => {
  const { $ref, anyOf, items, pattern } = schema
  if (Array.isArray(anyOf) && isSchema(anyOf[0])) return idPrefixOf(document, anyOf[0])
  if (typeof $ref === "string") return idPrefixOf(document, document.components.schemas[nameAt($ref)] ?? {})
  if (isSchema(items)) return idPrefixOf(document, items)
  return typeof pattern === "string" ? /^\^([a-z]+)_/.exec(pattern)?.[1] : undefined
}

/** Every field of an operation, wherever it stands. */
export const inputFields = (document: ApiDocument, operation: ApiOperation): ReadonlyArray<Field> => {
  const { properties, required } = bodyOf(document, operation)
  return [
    ...ownParameters(operation).flatMap(({ in: place, name, required: needed, schema }) =>
      place === "header" ? [] : [{ name, place, required: needed, schema }]
    ),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      place: "body" as const,
      required: required.includes(name),
      schema
    }))
  ]
}

/** Values of text fields unless a test sets others. */
const texts: Readonly<Record<string, unknown>> = {
  slug: "live-secrets",
  title: "A title",
  sql: "select 1 as one",
  settings: { path: "/nowhere.sqlite" },
  "createDataConnector.kind": "sqlite",
  "createContentConnector.kind": "markdown_upload",
  question: "What is it?",
  q: "secret",
  text: "It is so.",
  content: "text",
  path: "moved/away.md",
  name: "A name",
  type: "thing",
  kind: "retry",
  scopes: ["kb:read"],
  authority: "curated",
  ownerId: "ada",
  lifecycleStatus: "draft",
  verification: "verified",
  document: {
    "@context": { "@vocab": "http://www.w3.org/2004/02/skos/core#" },
    "@id": "https://example.org/a",
    "@type": "Concept",
    prefLabel: "A concept"
  },
  set: "seed",
  suite: "retrieval",
  "createReport.kind": "coverage",
  "putQrels.judgments": [{ set: "seed", queryId: "q2", query: "What is it?", expectAbstain: true }],
  input: "Hello.",
  decision: "deny",
  "addRunFeedback.kind": "thumb",
  "addRunFeedback.value": { thumb: "up" },
  "proposeChange.kind": "update",
  "proposeChange.payload": { description: "Said otherwise." }
}

/** A value that an operation accepts for a field, unless the schema says enough. */
export const exampleOf = ({ operationId }: ApiOperation, name: string): unknown =>
  texts[`${operationId}.${name}`] ?? texts[name]

/**
 * A request that only its ids decide about: the fields that must be there, those that are given, and the ids of
 * a workspace where ids belong.
 */
export const requestOf = (
  document: ApiDocument,
  operation: ApiOperation,
  ids: Readonly<Record<string, string>>,
  given: Readonly<Record<string, unknown>> = {}
): {
  readonly request: Request
  readonly fields: ReadonlyArray<Field>
  /** The values of its path and query, by name. */
  readonly values: Readonly<Record<"path" | "query", Readonly<Record<string, unknown>>>>
} => {
  const fields = inputFields(document, operation)
  const valueOf = ({ name, schema }: Field): unknown => {
    const value = name in given ? given[name] : undefined
    const prefix = idPrefixOf(document, schema)
    const own = prefix === undefined ? exampleOf(operation, name) : ids[prefix]
    const one = value ?? own
    return schema["type"] === "array" && !Array.isArray(one) ? [one] : one
  }
  const wanted = fields.filter(({ name, required }) => required || name in given)
  const valuesIn = (where: Field["place"]) =>
    Object.fromEntries(
      wanted.filter(({ place }) => place === where).map((field) => [field.name, valueOf(field)])
    )
  const values = { path: valuesIn("path"), query: valuesIn("query") }
  const query = new URLSearchParams(
    Object.entries(values.query).map(([name, value]): [string, string] => [name, String(value)])
  ).toString()
  const path = Object.entries(values.path).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    operation.path
  )
  // A job is named by its ids or all are meant, and something has to change.
  const choice =
    operation.operationId === "startJob" && !("subjectIds" in given)
      ? { all: true }
      : ["updateEntity", "updateDataConnector", "updateContentConnector"].includes(operation.operationId)
        ? { name: "Another name" }
        : operation.operationId === "syncContentConnector"
          ? { files: [{ path: "uploaded.md", content: "An uploaded text." }] }
          : operation.operationId === "proposeChange"
            ? { payload: texts["proposeChange.payload"] }
            : {}
  return {
    fields,
    values,
    request: {
      method: operation.method,
      path: query === "" ? path : `${path}?${query}`,
      ...(operation.requestBody === undefined ? {} : { body: { ...choice, ...valuesIn("body") } })
    }
  }
}
