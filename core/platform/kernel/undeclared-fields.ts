import { z } from "zod"
import type { Issue } from "./fault.js"
import { nearestName } from "./nearest-name.js"

/** Codes of the issues of undeclared fields and of undeclared query parameters. */
export const undeclaredCodes = { field: "unrecognized_keys", parameter: "unknown_parameter" } as const

/**
 * Number of undeclared names that are reported at most. Looking for the nearest declared name takes some hundredths of a
 * millisecond, and a body may hold 250,000 names.
 */
export const undeclaredMax = 20
/** Number of names that a message lists, and of characters of a name, at most. */
const [namesMax, nameMaxChars] = [12, 100]

/**
 * Returns an issue for each field of a value that its schema does not declare, at any depth. Objects that the schema
 * declares open (records, loose objects, a catch-all) may hold any field. Of a union only the alternative that the value
 * matches counts; a value that matches none is left to the schema. Fields that are undefined count as absent.
 */
export const undeclaredFields = (schema: z.core.$ZodType, value: unknown): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  visit(schema, value, [], issues)
  return issues
}

/** Returns the issue of one name that is none of those declared. */
export const undeclaredIssue = (
  kind: keyof typeof undeclaredCodes,
  name: string,
  declared: ReadonlyArray<string>,
  path: ReadonlyArray<string | number> = []
): Issue => {
  const shown = name.slice(0, nameMaxChars)
  const nearest = nearestName(name, declared)
  const hint =
    nearest !== undefined
      ? `Did you mean ${nearest}?`
      : declared.length === 0
        ? "There is none here."
        : `There ${declared.length === 1 ? "is" : "are"} ${declared.slice(0, namesMax).join(", ")}${declared.length > namesMax ? " and others" : ""}.`
  return {
    path: [...path, shown],
    code: undeclaredCodes[kind],
    message: `There is no ${kind} ${shown}. ${hint}`
  }
}

type Path = ReadonlyArray<string | number>

const visit = (schema: z.core.$ZodType, value: unknown, path: Path, issues: Array<Issue>): void => {
  if (typeof value !== "object" || value === null || issues.length >= undeclaredMax) return
  if (schema instanceof z.ZodObject) visitObject(schema, Object.entries(value), path, issues)
  else if (schema instanceof z.ZodArray) {
    if (Array.isArray(value))
      for (const [place, item] of value.entries()) {
        if (issues.length >= undeclaredMax) return
        visit(schema.element, item, [...path, place], issues)
      }
  } else if (schema instanceof z.ZodRecord) {
    for (const [key, item] of Object.entries(value)) {
      if (issues.length >= undeclaredMax) return
      visit(schema.valueType, item, [...path, key], issues)
    }
  } else if (schema instanceof z.ZodUnion) {
    const matched =
      schema instanceof z.ZodDiscriminatedUnion
        ? namedBy(schema, value)
        : schema.options.find((option) => z.safeParse(option, value).success)
    if (matched !== undefined) visit(matched, value, path, issues)
  } else {
    const inner = innerOf(schema)
    if (inner !== undefined) visit(inner, value, path, issues)
  }
}

const visitObject = (
  schema: z.ZodObject,
  fields: ReadonlyArray<readonly [string, unknown]>,
  path: Path,
  issues: Array<Issue>
): void => {
  const { catchall } = schema.def
  const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever)
  const declared = Object.keys(schema.shape)
  for (const [name, value] of fields) {
    if (issues.length >= undeclaredMax) return
    if (value === undefined) continue
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
    if (field !== undefined) visit(field, value, [...path, name], issues)
    else if (!isOpen) issues.push(undeclaredIssue("field", name, declared, path))
  }
}

/** Returns the alternative whose discriminator has the value's, whatever else is wrong with the value. */
const namedBy = ({ def, options }: z.ZodDiscriminatedUnion, value: object): z.core.$ZodType | undefined => {
  const name: unknown = Reflect.get(value, def.discriminator)
  return options.find(({ _zod }) => {
    const names = _zod.propValues?.[def.discriminator]
    return [...(names ?? [])].some((one) => one === name)
  })
}

/** Returns the schema below a layer that says what happens to a missing value or to the result. */
const innerOf = (schema: z.core.$ZodType): z.core.$ZodType | undefined => {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  )
    return schema.def.innerType
  return schema instanceof z.ZodPipe ? schema.in : undefined
}
