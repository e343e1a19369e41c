import { createConfig, lintFromString } from "@redocly/openapi-core"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { openApi } from "../../../server/http/openapi.js"
import {
  apiDocument,
  bodyOf,
  isSchema,
  nameAt,
  operationsOf,
  streamsOf,
  successOf
} from "../../../tools/api-document.js"
import { generatedFiles } from "../../../tools/api-files.js"
import { schemaChecks } from "../../support/api-schemas.js"
import { textOf } from "../../support/tree.js"

const document = apiDocument()
const { complaintsOf } = schemaChecks(document)
const operations = operationsOf(document)
const { text } = openApi("https://kanon.example.org")

describe("the OpenAPI document", () => {
  it("keeps to Redocly's rules", async () => {
    const config = await createConfig(textOf("redocly.yaml"))
    const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config })
    expect(
      problems.map(({ location, message, ruleId }) => `${ruleId} ${message} ${location[0]?.pointer}`)
    ).toEqual([])
    const broken = text.replace('"operationId":"query"', '"operationId":"search"')
    expect(
      (await lintFromString({ source: broken, absoluteRef: "openapi.json", config })).map((one) => one.ruleId)
    ).toContain("operation-operationId-unique")
  })

  it.each(operations.map((one) => [one.operationId, one] as const))(
    "shows examples of %s that its schemas let through",
    (operationId, operation) => {
      const { content } = successOf(operation)
      if (operationId !== "getOpenApi")
        expect(complaintsOf(content?.schema ?? {}, content?.example)).toEqual([])
      if (operation.requestBody === undefined) return
      const { example, schema } = operation.requestBody.content["application/json"]
      expect(complaintsOf(schema, example)).toEqual([])
      expect(Object.keys(z.record(z.string(), z.unknown()).parse(example))).not.toEqual([])
      expect(Object.keys(bodyOf(document, operation).properties)).not.toEqual([])
    }
  )

  it("names what results share, and refers to it", () => {
    for (const operation of operations.filter(({ operationId }) => operationId !== "getOpenApi"))
      expect(document.components.schemas).toHaveProperty([
        nameAt((successOf(operation).content?.schema ?? streamsOf(operation)[0]?.schema)?.["$ref"])
      ])
    expect(document.components.schemas["EntityWithCuration"]?.["properties"]).toMatchObject({
      curation: { $ref: "#/components/schemas/CurationMeta" }
    })
  })

  it("names the origin that it is served from", () => {
    expect(JSON.parse(text).servers).toEqual([{ url: "https://kanon.example.org" }])
    expect(openApi("https://kanon.example.org").etag).not.toBe(openApi("http://127.0.0.1").etag)
  })
})

/** Every schema below a value with its place, references followed once each. */
const schemasBelow = (
  value: unknown,
  place: string,
  seen = new Set<string>()
): ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> => {
  if (Array.isArray(value)) return value.flatMap((one, at) => schemasBelow(one, `${place}/${at}`, seen))
  if (!isSchema(value)) return []
  const reference = value["$ref"]
  if (typeof reference === "string") {
    if (seen.has(reference)) return []
    seen.add(reference)
    return schemasBelow(document.components.schemas[nameAt(reference)], nameAt(reference), seen)
  }
  return [
    [place, value] as const,
    ...Object.entries(value).flatMap(([key, inner]) =>
      // Names of properties are no keywords.
      key === "properties" && isSchema(inner)
        ? Object.entries(inner).flatMap(([name, one]) => schemasBelow(one, `${place}/${name}`, seen))
        : key === "example" || key === "examples"
          ? []
          : schemasBelow(inner, `${place}/${key}`, seen)
    )
  ]
}

describe("generators of clients", () => {
  const requests = operations.flatMap(({ operationId, requestBody }) =>
    requestBody === undefined ? [] : [[operationId, requestBody] as const]
  )

  it("find one media type for the success of each operation, and the other forms beside the responses", () => {
    const typesOf = (responses: object) =>
      Object.entries(responses).flatMap(([status, response]) =>
        status.startsWith("2")
          ? Object.keys(z.object({ content: z.object({}).loose() }).parse(response).content)
          : []
      )
    for (const { operationId, responses } of operations)
      expect([operationId, [...new Set(typesOf(responses))]]).toEqual([
        operationId,
        [operationId === "streamRun" ? "text/event-stream" : "application/json"]
      ])
    expect(
      operations.flatMap(({ operationId, "x-other-responses": others }) =>
        typesOf(others).map((type) => `${operationId} ${type}`)
      )
    ).toEqual([
      "query text/event-stream",
      "listAuditEvents application/x-ndjson",
      "startRun text/event-stream",
      "getEval text/plain",
      "listQrels text/plain"
    ])
    const [startRun] = operations.filter(({ operationId }) => operationId === "startRun")
    expect(startRun?.description).toContain("`text/event-stream`: With `stream=inline`")
  })

  it("find no default in a request, which some take for a required field, and the value in the description", () => {
    const schemas = requests.flatMap(([operationId, { content }]) =>
      schemasBelow(content["application/json"].schema, operationId)
    )
    expect(schemas.length).toBeGreaterThan(200)
    expect(schemas.filter(([, schema]) => "default" in schema).map(([place]) => place)).toEqual([])
    const { properties } = document.components.schemas["QueryRequest"] ?? {}
    expect(properties).toMatchObject({ maxSources: { description: "Default: `8`." } })
  })

  it("need no body where no field of it is required", () => {
    for (const [operationId, { required }] of requests) {
      const [operation] = operations.filter((one) => one.operationId === operationId)
      const needed = operation === undefined ? [] : bodyOf(document, operation).required
      expect([operationId, required]).toEqual([operationId, needed.length > 0])
    }
  })

  it("find each type of a union in a place of its own", () => {
    const everything = schemasBelow(document.components.schemas, "schemas").concat(
      Object.entries(document.components.schemas).flatMap(([name, schema]) => schemasBelow(schema, name))
    )
    expect(everything.length).toBeGreaterThan(1000)
    const nested = everything.filter(
      ([, { anyOf }]) =>
        Array.isArray(anyOf) && anyOf.some((one: unknown) => isSchema(one) && Array.isArray(one["type"]))
    )
    expect(nested.map(([place]) => place)).toEqual([])
    expect(document.components.schemas["EvalMetrics"]?.["additionalProperties"]).toMatchObject({
      anyOf: [{ type: "number" }, { type: "null" }, { $ref: expect.stringContaining("schemas/") }]
    })
  })

  it("find no reference that leads nowhere", () => {
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/gu)]
    expect(references.length).toBeGreaterThan(500)
    const { components } = z
      .object({ components: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .parse(JSON.parse(text))
    for (const [, kind = "", name = ""] of references) expect(components[kind], name).toHaveProperty([name])
  })
})

describe("what is made from the document", () => {
  it.each(Object.entries(generatedFiles()))("%s is as `npm run generate` writes it", (path, made) => {
    expect(textOf(path) === made, `${path} is stale: run \`npm run generate\``).toBe(true)
  })
})
