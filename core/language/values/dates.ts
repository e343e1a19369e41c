import { once } from "../../platform/kernel/index.js"
import { matchesOf, wordwise } from "../languages/index.js"

/** A calendar date to the given precision; parts are null from the first missing one. */
export interface DateParts {
  readonly year: number | null
  readonly month: number | null
  readonly day: number | null
}

export interface FoundDate {
  readonly start: number
  readonly end: number
  /** More than one when the order of day and month is ambiguous (03/04/2021). */
  readonly readings: ReadonlyArray<DateParts>
}

const monthNames = [
  "january jan januar jänner janvier enero январь января январе",
  "february feb februar février febrero февраль февраля феврале",
  "march mar märz mär mars marzo март марта марте",
  "april apr avril abril апрель апреля апреле",
  "may mai mayo май мая мае",
  "june jun juni juin junio июнь июня июне",
  "july jul juli juillet julio июль июля июле",
  "august aug août agosto август августа августе",
  "september sept sep septembre septiembre сентябрь сентября сентябре",
  "october oct oktober okt octobre octubre октябрь октября октябре",
  "november nov novembre noviembre ноябрь ноября ноябре",
  "december dec dezember dez décembre diciembre декабрь декабря декабре"
]
const months: ReadonlyMap<string, number> = new Map(
  monthNames.flatMap((names, index) => names.split(" ").map((name) => [name, index + 1] as const))
)
const month = `(?<month>${[...months.keys()].sort((a, b) => b.length - a.length).join("|")})`
const edge = "(?<![\\p{L}\\p{N}])"
const done = "(?![\\p{L}\\p{N}])"
const noUnit =
  "(?![\\p{N}\\p{L}%€$]|-(?![12]\\d{3})|[.,:]\\d|\\s*(?:%|€|[Ee]uro|EUR|USD|[Dd]ollar|[kKMGT]i?B\\b|ms\\b))"

/** Units that follow a number and no year, and what is counted without a plural ending. */
const countedUnits =
  "k?m|[cm]m|kg|[glt]|m?l|k?W|k?V|[kM]Hz|ft|px|rpm|MW|(?:kilo|centi|milli)?met(?:re|er)s?|lit(?:re|er)s?|kilo(?:gram)?s?|grams?|tons?|tonnes?|miles?|(?:kilo)?watts?|volts?|pounds?|dollars?|francs?|kron(?:er|or)|pixels?|(?:kilo|mega|giga)?bytes?|degrees?|hours?|minutes?|seconds?|days|years|Metern?|Liter|Gramm|Tonnen|Watt|Stunden|Minuten|Tage|Jahre"
const plurals =
  "people|persons|women|men|children|fish|sheep|staff|(?!(?:was|is|has|does|sees|saw)\\b)\\p{Ll}{3,}(?<!ss)s"
/** "In 2019 members voted", "the 2019 elections": a year in spite of the plural. */
const beforeYear =
  "in|since|until|till|by|of|from|around|to|years?|early|late|mid|and|or|the|an?|this|that|its|their|his|her|our|your|for|on|at|during|after|before|spring|summer|autumn|winter|fall|season|circa|between|through|copyright"
    .split("|")
    .map((word) => `[${word.charAt(0)}${word.charAt(0).toUpperCase()}]${word.slice(1)}`)
    .join("|")
/**
 * "1500 m", "2000 litres", "outputs 1536 dimensions": a unit makes a number of four digits an amount, and so does the
 * plural of what is counted behind a small word that stands before no year.
 */
const noCount = [
  `(?!\\s(?:${countedUnits})${done})`,
  `(?!(?<=\\p{Ll}{2}\\s\\d{4})(?<!(?<!\\p{L})(?:${beforeYear})\\s\\d{4})\\s(?:${plurals})${done})`
].join("")

/**
 * From precise to vague; the groups are the year, the month as number or as name, and the day. A bare number is no year
 * beside letters of any script, so those patterns are not `wordwise`.
 */
const patterns: ReadonlyArray<() => RegExp> = [
  wordwise(() => new RegExp(`${edge}(?<y>[12]\\d{3})-(?:(?<m>\\d{2})|${month})-(?<d>\\d{2})(?!\\d)`, "giu")),
  wordwise(
    () =>
      new RegExp(
        `${edge}(?<d>\\d{1,2})(?:st|nd|rd|th|er|º)?\\.?\\s+(?:of\\s+|de\\s+)?${month}\\.?,?\\s+(?:of\\s+|de\\s+|del\\s+)?(?<y>[12]\\d{3})${done}`,
        "giu"
      )
  ),
  // Extracted text has a blank before the comma.
  wordwise(
    () =>
      new RegExp(
        `${edge}${month}\\.?\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?(?:\\s?,)?\\s+(?<y>[12]\\d{3})${done}`,
        "giu"
      )
  ),
  wordwise(() => new RegExp(`${edge}${month}\\.?,?\\s+(?:of\\s+|de\\s+)?(?<y>[12]\\d{3})${done}`, "giu")),
  once(() => new RegExp(`${edge}(?<d>\\d{1,2})\\.\\s?(?<m>\\d{1,2})\\.\\s?(?<y>[12]\\d{3})(?!\\d)`, "giu")),
  once(() => new RegExp(`${edge}(?<d>\\d{1,2})(?<ambiguous>/)(?<m>\\d{1,2})/(?<y>[12]\\d{3})(?!\\d)`, "giu")),
  once(() => /(?<![\d.,])(?<y>[12]\d{3})年(?:(?<m>\d{1,2})月(?:(?<d>\d{1,2})[日号號])?)?/gu),
  once(() => /(?<![\d.,])(?<m>\d{1,2})月(?<d>\d{1,2})[日号號]/gu),
  wordwise(
    () =>
      new RegExp(`${edge}(?<d>\\d{1,2})(?:st|nd|rd|th|er|º)?\\.?\\s+(?:of\\s+|de\\s+)?${month}${done}`, "giu")
  ),
  wordwise(
    () =>
      new RegExp(
        `${edge}${month}\\.?\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?(?![\\p{L}\\p{N}.,]*\\d)${done}`,
        "giu"
      )
  ),
  // The preceding word distinguishes years before 1500 from plain numbers.
  once(
    () =>
      new RegExp(
        `(?<=\\b(?:in|since|until|till|by|of|from|around|year|im|ab|bis|seit|jahr|en|depuis|desde|hasta|año|an)\\s)(?<y>1[0-4]\\d{2})${noUnit}`,
        "giu"
      )
  ),
  once(() => new RegExp(`${edge}(?<y>1\\d{2}0|20\\d0)(?:['’]?s|er)${done}`, "gu")),
  // Excludes codes ("EIP-1559", "ISO 1600") and quantities.
  once(
    () =>
      new RegExp(
        `${edge}(?<![\\p{L}\\p{N}][-_#/]|\\p{Lu}{2} |\\p{Sc}\\s?)(?<y>1[5-9]\\d{2}|20\\d{2})${noUnit}${noCount}`,
        "gu"
      )
  )
]

const readingsOf = ({ groups = {} }: RegExpExecArray): ReadonlyArray<DateParts> => {
  const number = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits))
  const [year, day, name] = [number(groups["y"]), number(groups["d"]), groups["month"]]
  const month = name === undefined ? number(groups["m"]) : (months.get(name.toLowerCase()) ?? 0)
  const reading = { year, month, day }
  return groups["ambiguous"] === undefined ? [reading] : [reading, { year, month: day, day: month }]
}

/**
 * Returns the dates of a text in order, without overlaps; the more precise reading of a range wins. English, German,
 * French, Spanish and CJK forms, ISO 8601, and bare years from 1500 to 2099.
 */
export const findDates = (text: string): ReadonlyArray<FoundDate> => {
  if (!/\d/u.test(text)) return []
  const found: Array<FoundDate> = []
  // Marks the units that already belong to a date.
  const isUsed = new Uint8Array(text.length)
  for (const pattern of patterns) {
    for (const match of matchesOf(pattern(), text)) {
      const start = match.index
      const end = start + match[0].length
      if (isUsed.subarray(start, end).includes(1)) continue
      const readings = readingsOf(match).filter(isDate)
      if (readings.length === 0) continue
      found.push({ start, end, readings })
      isUsed.fill(1, start, end)
    }
  }
  return found.sort((a, b) => a.start - b.start)
}

const isDate = ({ month, day }: DateParts): boolean =>
  (month === null || (month >= 1 && month <= 12)) && (day === null || (day >= 1 && day <= 31))

/**
 * Whether `evidence` states everything that `claim` states about a date: equal where both are given, and at least as
 * precise.
 */
export const dateEntails = (evidence: DateParts, claim: DateParts): boolean =>
  (["year", "month", "day"] as const).every((part) => claim[part] === null || claim[part] === evidence[part])
