/** Days of the week, which timetables abbreviate and join to ranges. English, German, French and Spanish. */
import type { Question } from "./question.js"

/** The day of the week that a question names. */
export interface AskedWeekday {
  /** 0 is Monday. */
  readonly day: number
  /** Index terms of its name. */
  readonly terms: ReadonlyArray<string>
}

const names = [
  ["monday", "mon", "mo", "montag", "montags", "lundi", "lunes"],
  ["tuesday", "tue", "tues", "tu", "dienstag", "dienstags", "di", "mardi", "martes"],
  ["wednesday", "wed", "we", "mittwoch", "mittwochs", "mi", "mercredi", "miércoles"],
  ["thursday", "thu", "thur", "thurs", "th", "donnerstag", "donnerstags", "do", "jeudi", "jueves"],
  ["friday", "fri", "fr", "freitag", "freitags", "vendredi", "viernes"],
  ["saturday", "sat", "sa", "samstag", "samstags", "sonnabend", "samedi", "sábado"],
  ["sunday", "sun", "su", "sonntag", "sonntags", "so", "dimanche", "domingo"]
] as const
const dayByName: ReadonlyMap<string, number> = new Map(
  names.flatMap((all, day) => all.map((name) => [name, day] as const))
)
const isWhole = (word: string): boolean => word.length > 5

/** Returns the one day that a question names in full, also in the plural; null for none or several. */
export const weekdayIn = ({ terms }: Question): AskedWeekday | null => {
  const found = terms.flatMap(({ surface, term }) => {
    const word = surface.toLowerCase().replace(/(?<=day)s$/u, "")
    const day = isWhole(word) ? dayByName.get(word) : undefined
    return day === undefined ? [] : [{ day, terms: [term] }]
  })
  return found.length === 1 ? (found[0] ?? null) : null
}

/** Whether a text has a day as an abbreviation or within a range: "Sat 10–14", "Mon–Fri", "Mo bis Fr". */
export const holdsWeekday = (text: string, day: number): boolean =>
  [...text.matchAll(dayOrRange)].some(({ groups }) => {
    const first = dayByName.get(groups?.["first"]?.toLowerCase() ?? "")
    const last = dayByName.get(groups?.["last"]?.toLowerCase() ?? "") ?? first
    if (first === undefined || last === undefined) return false
    // "Fri–Mon" runs over the end of the week.
    return first <= last ? first <= day && day <= last : day >= first || day <= last
  })
/** "So" and "Do" are words too: a name counts with a capital, and before a dash, a digit or "closed". */
const dayOrRange =
  /(?<![\p{L}\p{N}])(?<first>\p{Lu}\p{L}{1,9})\.?(?:(?:\s?[-–—]\s?|\s(?:to|through|bis|à|a)\s)(?<last>\p{Lu}\p{L}{1,9})\.?(?![\p{L}])|(?=[:,]?\s?\d|\s(?:closed|geschlossen|fermé|cerrado)))/gu
