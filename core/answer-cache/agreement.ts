import type { Claim as AnswerClaim } from "../evidence/index.js"
import type { Verdict } from "../policy/index.js"
import { findValues, type Value } from "../text-analysis/index.js"

/** What of an answer another one must share to say the same. */
export interface Gist {
  /** Null where no gate stood. */
  readonly verdict: Verdict | null
  readonly claims: ReadonlyArray<AnswerClaim>
  /** Known entities that the claims name. */
  readonly entities: ReadonlySet<string>
  /** Documents that are cited. */
  readonly documents: ReadonlySet<string>
}

/** Share of the cited documents, of all that either cites, that both must cite. */
const sharedDocumentsMin = 0.5

/** Whether two answers say the same: one verdict, the same values and entities, and mostly the same documents. Symmetric. */
export const agree = (one: Gist, other: Gist): boolean =>
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
  new Set(claims.flatMap(({ text }) => findValues(text).map(written)))

/** Equal for values that are equal, however they are written. */
const written = (value: Value): string => {
  if (value.kind === "code") return `code ${value.code}`
  const only = value.kind === "date" ? value.readings[0] : undefined
  // A year may be read as a number, too.
  if (only?.month === null && only.year !== null) return `count ${digits(only.year)} ${digits(only.year)}`
  if (value.kind === "date")
    return `date ${value.readings.map(({ day, month, year }) => `${year}-${month}-${day}`).join(" ")}`
  return `${value.dimension} ${digits(value.low)} ${digits(value.high)}`
}

/** Units are converted: the last digits are noise. */
const digits = (amount: number): string => amount.toPrecision(9)
