import { wordwise } from "../../language/languages/index.js"
import { boundOf, type ReadText } from "../../language/text-analysis/index.js"
import { findValues, type QuantityValue, type Value } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import { comparedParts, type Statement } from "./statements.js"

/** Two incompatible quantities. */
export interface Clash {
  readonly a: QuantityValue
  readonly b: QuantityValue
}

/**
 * Returns the quantities by which two statements disagree: same dimension, same counted thing, same rate, and no value
 * of one side compatible with any of the other. Undefined when some quantity agrees or none can be compared.
 *
 * @param ofOneProperty Both state one property, whatever they call what they count.
 */
export const clashOf = (a: Statement, b: Statement, ofOneProperty = false): Clash | undefined => {
  const isComparable = (one: Measured, other: Measured) => areComparable(one, other, ofOneProperty)
  const [left, right] = [measured(a.read), measured(b.read)]
  for (const one of left) {
    const rivals = right.filter((other) => isComparable(one, other))
    if (rivals.length === 0 || rivals.some((other) => isCompatible(one, other))) continue
    for (const other of rivals) {
      const opponents = left.filter((again) => isComparable(again, other))
      if (!opponents.some((again) => isCompatible(again, other))) return { a: one.value, b: other.value }
    }
  }
  return undefined
}

/**
 * Returns the number of a data cell and the quantity of a passage where they differ. A cell has no unit of its own: the
 * passage's, or the one that its column names, holds for both.
 */
export const cellClash = (cell: Statement, passage: Statement): Clash | undefined => {
  const from = cell.text.lastIndexOf(": ") + 2
  const [number, ...more] = cell.values.filter(({ start }) => start >= from)
  const [quantity, ...others] = passage.values.filter(isQuantity)
  if (number === undefined || quantity === undefined || more.length + others.length > 0) return undefined
  if (number.kind !== "quantity" || number.dimension !== "count" || quantity.dimension === "ordinal")
    return undefined
  const numberText = cell.text.slice(number.start, number.end)
  const unit = passage.text.slice(quantity.start, quantity.end).replace(/^[^\p{L}%°€$£]+/u, "")
  const [column] = findValues(
    `1 ${
      cell.text
        .slice(0, from - 2)
        .split(/\s/u)
        .at(-1) ?? ""
    }`
  )
  if (column?.kind === "quantity" && column.dimension !== "count" && column.dimension !== quantity.dimension)
    return undefined
  const spoken =
    column?.kind === "quantity" && column.dimension === quantity.dimension
      ? cell.text
          .slice(0, from - 2)
          .split(/\s/u)
          .at(-1)
      : unit
  const [value] = findValues(`${numberText} ${spoken ?? ""}`)
  if (value?.kind !== "quantity" || value.dimension !== quantity.dimension) return undefined
  const [a, b] = [value, quantity].map((one) => ({ value: one, bound: null, counted: null }))
  return a === undefined || b === undefined || isCompatible(a, b) ? undefined : { a: number, b: quantity }
}

const isQuantity = (value: Value): value is QuantityValue => value.kind === "quantity"

/** A quantity with its context. */
interface Measured {
  readonly value: QuantityValue
  readonly bound: "least" | "most" | null
  /** The counted term, for plain numbers. */
  readonly counted: string | null
}

const measured = memoize((read: ReadText): ReadonlyArray<Measured> => {
  const { text, values } = read
  const { terms } = comparedParts(read)
  return values.flatMap((found) => {
    if (found.kind !== "quantity" || isLabel(text.slice(0, found.start))) return []
    const value = spanOf(found, text)
    const [before, after] = [
      text.slice(Math.max(0, value.start - 28), value.start),
      text.slice(value.end, value.end + 28)
    ]
    const next = terms.find(({ start }) => start >= value.end && start <= value.end + 3)
    return [
      {
        value,
        bound: boundOf(before, after) ?? (isLimit().test(before) ? ("most" as const) : null),
        counted: value.dimension === "count" ? (next?.term ?? null) : null
      }
    ]
  })
})

/** "Every 60 days" names a span that another page may state as "after 90 days". */
const spanOf = (value: QuantityValue, text: string): QuantityValue =>
  value.dimension !== "recurrence" ||
  value.low !== 1 ||
  value.per === undefined ||
  !/^\p{L}+[\s\u00a0](?:\d+|\p{L}+)[\s\u00a0]\p{L}+$/u.test(text.slice(value.start, value.end)) ||
  !/^(?:time|months)$/u.test(value.per.unit)
    ? value
    : {
        kind: "quantity",
        start: value.start,
        end: value.end,
        dimension: value.per.unit,
        low: value.per.size,
        high: value.per.size,
        tolerance: 0,
        approximate: value.approximate
      }

/** "Section 4", "step 3", "version 2": a number that identifies rather than measures. */
const label = wordwise(
  () =>
    /\b(?:section|step|chapter|figure|table|version|release|page|item|no\.?|nr\.?|number|appendix|level|tier|phase|abschnitt|schritt|kapitel|seite|stufe|section|étape|chapitre|article|paso|capítulo|artículo|#)\s?$/iu
)
const isLabel = (before: string): boolean => label().test(before)

/** "The maximum speed is 5 knots", "the weight limit is 800 kg", "must not exceed 8 knots" are upper limits. */
const isLimit = wordwise(
  () =>
    /\b(?:maximum|limit|longest|highest|at most|exceed|höchst\w*|maximal\w*|máxim[oa]|limite|límite)\b[^.;]{0,24}$/iu
)

const areComparable = (a: Measured, b: Measured, ofOneProperty: boolean): boolean => {
  if (!sameDimension(a.value, b.value) || areOfOtherOrder(a.value, b.value)) return false
  if (a.value.per !== undefined && b.value.per !== undefined && a.value.per.unit !== b.value.per.unit)
    return false
  // "120 people", "95 employees": one property counts one thing.
  return ofOneProperty || a.counted === null || b.counted === null || a.counted === b.counted
}

/** Weeks and minutes measure different things. */
const areOfOtherOrder = (a: QuantityValue, b: QuantityValue): boolean => {
  const [x, y] = [a, b].map((value) => Math.abs(value.high) * (value.dimension === "months" ? 30 * day : 1))
  return isSpan(a) && x !== undefined && y !== undefined && Math.max(x, y) > otherOrder * Math.min(x, y)
}
const otherOrder = 100

/** Spans of days and of months can be compared when they differ enough. */
const sameDimension = (a: QuantityValue, b: QuantityValue): boolean =>
  a.dimension === b.dimension || (isSpan(a) && isSpan(b))
const isSpan = ({ dimension }: QuantityValue): boolean => dimension === "time" || dimension === "months"

const isCompatible = (a: Measured, b: Measured): boolean => {
  // Two different limits of one kind are compared as limits.
  const bounds = a.bound === b.bound ? [null, null] : [a.bound, b.bound]
  const [one, other] = [
    interval(perUnit(a.value, b.value), b.value, bounds[0] ?? null),
    interval(perUnit(b.value, a.value), a.value, bounds[1] ?? null)
  ]
  if (isOtherVersion(a.value, b.value)) return false
  return one.low <= other.high && other.low <= one.high
}

/** Both rates as amounts of one unit of their denominator: 60 a minute are 3,600 an hour. */
const perUnit = (value: QuantityValue, beside: QuantityValue): QuantityValue =>
  value.per === undefined || beside.per === undefined || value.per.size === 1
    ? value
    : {
        ...value,
        low: value.low / value.per.size,
        high: value.high / value.per.size,
        tolerance: value.tolerance / value.per.size
      }

/** Versions 3.1 and 3.10 are two, although the numbers are equal. */
const isOtherVersion = (a: QuantityValue, b: QuantityValue): boolean =>
  a.isVersion === true && b.isVersion === true && a.written !== b.written

/**
 * Returns the interval that a quantity stands for: itself, five per cent around "about", or everything on one side of
 * a bound.
 */
const interval = (value: QuantityValue, beside: QuantityValue, bound: Measured["bound"]) => {
  const isMixed = value.dimension !== beside.dimension && value.dimension === "months"
  const size = Math.max(Math.abs(value.low), Math.abs(value.high))
  // "3.2 million" is rounded, "3,214,000" is not; a step that is large relative to the value is not a rounding.
  const isRounded = value.tolerance > beside.tolerance && value.tolerance < 0.05 * size
  const slack = value.approximate ? 0.05 * size : isRounded ? value.tolerance : 1e-9 * Math.max(1, size)
  const low = (value.low - slack) * (isMixed ? 28 * day : 1)
  const high = (value.high + slack) * (isMixed ? 31 * day : 1)
  if (bound === "least") return { low, high: Number.POSITIVE_INFINITY }
  if (bound === "most") return { low: Number.NEGATIVE_INFINITY, high }
  return { low, high }
}

const day = 86_400
