import { z } from "zod"
import { type ApiDocument, isSchema, nameAt, type Schema } from "../../tools/api-document.js"

/** Values of a document's enumerations that were seen, by the name of the enumeration. */
export interface Enumerations {
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>
  readonly reached: ReadonlyMap<string, Set<string>>
  /** Takes in the enumerations of a schema, which is called `at` where it has no name of its own. */
  readonly declare: (schema: Schema, at: string) => void
  /** Notes which of their values a value of that schema holds. */
  readonly reach: (schema: Schema, at: string, value: unknown) => void
}

/** Walks schemas of a document, and values with them: enumerations are declared, their values reached. */
export const enumerationsOf = (document: ApiDocument): Enumerations => {
  const declared = new Map<string, ReadonlySet<string>>()
  const reached = new Map<string, Set<string>>()

  const follow = (schema: Schema, name: string): readonly [Schema, string] => {
    const { $ref } = schema
    return typeof $ref === "string"
      ? [document.components.schemas[nameAt($ref)] ?? {}, nameAt($ref)]
      : [schema, name]
  }

  const walk = (
    given: Schema,
    at: string,
    value: { readonly is: unknown } | null,
    above: ReadonlyArray<string> = []
  ): void => {
    const [schema, name] = follow(given, at)
    if (value === null && above.includes(name)) return
    const inside = [...above, name]
    const { additionalProperties, anyOf, enum: values, items, properties } = schema
    if (Array.isArray(values)) {
      if (value === null) declared.set(name, new Set(values.map(String)))
      else if (values.includes(value.is))
        reached.set(name, (reached.get(name) ?? new Set()).add(String(value.is)))
    }
    for (const one of Array.isArray(anyOf) ? anyOf.filter(isSchema) : []) walk(one, name, value, inside)
    const fields = z.record(z.string(), z.unknown()).safeParse(value?.is).data
    for (const [field, inner] of Object.entries(isSchema(properties) ? properties : {})) {
      if (!isSchema(inner)) continue
      if (value === null) walk(inner, `${name}.${field}`, null, inside)
      else if (fields !== undefined && field in fields)
        walk(inner, `${name}.${field}`, { is: fields[field] }, inside)
    }
    if (isSchema(additionalProperties) && value === null) walk(additionalProperties, name, null, inside)
    if (isSchema(items)) {
      if (value === null) walk(items, name, null, inside)
      else if (Array.isArray(value.is)) for (const one of value.is) walk(items, name, { is: one }, inside)
    }
  }

  return {
    declared,
    reached,
    declare: (schema, at) => walk(schema, at, null),
    reach: (schema, at, value) => walk(schema, at, { is: value })
  }
}
