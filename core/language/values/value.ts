/** The values that texts hold, in comparable form. */
import type { DateParts } from "./dates.js"
import type { Period } from "./rates.js"

/** A quantity, date or code in a text, in comparable form. */
export type Value = QuantityValue | DateValue | CodeValue

export interface QuantityValue {
  readonly kind: "quantity"
  readonly start: number
  readonly end: number
  /**
   * `count` for plain numbers, `ordinal`, `clock` for a time of day in minutes, `ratio` (`low` to `high`), `recurrence`
   * for what happens `low` times in each period, else the unit's dimension; currencies are never converted.
   */
  readonly dimension: string
  /** In the dimension's base unit. Equal unless the text has a range. */
  readonly low: number
  readonly high: number
  /** Half a unit of the last written digit, in the base unit: "3.2 million" means 3.15 to 3.25 million. */
  readonly tolerance: number
  /** "About", "roughly", "circa": five per cent either way. */
  readonly approximate: boolean
  /** Denominator of a rate: "900 euros per month". `low` and `high` are the numerator. */
  readonly per?: Period
  /** The denominator that an adjective before the amount names: "a monthly rent of 900 euros". */
  readonly near?: Period
  /** The digits of a decimal number, which is the name of a version where `isVersion`: 3.10 is not 3.1. */
  readonly written?: string
  /** A sign of comparison before the number, or the words for it: ≥ is "at least". */
  readonly sign?: Comparison
  readonly isVersion?: boolean
}

/** How a number is compared, and whether a sign says so. */
export interface Comparison {
  readonly sign: "<" | "≤" | ">" | "≥" | "≠" | "±"
  readonly isWritten: boolean
}

export interface DateValue {
  readonly kind: "date"
  readonly start: number
  readonly end: number
  readonly readings: ReadonlyArray<DateParts>
}

/** Letters with digits, versions, addresses, names with a sign ("C++", "grade A-"): compared without case and separators. */
export interface CodeValue {
  readonly kind: "code"
  readonly start: number
  readonly end: number
  readonly code: string
}
