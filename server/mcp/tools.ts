import type { Tool } from "@modelcontextprotocol/server"
import { z } from "zod"
import { defined } from "../../core/platform/kernel/index.js"
import type { Row } from "../catalog/row.js"
import { descriptions } from "./descriptions.js"

/** An operation that is offered as a tool. */
export type Shown = Pick<Row, "operation" | "run"> & { readonly tool: NonNullable<Row["tool"]> }

const tools = new Map<string, Tool>()

/**
 * Returns an operation as a tool. A client loads all tools into the context of a model, so they are short: output
 * schemas name the fields of the result without their inner structure, and what holds for all tools is said once, in
 * the instructions.
 */
export const toolOf = ({ operation, tool }: Shown): Tool => {
  const cachedTool = tools.get(tool.name)
  if (cachedTool !== undefined) return cachedTool
  const made: Tool = {
    name: tool.name,
    title: titleOf(tool.name),
    description: descriptions[tool.name] ?? operation.summary,
    inputSchema: inputOf(operation.input),
    outputSchema: outputOf(operation.output),
    annotations: {
      readOnlyHint: operation.effect === "read",
      idempotentHint: operation.effect !== "write" && tool.name !== "svc_query",
      destructiveHint: tool.destructive,
      openWorldHint: false
    }
  }
  tools.set(tool.name, made)
  return made
}

const ObjectSchema = z.looseObject({
  type: z.literal("object"),
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).optional()
})

const jsonSchemaOf = (schema: z.ZodType, io: "input" | "output") => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" })
  return ObjectSchema.parse(json)
}

const inputOf = (schema: z.ZodType): Tool["inputSchema"] => {
  const { properties = {}, required, type } = jsonSchemaOf(schema, "input")
  return { type, properties: compactAll(properties), ...defined({ required }), additionalProperties: false }
}

/** Keywords that a model does not need to write an argument; the server checks them in any case. */
const unneeded: ReadonlySet<string> = new Set([
  "pattern",
  "format",
  "minLength",
  "propertyNames",
  "additionalProperties",
  "multipleOf"
])

/** How ids describe themselves: names of arguments and tools say as much. */
const ofId = /^A \w+: opaque, sortable by creation\.$/

const Keywords = z.record(z.string(), z.json())
type Keywords = z.infer<typeof Keywords>

/** Returns a schema without keywords that only the server needs, or that repeat a name. Limits of 2^53 say nothing. */
const compact = (schema: unknown): Keywords =>
  Object.fromEntries(
    Object.entries(Keywords.parse(schema)).flatMap(
      ([keyword, value]): ReadonlyArray<readonly [string, Keywords[string]]> => {
        if (unneeded.has(keyword) || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return []
        if (keyword === "description" && ofId.test(String(value))) return []
        if (keyword === "properties") return [[keyword, compactAll(Keywords.parse(value))]]
        if (keyword === "items") return [[keyword, compact(value)]]
        if (keyword === "anyOf" && Array.isArray(value)) return [[keyword, value.map(compact)]]
        return [[keyword, value]]
      }
    )
  )

const compactAll = (schemas: Readonly<Record<string, unknown>>): Record<string, Keywords> =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, compact(one)]))

const outputOf = (schema: z.ZodType): NonNullable<Tool["outputSchema"]> => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(jsonSchemaOf(schema, "output").properties ?? {}).map(([name, { type }]) => [
      name,
      typeof type === "string" ? { type } : {}
    ])
  )
})

/** Returns the display title of a tool: "Get document" for `svc_get_document`. */
const titleOf = (name: string): string => {
  const words = name.replace(/^svc_/, "").replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}
