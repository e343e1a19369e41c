import { createConfig, lintFromString } from "@redocly/openapi-core"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { openApi } from "../../../server/http/openapi.js"
import {
  apiDocument,
  bodyOf,
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

describe("what is made from the document", () => {
  it.each(Object.entries(generatedFiles()))("%s is as `npm run generate` writes it", (path, made) => {
    expect(textOf(path) === made, `${path} is stale: run \`npm run generate\``).toBe(true)
  })
})
