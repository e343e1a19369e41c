// The OpenAPI document as the generators read it.
import { z } from "zod"
import { openApi } from "../server/http/openapi.js"

/** Default address of a self-hosted server. */
const origin = "http://127.0.0.1:7420"

export type Schema = Readonly<Record<string, unknown>>
const Schema = z.record(z.string(), z.unknown())

export const Parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean(),
  description: z.string().default(""),
  schema: Schema
})
export type Parameter = z.infer<typeof Parameter>

const Content = z.object({
  "application/json": z.object({
    schema: Schema,
    example: z.unknown().optional(),
    examples: z.record(z.string(), z.object({ value: z.unknown() })).optional()
  })
})

/** An answer may come in other forms too, or only as a stream of events. */
const Response = z.object({ description: z.string(), content: Content.partial().loose().optional() })

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  tags: z.tuple([z.string()]),
  parameters: z.array(z.union([Parameter, z.object({ $ref: z.string() })])).default([]),
  requestBody: z.object({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), Response])),
  "x-other-responses": z.record(z.string(), Response).default({}),
  "x-scopes": z.array(z.string()).default([]),
  "x-effect": z.enum(["read", "idempotent", "write"])
})

const Document = z.object({
  info: z.object({ title: z.string(), version: z.string(), summary: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({
    schemas: z.record(z.string(), Schema),
    responses: z.record(z.string(), Response)
  })
})
export type ApiDocument = z.infer<typeof Document>

export interface ApiOperation extends z.infer<typeof Operation> {
  readonly method: string
  readonly path: string
}

export const documentText = (): string => `${JSON.stringify(JSON.parse(openApi(origin).text), null, 2)}\n`

export const apiDocument = (): ApiDocument => Document.parse(JSON.parse(documentText()))

/** Every operation, in the order of the catalog. */
export const operationsOf = ({ paths }: ApiDocument): ReadonlyArray<ApiOperation> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path
    }))
  )

export const ownParameters = ({ parameters }: Pick<ApiOperation, "parameters">): ReadonlyArray<Parameter> =>
  parameters.flatMap((one) => ("name" in one ? [one] : []))

export const isSchema = (value: unknown): value is Schema => Schema.safeParse(value).success

/** The name at the end of a reference. */
export const nameAt = (reference: unknown): string => String(reference).split("/").at(-1) ?? ""

/** The properties of an object's schema, and which of them must be there. */
export const fieldsOf = (schema: Schema) => ({
  properties: z.record(z.string(), Schema).catch({}).parse(schema["properties"]),
  required: z.array(z.string()).catch([]).parse(schema["required"])
})

/** The fields of the body, where there is one. */
export const bodyOf = (document: ApiDocument, { requestBody }: Pick<ApiOperation, "requestBody">) =>
  fieldsOf(document.components.schemas[nameAt(requestBody?.content["application/json"].schema["$ref"])] ?? {})

/** The responses that are streams of events: their status, and the schema of an event. */
export const streamsOf = ({
  responses,
  "x-other-responses": others
}: Pick<ApiOperation, "responses" | "x-other-responses">) =>
  [...Object.entries(others), ...Object.entries(responses)].flatMap(([status, response]) => {
    if (!("content" in response)) return []
    const { data } = z.object({ schema: Schema }).safeParse(response.content?.["text/event-stream"])
    return data === undefined ? [] : [{ status, schema: data.schema }]
  })

/** The status and schema of success as JSON. */
export const successOf = ({ responses }: Pick<ApiOperation, "responses">) => {
  const all = Object.entries(responses).filter(([one]) => one.startsWith("2"))
  const contentOf = (response: ApiOperation["responses"][string]) =>
    "content" in response ? response.content?.["application/json"] : undefined
  const [status, response] = all.find(([, one]) => contentOf(one) !== undefined) ?? all[0] ?? ["200"]
  return { status, content: response === undefined ? undefined : contentOf(response) }
}
