import { z } from "zod"
import * as wireSchemas from "../../core/wire-schemas.js"
import { catalog } from "../catalog/index.js"

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The schemas of the catalog, with shared ones as components. */
export interface Schemas {
  /** All referenced components by name. */
  readonly components: Readonly<Record<string, JsonSchema>>
  /** Input fields by operation, with their schemas and required names. */
  readonly inputs: ReadonlyMap<string, Fields>
  /** By operation, a reference to the component of the result; without those that are only streamed. */
  readonly outputs: ReadonlyMap<string, JsonSchema>
  /** The component of a schema that has one. */
  readonly nameOf: (schema: z.ZodType) => string | undefined
}

export interface Fields {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: ReadonlyArray<string>
}

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const prefix = "#/components/schemas/"
export const refTo = (name: string): JsonSchema => ({ $ref: `${prefix}${name}` })
/** Returns the name of the component that a schema references, if any. */
export const refOf = ({ $ref }: JsonSchema): string | undefined =>
  typeof $ref === "string" && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined

export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** Schemas with a name of their own; those that an operation uses become components under it. */
const named: ReadonlyArray<readonly [name: string, schema: z.ZodType]> = Object.entries(wireSchemas)

export const schemasOfCatalog = (): Schemas => {
  const nameOf = new Map(named.map(([name, schema]) => [schema, name]))
  const answers = catalog.filter(({ streamed }) => streamed?.isOnly !== true)
  const events = catalog.flatMap(({ streamed }) => {
    const name = streamed?.event === undefined ? undefined : nameOf.get(streamed.event.schema)
    return name === undefined ? [] : [refTo(name)]
  })
  const outputNames = new Map(
    answers.map(({ operation: { name, output } }) => [name, nameOf.get(output) ?? `${capital(name)}Result`])
  )
  const given = converted("output", [
    ...named,
    ...answers.map(({ operation: { name, output } }) => [outputNames.get(name) ?? name, output] as const)
  ])
  const inputSchemas = converted("input", [
    ...named,
    ...catalog.map(({ operation: { input, name } }) => [inputId(name), input] as const)
  ])
  const inputs = new Map(
    catalog.map(({ operation: { name } }) => [name, fieldsOf(inputSchemas[inputId(name)] ?? {})])
  )
  const outputs = new Map([...outputNames].map(([operation, name]) => [operation, refTo(name)]))
  return {
    components: reached([...outputs.values(), ...events], [...inputs.values()], given, inputSchemas),
    inputs,
    outputs,
    nameOf: (schema) => nameOf.get(schema)
  }
}

/** Returns a component name that no export can have. */
const inputId = (operation: string): string => `input of ${operation}`

type Converted = Readonly<Record<string, JsonSchema>>

const converted = (
  io: "input" | "output",
  schemas: ReadonlyArray<readonly [string, z.ZodType]>
): Converted => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of schemas) registry.add(schema, { id })
  const made = z.toJSONSchema(registry, { io, uri: (id) => `${prefix}${id}`, unrepresentable: "any" })
  return Object.fromEntries(Object.entries(made.schemas).map(([id, schema]) => [id, tidyObject(schema)]))
}

/** Returns the components reachable from these; a name must mean the same in inputs and results. */
const reached = (
  outputs: ReadonlyArray<JsonSchema>,
  inputs: ReadonlyArray<Fields>,
  given: Converted,
  taken: Converted
): Converted => {
  const found = new Map<string, JsonSchema>()
  const visit = (value: unknown, from: Converted): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, from)
    if (!isObject(value)) return
    const name = refOf(value)
    const component = name === undefined ? undefined : from[name]
    if (name !== undefined && component !== undefined) {
      const known = found.get(name)
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
        throw new RangeError(`${name} is one thing as an input and another as a result.`)
      found.set(name, component)
      if (known === undefined) visit(component, from)
    }
    for (const one of Object.values(value)) visit(one, from)
  }
  visit(outputs, given)
  for (const { properties } of inputs) visit(Object.values(properties), taken)
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const fieldsOf = ({ properties, required }: JsonSchema): Fields => ({
  properties: isObject(properties)
    ? Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? schema : {}])
      )
    : {},
  required: z.array(z.string()).catch([]).parse(required)
})

/** Pattern of a timestamp; the server validates the date itself. */
const timestampPattern = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$"
/** Pattern of an input timestamp with any zone and precision. */
const momentPattern = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:\\d{2})$"

/** Removes keywords of standalone documents and redundant number bounds. */
const tidyObject = (schema: object): JsonSchema => {
  const entries = Object.entries(schema).filter(
    ([keyword, value]) =>
      keyword !== "$schema" &&
      keyword !== "$id" &&
      // Clients must accept fields that later versions add.
      !(keyword === "additionalProperties" && value === false) &&
      keyword !== "multipleOf" &&
      !(keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) &&
      !(keyword === "maximum" && value === Number.MAX_SAFE_INTEGER)
  )
  const tidied = withFlatChoices(
    Object.fromEntries(entries.map(([keyword, value]) => [keyword, tidy(value)]))
  )
  if (tidied["format"] !== "date-time") return byName(tidied)
  const isAnyZone = typeof tidied["pattern"] === "string" && tidied["pattern"].includes("[+-]")
  return { ...tidied, pattern: isAnyZone ? momentPattern : timestampPattern }
}

/** Gives each type of a choice a place of its own: some generators name a list of types inside `anyOf` and declare none. */
const withFlatChoices = (schema: JsonSchema): JsonSchema => {
  const { anyOf } = schema
  if (!Array.isArray(anyOf)) return schema
  const choices = anyOf.flatMap((choice: unknown) => {
    const types = isObject(choice) && Object.keys(choice).length === 1 ? choice["type"] : undefined
    return Array.isArray(types) ? types.map((type: unknown) => ({ type })) : [choice]
  })
  return { ...schema, anyOf: choices }
}

/**
 * Moves defaults into descriptions: generators take a field with a default for one that is always there, and with it for
 * one that a request must have.
 */
export const withoutDefaults = (schema: JsonSchema): JsonSchema => {
  const { default: usual, description, properties, ...rest } = schema
  const words =
    usual === undefined ? description : `${String(description ?? "")} Default: \`${JSON.stringify(usual)}\`.`
  const inner = Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => [
      keyword,
      Array.isArray(value)
        ? value.map((one: unknown) => (isObject(one) ? withoutDefaults(one) : one))
        : isObject(value)
          ? withoutDefaults(value)
          : value
    ])
  )
  return {
    ...(typeof words === "string" ? { description: words.trim() } : {}),
    ...inner,
    ...(isObject(properties)
      ? {
          // A property may be called "default".
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [
              name,
              isObject(one) ? withoutDefaults(one) : one
            ])
          )
        }
      : {})
  }
}

/** Converts a record over a fixed set of keys to an object with properties, which tools understand. */
const byName = (schema: JsonSchema): JsonSchema => {
  const { additionalProperties, propertyNames, required, ...rest } = schema
  if (propertyNames === undefined || !Array.isArray(required)) return schema
  const properties = Object.fromEntries(required.map((key) => [String(key), additionalProperties]))
  return { ...rest, properties, required }
}

const tidy = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(tidy)
    : typeof value === "object" && value !== null
      ? tidyObject(value)
      : value
