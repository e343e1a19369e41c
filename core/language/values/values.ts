import { matchesOf, withoutUnspaced, wordwise } from "../languages/index.js"
import { findTimes, mayName } from "./clock.js"
import { currencyOf } from "./currencies.js"
import { findDates } from "./dates.js"
import { isTemperature } from "./entailment.js"
import {
  currencyBefore,
  hanDigits,
  type Measure,
  measureOf,
  numberInHan,
  scaleOf,
  unspacedMeasures
} from "./measures.js"
import { findRecurrences, mayRecur, type Period, rateAfter } from "./rates.js"
import { mayCount, spelledAt } from "./spelled.js"
import { unitOfPhrase, unitPhrase } from "./unit-phrases.js"
import type { Comparison, QuantityValue, Value } from "./value.js"

const codePattern = wordwise(
  () =>
    /(?<![\p{L}\p{N}])(?:v?\d+(?:\.\d+){2,}|v\d+\.\d+|0x[0-9a-f]+|(?=[\p{L}\p{N}_-]{0,40}\p{L})(?=[\p{L}\p{N}_-]{0,40}\d)[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*)(?![\p{L}\p{N}])/giu
)

const numberPattern =
  /(?<![\p{L}\p{N}_])(?:[-−]|(?<=(?:^|[^\p{N}%°€$£\s]\s|\())–)?(?:\d{1,3}(?:[ ,.’'\u00a0\u202f]\d{3})+(?![\p{N}])(?:[.,]\d+)?|\d+(?:[.,]\d+)?)/gu

/** Words that may spell a number. */
const wordPattern =
  /(?<![\p{L}\p{N}])(?:\p{L}{3,36}(?:-\p{L}{2,8}){0,3}|a(?=\s(?:hundred|thousand|million|billion)(?!\p{L})))(?![\p{L}\p{N}])/gu
/** Codes and numerals contain a digit. */
const digit = /\d/u

/** "C++", "C#", "A+": the sign is a part of the name; "A-" after a word for marks. */
const signedName =
  /(?<![\p{L}\p{N}+#&])(?:\p{L}[\p{L}\p{N}]{0,12}(?:\+{1,2}|#)|(?<=(?:grade|rating|rated|mark|score|Note|nota)\s(?:is\s|was\s|of\s|ist\s|es\s)?)\p{Lu}{1,3}[-−])(?![\p{L}\p{N}+#(])/gu
const maySign = /[+#]|[A-Z][-−](?![A-Za-z0-9])/

/** "3:1" is a ratio, "16:10" a time or a ratio and reads as a time. */
const ratioPattern = /(?<![\p{L}\p{N}.,:/-])(\d{1,6})\s?:\s?(\d{1,6})(?![\p{L}\p{N}:]|[.,]\d)/gu

/** "Half of the members", "two thirds of them". */
const fractionPattern = wordwise(
  () =>
    /(?<!\p{L})(?:(?<half>half|die Hälfte|la mitad)|(?:a |one )(?<third>third)|(?:a |one )(?<quarter>quarter)|(?<thirds>two[ -]thirds)|(?<quarters>three[ -]quarters)|(?<tertia>zwei Drittel|dos tercios)|(?<quarta>drei Viertel|tres cuartos))(?=\s(?:of|der|des|von|de|del)\s)/giu
)
const mayDivide = /half|third|quarter|hälfte|mitad|drittel|viertel|tercio|cuarto/i
const fractions: Readonly<Record<string, number>> = {
  half: 50,
  third: 100 / 3,
  quarter: 25,
  thirds: 200 / 3,
  tertia: 200 / 3,
  quarters: 75,
  quarta: 75
}

/** A quantity that is no measured number: a time of day, a ratio, what recurs. */
const exact = (
  span: Pick<QuantityValue, "start" | "end">,
  dimension: string,
  low: number,
  high = low
): QuantityValue => ({
  kind: "quantity",
  start: span.start,
  end: span.end,
  dimension,
  low,
  high,
  tolerance: 0,
  approximate: false
})

const spanOf = ({ 0: found, index }: RegExpExecArray) => ({ start: index, end: index + found.length })

/** Times of day, ratios, recurrences and fractions, in this order of precedence. */
const formed = (text: string, hasDigit: boolean): ReadonlyArray<QuantityValue> => [
  ...findTimes(text, hasDigit).map((time) => exact(time, "clock", time.minutes)),
  ...(hasDigit && text.includes(":")
    ? matchesOf(ratioPattern, text).map((match) =>
        exact(spanOf(match), "ratio", Number(match[1]), Number(match[2]))
      )
    : []),
  ...findRecurrences(text).map((one) => ({ ...exact(one, "recurrence", one.times), per: one.per })),
  ...(mayDivide.test(text) ? matchesOf(fractionPattern(), text) : []).map((match): QuantityValue => {
    const [name = ""] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? []
    return { ...exact(spanOf(match), "percent", fractions[name] ?? 0), tolerance: 0.5 }
  })
]

/**
 * Returns all values of a text in order of their start, without overlaps. Linear, except for texts with many dates.
 */
export const findValues = (text: string): ReadonlyArray<Value> => {
  const hasDigit = digit.test(text)
  if (!hasDigit && !mayCount().test(text) && !mayForm.test(text)) return []
  const found: Array<Value> = findDates(text).map((date) => ({ kind: "date", ...date }))
  // Of overlapping values the kind that is read first wins.
  const add = <V extends Value>(values: ReadonlyArray<V>): ReadonlyArray<V> => {
    const used = new Intervals([...found].sort((a, b) => a.start - b.start))
    const free = values.filter((value) => !used.overlaps(value.start, value.end))
    found.push(...free)
    return free
  }
  const spaced = withoutUnspaced(text)
  const amounts = quantities(text, spaced)
  const special: Array<QuantityValue> = []
  for (const value of formed(text, hasDigit)) {
    // "900 euros monthly" is one value, "every 20 minutes" another.
    const isBehind = amounts.some(({ end, start }) => start < value.start && value.start < end)
    if (!isBehind && special.every(({ end, start }) => value.end <= start || end <= value.start))
      special.push(value)
  }
  const clocks = add(special.sort((a, b) => a.start - b.start)).filter(
    ({ dimension }) => dimension === "clock"
  )
  const codes: Array<Value> = []
  for (const match of hasDigit ? matchesOf(codePattern(), spaced) : [])
    if (!isMeasured(match[0])) codes.push({ kind: "code", ...spanOf(match), code: codeNorm(match[0]) })
  for (const match of maySign.test(text) ? matchesOf(signedName, spaced) : [])
    codes.push({ kind: "code", ...spanOf(match), code: match[0].toLowerCase().replace("−", "-") })
  add(codes)
  const used = new Intervals([...found].sort((a, b) => a.start - b.start))
  const numbers = amounts.filter((value) => !used.overlaps(value.start, value.end))
  const merged = mergeRanges(
    text,
    clocks.length === 0 ? numbers : [...numbers, ...clocks].sort((a, b) => a.start - b.start)
  )
  const others = found.filter((value) => value.kind !== "quantity" || value.dimension !== "clock")
  return withPeriods(
    text,
    [...others, ...merged].sort((a, b) => a.start - b.start)
  )
}

/** Whether a word names a unit or a currency ("tonnes", "kW", "euros"). */
export const isUnitWord = (word: string): boolean => (measureOf(word) ?? currencyOf(word)) !== undefined

/** Returns the dimensions of the amounts that a word for a unit may name: pounds are money or a weight. */
export const dimensionsOfUnit = (word: string): ReadonlyArray<string> => {
  const dimension = (measureOf(word) ?? currencyOf(word))?.dimension
  if (dimension === undefined) return []
  if (dimension === "angle") return [dimension, "celsius", "fahrenheit"]
  return /^pounds?$/iu.test(word) ? [dimension, "mass"] : [dimension]
}

/** "A monthly rent of 900 euros": the adjective before an amount says what it is per. */
const withPeriods = (text: string, values: ReadonlyArray<Value>): ReadonlyArray<Value> =>
  values.map((value, at) => {
    const before = values[at - 1]
    if (value.kind !== "quantity" || value.per !== undefined || !dividable(value.dimension)) return value
    if (before?.kind !== "quantity" || before.dimension !== "recurrence" || before.low !== 1) return value
    const between = text.slice(before.end, value.start)
    return before.per === undefined || between.length > nearMax || /[.,;]/u.test(between)
      ? value
      : { ...value, near: before.per }
  })
const nearMax = 48
const dividable = (dimension: string): boolean =>
  !/^(?:time|months|clock|recurrence|ordinal|ratio)$/u.test(dimension)

/** Returns a code without case and separators: "EIP-1559", "eip 1559" and "EIP1559" are equal. */
export const codeNorm = (code: string): string =>
  code
    .toLowerCase()
    .replace(/^v(?=\d+\.)/u, "")
    .replace(/[-_\s.](?=\D)|(?<=\D)[-_\s.]/gu, "")

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
  let last = 0
  for (const match of mayCount().test(text) ? matchesOf(wordPattern, spaced) : []) {
    // "Three-bladed", "a three-year term"
    const dash = match[0].indexOf("-")
    const spelled =
      match.index < last
        ? undefined
        : (spelledAt(spaced, match.index, match[0]) ??
          (dash < 0 ? undefined : spelledAt(spaced, match.index, match[0].slice(0, dash))))
    if (spelled === undefined) continue
    last = spelled.end
    found.push(quantity(text, match.index, spelled.end, spelled.amount, 0.5))
  }
  for (const pattern of [countedOne, oneSpan])
    for (const { 0: span, groups, index } of matchesOf(pattern, spaced)) {
      const end = index + span.length
      found.push(quantity(text, end - (groups?.["one"]?.length ?? 0), end, 1, 0.5))
    }
  for (const match of spaced === text ? [] : matchesOf(hanPattern, text)) {
    const amount = numberInHan(match[0])
    if (amount !== undefined)
      found.push(quantity(text, match.index, match.index + match[0].length, amount, 0.5))
  }
  found.sort((a, b) => a.start - b.start)
  // "Zero" in "18 degrees below zero" is a part of that.
  return found.filter(({ start }, at) => at === 0 || start >= (found[at - 1]?.end ?? 0))
}

/** "Within one month", "for a year": one of a unit of time, where a span is meant. */
const oneSpan =
  /(?:within|for|after|lasts?|takes?|innerhalb(?: von)?|binnen|nach|dauert|dentro de|durante|tras|dura) (?<one>an?|one|eine[mnrs]?|un[ao]?)(?= (?:second|minute|hour|day|week|month|quarter|year|sekunde|stunde|tag|tages|woche|monats?|quartals?|jahr(?:es)?|segundo|minuto|hora|día|semana|mes|trimestre|año)(?![a-zäöüáéíóúñ]))/gi

/** "One" is a number behind these words and an article, a pronoun or a part of a phrase elsewhere. */
const counting =
  "(?:at (?:least|most)|exactly|only|just|(?:no )?more than|mindestens|höchstens|genau|nur|au (?:moins|plus)|exactement|al menos|como máximo|exactamente) (?<one>one|eine?[mnrs]?|une?|un[ao]?)"
const countedOne = new RegExp(`(?<!\\p{L})${counting}(?!\\p{L})`, "giu")

/** A text without a digit and without a word for a number holds no value unless one of these is in it. */
const mayForm = new RegExp(
  `${[oneSpan, mayRecur, mayName, mayDivide, maySign].map(({ source }) => source).join("|")}|${counting.replace("?<one>", "?:")}`,
  "i"
)

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
  const phrase = unitPhrase().exec(text.slice(end, end + 24))
  if (phrase !== null) next = null
  const currency = currencyBefore(text, start)
  const unit = phrase === null ? next?.[1] : unitOfPhrase(phrase)
  if (phrase !== null) end += phrase[0].length
  const known = currency ?? (unit === undefined ? undefined : measureOf(unit))
  const money = known === undefined && phrase === null ? moneyIn(text.slice(end, end + 48)) : undefined
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
  // "Minus 18 °C" and "18 °C below zero" are both −18 °C.
  const minus = (
    isTemperature({ dimension }) || dimension === "angle" ? minusOfDegrees() : minusBefore()
  ).exec(text.slice(Math.max(0, start - 14), start))
  const below = belowZero().exec(text.slice(end, end + 32))
  if (below !== null) end += below[0].length
  const isNegative = (minus !== null || below !== null) && amount > 0
  const rate = dividable(dimension) ? rateBehind(text, end, dimension) : undefined
  end += rate?.length ?? 0
  // Metres per second are a speed, whatever is written for "per".
  const isSpeed = dimension === "length" && rate?.per.unit === "time"
  if (isSpeed) {
    dimension = "speed"
    factor *= 3.6 / rate.per.size
  }
  const base = amount * factor * (isNegative ? -1 : 1)
  return {
    kind: "quantity",
    start: start - (minus === null || amount < 0 ? 0 : (minus[1]?.length ?? 0)),
    end,
    dimension,
    low: base,
    high: base,
    tolerance: step * factor,
    approximate: approximation.test(text.slice(Math.max(0, start - 16), start)),
    ...(rate === undefined || isSpeed ? {} : { per: rate.per }),
    ...(dimension === "count" && factor === 1 ? nameOf(text, start, numberEnd) : {}),
    ...comparisonBefore(text.slice(Math.max(0, start - 24), start))
  }
}

/** "≥ 5", "< €5", "x != 0"; ">" at the beginning of a line marks a quotation. */
const comparisonSign = /(<=|>=|!=|(?<=[^-=\s][\s\u00a0]?)>|[<≤≥≠±])[\s\u00a0]?[€$£]?[\s\u00a0]?$/u
const comparisonWords = wordwise(
  () =>
    /(?<!\p{L})(?:(?<least>at least|no (?:fewer|less) than|minimum of|mindestens|wenigstens|al menos|como mínimo|au moins)|(?<more>more than|over|above|greater than|mehr als|über|más de|mayor que|plus de)|(?<most>at most|no more than|up to|maximum of|höchstens|maximal|bis zu|como máximo|au plus)|(?<less>less than|fewer than|under|below|smaller than|weniger als|unter|menos de|menor que|moins de)|(?<not>not equal to|ungleich))[\s\u00a0][€$£]?$/iu
)
const signsByName = { least: "≥", more: ">", most: "≤", less: "<", not: "≠" } as const

const comparisonBefore = (before: string): Pick<QuantityValue, "sign"> => {
  const written = mayCompare.test(before) ? comparisonSign.exec(before)?.[1] : undefined
  if (written !== undefined) return { sign: { sign: writtenSigns[written] ?? "±", isWritten: true } }
  const groups = comparisonWords().exec(before)?.groups ?? {}
  const name = (["least", "more", "most", "less", "not"] as const).find((one) => groups[one] !== undefined)
  return name === undefined ? {} : { sign: { sign: signsByName[name], isWritten: false } }
}
const mayCompare = /[<>≤≥≠±=]/
const writtenSigns: Readonly<Record<string, Comparison["sign"]>> = {
  "<": "<",
  "<=": "≤",
  "≤": "≤",
  ">": ">",
  ">=": "≥",
  "≥": "≥",
  "!=": "≠",
  "≠": "≠"
}

/** "Minus 18", not "10 minus 4" or Spanish "al menos 18". */
const minusBefore = wordwise(() => /(?:^|[^\p{N}\s]\s)((?:minus|negative)\s)$/iu)
/** "A menos 18 °C" is below zero, "al menos 18 °C" and "no menos de" are not. */
const minusOfDegrees = wordwise(
  () =>
    /(?:^|[^\p{N}\s]\s)(?<!(?<!\p{L})(?:al|au|du|lo|cuando|más o|plus ou|no|pas) )((?:minus|negative|menos|moins)\s)$/iu
)
const belowZero = wordwise(
  () =>
    /^[\s\u00a0](?:below (?:zero|freezing|0)|unter (?:Null|dem Gefrierpunkt)|bajo cero|au-dessous de zéro)(?!\p{L})/iu
)

/** A denominator behind an amount, or behind what it counts ("60 requests per minute"), which then stays outside. */
const rateBehind = (
  text: string,
  end: number,
  dimension: string
): { readonly per: Period; readonly length: number } | undefined => {
  const after = text.slice(end, end + 64)
  const rate = rateAfter(after)
  if (rate !== undefined) return rate
  const counted = (dimension === "count" ? countedThing() : ofThing()).exec(after)?.[0]
  const behind = counted === undefined ? undefined : rateAfter(after.slice(counted.length))
  return behind === undefined ? undefined : { per: behind.per, length: 0 }
}
const countedThing = wordwise(
  () =>
    /^(?:[\s\u00a0](?!per|pro|je|por|an?\s|each|every|jede|alle|cada)[\p{L}-]{2,24}){1,3}?(?=[\s\u00a0/](?:per|pro|je|por|an?|each|every|jede[nmrs]?|cada|al|am|im)[\s\u00a0]|\/)/iu
)
const ofThing = wordwise(
  () =>
    /^[\s\u00a0](?:of|de|an|von)(?:[\s\u00a0][\p{L}-]{2,24}){1,2}?(?=[\s\u00a0](?:per|pro|je|por|an?|each|every|cada|al|am|im)[\s\u00a0])/iu
)

/** The written form of a decimal number, and whether it names a version: "Python 3.10", "release 2.1". */
const nameOf = (text: string, start: number, end: number): Pick<QuantityValue, "written" | "isVersion"> => {
  const written = text.slice(start, end)
  if (!/^\d{1,4}\.\d{1,4}$/u.test(written)) return {}
  const before = text.slice(Math.max(0, start - 28), start)
  const isNamed = versionWord().test(before)
  // "Rund 1.500 Menschen": thousands behind a German word with a capital.
  const isVersion = isNamed || (afterName.test(before) && !/\.\d{3}$/u.test(written))
  return isVersion ? { written, isVersion } : { written }
}
const versionWord = wordwise(() => /(?<!\p{L})(?:versions?|versión|releases?|v\.?)[\s\u00a0]?$/iu)
const afterName =
  /(?<![\p{L}\p{N}])(?!(?:About|Around|Only|Nearly|Almost|Over|Under|Some|The|An?|In|At|Of|By|To|From|And|Or|Is|Was|Rund|Etwa|Circa|Nur|Über|Unter|Fast|Unos|Casi)[\s\u00a0])\p{Lu}[\p{L}\p{N}'’.+#-]*[\s\u00a0]$/u

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
  `^[\\s\\u00a0-]{0,2}(%|‰|[€$£¥₹₽]|°[CF]?|km/h|m/s|км/ч|м/с|U/min|k?m[²³]|m[23](?![\\p{L}\\p{N}])|(?:[Mm]io|[Mm]rd|[Tt]sd)\\.|[万萬亿億]|${unspacedMeasures.join("|")}|\\p{L}+)`,
  "u"
)

const approximation =
  /(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|nearly|almost|etwa|rund|ungefähr|knapp|environ|unos|unas|aproximadamente)\s|[~≈])\s?[$€£]?$/iu

/**
 * Returns [value, half a unit of its last digit]. Digit groups distinguish thousands separators from the decimal
 * comma.
 */
const parseNumber = (written: string): readonly [number, number] | undefined => {
  const digits = written.replace(/[−–]/u, "-").replace(/[\s’']/gu, "")
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
      /^\s?(?:-|–|—|to|till|until|bis|zu|à|a)\s?$/u.test(between) ||
      (/^\s(?:and|und|et|y)\s$/u.test(between) &&
        before !== undefined &&
        /\b(?:between|zwischen|entre)\s$/iu.test(text.slice(Math.max(0, before.start - 10), before.start)))
    if (before !== undefined && compatible && joined && before.low === before.high) {
      if (value.dimension === "clock" || isRatio(before, value, between, text)) {
        merged.pop()
        merged.push(
          value.dimension === "clock"
            ? { ...value, start: before.start, low: openingOf(before, value) }
            : exact({ start: before.start, end: value.end }, "ratio", before.low, value.high)
        )
        continue
      }
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

/** "9 to 5 pm", "9–11 am": the first hour is written without its half of the day. */
const openingOf = (before: QuantityValue, { low }: QuantityValue): number => {
  if (before.dimension === "clock") return before.low
  const minutes = before.low * 60
  return low >= 720 && minutes + 720 < low ? minutes + 720 : minutes
}

/** "3 to 1" falls, so it is a ratio; "from 68 to 16" is a change. */
const isRatio = (before: QuantityValue, value: QuantityValue, between: string, text: string): boolean =>
  before.dimension === "count" &&
  value.dimension === "count" &&
  before.low > value.high &&
  /^\s(?:to|zu)\s$/u.test(between) &&
  !/(?<!\p{L})(?:from|von|of)\s$/iu.test(text.slice(Math.max(0, before.start - 6), before.start))

/** "4 to 8 GB": the unit of the second number applies to the first. */
const scaleBetween = (bare: QuantityValue, measured: QuantityValue): number => {
  const perStep = measured.tolerance / (bare.tolerance > 0 ? bare.tolerance : 0.5)
  return perStep > 0 ? perStep : 1
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
