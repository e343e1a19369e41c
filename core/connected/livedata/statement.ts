import * as Either from "effect/Either"
import { isSign, isWord, type Token, tokenize } from "./lexer.js"
import type { DataConnectorKind, ParamType, ScalarType } from "./model.js"

/** A value that is bound to a placeholder. */
export interface BoundValue {
  readonly type: ScalarType
  readonly value: Scalar
}
export type Scalar = string | number | boolean | null

/** A parameter with the value that it has in one execution. */
export interface ParamValue {
  readonly type: ParamType
  readonly value: Scalar | ReadonlyArray<Scalar>
}

/** A statement in the words of its database: placeholders in place of names, and what is bound to them. */
export interface CompiledStatement {
  readonly text: string
  readonly values: ReadonlyArray<BoundValue>
}

/** Characters that no statement needs and that can hide one part of it from a reader or a parser. */
const hidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\u202a-\u202e\u2066-\u2069]/u

/**
 * Puts placeholders in the place of `:name` and gives the values to bind, never a value in the text. An array within
 * `IN ( )` becomes a placeholder for each element, elsewhere its length (null when it is absent). Left where the text
 * is not one complete SELECT or WITH statement, or uses an undeclared parameter; the message says what to write.
 */
export const compileStatement = (
  sql: string,
  dialect: DataConnectorKind,
  params: ReadonlyMap<string, ParamValue>
): Either.Either<CompiledStatement, string> => {
  if (hidden.test(sql))
    return Either.left("The statement holds control characters or a byte-order mark: remove them.")
  const all = tokenize(sql, dialect)
  const broken = all.find(({ kind }) => kind === "unterminated")
  if (broken !== undefined) return Either.left(`A quote or comment is not closed: ${near(sql, broken)}`)
  const last = all.findLastIndex((token) => !isSign(token, ";"))
  const tokens = all.slice(0, last + 1)
  const refused = refusalOf(sql, dialect, tokens)
  if (refused !== null) return Either.left(refused)
  const parts: Array<string> = []
  const values: Array<BoundValue> = []
  const numbers = new Map<string, number>()
  let from = 0
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "parameter") continue
    const param = params.get(token.text)
    if (param === undefined)
      return Either.left(
        `The parameter :${token.text} is not declared. (A slice or a label is written with a blank after its colon.)`
      )
    const isAlone = isSign(tokens[at - 1], "(") && isSign(tokens[at + 1], ")")
    const isList = isAlone && isWord(tokens[at - 2], "in")
    if (isAlone && param.type.endsWith("[]") && isWord(tokens[at - 2], "any", "some", "all")) {
      if (dialect !== "postgres")
        return Either.left(`A list is written as IN (:${token.text}): ${near(sql, token)}`)
      parts.push(sql.slice(from, token.start), arrayPlaceholder(token.text, param, values, numbers))
    } else if (isList && dialect === "postgres" && isEmptyEnum(param)) {
      // No cast fits the type of an enum of the database, and an untyped list of nothing is text.
      const isNegated = isWord(tokens[at - 3], "not")
      const start = (isNegated ? tokens[at - 3] : tokens[at - 2])?.start ?? token.start
      parts.push(sql.slice(from, start), isNegated ? "<> all ('{}'" : "= any ('{}'")
    } else
      parts.push(
        sql.slice(from, token.start),
        placeholders(dialect, token.text, param, isList, values, numbers)
      )
    from = token.end
  }
  parts.push(sql.slice(from, tokens.at(-1)?.end))
  return Either.right({ text: parts.join(""), values })
}

/** Why the text cannot be one statement that reads; null where nothing speaks against it so far. */
const refusalOf = (sql: string, dialect: DataConnectorKind, tokens: ReadonlyArray<Token>): string | null => {
  const first = tokens.find((token) => !isSign(token, "("))
  if (first === undefined) return "The statement is empty: write one SELECT or WITH statement."
  if (!isWord(first, "select", "with"))
    return `Only SELECT and WITH statements can be published: ${near(sql, first)}`
  const second = tokens.find((token) => isSign(token, ";"))
  if (second !== undefined) return `Exactly one statement is allowed: remove what follows the semicolon.`
  const own = dialect === "postgres" ? /^\$$/u : dialect === "sqlite" ? /^[?$@#]$/u : /^\?$/u
  const foreign = tokens.find(({ kind, text }) => kind === "punctuation" && own.test(text))
  return foreign === undefined
    ? null
    : `Parameters are written as :name, and "${foreign.text}" is not: ${near(sql, foreign)}`
}

/** The text of a statement from a token on, for messages. */
export const near = (sql: string, { start }: Pick<Token, "start">): string =>
  `near "${sql
    .slice(start, start + 40)
    .replaceAll(/\s+/gu, " ")
    .trim()}"`

const placeholders = (
  dialect: DataConnectorKind,
  name: string,
  { type, value }: ParamValue,
  isList: boolean,
  values: Array<BoundValue>,
  numbers: Map<string, number>
): string => {
  const scalar = scalarOf(type)
  const bind = (key: string, bound: BoundValue): string => {
    if (dialect !== "postgres") {
      values.push(bound)
      // MySQL compares a text with a number by floating-point numbers, which are not exact.
      return dialect === "mysql" && bound.type === "number" && typeof bound.value === "string"
        ? "cast(? as decimal(65,30))"
        : "?"
    }
    const number = numbers.get(key) ?? values.push(bound)
    numbers.set(key, number)
    return isList && bound.type === "enum" ? `$${number}` : `$${number}::${postgresTypes[bound.type]}`
  }
  if (scalar === type) return bind(name, { type: scalar, value: isArray(value) ? null : value })
  const items = isArray(value) ? value : null
  if (!isList) return bind(`${name} length`, { type: "integer", value: items?.length ?? null })
  if (items === null) return bind(`${name} 0`, { type: scalar, value: null })
  if (items.length === 0) return emptyList[dialect](postgresTypes[scalar])
  return items.map((item, at) => bind(`${name} ${at}`, { type: scalar, value: item })).join(", ")
}

const isEmptyEnum = ({ type, value }: ParamValue): boolean =>
  type === "enum[]" && isArray(value) && value.length === 0

/** A placeholder for a whole array, in the text form of PostgreSQL; of an enum it takes the type of its context. */
const arrayPlaceholder = (
  name: string,
  { type, value }: ParamValue,
  values: Array<BoundValue>,
  numbers: Map<string, number>
): string => {
  const key = `${name} array`
  const text = isArray(value)
    ? `{${value.map((one) => (one === null ? "null" : `"${String(one).replaceAll(/["\\]/gu, "\\$&")}"`)).join(",")}}`
    : null
  const number = numbers.get(key) ?? values.push({ type: "string", value: text })
  numbers.set(key, number)
  return type === "enum[]" ? `$${number}` : `$${number}::${postgresTypes[scalarOf(type)]}[]`
}

const isArray = (value: ParamValue["value"]): value is ReadonlyArray<Scalar> => Array.isArray(value)

/** The type of the elements of an array, or the type itself. */
export const scalarOf = (type: ParamType): ScalarType => {
  const name = type.replace("[]", "")
  return scalarNames.find((one) => one === name) ?? "string"
}

const postgresTypes: Readonly<Record<ScalarType, string>> = {
  string: "text",
  enum: "text",
  integer: "bigint",
  number: "numeric",
  boolean: "boolean",
  date: "date",
  timestamp: "timestamptz",
  uuid: "uuid"
}
const scalarNames: ReadonlyArray<ScalarType> = [
  "string",
  "enum",
  "integer",
  "number",
  "boolean",
  "date",
  "timestamp",
  "uuid"
]

/** A list without elements, in which nothing is. */
const emptyList: Readonly<Record<DataConnectorKind, (type: string) => string>> = {
  postgres: (type) => `select null::${type} where false`,
  sqlite: () => "select null where 0",
  mysql: () => "select null from dual where false"
}
