import * as Effect from "effect/Effect"
import { forEachYielding, yieldToEventLoop } from "../../platform/kernel/index.js"
import type { ParamType, QueryParam } from "./model.js"
import { compilePattern, type Matcher, PatternWork, patternSize, queryInstructionsMax } from "./patterns.js"
import { type ParamValue, type Scalar, scalarOf } from "./statement.js"

const textMaxChars = 10_000
const arrayMax = 1000

/**
 * The values of one execution, by parameter. A missing optional one has its default, else null. Fails with what is wrong
 * with them, as sentences. Values that patterns are tried on take turns with other work.
 */
export const readParams = (
  declared: ReadonlyArray<QueryParam>,
  given: Readonly<Record<string, unknown>>
): Effect.Effect<ReadonlyMap<string, ParamValue>, string> =>
  Effect.gen(function* () {
    const values = new Map<string, ParamValue>()
    const problems: Array<string> = []
    const work = new PatternWork()
    for (const param of declared) {
      const value = Object.hasOwn(given, param.name) ? given[param.name] : undefined
      const read = yield* readParam(param, value ?? param.default, work)
      if (typeof read === "string") problems.push(read)
      else values.set(param.name, read)
    }
    return problems.length === 0 ? values : yield* Effect.fail(problems.join(" "))
  })

const readParam = (
  param: QueryParam,
  value: unknown,
  work: PatternWork
): Effect.Effect<ParamValue | string> =>
  Effect.gen(function* () {
    const { name, type } = param
    if (value === undefined || value === null)
      return isRequired(param) ? `The parameter ${name} is missing.` : { type, value: null }
    const isList = type.endsWith("[]")
    if (isList && !Array.isArray(value)) return `The parameter ${name} is no array.`
    const items: ReadonlyArray<unknown> = isList && Array.isArray(value) ? value : [value]
    const max = Math.min(param.max ?? arrayMax, arrayMax)
    if (isList && (items.length < (param.min ?? 0) || items.length > max))
      return `The parameter ${name} holds ${items.length} values: ${param.min ?? 0} to ${max} are allowed.`
    const matcher = param.pattern === undefined ? null : yield* Effect.either(compilePattern(param.pattern))
    if (matcher?._tag === "Left")
      return `The pattern of the parameter ${name} cannot be used: ${matcher.left}`
    const turn = yieldToEventLoop()
    const subject = isList ? `An element of the parameter ${name}` : `The parameter ${name}`
    for (const item of items) {
      const problem =
        (item === null ? "holds a null" : problemOf(param, item, !isList)) ??
        (matcher === null ? null : mismatchOf(param, String(item), matcher.right, work))
      if (problem !== null) return `${subject} ${problem}.`
      if (matcher !== null) yield* turn
    }
    const read = items.map((item) => normalized(type, item))
    return { type, value: isList ? read : (read[0] ?? null) }
  })

const mismatchOf = (
  { pattern }: QueryParam,
  text: string,
  matches: Matcher,
  work: PatternWork
): string | null => {
  const found = matches(text, work)
  return typeof found === "string" ? found : found ? null : `does not match ${pattern}`
}

/** Whether a value has to be given. */
export const isRequired = ({ default: fallback, required }: QueryParam): boolean =>
  fallback === undefined && (required ?? true)

/**
 * Returns the problem of one value, as the rest of a sentence; null for a valid value. Bounds of arrays limit their
 * lengths.
 */
const problemOf = (param: QueryParam, value: unknown, isBounded: boolean): string | null => {
  const scalar = scalarOf(param.type)
  const { max, min } = isBounded ? param : { max: undefined, min: undefined }
  if (scalar === "integer" || scalar === "number") {
    const read = scalar === "integer" ? integerOf(value) : decimalOf(value)
    if (typeof read === "string") return read
    if (min !== undefined && read < min) return `is below ${min}`
    return max !== undefined && read > max ? `is above ${max}` : null
  }
  if (scalar === "boolean") return typeof value === "boolean" ? null : "is neither true nor false"
  if (typeof value !== "string") return "is no text"
  if (/[\0]|\p{Surrogate}/u.test(value)) return "holds characters that no database keeps"
  switch (scalar) {
    case "date":
      return isDate(value) ? null : "is no date (2026-01-31)"
    case "timestamp":
      return timestampOf(value) === null ? "is no timestamp with its zone (2026-01-31T09:30:00Z)" : null
    case "uuid":
      return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu.test(value) ? null : "is no UUID"
    case "enum":
      return param.enum?.includes(value) === true ? null : `is none of ${(param.enum ?? []).join(", ")}`
    default: {
      const { length } = value
      if (length < (min ?? 0)) return `is shorter than ${min} characters`
      const longest = Math.min(max ?? textMaxChars, textMaxChars)
      return length > longest ? `is longer than ${longest} characters` : null
    }
  }
}

/** Integers of 64 bits, signed or not. */
const [leastInteger, greatestInteger] = [-(2n ** 63n), 2n ** 64n - 1n]

/** An integer, as a number or as its digits, which results have beyond 2^53; a sentence's rest where it is none. */
const integerOf = (value: unknown): bigint | string => {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    return "is beyond 2^53, where JSON numbers are not exact: write it as a string"
  if (Number.isSafeInteger(value)) return BigInt(Number(value))
  if (typeof value !== "string" || !/^[-+]?\d{1,25}$/u.test(value)) return "is no integer"
  const read = BigInt(value.replace("+", ""))
  return read < leastInteger || read > greatestInteger ? "is no integer of 64 bits" : read
}

/** The same of a number with decimals. */
const decimalOf = (value: unknown): number | string => {
  if (typeof value === "number" && Number.isFinite(value)) return value
  const isDecimal =
    typeof value === "string" &&
    value.length <= 100 &&
    /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?$/u.test(value)
  return isDecimal ? Number(value) : "is no number"
}

const isDate = (text: string): boolean => {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text) ?? []
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1]
  return year !== "" && y > 0 && days !== undefined && d >= 1 && d <= days
}

/** A timestamp in UTC; null where the text is none. */
const timestampOf = (text: string): string | null => {
  const found =
    /^(\d{4}-\d{2}-\d{2})[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})$/u.exec(
      text
    )
  return found?.[1] === undefined || !isDate(found[1]) ? null : text.replace(" ", "T")
}

const normalized = (type: ParamType, value: unknown): Scalar => {
  if (scalarOf(type) === "integer") {
    const read = integerOf(value)
    return typeof read === "bigint" && !Number.isSafeInteger(Number(read)) ? String(read) : Number(read)
  }
  if (typeof value === "string") return scalarOf(type) === "timestamp" ? (timestampOf(value) ?? value) : value
  return typeof value === "number" || typeof value === "boolean" ? value : null
}

/** Values with which a statement can be prepared when nobody gave any: null throughout, arrays of one element. */
export const sampleValues = (declared: ReadonlyArray<QueryParam>): ReadonlyMap<string, ParamValue> =>
  new Map(
    declared.map(({ name, type }) => [name, { type, value: type.endsWith("[]") ? [null] : null }] as const)
  )

/** Returns the problems of declared parameters, each with its path. */
export const declarationProblems = (
  declared: ReadonlyArray<QueryParam>
): Effect.Effect<
  ReadonlyArray<{ readonly path: ReadonlyArray<string | number>; readonly message: string }>
> =>
  Effect.gen(function* () {
    const sizes = declared.map(({ pattern }) => (pattern === undefined ? 0 : patternSize(pattern)))
    if (sizes.reduce((sum, size) => sum + size, 0) > queryInstructionsMax)
      return [{ path: ["params"], message: "The patterns of the query repeat more than can be tried fast." }]
    const names = new Set<string>()
    const work = new PatternWork()
    const found = yield* forEachYielding(declared.entries(), ([at, param]) =>
      Effect.gen(function* () {
        const { enum: choices, max, min, name, pattern, type } = param
        const scalar = scalarOf(type)
        const problems: Array<string> = []
        if (names.has(name)) problems.push(`The parameter ${name} is declared twice.`)
        names.add(name)
        if (scalar === "enum" && choices === undefined) problems.push("An enum lists its values in enum.")
        if (scalar !== "enum" && choices !== undefined) problems.push("Only an enum has enum.")
        if (min !== undefined && max !== undefined && min > max) problems.push("min is above max.")
        if (pattern !== undefined) {
          if (scalar !== "string") problems.push("Only a string has a pattern.")
          const compiled = yield* Effect.either(compilePattern(pattern))
          if (compiled._tag === "Left") problems.push(compiled.left)
        }
        if (problems.length === 0 && param.default !== undefined) {
          const read = yield* readParam({ ...param, required: true }, param.default, work)
          if (typeof read === "string") problems.push(`Its default is not allowed: ${read}`)
        }
        return problems.map((message) => ({ path: ["params", at], message }))
      })
    )
    return found.flat()
  })
