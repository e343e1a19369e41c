import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import {
  type ApiDocument,
  apiDocument,
  isSchema,
  nameAt,
  operationsOf,
  type Schema
} from "../../../tools/api-document.js"
import { inputFields } from "../../support/api-requests.js"
import { startServer, type TestServer } from "../../support/server.js"

const document = apiDocument()
const operations = operationsOf(document)

let server: TestServer
let key = ""
beforeAll(async () => {
  server = await startServer()
  key = await server.key(await server.workspace("Text"))
})
afterAll(() => server.close())

/** A value with one bad text in it, and where that is. */
interface Bad {
  readonly path: ReadonlyArray<string | number>
  readonly value: unknown
}

/** Levels of a schema that refers to itself. */
const levelsMax = 6

/** A value for each place of a schema where a text may stand: strings, and names of a record. */
const badValues = (
  api: ApiDocument,
  schema: Schema,
  text: string,
  path: ReadonlyArray<string | number>,
  level = 0
): ReadonlyArray<Bad> => {
  const { $ref, additionalProperties, anyOf, items, oneOf, properties, type } = schema
  if (level > levelsMax) return []
  const inner = (one: unknown, place: ReadonlyArray<string | number>) =>
    isSchema(one) ? badValues(api, one, text, place, level + 1) : []
  if (typeof $ref === "string") return inner(api.components.schemas[nameAt($ref)], path)
  if (Array.isArray(anyOf)) return anyOf.flatMap((one) => inner(one, path))
  if (Array.isArray(oneOf)) return oneOf.flatMap((one) => inner(one, path))
  if (type === "array")
    return inner(items, [...path, 0]).map((bad) => ({ path: bad.path, value: [bad.value] }))
  if (type === "object")
    return [
      ...Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, one]) =>
        inner(one, [...path, name]).map((bad) => ({ path: bad.path, value: { [name]: bad.value } }))
      ),
      ...(isSchema(properties) && additionalProperties === undefined
        ? []
        : [{ path: [...path, text.replace(/[\0\ud800]/gu, "\ufffd")], value: { [text]: 1 } }])
    ]
  return type === "string" || type === undefined ? [{ path, value: text }] : []
}

const Refusal = z.object({
  error: z.string(),
  message: z.string(),
  issues: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])) })).optional()
})

/** An address of the operation whose path parameters nothing has, but for those given. */
const addressOf = (path: string, given: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => given[name] ?? "nothing")

describe("text that cannot be stored", () => {
  it.each(operations.map((one) => [one.operationId, one] as const))(
    "is refused in every field of %s, with its place",
    async (_, operation) => {
      const fields = inputFields(document, operation)
      for (const { name, place, schema } of fields) {
        for (const bad of ["a\0b", "a\ud800b"]) {
          if (place === "body") {
            for (const { path, value } of badValues(document, schema, bad, [name])) {
              const { body, status } = await server.call(operation.method, addressOf(operation.path), {
                key,
                body: { [name]: value }
              })
              const refused = Refusal.parse(body)
              expect([status, refused.error], path.join(".")).toEqual([400, "invalid_body"])
              expect(refused.issues?.map((issue) => issue.path)).toContainEqual(path)
            }
          }
          // An address cannot hold a lone surrogate.
          if (!bad.isWellFormed()) continue
          if (place === "path" || (place === "query" && schema["type"] === "string")) {
            const encoded = encodeURIComponent(bad)
            const address = addressOf(operation.path, { [name]: encoded })
            const target = place === "path" ? address : `${address}?${name}=${encoded}`
            const body = operation.requestBody === undefined ? {} : { body: {} }
            const answer = await server.call(operation.method, target, { key, ...body })
            expect(answer.status, target).toBe(400)
            expect(Refusal.parse(answer.body).message).toMatch(new RegExp(`^${name}: `))
          }
        }
      }
    }
  )

  it("is found in every kind of field", () => {
    const places = operations.flatMap((operation) =>
      inputFields(document, operation).flatMap(({ name, schema }) =>
        badValues(document, schema, "\0", [name])
      )
    )
    expect(places.length).toBeGreaterThan(200)
    expect(places.some(({ path }) => path.length > 3)).toBe(true)
  })
})
