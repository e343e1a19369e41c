import { wordwise } from "../../language/languages/index.js"
import { millisOf, timestampOf } from "../../platform/kernel/index.js"

/** Times that questions name by how long ago they were: "last spring", "letztes Jahr", "el verano pasado". */

/** Months of a season, from its first to its last; winter ends in the next year. */
const seasons: ReadonlyArray<readonly [string, number, number]> = [
  ["spring|frühling|frühjahr|printemps|primavera", 3, 5],
  ["summer|sommer|été|verano", 6, 8],
  ["autumn|fall|herbst|automne|otoño", 9, 11],
  ["winter|hiver|invierno", 12, 14]
]
const spans =
  "year|jahr|année|an|año|month|monat|mois|mes|quarter|quartal|trimestre|week|woche|semaine|semana"
const units = [...seasons.map(([words]) => words), spans].join("|")
const pattern = wordwise(
  () =>
    new RegExp(
      `(?<!\\p{L})(?:(?:in|during|im|en|au|à)\\s)?(?:(?:the|this|l['’]|le|la|el)\\s?)?(?:(?:last|past|letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?)\\s(?<one>${units})|(?<two>${units})\\s(?:derni(?:er|ère)|passée?|pasad[oa]))(?!\\p{L})`,
      "iu"
    )
)

/** The first and last day of a time, as ISO dates. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

/** Returns the last season, quarter, month, week or year that was over on a day; null where a text names none. */
export const relativeTime = (text: string, today: string): DayRange | null => {
  const groups = pattern().exec(text)?.groups
  const word = (groups?.["one"] ?? groups?.["two"])?.toLowerCase()
  if (word === undefined) return null
  const [year = 0, month = 1] = today.split("-").map(Number)
  if (/^(?:year|jahr|année|an|año)$/u.test(word)) return months(year - 1, 1, 12)
  if (/^(?:week|woche|semaine|semana)$/u.test(word)) {
    const monday = daysBefore(today, weekdayOf(today) + 7)
    return { from: monday, to: daysBefore(monday, -6) }
  }
  if (/^(?:month|monat|mois|mes)$/u.test(word))
    return month === 1 ? months(year - 1, 12, 12) : months(year, month - 1, month - 1)
  if (/^(?:quarter|quartal|trimestre)$/u.test(word)) {
    const first = Math.floor((month - 1) / 3) * 3 + 1
    return first === 1 ? months(year - 1, 10, 12) : months(year, first - 3, first - 1)
  }
  const season = seasons.find(([words]) => words.split("|").includes(word))
  if (season === undefined) return null
  const [, first, last] = season
  // The present one is not over yet.
  const began = [year, year - 1, year - 2].find((one) => one * 12 + last < year * 12 + month) ?? year - 1
  return months(began, first, last)
}

const months = (year: number, first: number, last: number): DayRange => ({
  from: `${year}-${digits(first)}-01`,
  to:
    last > 12 ? `${year + 1}-${digits(last - 12)}-28` : `${year}-${digits(last)}-${lastDays[last - 1] ?? 28}`
})
const digits = (part: number): string => String(part).padStart(2, "0")
const dayMs = 86_400_000
/** Returns the ISO date so many days before a day. */
export const daysBefore = (day: string, count: number): string =>
  timestampOf(millisOf(day) - count * dayMs).slice(0, 10)
/** Returns the days since Monday. */
export const weekdayOf = (day: string): number => (Math.floor(millisOf(day) / dayMs) + 3) % 7

/** A leap day is of no consequence here. */
const lastDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
export const lastDayOfMonth = (month: number): number => lastDays[month - 1] ?? 28

const versionPattern = wordwise(
  () =>
    /(?<!\p{L})(?:as of|as at|as it stood in|stand|nach dem stand von|à la|según la) (?:version|versión) ?(\d{1,6})(?![\p{N}.])/iu
)

/** Returns the version of a document that a question names: "as of version 2"; null where it names none. */
export const versionAsked = (text: string): number | null => {
  const number = versionPattern().exec(text)?.[1]
  return number === undefined ? null : Number(number)
}

/** Words for what held until it changed: "What did it cost before?", "the previous price", "der bisherige Preis". */
const formerPattern =
  /(?<!\p{L})(?:previously|formerly|previous|former|until recently|before (?:the|this|that) (?:last )?(?:change|edit|update)|zuvor|vorher|bisher|(?:bisherig|vorherig)e[nrsm]?|auparavant|précédente?s?|anteriormente|anterior(?:es)?)(?!\p{L})|(?<!\p{L})(?:before|davor|avant|antes)(?=\s*\?\s*$)/iu

/** Whether a question asks what held before the last change, and names no time. */
export const asksFormer = (text: string): boolean => formerPattern.test(text)

/** "Before Jon Vik", at the end of a question. */
const beforePattern =
  /\s(?:before|prior to|vor|avant|antes de)\s+(?<name>\p{Lu}[\p{L}\p{N}'’.-]*(?:\s+\p{Lu}[\p{L}\p{N}'’.-]*){0,3})\s*\?\s*$/u

/** Returns the name before which something held: "Who led it before Tore Lind?"; null where a question names none. */
export const nameAskedBefore = (text: string): string | null =>
  beforePattern.exec(text)?.groups?.["name"] ?? null

/** Returns a text without such a time, version or word for what held before. */
export const withoutRelativeTime = (text: string): string =>
  text
    .replace(pattern(), "")
    .replace(versionPattern(), "")
    .replace(formerPattern, "")
    .replace(beforePattern, "?")
    .replace(/\s+([?.,])/gu, "$1")
    .replace(/\s{2,}/gu, " ")
    .replace(/^[\s,]+/u, "")
