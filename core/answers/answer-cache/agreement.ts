import { findValues, type Value } from "../../language/values/index.js"
import type { Claim as AnswerClaim } from "../evidence/index.js"
import type { Verdict } from "../policy/index.js"

/** The parts of an answer that must agree for two answers to be equivalent. */
export interface Gist {
  /** Null without a gate. */
  readonly verdict: Verdict | null
  readonly claims: ReadonlyArray<AnswerClaim>
  /** Known entities that the claims name. */
  readonly entities: ReadonlySet<string>
  /** Cited documents. */
  readonly documents: ReadonlySet<string>
}

/** Minimum share of common documents among all documents that either answer cites. */
const sharedDocumentsMin = 0.5

/**
 * Returns whether two answers agree: same verdict, same values and entities, and mostly the same documents.
 * Symmetric.
 */
export const answersAgree = (one: Gist, other: Gist): boolean =>
  one.verdict === other.verdict &&
  sameSet(valuesOf(one.claims), valuesOf(other.claims)) &&
  sameSet(one.entities, other.entities) &&
  overlap(one.documents, other.documents) >= sharedDocumentsMin

const sameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((item) => other.has(item))

const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const shared = [...one].filter((item) => other.has(item)).length
  const all = one.size + other.size - shared
  return all === 0 ? 1 : shared / all
}

const valuesOf = (claims: ReadonlyArray<AnswerClaim>): ReadonlySet<string> =>
  new Set(claims.flatMap(({ text }) => findValues(text).map(valueKey)))

/** Returns a text that is equal for equal values, regardless of spelling. */
const valueKey = (value: Value): string => {
  if (value.kind === "code") return `code ${value.code}`
  const only = value.kind === "date" ? value.readings[0] : undefined
  // A year may also be parsed as a number.
  if (only?.month === null && only.year !== null) return `count ${digits(only.year)} ${digits(only.year)}`
  if (value.kind === "date")
    return `date ${value.readings.map(({ day, month, year }) => `${year}-${month}-${day}`).join(" ")}`
  const per = value.per === undefined ? "" : ` per ${value.per.size} ${value.per.unit}`
  return `${value.dimension} ${value.isVersion === true ? value.written : digits(value.low)} ${digits(value.high)}${per}`
}

/** Rounds a converted value, whose last digits are noise. */
const digits = (amount: number): string => amount.toPrecision(9)
