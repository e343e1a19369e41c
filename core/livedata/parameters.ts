import * as Either from "effect/Either"
import type { ParamType, QueryParam } from "./model.js"
import { type ParamValue, type Scalar, scalarOf } from "./statement.js"

const textMaxChars = 10_000
const arrayMax = 1000
/** Longest text that a pattern is tried on: with three repetitions without bound the work stays below a second. */
const patternedMaxChars = 500
const repetitionsMax = 3

/** The values of one execution, by parameter. A missing optional one has its default, else null. */
export const readParams = (
  declared: ReadonlyArray<QueryParam>,
  given: Readonly<Record<string, unknown>>
): Either.Either<ReadonlyMap<string, ParamValue>, string> => {
  const values = new Map<string, ParamValue>()
  const problems: Array<string> = []
  for (const param of declared) {
    const value = Object.hasOwn(given, param.name) ? given[param.name] : undefined
    const read = readParam(param, value ?? param.default)
    if (typeof read === "string") problems.push(read)
    else values.set(param.name, read)
  }
  return problems.length === 0 ? Either.right(values) : Either.left(problems.join(" "))
}

const readParam = (param: QueryParam, value: unknown): ParamValue | string => {
  const { name, type } = param
  if (value === undefined || value === null)
    return isRequired(param) ? `The parameter ${name} is missing.` : { type, value: null }
  if (!type.endsWith("[]")) {
    const problem = problemOf(param, value, true)
    return problem === null ? { type, value: normalized(type, value) } : `The parameter ${name} ${problem}.`
  }
  if (!Array.isArray(value)) return `The parameter ${name} is no array.`
  const max = Math.min(param.max ?? arrayMax, arrayMax)
  if (value.length < (param.min ?? 0) || value.length > max)
    return `The parameter ${name} holds ${value.length} values: ${param.min ?? 0} to ${max} are allowed.`
  for (const item of value) {
    const problem = item === null ? "holds a null" : problemOf(param, item, false)
    if (problem !== null) return `An element of the parameter ${name} ${problem}.`
  }
  return { type, value: value.map((item) => normalized(type, item)) }
}

/** Whether a value has to be given. */
export const isRequired = ({ default: fallback, required }: QueryParam): boolean =>
  fallback === undefined && (required ?? true)

/** What is wrong with one value, as the rest of a sentence; null where nothing is. Bounds of arrays are their lengths. */
const problemOf = (param: QueryParam, value: unknown, isBounded: boolean): string | null => {
  const scalar = scalarOf(param.type)
  const { max, min } = isBounded ? param : { max: undefined, min: undefined }
  if (scalar === "integer" || scalar === "number") {
    if (typeof value !== "number" || !Number.isFinite(value)) return `is no ${scalar}`
    if (scalar === "integer" && !Number.isSafeInteger(value)) return "is no integer"
    if (min !== undefined && value < min) return `is below ${min}`
    return max !== undefined && value > max ? `is above ${max}` : null
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
      if (length > longest) return `is longer than ${longest} characters`
      if (param.pattern === undefined) return null
      if (length > patternedMaxChars) return `is longer than ${patternedMaxChars} characters`
      return new RegExp(`^(?:${param.pattern})$`, "u").test(value) ? null : `does not match ${param.pattern}`
    }
  }
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
  if (typeof value === "string") return scalarOf(type) === "timestamp" ? (timestampOf(value) ?? value) : value
  return typeof value === "number" || typeof value === "boolean" ? value : null
}

/** Values with which a statement can be prepared when nobody gave any: null throughout, arrays of one element. */
export const sampleValues = (declared: ReadonlyArray<QueryParam>): ReadonlyMap<string, ParamValue> =>
  new Map(
    declared.map(({ name, type }) => [name, { type, value: type.endsWith("[]") ? [null] : null }] as const)
  )

/** What is wrong with the declaration of parameters, with the place of each. */
export const declarationProblems = (
  declared: ReadonlyArray<QueryParam>
): ReadonlyArray<{ readonly path: ReadonlyArray<string | number>; readonly message: string }> => {
  const names = new Set<string>()
  return declared.flatMap((param, at) => {
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
      const wrong = patternProblem(pattern)
      if (wrong !== null) problems.push(wrong)
    }
    if (problems.length === 0 && param.default !== undefined) {
      const read = readParam({ ...param, required: true }, param.default)
      if (typeof read === "string") problems.push(`Its default is not allowed: ${read}`)
    }
    return problems.map((message) => ({ path: ["params", at], message }))
  })
}

/** Patterns that may take long on some text are refused: what repeats may hold nothing that repeats. */
const patternProblem = (pattern: string): string | null => {
  try {
    new RegExp(`^(?:${pattern})$`, "u")
  } catch {
    return "The pattern is no regular expression."
  }
  const bare = pattern.replace(/\\[^k\d]/gu, "x").replace(/\[(?:\\.|[^\]])*\]/gu, "x")
  if (/\\[k\d]|\(\?[=!<]/u.test(bare)) return "A pattern has no back references and looks around nowhere."
  if ((bare.match(/[*+]|\{\d+,\d*\}/gu) ?? []).length > repetitionsMax)
    return `A pattern repeats at most ${repetitionsMax} times.`
  return hasNestedRepetition(bare) ? "In a pattern, what repeats holds nothing that repeats." : null
}

const hasNestedRepetition = (bare: string): boolean => {
  const open: Array<boolean> = []
  for (let at = 0; at < bare.length; at += 1) {
    const char = bare[at]
    if (char === "(") open.push(false)
    else if (char === ")") {
      const repeats = open.pop() ?? false
      const isRepeated = /^(?:[*+]|\{\d)/u.test(bare.slice(at + 1, at + 3))
      if (repeats && isRepeated) return true
      if ((repeats || isRepeated) && open.length > 0) open[open.length - 1] = true
    } else if (
      char === "*" ||
      char === "+" ||
      char === "|" ||
      (char === "{" && /\d/u.test(bare[at + 1] ?? ""))
    )
      if (open.length > 0) open[open.length - 1] = true
  }
  return false
}
