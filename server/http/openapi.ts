import { createHash } from "node:crypto"
import { catalog } from "../catalog/index.js"
import { placeOf, type Row } from "../catalog/row.js"
import { errorEnvelope, errorResponses, errorsOf, issue } from "./openapi-errors.js"
import { bodyExample, exampleOf } from "./openapi-examples.js"
import {
  capital,
  type JsonSchema,
  refTo,
  type Schemas,
  schemasOfCatalog,
  withoutDefaults
} from "./openapi-schemas.js"

/** Version of the interface contract. */
const documentVersion = "1.0.0"

/** Tag descriptions by first path segment. */
const tags: Readonly<Record<string, string>> = {
  query: "Questions, answered with atomic claims that cite what carries them.",
  documents: "The Markdown files of the workspace.",
  search: "Passages by full text and vectors.",
  entities: "The people, things and concepts of the workspace, and what is related to each.",
  relations: "How entities are related, with the passages that say so.",
  mentions: "Where documents name entities.",
  manifest: "What the workspace holds, at one glance.",
  trash: "What was deleted or merged away, and bringing it back.",
  audit: "Who did what: a trail that shows when it was tampered with.",
  chunks: "Single passages, as answers and search results cite them.",
  members: "The people of the workspace.",
  keys: "The keys of the workspace.",
  workspace: "The workspace itself, and what the caller may do in it.",
  jobs: "Background work.",
  export: "The concepts of the workspace for programs that know SKOS.",
  import: "Vocabularies of others as concepts of the workspace.",
  openapi: "This document."
}

const tagOf = ({ path }: Pick<Row, "path">): string => path.split("/")[3]?.replace(/\..*$/, "") ?? "api"

const requestName = (operation: string): string => `${capital(operation)}Request`

/** Returns the request body of an operation, or nothing. */
const bodyOf = (row: Row, { inputs }: Schemas) => {
  const { properties = {}, required = [] } = inputs.get(row.operation.name) ?? {}
  const fields = Object.entries(properties).filter(([name]) => placeOf(row, name) === "body")
  if (fields.length === 0) return undefined
  return {
    properties: Object.fromEntries(fields),
    required: required.filter((name) => fields.some(([field]) => field === name))
  }
}

const parametersOf = (row: Row, { inputs }: Schemas) => {
  const { properties = {}, required = [] } = inputs.get(row.operation.name) ?? {}
  return Object.entries(properties).flatMap(([name, { description, ...schema }]) => {
    const place = placeOf(row, name)
    if (place === "body") return []
    const meaning = description ?? meanings[name]
    return [
      {
        name,
        in: place,
        required: place === "path" || required.includes(name),
        ...(meaning === undefined ? {} : { description: meaning }),
        schema
      }
    ]
  })
}

/** Descriptions of common parameters. */
const meanings: Readonly<Record<string, string>> = {
  id: "The id of what the path is about.",
  q: "The words to look for.",
  limit: "At most so many.",
  offset: "So many are passed over.",
  type: "Only of exactly this type.",
  origin: "Only what came about in this way.",
  role: "Only those with this role.",
  state: "Only those in this state.",
  status: "Only those with this status.",
  kind: "Only of this kind.",
  depth: "How many steps away from the entity.",
  perHopCap: "Most edges that are followed at each step.",
  totalCap: "Most edges at all.",
  entityId: "Only of this entity.",
  docId: "Only of this document.",
  subjectId: "Only about this subject.",
  verification: "Only with this verification."
}

const effects = {
  read: "Changes nothing.",
  idempotent: "May be repeated: a second time changes nothing more.",
  write: "Each call makes a change of its own."
}

/** An operation that reads may still store its answer. */
const effectOf = ({ headers, operation: { effect } }: Row): string =>
  Object.values(headers).some(({ note }) => note === "answerId")
    ? "The answer is stored with the policy decision about it, and `x-answer-id` names it; nothing else is changed."
    : effects[effect]

const successes = { 200: "Done.", 201: "Made.", 202: "Begun." } as const

const statusesOf = ({ otherwise, status }: Row) => [...(otherwise === null ? [] : [otherwise.status]), status]

const stagedMeaning =
  'Server-sent events for `Accept: text/event-stream`: each `data:` line is one event. `{"type": "stage", "name"}` as each stage begins, `{"type": "sources", "sources", "dataCalls"}` once they are chosen, `{"type": "claim", "index", "claim"}` for each sentence once its check has ended, and last `{"type": "answer", "answerId", "answer"}` with the answer as JSON has it, or `{"type": "error", "status", "error", "message"}`. A later claim of the same index replaces an earlier one, and the answer replaces all of them. In `enforce`, and with a judge model, claims come when these have decided. What fails before the first event is answered as usual. Closing the connection stops the question.'

/** Returns the responses of success by status, each with one media type: JSON, or the stream that is all there is. */
const successesOf = (row: Row, schemas: Schemas, components: Readonly<Record<string, JsonSchema>>) => {
  const { streamed } = row
  const output = schemas.outputs.get(row.operation.name) ?? {}
  const isStream = streamed?.isOnly === true
  const content = isStream
    ? streamContent(streamed, schemas)
    : { "application/json": { schema: output, example: exampleOf(output, components) } }
  return Object.fromEntries(
    statusesOf(row).map((status) => [
      status,
      { description: isStream ? streamed.meaning : successes[status], headers: headersOf(row), content }
    ])
  )
}

/**
 * Returns the other forms of an operation's result by status. They stand beside `responses`: where an operation has two
 * media types, generators make a client that takes one for the other, or a union of both.
 */
const otherFormsOf = (row: Row, schemas: Schemas) => {
  const { staged, streamed } = row
  const events = { "text/event-stream": { schema: { type: "string", description: stagedMeaning } } }
  if (staged)
    return { [row.status]: { description: stagedMeaning, headers: headersOf(row), content: events } }
  if (streamed === null || streamed.isOnly === true) return null
  const content = streamContent(streamed, schemas)
  return Object.keys(content).length === 0
    ? null
    : { [streamed.status ?? row.status]: { description: streamed.meaning, headers: headersOf(row), content } }
}

const headersOf = ({ headers }: Row) => ({
  "x-request-id": { $ref: "#/components/headers/RequestId" },
  ...Object.fromEntries(
    Object.entries(headers).map(([name, { meaning }]) => [
      name,
      { description: meaning, schema: { type: "string" } }
    ])
  )
})

/** Returns the content of a stream. The schema of a stream of events is that of one event. */
const streamContent = ({ event, mediaType, meaning }: NonNullable<Row["streamed"]>, { nameOf }: Schemas) => {
  const name = event === undefined ? undefined : nameOf(event.schema)
  const [type = mediaType] = mediaType.split(";")
  // A JSON stream has the documented schema.
  if (type === "application/json") return {}
  return {
    [type]:
      event === undefined || name === undefined
        ? { schema: { type: "string", description: meaning } }
        : {
            schema: refTo(name),
            examples: Object.fromEntries(
              Object.entries(event.examples).map(([kind, value]) => [kind, { value }])
            )
          }
  }
}

const operationOf = (row: Row, schemas: Schemas, components: Readonly<Record<string, JsonSchema>>) => {
  const { effect, name, scopes, summary } = row.operation
  const body = bodyOf(row, schemas)
  const otherForms = otherFormsOf(row, schemas)
  return {
    operationId: name,
    summary: summary.replace(/\.$/, ""),
    description: [
      summary,
      `${effectOf(row)} Scope: ${scopes.map((scope) => `\`${scope}\``).join(" or ")}.`,
      ...Object.entries(otherForms ?? {}).map(
        ([status, { content, description }]) =>
          `Another form, ${status} with \`${Object.keys(content).join("`, `")}\`: ${description}`
      )
    ].join("\n\n"),
    tags: [tagOf(row)],
    security: [{ key: [] }],
    parameters: [...parametersOf(row, schemas), { $ref: "#/components/parameters/WorkspaceId" }],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required.length > 0,
            content: {
              "application/json": {
                schema: refTo(requestName(name)),
                example: bodyExample(name, body, components)
              }
            }
          }
        }),
    responses: {
      ...successesOf(row, schemas, components),
      ...errorsOf(row)
    },
    ...(otherForms === null ? {} : { "x-other-responses": otherForms }),
    "x-scopes": scopes,
    "x-effect": effect
  }
}

const requestComponents = (schemas: Schemas): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    catalog.flatMap((row) => {
      const body = bodyOf(row, schemas)
      if (body === undefined) return []
      const { properties, required } = body
      const schema = {
        type: "object",
        properties: Object.fromEntries(
          Object.entries(properties).map(([field, one]) => [field, withoutDefaults(one)])
        ),
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false
      }
      return [[requestName(row.operation.name), schema] as const]
    })
  )

/** Returns the names of the components that a schema refers to, directly or through others. */
const namesBelow = (
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  found = new Set<string>()
): ReadonlySet<string> => {
  for (const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/gu)) {
    if (found.has(name)) continue
    found.add(name)
    namesBelow(components[name] ?? {}, components, found)
  }
  return found
}

const document = () => {
  const schemas = schemasOfCatalog()
  const requests = requestComponents(schemas)
  const ofRequests = new Set(
    Object.values(requests).flatMap((one) => [...namesBelow(one, schemas.components)])
  )
  const components = {
    ...Object.fromEntries(
      Object.entries(schemas.components).map(([name, schema]) => [
        name,
        ofRequests.has(name) ? withoutDefaults(schema) : schema
      ])
    ),
    ...requests,
    ErrorEnvelope: errorEnvelope,
    Issue: issue
  }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const row of catalog) {
    const methods = paths[row.path] ?? {}
    methods[row.method.toLowerCase()] = operationOf(row, schemas, components)
    paths[row.path] = methods
  }
  paths["/api/v1/openapi.json"] = { get: ownOperation }
  const used = [...new Set([...catalog.map(tagOf), "openapi"])]
  return {
    openapi: "3.1.0",
    info,
    tags: used.map((name) => ({ name, description: tags[name] ?? `Operations under /api/v1/${name}.` })),
    paths,
    components: { schemas: components, responses: errorResponses(), ...otherComponents }
  }
}

const info = {
  title: "Kanon",
  version: documentVersion,
  summary: "Cited answers, hybrid search and a curated knowledge graph over a team's documents.",
  description: [
    "Every operation but this document's own needs a key: `Authorization: Bearer svc_…`. A key reaches one",
    "workspace, or several; then `X-Workspace-Id` names the one that is meant. What another workspace holds is",
    "answered like what does not exist. Every response bears an `x-request-id`, which may also be given."
  ].join("\n"),
  contact: { name: "The Kanon authors" },
  license: { name: "Apache-2.0", identifier: "Apache-2.0" }
}

const otherComponents = {
  parameters: {
    WorkspaceId: {
      name: "X-Workspace-Id",
      in: "header",
      required: false,
      description: "The workspace; needed with a user key that reaches several.",
      schema: { type: "string" }
    }
  },
  headers: {
    RequestId: { description: "Names this request in the logs.", schema: { type: "string" } },
    RetryAfter: { description: "Seconds after which to try again.", schema: { type: "string" } },
    Challenge: { description: "How to authenticate.", schema: { type: "string" } }
  },
  securitySchemes: {
    key: {
      type: "http",
      scheme: "bearer",
      description: "A workspace key (`svc_sk_…`) or a user key (`svc_uk_…`)."
    }
  }
}

const ownOperation = {
  operationId: "getOpenApi",
  summary: "Get this OpenAPI document",
  description: "This document. Public: needs no key.",
  tags: ["openapi"],
  security: [],
  responses: {
    "200": {
      description: "The OpenAPI 3.1 document.",
      headers: {
        "x-request-id": { $ref: "#/components/headers/RequestId" },
        etag: { description: "Changes with the document.", schema: { type: "string" } }
      },
      content: { "application/json": { schema: { type: "object" } } }
    },
    "304": { description: "It has not changed since the entity tag that `If-None-Match` names." },
    "400": { $ref: "#/components/responses/BadParameter" }
  },
  "x-effect": "read"
}

let made: ReturnType<typeof document> | undefined
const stamped = new Map<string, { readonly text: string; readonly etag: string }>()
/** Maximum number of cached documents by origin; the Host header is untrusted. */
const originsMax = 16

/** Returns the document for this origin with its entity tag. */
export const openApi = (origin: string): { readonly text: string; readonly etag: string } => {
  const cachedDocument = stamped.get(origin)
  if (cachedDocument !== undefined) return cachedDocument
  made ??= document()
  const { info, openapi, ...rest } = made
  const text = JSON.stringify({ openapi, info, servers: [{ url: origin }], ...rest })
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`
  if (stamped.size >= originsMax) stamped.clear()
  stamped.set(origin, { text, etag })
  return { text, etag }
}
