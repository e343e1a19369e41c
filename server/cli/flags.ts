import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../../core/engine/engine/index.js"
import { type Failure, wrongUsage } from "./failure.js"

/** Description of one field of a command's input, beyond the field's schema. */
export interface FieldSpec {
  /** The flag or argument without dashes; by default the field in kebab-case. */
  readonly name?: string
  /** Stands for the value in help, such as `ID`; by default derived from the name. */
  readonly placeholder?: string
  /** By default the schema's own description. */
  readonly description?: string
  /** The values there are, where the command takes fewer than the schema. */
  readonly choices?: ReadonlyArray<string>
  /** The range of a number, where the command takes less than the schema. */
  readonly range?: { readonly from: number; readonly to: number; readonly default?: number }
  /** Whether an argument may be left out, where the schema says otherwise. */
  readonly optional?: boolean
  /** Turns what was given into the value, with an open workspace: an entity's name into its id. */
  readonly resolve?: (engine: Engine, given: string) => Effect.Effect<string, Failure>
}

/** Specs by field of an input. */
export type FieldSpecs<Input extends z.ZodObject> = { readonly [Field in keyof z.input<Input>]?: FieldSpec }

/** A flag or an argument of a command. */
export interface Parameter {
  /** The field of the input that it sets. */
  readonly field: string
  /** As help shows it: `--limit N`, `<query>`, `[<id>...]`. */
  readonly usage: string
  readonly description: string
  /** A switch takes no value. */
  readonly kind: "switch" | "value"
  /** The values there are; empty when any will do. */
  readonly choices: ReadonlyArray<string>
  /** It may be given more than once. */
  readonly repeats: boolean
  /** Only of an argument: it must be given. */
  readonly isRequired: boolean
  readonly resolve: FieldSpec["resolve"]
  /** The value of a word. `undefined` marks one that is wrong; `wanted` tells what is taken. */
  readonly read: (word: string) => unknown
  readonly wanted: string
}

/** Descriptions and placeholders of fields that many operations have. */
const commonFields: Readonly<Record<string, FieldSpec>> = {
  limit: { description: "Maximum number of items to list" },
  offset: { description: "Number of items to skip" },
  note: { placeholder: "TEXT", description: "Why; at most 4,000 characters, kept in the history." },
  from: { placeholder: "TIME", description: "Only from this time on: a timestamp, or a day (UTC)." },
  to: { placeholder: "TIME", description: "Only before this time." },
  pathPrefix: { placeholder: "PATH" },
  verification: { description: "Only documents with this verification status." },
  status: { description: "Only with this status." },
  kind: { description: "Only of this kind." },
  type: { description: "Only of this type." }
}

/** Operations clamp the length of a page; the command line refuses what would be clamped. */
const pageLimitMax = 200

/** The flags of an input by their names with dashes; fields without a flag are left out. */
export const flagsOf = (
  input: z.ZodObject,
  specs: Readonly<Record<string, FieldSpec | undefined>> = {},
  without: ReadonlyArray<string> = []
): ReadonlyMap<string, Parameter> =>
  new Map(
    Object.entries(input.shape)
      .filter(([field]) => !without.includes(field))
      .map(([field, schema]): readonly [string, Parameter] => {
        const parameter = parameterOf(field, schema, specs[field] ?? {})
        const [name = ""] = parameter.usage.split(" ")
        return [name, parameter]
      })
  )

/** The arguments of an input, in the order of their specs. */
export const argumentsOf = (
  input: z.ZodObject,
  specs: Readonly<Record<string, FieldSpec | undefined>>
): ReadonlyArray<Parameter> =>
  Object.entries(specs).flatMap(([field, spec = {}]) => {
    const schema = input.shape[field]
    if (schema === undefined) return []
    const parameter = parameterOf(field, schema, spec)
    const isRequired = !(spec.optional ?? unwrap(schema).isOptional)
    const usage = `<${spec.name ?? kebabCase(field)}>${parameter.repeats ? "..." : ""}`
    const description = parameter.description === "" ? `${listed(parameter.choices)}.` : parameter.description
    return [{ ...parameter, isRequired, usage: isRequired ? usage : `[${usage}]`, description }]
  })

const parameterOf = (field: string, schema: z.core.$ZodType, given: FieldSpec): Parameter => {
  const spec = { ...commonFields[field], ...given }
  const { defaultValue, description = "", inner, isOptional, placeholder: own } = unwrap(schema)
  const name = spec.name ?? kebabCase(field)
  const text = spec.description ?? description
  const base = {
    field,
    kind: "value" as const,
    choices: [],
    repeats: false,
    isRequired: false,
    resolve: spec.resolve,
    read: (word: string): unknown => word,
    wanted: ""
  }
  if (inner instanceof z.ZodArray) {
    const item = parameterOf(field, inner.element, { ...given, description: text })
    return {
      ...item,
      usage: `${item.usage}...`,
      repeats: true,
      description: text === "" ? "" : `${text} May be given several times.`
    }
  }
  if (inner instanceof z.ZodBoolean && !(isOptional && defaultValue === undefined)) {
    const isOnByDefault = defaultValue === true
    return {
      ...base,
      kind: "switch",
      usage: `--${isOnByDefault && !name.startsWith("no-") ? "no-" : ""}${name}`,
      description: text,
      read: () => !isOnByDefault
    }
  }
  const choices =
    spec.choices ??
    (inner instanceof z.ZodEnum
      ? inner.options.map(String)
      : inner instanceof z.ZodBoolean
        ? ["yes", "no"]
        : [])
  if (choices.length > 0) {
    const isYesOrNo = inner instanceof z.ZodBoolean
    return {
      ...base,
      usage: `--${name} ${choices.join(" | ")}`,
      description: text,
      choices,
      read: (word) => (isYesOrNo ? word === "yes" : word)
    }
  }
  if (inner instanceof z.ZodNumber) {
    const range = rangeOf(field, inner, spec)
    const usual = spec.range?.default ?? defaultValue
    return {
      ...base,
      ...range,
      usage: `--${name} ${spec.placeholder ?? range.placeholder}`,
      description: `${text.replace(/\.$/, "")}: ${range.words}${usual === undefined ? "" : `, ${usual} by default`}.`
    }
  }
  const placeholder =
    own ?? spec.placeholder ?? (/(?:^i|I)d$/.test(field) ? "ID" : name.toUpperCase().replace(/^.*-/, ""))
  return { ...base, usage: `--${name} ${placeholder}`, description: text }
}

const rangeOf = (field: string, schema: z.ZodNumber, { range }: FieldSpec) => {
  const isInteger = schema.isInt
  const least = schema.minValue ?? 0
  const from = range?.from ?? (field === "limit" ? Math.max(least, 1) : least)
  const most = schema.maxValue ?? Number.MAX_SAFE_INTEGER
  const to = range?.to ?? (field === "limit" ? Math.min(most, pageLimitMax) : most)
  const words = to >= Number.MAX_SAFE_INTEGER ? `${from} or more` : `${from} to ${to}`
  const form = isInteger ? /^[+-]?\d{1,15}$/ : /^(?:\d+|\d*\.\d+)$/
  return {
    placeholder: isInteger ? "N" : "SCORE",
    words,
    wanted: isInteger ? `a whole number, ${words}.` : `a number from ${from} to ${to}.`,
    read: (word: string): unknown => {
      const value = form.test(word) ? Number(word) : Number.NaN
      return value >= from && value <= to ? value : undefined
    }
  }
}

/** A schema without the layers that say what happens to a missing value, and what those layers say. */
const unwrap = (schema: z.core.$ZodType) => {
  let [inner, isOptional] = [schema, false]
  let defaultValue: unknown
  let description: string | undefined
  let placeholder: string | undefined
  for (;;) {
    const { description: said, placeholder: shown } = z.globalRegistry.get(inner) ?? {}
    description ??= said
    if (typeof shown === "string") placeholder = shown
    if (inner instanceof z.ZodDefault) {
      defaultValue = inner.def.defaultValue
      isOptional = true
      inner = inner.unwrap()
    } else if (inner instanceof z.ZodOptional) {
      isOptional = true
      inner = inner.unwrap()
    } else if (inner instanceof z.ZodNullable) inner = inner.unwrap()
    else if (inner instanceof z.ZodPipe) inner = inner.in
    else return { inner, isOptional, defaultValue, description, placeholder }
  }
}

/** Reads what was given for some parameters: a record by field, without what was not given. */
export const readValues = (
  parameters: ReadonlyArray<readonly [Parameter, ReadonlyArray<string>]>
): Effect.Effect<Record<string, unknown>, Failure> =>
  Effect.gen(function* () {
    const values: Record<string, unknown> = {}
    for (const [{ field, kind, read, repeats, usage, wanted }, words] of parameters) {
      if (words.length === 0) continue
      const all = words.map(read)
      const wrong = all.indexOf(undefined)
      if (wrong !== -1)
        return yield* wrongUsage(
          usage.startsWith("--")
            ? `${usage.split(" ")[0]} takes ${wanted}`
            : `${usage} is ${wanted.replace(/\.$/, "")}, not '${words[wrong]}'.`
        )
      values[field] = repeats && kind === "value" ? all : all[0]
    }
    return values
  })

/** A list in words: `a, b or c`. */
export const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`

const kebabCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** A flag that names a file, a folder or an address. An empty one is refused: a variable of a script was not set. */
export const place = (placeholder: string) =>
  z.string().min(1, `takes a ${placeholder}, and was given ''.`).optional()

/** A switch, off unless it is given. */
export const switchFlag = (description: string) => z.boolean().default(false).describe(description)

/** A text that may be left out; `placeholder` stands for it in help. */
export const textFlag = (description: string, placeholder?: string) =>
  z.string().optional().meta({ description, placeholder })

/** A name of 1 to 200 characters. */
export const nameFlag = z
  .string()
  .trim()
  .min(1, "takes 1 to 200 characters.")
  .max(200, "takes 1 to 200 characters.")

/** The options of every command. */
export const commonInput = z.object({
  data: place("DIR").describe(
    "The data folder. By default KANON_DATA, else .kanon in --vault, else the nearest .kanon upwards."
  ),
  vault: place("DIR").describe(
    "The folder of Markdown files, or database: or s3://bucket/prefix. A new one is made a workspace and ingested."
  ),
  workspace: z.string().optional().describe("The workspace (ws_…); by default the first one of the data."),
  database: place("URL").describe(
    "A Postgres database (postgres://…) instead of SQLite in the data folder. By default KANON_DATABASE_URL."
  ),
  json: z.boolean().default(false).describe("Print one JSON document and nothing else.")
})
export type CommonInput = z.output<typeof commonInput>

export const commonFlags = flagsOf(commonInput, {
  data: { placeholder: "DIR" },
  vault: { placeholder: "DIR" },
  workspace: { placeholder: "ID" },
  database: { placeholder: "URL" }
})

/** The option of commands that are done in somebody's name. */
export const acting = {
  as: z
    .string()
    .optional()
    .describe("The member who does it: named in history and audit, and asked for by what has an owner.")
}
export const actingFlags = flagsOf(z.object(acting), { as: { placeholder: "MEMBER" } })
export interface ActingInput extends CommonInput {
  readonly as?: string | undefined
}
