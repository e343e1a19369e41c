import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { type ApiDocument, isSchema, type Schema } from "../../tools/api-document.js"

/** Holds values against the schemas of the document. A field that no schema names is a complaint too. */
export const schemaChecks = (document: ApiDocument) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: "api", components: { schemas: closed(document.components.schemas) } })
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
  return {
    complaintsOf: (schema: Schema, value: unknown): ReadonlyArray<string> => {
      const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components')
      const check = compiled.get(text) ?? ajv.compile(JSON.parse(text))
      compiled.set(text, check)
      return check(value)
        ? []
        : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
    }
  }
}

/** The document lets newer servers add fields; a test of this one does not. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (!isSchema(value)) return value
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]))
  return value["type"] === "object" &&
    isSchema(value["properties"]) &&
    !isSchema(value["additionalProperties"])
    ? { ...inner, additionalProperties: false }
    : inner
}
