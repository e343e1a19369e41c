import fc from "fast-check"
import {
  type ApiDocument,
  type ApiOperation,
  isSchema,
  nameAt,
  type Schema
} from "../../tools/api-document.js"
import { exampleOf, type Field, inputFields } from "./api-requests.js"

/** A request as it goes over the wire, whatever it is worth. */
export interface RawRequest {
  readonly method: string
  /** Path and query as they stand in the address. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

/** Known values, by prefix of an id or by name of a field; they are looked up when a request is made. */
export type Pool = (name: string) => ReadonlyArray<unknown>

/** Requests to an operation: mostly right, and wrong in every way that a client can be. */
export const requestsTo = (
  document: ApiDocument,
  operation: ApiOperation,
  pool: Pool
): fc.Arbitrary<RawRequest> => {
  const fields = inputFields(document, operation)
  const right = fc.record(
    Object.fromEntries(fields.map((field) => [field.name, fieldValues(document, operation, field, pool)])),
    { requiredKeys: fields.filter(({ required }) => required).map(({ name }) => name) }
  )
  const oneWrong = fields.length === 0 ? right : wrongIn(right, fc.constantFrom(...fields), anything)
  const huge = fields.length === 0 ? right : wrongIn(right, fc.constantFrom(...fields), hugeValues)
  const allWrong = fc.record(Object.fromEntries(fields.map(({ name }) => [name, anything])))
  const whole = fc.oneof(
    { weight: 6, arbitrary: right },
    { weight: 4, arbitrary: oneWrong },
    { weight: 1, arbitrary: huge },
    { weight: 2, arbitrary: allWrong }
  )
  const wellSent = whole.map((values) => sent(operation, fields, values))
  return fc.oneof(
    { weight: 8, arbitrary: wellSent },
    { weight: 1, arbitrary: fc.tuple(wellSent, rawBodies).map(([request, body]) => withBody(request, body)) },
    { weight: 1, arbitrary: fc.tuple(wellSent, mediaTypes).map(([request, type]) => typed(request, type)) },
    {
      weight: 1,
      arbitrary: fc.tuple(wellSent, methods).map(([request, method]) => ({ ...request, method }))
    },
    {
      weight: 1,
      arbitrary: fc.tuple(wellSent, tails).map(([one, tail]) => ({ ...one, target: `${one.target}${tail}` }))
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(wellSent, strangeHeaders)
        .map(([one, more]) => ({ ...one, headers: { ...one.headers, ...more } }))
    }
  )
}

type Values = Readonly<Record<string, unknown>>

const wrongIn = (
  right: fc.Arbitrary<Values>,
  fields: fc.Arbitrary<Field>,
  wrong: fc.Arbitrary<unknown>
): fc.Arbitrary<Values> =>
  fc.tuple(right, fields, wrong).map(([values, { name }, value]) => ({ ...values, [name]: value }))

/** Builds the request that sends the fields; a field named `__proto__` is treated like others. */
const sent = (operation: ApiOperation, fields: ReadonlyArray<Field>, values: Values): RawRequest => {
  const at = (place: Field["place"]) =>
    fields.filter((field) => field.place === place && Object.hasOwn(values, field.name))
  const target = at("path").reduce(
    (path, { name }) => path.replace(`{${name}}`, () => encoded(textOf(values[name]))),
    operation.path
  )
  const query = at("query").map(({ name }) => `${name}=${encoded(textOf(values[name]))}`)
  const body = Object.fromEntries(at("body").map(({ name }) => [name, values[name]]))
  return {
    method: operation.method,
    target: query.length === 0 ? target : `${target}?${query.join("&")}`,
    headers: operation.requestBody === undefined ? {} : { "content-type": "application/json" },
    body: operation.requestBody === undefined ? null : JSON.stringify(body)
  }
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined").slice(0, 2000)
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed().slice(0, 4000))

/** Values of one field: known ones and the usual example, where random text would hardly ever be accepted. */
const fieldValues = (
  document: ApiDocument,
  operation: ApiOperation,
  { name, schema }: Field,
  pool: Pool
): fc.Arbitrary<unknown> => {
  const values = valuesOf(document, schema, pool)
  const example = exampleOf(operation, name)
  if ("enum" in schema || schema["type"] === "boolean") return values
  return fc.tuple(values, fc.nat(), fc.boolean()).map(([value, place, usesKnown]) => {
    const known = [...pool(name), ...(example === undefined ? [] : [example])]
    return usesKnown && known.length > 0 ? known[place % known.length] : value
  })
}

/** Values that a schema lets through; ids are mostly ones that something has. */
const valuesOf = (document: ApiDocument, schema: Schema, pool: Pool): fc.Arbitrary<unknown> => {
  const { $ref, additionalProperties, anyOf, enum: values, items, pattern, properties, type } = schema
  if (typeof $ref === "string")
    return valuesOf(document, document.components.schemas[nameAt($ref)] ?? {}, pool)
  if ("const" in schema) return fc.constant(schema["const"])
  if (Array.isArray(values)) return fc.constantFrom(...values)
  if (Array.isArray(anyOf))
    return fc.oneof(...anyOf.filter(isSchema).map((one) => valuesOf(document, one, pool)))
  const prefix = typeof pattern === "string" ? /^\^([a-z]+)_/.exec(pattern)?.[1] : undefined
  if (prefix !== undefined) return idsOf(prefix, pool)
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern))
  switch (type) {
    case "object": {
      const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : []
      const fields = Object.entries(isSchema(properties) ? properties : {}).filter(([, one]) => isSchema(one))
      const others = isSchema(additionalProperties) ? valuesOf(document, additionalProperties, pool) : texts
      return fields.length === 0
        ? fc.dictionary(words, others, { maxKeys: 3 })
        : fc.record(
            Object.fromEntries(
              fields.map(([name, one]) => [name, valuesOf(document, isSchema(one) ? one : {}, pool)])
            ),
            { requiredKeys: required.filter((name) => fields.some(([field]) => field === name)) }
          )
    }
    case "array":
      return fc.array(isSchema(items) ? valuesOf(document, items, pool) : anything, {
        minLength: 1,
        maxLength: 4
      })
    case "integer":
    case "number": {
      const min = Number(schema["minimum"] ?? 0)
      const max = Number(schema["maximum"] ?? min + 100)
      return type === "integer"
        ? fc.integer({ min, max: Math.min(max, 0x7fffffff) })
        : fc.double({ min, max, noNaN: true })
    }
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    default:
      return schema["format"] === "date-time" ? moments : texts
  }
}

const idsOf = (prefix: string, pool: Pool): fc.Arbitrary<unknown> =>
  fc.tuple(fc.nat(), fc.nat(9)).map(([place, chance]) => {
    const known = pool(prefix)
    return chance === 0 || known.length === 0
      ? `${prefix}_00000000000000000000000000`
      : known[place % known.length]
  })

const moments = fc.constantFrom(
  "2100-01-01T00:00:00.000Z",
  "2001-02-03T04:05:06.789Z",
  "2100-02-30T00:00:00.000Z"
)
const words = fc.constantFrom(
  "Ada",
  "Borealis",
  "launch",
  "the",
  "notes/a",
  ".md",
  "…",
  "Ä",
  "\u0000",
  "\ud800",
  "../",
  "🜚"
)
const texts = fc.oneof(
  fc.array(words, { minLength: 1, maxLength: 6 }).map((some) => some.join(" ")),
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
  fc.string({ maxLength: 20 }).map((name) => `${name}.md`)
)

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Values of the wrong type, out of bounds, or poisonous to a careless program. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    " ",
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER + 2,
    true,
    [],
    {},
    [null],
    "constructor",
    "\u0000",
    "\ud800",
    "%00",
    "..",
    "../../etc/passwd",
    "' or 1=1 --",
    JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}')
  ),
  fc.jsonValue(),
  fc.string({ unit: "binary" }),
  fc.integer({ min: 1, max: 2000 }).map(nested)
)

const hugeValues = fc.constantFrom<unknown>(
  "x".repeat(300_000),
  "\u0000".repeat(5_000),
  "ß".repeat(4_001),
  "# h\n".repeat(20_000),
  Array.from({ length: 20_000 }, (_, place) => place),
  Object.fromEntries(Array.from({ length: 5_000 }, (_, place) => [`key${place}`, place]))
)

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)
const rawBodies = fc.oneof(
  fc.constantFrom<string | Uint8Array>(
    "",
    "null",
    "[]",
    "1",
    '"text"',
    "{",
    '{"question":"a","question":1}',
    '{"__proto__":{"question":"polluted"}}',
    '{"constructor":{"prototype":{"x":1}},"question":"What is it?"}',
    '\ufeff{"question":"with a mark"}',
    '{"question":NaN}',
    `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
    `{"question":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`,
    bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00),
    bytes(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d),
    bytes(0xed, 0xa0, 0x80),
    "question=What",
    "x".repeat(100_000)
  ),
  fc.uint8Array({ maxLength: 200 }),
  fc.json()
)
const mediaTypes = fc.constantFrom(
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/json-patch+json",
  "application/jsonx",
  "",
  ";",
  "APPLICATION/JSON; charset=utf-8",
  "application/json; charset=utf-16"
)
const methods = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND")
const tails = fc.constantFrom(
  "/",
  "//",
  "%00",
  "%ff",
  "%",
  "/..",
  "/%2e%2e",
  "?limit=1&limit=2",
  "?q=%ff",
  "?offset=1e3",
  "?limit=+5",
  "?limit=",
  "?__proto__=1&constructor=2",
  "?q=a&q=b&q=c",
  `?q=${"a".repeat(5_000)}`,
  ";a=b",
  "#fragment"
)
const strangeHeaders = fc.constantFrom<Readonly<Record<string, string>>>(
  { "x-workspace-id": "" },
  { "x-workspace-id": "ws_00000000000000000000000000" },
  { "x-workspace-id": "__proto__" },
  { "x-request-id": "a b<script>" },
  { "x-request-id": "r".repeat(500) },
  { "content-length": "99999999999" },
  { "content-encoding": "gzip" },
  { "transfer-encoding": "chunked" },
  { authorization: "Basic YTpi" },
  { authorization: "Bearer " },
  { authorization: `Bearer ${"a".repeat(4_000)}` },
  { accept: "text/html" },
  { "if-none-match": "*" },
  { expect: "100-continue" },
  { host: "evil.example" }
)

const withBody = (request: RawRequest, body: string | Uint8Array): RawRequest =>
  takesBody(request) ? { ...request, body } : request
const typed = (request: RawRequest, type: string): RawRequest => ({
  ...request,
  headers: { "content-type": type }
})
const takesBody = ({ method }: RawRequest): boolean => method !== "GET" && method !== "HEAD"
