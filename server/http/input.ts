import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { z } from "zod"
import {
  InvalidInput,
  type Issue,
  invalid,
  type JsonBounds,
  type JsonBoundsReader,
  refuseBeginning,
  undeclaredIssue,
  undeclaredMax
} from "../../core/platform/kernel/index.js"
import { parametersOf, placeOf, type Row } from "../catalog/row.js"

/** The inputs of an operation by location, derived once from its schema. */
export interface Inputs {
  readonly parameters: ReadonlyArray<string>
  /** Query parameters with their JSON types. */
  readonly query: ReadonlyMap<string, "integer" | "number" | "boolean" | "string">
  /** Names of the body's fields. */
  readonly body: ReadonlyArray<string>
  /** Whether all body fields are optional, so that the body may be omitted. */
  readonly bodyIsOptional: boolean
}

export const inputsOf = (row: Row): Inputs => {
  const fields = Object.entries(row.operation.input.shape)
  const inBody = fields.filter(([name]) => placeOf(row, name) === "body")
  return {
    parameters: parametersOf(row.path),
    query: new Map(
      fields
        .filter(([name]) => placeOf(row, name) === "query")
        .map(([name, schema]) => [name, typeOf(schema)])
    ),
    body: inBody.map(([name]) => name),
    bodyIsOptional: row.operation.input.safeParse(withoutBody(row)).success
  }
}

const JsonType = z.object({ type: z.enum(["integer", "number", "boolean", "string"]).catch("string") })

const typeOf = (schema: z.core.$ZodType) =>
  JsonType.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })).type

/** Returns a sample input with valid parameters only, to test whether the schema accepts it. */
const withoutBody = (row: Row): Readonly<Record<string, string>> =>
  Object.fromEntries(parametersOf(row.path).map((name) => [name, exampleOf(row.operation.input.shape[name])]))

const exampleOf = (schema: z.core.$ZodType | undefined): string => {
  const { anyOf: [first] = [], pattern } = schema === undefined ? {} : z.toJSONSchema(schema, { io: "input" })
  const prefix = /^\^([a-z]+)_/.exec(pattern ?? first?.pattern ?? "")?.[1]
  return prefix === undefined ? "a" : `${prefix}_00000000000000000000000000`
}

/** Parses query parameters to their types: `true` or `false`, plain decimal digits. Rejects undeclared, invalid and repeated ones. */
export const readQuery = (
  query: URLSearchParams,
  { body, query: known }: Pick<Inputs, "body" | "query">
): Either.Either<Record<string, unknown>, InvalidInput> => {
  const undeclared = [...new Set(query.keys())].filter((name) => !known.has(name))
  if (undeclared.length > 0)
    return Either.left(
      new InvalidInput({
        issues: undeclared
          .slice(0, undeclaredMax)
          .map((name) => misplaced("parameter", name, [...known.keys()], body, "a field of the body"))
      })
    )
  const values: Record<string, unknown> = {}
  for (const [name, type] of known) {
    const given = query.getAll(name)
    if (given.length > 1) return Either.left(invalid([name], "duplicate", "It is given more than once."))
    const [text] = given
    if (text === undefined) continue
    const value = valueOf(text, type)
    if (value === undefined) return Either.left(invalid([name], "invalid_type", `It is no ${type}.`))
    values[name] = value
  }
  return Either.right(values)
}

const valueOf = (text: string, type: "integer" | "number" | "boolean" | "string") => {
  switch (type) {
    case "string":
      return text
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined
    case "integer":
      // Larger ones are out of every range, or clamped.
      return /^-?\d+$/.test(text)
        ? Math.min(Math.max(Number(text), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
        : undefined
    case "number":
      return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined
  }
}

/** Refuses fields of a body that belong into the path or the query, or nowhere. */
export const readBodyFields = (
  fields: Readonly<Record<string, unknown>>,
  { body, parameters, query }: Inputs
): Either.Either<Readonly<Record<string, unknown>>, InvalidInput> => {
  const others = [...parameters, ...query.keys()]
  const issues = others
    .filter((name) => Object.hasOwn(fields, name))
    .map((name) =>
      misplaced("field", name, body, others, query.has(name) ? "a query parameter" : "a part of the path")
    )
  return issues.length > 0 ? Either.left(new InvalidInput({ issues })) : Either.right(fields)
}

/** Returns the issue of a name that is not declared here, and says where it is declared. */
const misplaced = (
  kind: "field" | "parameter",
  name: string,
  declared: ReadonlyArray<string>,
  elsewhere: ReadonlyArray<string>,
  place: string
): Issue => {
  const issue = undeclaredIssue(kind, name, declared)
  return elsewhere.includes(name)
    ? { ...issue, message: `There is no ${kind} ${name}: it is ${place}.` }
    : issue
}

/** Bounds of a body with so many values: what is parsed of it at once takes some hundredths of a second. */
export const bodyBounds = (values: number) => ({ depth: 64, values, names: 5_000 }) satisfies JsonBounds

const brokenIssue = (broken: keyof JsonBounds, bounds: JsonBounds): InvalidInput => {
  const most = bounds[broken]
  if (broken === "depth") return invalid([], "too_deep", `The body is nested more than ${most} deep.`)
  const what = { values: "values", names: "different names of fields", members: "values in one place" }[
    broken
  ]
  return invalid([], "too_many_values", `The body has more than ${most} ${what}.`)
}

/**
 * Parses a body, counted as it arrived, as a JSON object; rejects anything else and what exceeds the bounds. Of a body with thousands of fields
 * or items in one place the beginning is held against the schema first: an object of 240,000 fields takes seconds to
 * make and to check.
 */
export const readJson = (
  bytes: Uint8Array,
  { bounds, broken, crowded }: JsonBoundsReader,
  schema?: z.ZodType
): Either.Either<Record<string, unknown>, InvalidInput> => {
  const beginning =
    crowded === null || schema === undefined
      ? undefined
      : parseJson(Buffer.concat([bytes.subarray(0, crowded.at), Buffer.from(crowded.closers)]))
  if (schema !== undefined && beginning !== undefined) {
    const refused = refuseBeginning(schema, beginning.value)
    if (Either.isLeft(refused)) return Either.left(refused.left)
  }
  if (broken !== null) return Either.left(brokenIssue(broken, bounds))
  const body = parseJson(bytes)
  if (body === undefined) return Either.left(invalid([], "invalid_json", "The body is not JSON in UTF-8."))
  return Predicate.isRecord(body.value)
    ? Either.right(body.value)
    : Either.left(invalid([], "invalid_type", "The body is not an object."))
}

/** Parses JSON in UTF-8; none for anything else. */
export const parseJson = (bytes: Uint8Array): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) }
  } catch {
    return undefined
  }
}
