import type { EntityId } from "../../platform/kernel/index.js"
import type { DataQuery, QueryBinding } from "./model.js"
import { scalarOf } from "./statement.js"

/** An entity that a question names. */
export interface BoundEntity {
  readonly id: EntityId
  readonly type: string
  readonly name: string
  /** The name by which the question mentions it. */
  readonly mention: string
  /** Its name and all its aliases. */
  readonly names: ReadonlyArray<string>
  /** The front matter of its document. */
  readonly attributes: Readonly<Record<string, unknown>>
}

/** An execution that a question asks for. */
export interface BoundCall {
  readonly query: DataQuery
  readonly entity: BoundEntity
  readonly params: Readonly<Record<string, unknown>>
}

/** Executions that one question may lead to. */
const boundCallsMax = 3

/**
 * Returns the executions that the bindings of queries request for the entities of a question, in the order of the
 * entities, then by slug: each distinct execution once, and at most three. Disabled and archived queries are left out.
 * Pure.
 */
export const boundCalls = (
  queries: ReadonlyArray<DataQuery>,
  entities: ReadonlyArray<BoundEntity>
): ReadonlyArray<BoundCall> => {
  const usable = queries
    .filter(({ archived, enabled }) => enabled && !archived)
    .sort((one, other) => (one.slug < other.slug ? -1 : 1))
  const calls = new Map<string, BoundCall>()
  for (const entity of entities)
    for (const query of usable) {
      // A binding to the entity itself goes before one to its type.
      const binding =
        query.bindings.find(({ entityId }) => entityId === entity.id) ??
        query.bindings.find(({ entityType }) => entityType?.toLowerCase() === entity.type.toLowerCase())
      if (binding === undefined) continue
      const params = paramsOf(query, binding, entity)
      const key = JSON.stringify([query.id, params])
      if (!calls.has(key)) calls.set(key, { query, entity, params })
    }
  return [...calls.values()].slice(0, boundCallsMax)
}

const paramsOf = (
  { params }: DataQuery,
  { paramMap }: QueryBinding,
  entity: BoundEntity
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    params.flatMap(({ name, type }) => {
      const source = Object.hasOwn(paramMap, name) ? paramMap[name] : undefined
      if (source === undefined) return []
      const isList = type.endsWith("[]")
      const value = valueOf(source, entity, isList)
      if (value === undefined || value === null) return []
      const items = (Array.isArray(value) ? value : [value]).map((item) => typed(item, scalarOf(type)))
      return [[name, isList ? items : items[0]]]
    })
  )

const valueOf = (source: string, entity: BoundEntity, isList: boolean): unknown => {
  if (source === "id") return entity.id
  if (source === "name") return entity.name
  if (source === "alias") return isList ? entity.names : entity.mention
  const key = source.slice("attribute:".length)
  return Object.hasOwn(entity.attributes, key) ? entity.attributes[key] : undefined
}

/** Front matter knows no types of ours: `42` of a text parameter is "42", "42" of a number is 42. */
const typed = (value: unknown, type: ReturnType<typeof scalarOf>): unknown => {
  if (type === "integer" || type === "number") {
    const isNumeric = typeof value === "string" && /^[-+]?\d+(?:\.\d+)?$/u.test(value.trim())
    return isNumeric ? value.trim() : value
  }
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value
}
