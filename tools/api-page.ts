// Writes docs/api.md from the OpenAPI document.
import {
  type ApiDocument,
  type ApiOperation,
  bodyOf,
  fieldsOf,
  isSchema,
  nameAt,
  operationsOf,
  ownParameters,
  type Schema,
  streamsOf,
  successOf
} from "./api-document.js"

export const apiPage = (document: ApiDocument): string => {
  const operations = operationsOf(document)
  return [
    "# The HTTP interface",
    "",
    `${document.info.summary} This page is made from the OpenAPI document ([openapi.json](openapi.json), version ${document.info.version}), which a server gives at \`GET /api/v1/openapi.json\`.`,
    "",
    document.info.description,
    "",
    "| Operation | Request | Scope |",
    "|---|---|---|",
    ...operations.map(
      (one) =>
        `| [${one.operationId}](#${one.operationId.toLowerCase()}) | \`${one.method} ${one.path}\` | ${scopesOf(one)} |`
    ),
    "",
    ...document.tags.flatMap(({ description, name }) => [
      `## Operations: ${name}`,
      "",
      description,
      "",
      ...operations
        .filter(({ tags: [tag] }) => tag === name)
        .flatMap((operation) => operationSection(document, operation))
    ]),
    "## Schemas",
    "",
    ...Object.entries(document.components.schemas)
      .filter(([name]) => !operations.some(({ operationId }) => name === bodyName(operationId)))
      .flatMap(([name, schema]) => schemaSection(name, schema))
  ]
    .join("\n")
    .trimEnd()
    .concat("\n")
}

const bodyName = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`

const scopesOf = (operation: ApiOperation): string =>
  operation["x-scopes"].length === 0
    ? "none"
    : operation["x-scopes"].map((scope) => `\`${scope}\``).join(" or ")

const operationSection = (document: ApiDocument, operation: ApiOperation): ReadonlyArray<string> => {
  const { properties, required } = bodyOf(document, operation)
  const { content, status } = successOf(operation)
  const inputs = [
    ...ownParameters(operation).map((one) =>
      row(one.name, one.in, one.required, one.schema, one.description)
    ),
    ...Object.entries(properties).map(([name, schema]) =>
      row(name, "body", required.includes(name), schema, schema["description"])
    )
  ]
  const example = operation.requestBody?.content["application/json"].example
  return [
    `### ${operation.operationId}`,
    "",
    `\`${operation.method} ${operation.path}\``,
    "",
    operation.description,
    "",
    ...(inputs.length === 0 ? [] : ["| Input | In | Type | Meaning |", "|---|---|---|---|", ...inputs, ""]),
    ...(example === undefined ? [] : ["Body:", "", ...json(example)]),
    ...(content === undefined ? [] : [`Answer: ${status}, ${typeName(content.schema)}.`, ""]),
    ...streamsOf(operation).flatMap((stream) => [
      `Answer: ${stream.status}, \`text/event-stream\`, each event a ${typeName(stream.schema)}.`,
      ""
    ]),
    ...(content?.example === undefined ? [] : json(content.example)),
    ...errorTable(document, operation)
  ]
}

const errorTable = (document: ApiDocument, { responses }: ApiOperation): ReadonlyArray<string> => {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    const found = "$ref" in response ? document.components.responses[nameAt(response.$ref)] : response
    const codes = Object.keys(found?.content?.["application/json"]?.examples ?? {})
    return codes.length === 0 ? [] : [`| ${status} | ${codes.map((code) => `\`${code}\``).join(", ")} |`]
  })
  return rows.length === 0 ? [] : ["| Status | `error` |", "|---|---|", ...rows, ""]
}

const json = (value: unknown): ReadonlyArray<string> => [
  "```json",
  ...JSON.stringify(value, null, 2).split("\n"),
  "```",
  ""
]

const schemaSection = (name: string, schema: Schema): ReadonlyArray<string> => {
  const { properties, required } = fieldsOf(schema)
  const description = schema["description"]
  const fields = Object.entries(properties).map(
    ([key, inner]) =>
      `| \`${key}\`${required.includes(key) ? "" : " (optional)"} | ${typeName(inner)} | ${cell(inner["description"])} |`
  )
  return [
    `### ${name}`,
    "",
    ...(typeof description === "string" ? [description, ""] : []),
    ...(fields.length === 0
      ? [`Type: ${typeName({ ...schema, description: undefined })}`, ""]
      : ["| Field | Type | Meaning |", "|---|---|---|", ...fields, ""])
  ]
}

const row = (name: string, place: string, required: boolean, schema: Schema, description: unknown): string =>
  `| \`${name}\`${required ? "" : " (optional)"} | ${place} | ${typeName(schema)}${bounds(schema)} | ${cell(description)} |`

const cell = (text: unknown): string =>
  typeof text === "string" ? text.replaceAll("|", "\\|").replaceAll("\n", " ") : ""

const bounds = (schema: Schema): string => {
  const { default: usual, maxLength, maximum, minLength, minimum } = schema
  const from = minimum ?? minLength
  const to = maximum ?? maxLength
  const range =
    from === undefined && to === undefined
      ? ""
      : `, ${from === undefined ? "up to" : String(from)}${to === undefined ? " or more" : from === undefined ? ` ${to}` : ` to ${to}`}`
  const unit = range !== "" && (minLength !== undefined || maxLength !== undefined) ? " characters" : ""
  return `${range}${unit}${usual === undefined ? "" : `, default ${JSON.stringify(usual)}`}`
}

/** A type in words, with links to the schemas of this page. */
const typeName = (schema: Schema): string => {
  const { additionalProperties, anyOf, enum: values, items, type } = schema
  if ("$ref" in schema) {
    const name = nameAt(schema["$ref"])
    return `[${name}](#${name.toLowerCase()})`
  }
  if ("const" in schema) return `\`${JSON.stringify(schema["const"])}\``
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(", ")
  const choices: unknown = anyOf ?? (Array.isArray(type) ? type.map((one) => ({ type: one })) : undefined)
  if (Array.isArray(choices))
    return choices.map((one) => (isSchema(one) ? typeName(one) : "anything")).join(" or ")
  if (type === "array") return `list of ${isSchema(items) ? typeName(items) : "anything"}`
  if (type === "object" && isSchema(additionalProperties)) return `${typeName(additionalProperties)} by name`
  if (type === "object") {
    const names = Object.keys(fieldsOf(schema).properties)
    return names.length === 0 ? "object" : `object of ${names.map((name) => `\`${name}\``).join(", ")}`
  }
  return typeof type === "string" ? type : "anything"
}
