import { matchesOf, withoutUnspaced } from "../languages/index.js"
import { currencyOf } from "./currencies.js"
import { type DateParts, dateEntails, findDates } from "./dates.js"
import {
  currencyBefore,
  hanDigits,
  type Measure,
  measureOf,
  numberInHan,
  numberWord,
  scaleOf,
  unspacedMeasures
} from "./measures.js"

/** A quantity, date or code in a text, in comparable form. */
export type Value = QuantityValue | DateValue | CodeValue

export interface QuantityValue {
  readonly kind: "quantity"
  readonly start: number
  readonly end: number
  /** `count` for plain numbers, `ordinal`, else the unit's dimension; currencies are never converted. */
  readonly dimension: string
  /** In the dimension's base unit. Equal unless the text has a range. */
  readonly low: number
  readonly high: number
  /** Half a unit of the last written digit, in the base unit: "3.2 million" means 3.15 to 3.25 million. */
  readonly tolerance: number
  /** "About", "roughly", "circa": five per cent either way. */
  readonly approximate: boolean
}

export interface DateValue {
  readonly kind: "date"
  readonly start: number
  readonly end: number
  readonly readings: ReadonlyArray<DateParts>
}

/** Letters with digits, versions, addresses: compared without case and separators. */
export interface CodeValue {
  readonly kind: "code"
  readonly start: number
  readonly end: number
  readonly code: string
}

const codePattern =
  /(?<![\p{L}\p{N}])(?:v?\d+(?:\.\d+){2,}|0x[0-9a-f]+|(?=[\p{L}\p{N}_-]{0,40}\p{L})(?=[\p{L}\p{N}_-]{0,40}\d)[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*)(?![\p{L}\p{N}])/giu

const numberPattern =
  /(?<![\p{L}\p{N}_])[-−]?(?:\d{1,3}(?:[ ,.’'\u00a0\u202f]\d{3})+(?![\p{N}])(?:[.,]\d+)?|\d+(?:[.,]\d+)?)/gu

/** Words that may spell a number. */
const wordPattern = /(?<![\p{L}\p{N}])\p{L}{3,18}(?:-\p{L}{2,8}){0,3}(?![\p{L}\p{N}])/gu
/** Codes and numerals contain a digit. */
const digit = /\d/u

/**
 * Returns all values of a text in order of their start, without overlaps. Linear, except for texts with many dates.
 */
export const findValues = (text: string): ReadonlyArray<Value> => {
  const dates: ReadonlyArray<Value> = findDates(text).map((date) => ({ kind: "date", ...date }))
  const usedSpans = new Intervals(dates)
  const codes: Array<Value> = []
  const spaced = withoutUnspaced(text)
  const hasDigit = digit.test(text)
  for (const match of hasDigit ? matchesOf(codePattern, spaced) : []) {
    const start = match.index
    const end = start + match[0].length
    if (usedSpans.overlaps(start, end) || isMeasured(match[0])) continue
    codes.push({ kind: "code", start, end, code: codeNorm(match[0]) })
  }
  const used = new Intervals([...dates, ...codes].sort((a, b) => a.start - b.start))
  const numbers = quantities(text, spaced).filter((value) => !used.overlaps(value.start, value.end))
  return [...dates, ...codes, ...mergeRanges(text, numbers)].sort((a, b) => a.start - b.start)
}

/** Whether a word names a unit or a currency ("tonnes", "kW", "euros"). */
export const isUnitWord = (word: string): boolean => (measureOf(word) ?? currencyOf(word)) !== undefined

/** Returns a code without case and separators: "EIP-1559", "eip 1559" and "EIP1559" are equal. */
export const codeNorm = (code: string): string =>
  code.toLowerCase().replace(/[-_\s.](?=\D)|(?<=\D)[-_\s.]/gu, "")

/** "10kg", "5th", "3x", "64-bit", "20s": a number with its unit, or an ordinal, not a code. */
const isMeasured = (word: string): boolean => {
  const parts = /^(\d+(?:[.,]\d+)?)[-_]?(\p{L}+)$/u.exec(word)
  const unit = parts?.[2]
  if (unit === undefined) return false
  return (
    measureOf(unit) !== undefined || scaleOf(unit) !== undefined || /^(?:st|nd|rd|th|er|e|x)$/iu.test(unit)
  )
}

/** @param spaced The text with letters separated from numbers where the script uses no spaces. */
const quantities = (text: string, spaced: string): ReadonlyArray<QuantityValue> => {
  const found: Array<QuantityValue> = []
  for (const match of digit.test(text) ? matchesOf(numberPattern, spaced) : []) {
    const amount = parseNumber(match[0])
    if (amount !== undefined)
      found.push(quantity(text, match.index, match.index + match[0].length, ...amount))
  }
  for (const match of matchesOf(wordPattern, spaced)) {
    const amount = numberWord(match[0])
    if (amount !== undefined)
      found.push(quantity(text, match.index, match.index + match[0].length, amount, 0.5))
  }
  for (const { 0: word, index } of matchesOf(countedOne, spaced))
    found.push(quantity(text, index, index + word.length, 1, 0.5))
  for (const match of spaced === text ? [] : matchesOf(hanPattern, text)) {
    const amount = numberInHan(match[0])
    if (amount !== undefined)
      found.push(quantity(text, match.index, match.index + match[0].length, amount, 0.5))
  }
  return found.sort((a, b) => a.start - b.start)
}

/** "One" is a number behind these words and an article, a pronoun or a part of a phrase elsewhere. */
const countedOne =
  /(?<=(?<!\p{L})(?:at (?:least|most)|exactly|only|just|(?:no )?more than|mindestens|höchstens|genau|nur|au (?:moins|plus)|exactement|al menos|como máximo|exactamente) )(?:one|eine?[mnrs]?|une?|un[ao]?)(?!\p{L})/giu

/** A number in Chinese characters before a unit; elsewhere they are mostly parts of words. */
const hanPattern = new RegExp(
  `(?<![${hanDigits}\\d.,・．点])[${hanDigits}]{1,20}(?=${unspacedMeasures.join("|")})`,
  "gu"
)

const quantity = (
  text: string,
  start: number,
  numberEnd: number,
  amount: number,
  step: number
): QuantityValue => {
  let end = numberEnd
  let factor = 1
  let dimension = "count"
  const word = () => unitPattern.exec(text.slice(end, end + 32))
  let next = word()
  const scale = next?.[1] === undefined ? undefined : scaleOf(next[1])
  if (next !== null && scale !== undefined) {
    factor = scale
    end += next[0].length
    // "millones de euros", "million of dollars"
    const link = /^\s(?:(?:de|of)\s|d['’])/u.exec(text.slice(end, end + 5))
    if (link !== null) end += link[0].length - (link[0].endsWith(" ") ? 1 : 0)
    next = word()
  }
  // "Five working days" are not five days.
  const ofWork = /^[\s\u00a0-]{1,2}(?:working|business)[\s-]days?(?!\p{L})/u.exec(text.slice(end, end + 20))
  if (ofWork !== null) next = null
  const currency = currencyBefore(text, start)
  const unit = ofWork === null ? next?.[1] : "workdays"
  if (ofWork !== null) end += ofWork[0].length
  const known = currency ?? (unit === undefined ? undefined : measureOf(unit))
  const money = known === undefined && ofWork === null ? moneyIn(text.slice(end, end + 48)) : undefined
  const measure = known ?? money?.measure
  if (money !== undefined) {
    dimension = money.measure.dimension
    end += money.length
  } else if (measure !== undefined) {
    dimension = measure.dimension
    factor *= measure.factor
    if (currency === undefined && next !== null) end += next[0].length
  } else if (/^(?:st|nd|rd|th|er|e|º)\b/iu.test(text.slice(numberEnd, numberEnd + 3))) {
    dimension = "ordinal"
  }
  const base = amount * factor
  return {
    kind: "quantity",
    start,
    end,
    dimension,
    low: base,
    high: base,
    tolerance: step * factor,
    approximate: approximation.test(text.slice(Math.max(0, start - 16), start))
  }
}

/** "12 NOK", "12 zł", "12,000 Swedish kronor": a currency of one or two words after a number. */
const moneyIn = (after: string): { readonly measure: Measure; readonly length: number } | undefined => {
  const [, gap = "", words = ""] =
    /^([\s\u00a0]{0,2})(\p{Sc}|kr\.|\p{L}{2,20}(?: \p{L}{3,20})?)/u.exec(after) ?? []
  for (const word of [words, words.split(" ")[0] ?? ""]) {
    const measure = word === "" ? undefined : currencyOf(word.replace(/\.$/u, ""))
    if (measure !== undefined) return { measure, length: gap.length + word.length }
  }
  return undefined
}

const unitPattern = new RegExp(
  `^[\\s\\u00a0-]{0,2}(%|‰|[€$£¥₹₽]|°[CF]|km/h|m/s|км/ч|м/с|(?:[Mm]io|[Mm]rd|[Tt]sd)\\.|[万萬亿億]|${unspacedMeasures.join("|")}|\\p{L}+)`,
  "u"
)

const approximation =
  /(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|nearly|almost|etwa|rund|ungefähr|knapp|environ|unos|unas|aproximadamente)\s|[~≈])\s?[$€£]?$/iu

/**
 * Returns [value, half a unit of its last digit]. Digit groups distinguish thousands separators from the decimal
 * comma.
 */
const parseNumber = (written: string): readonly [number, number] | undefined => {
  const digits = written.replace("−", "-").replace(/[\s’']/gu, "")
  const separators = digits.match(/[.,]/gu) ?? []
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","))
  let plain = digits
  if (separators.length === 1) {
    const decimals = digits.length - last - 1
    // "1.500" is ambiguous; exactly three digits after a comma or a dot are read as thousands.
    plain = decimals === 3 && !/^-?0/u.test(digits) ? digits.replace(/[.,]/u, "") : digits.replace(",", ".")
  } else if (separators.length > 1) {
    const same = separators.every((separator) => separator === separators[0])
    plain = same
      ? digits.replace(/[.,]/gu, "")
      : `${digits.slice(0, last).replace(/[.,]/gu, "")}.${digits.slice(last + 1)}`
  }
  const value = Number(plain)
  if (!Number.isFinite(value)) return undefined
  const decimals = plain.includes(".") ? plain.length - plain.indexOf(".") - 1 : 0
  return [value, 0.5 * 10 ** -decimals]
}

/** Merges ranges into one value: "4 to 8 cores", "4–8", "between 4 and 8". */
const mergeRanges = (text: string, values: ReadonlyArray<QuantityValue>): ReadonlyArray<QuantityValue> => {
  const merged: Array<QuantityValue> = []
  for (const value of values) {
    const before = merged.at(-1)
    const between = before === undefined ? "" : text.slice(before.end, value.start)
    const compatible =
      before !== undefined && (before.dimension === value.dimension || before.dimension === "count")
    const joined =
      /^\s?(?:-|–|—|to|bis|à|a)\s?$/u.test(between) ||
      (/^\s(?:and|und|et|y)\s$/u.test(between) &&
        before !== undefined &&
        /\b(?:between|zwischen|entre)\s$/iu.test(text.slice(Math.max(0, before.start - 10), before.start)))
    if (before !== undefined && compatible && joined && before.low === before.high) {
      const factor =
        before.dimension === value.dimension ? 1 : value.tolerance > 0 ? scaleBetween(before, value) : 1
      merged.pop()
      const ends = [before.low * factor, value.high]
      // "Lowered from 68 to 16" has its bounds in reverse order.
      merged.push({ ...value, start: before.start, low: Math.min(...ends), high: Math.max(...ends) })
    } else merged.push(value)
  }
  return merged
}

/** "4 to 8 GB": the unit of the second number applies to the first. */
const scaleBetween = (bare: QuantityValue, measured: QuantityValue): number => {
  const perStep = measured.tolerance / (bare.tolerance > 0 ? bare.tolerance : 0.5)
  return perStep > 0 ? perStep : 1
}

/**
 * Whether evidence supports a claimed value: the same code; a date of at least the same precision; a quantity of the
 * same dimension that rounds to the claimed one at the claim's precision, or is within its "about".
 */
export const valueEntails = (evidence: Value, claim: Value): boolean => {
  if (claim.kind === "code") return evidence.kind === "code" && evidence.code === claim.code
  if (claim.kind === "date") {
    if (evidence.kind === "date")
      return claim.readings.some((one) => evidence.readings.some((other) => dateEntails(other, one)))
    const only = claim.readings[0]
    return (
      evidence.kind === "quantity" &&
      only?.month === null &&
      evidence.dimension === "count" &&
      evidence.low === only.year
    )
  }
  if (evidence.kind === "date") {
    const only = evidence.readings[0]
    return claim.dimension === "count" && only?.month === null && only.year === claim.low
  }
  if (evidence.kind !== "quantity" || evidence.dimension !== claim.dimension) return false
  const margin = claim.approximate
    ? Math.max(
        claim.tolerance,
        Math.min(0.05 * Math.max(Math.abs(claim.low), Math.abs(claim.high)), roundness(claim.low))
      )
    : evidence.tolerance < claim.tolerance
      ? claim.tolerance
      : 1e-9 * Math.max(1, Math.abs(claim.low))
  return Math.abs(evidence.low - claim.low) <= margin && Math.abs(evidence.high - claim.high) <= margin
}

/** Half a unit of the last non-zero digit: "about 500" may mean 487, "about 507" may not. */
const roundness = (value: number): number => {
  let step = 1
  while (value !== 0 && step < 1e15 && Number.isInteger(value / (step * 10))) step *= 10
  return step / 2
}

/** Sorted, disjoint intervals. */
class Intervals {
  constructor(private readonly items: ReadonlyArray<{ readonly start: number; readonly end: number }>) {}

  overlaps(start: number, end: number): boolean {
    let low = 0
    let high = this.items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.items[middle]?.end ?? 0) <= start) low = middle + 1
      else high = middle
    }
    const next = this.items[low]
    return next !== undefined && next.start < end
  }
}
