import { memoize } from "./memoize.js"
import type { ReadText } from "./read-text.js"
import { wordwise } from "./word-boundaries.js"

/** Weekdays in full, as words of a question. */
const weekday =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)$/iu

/** Whether a word names a weekday. */
export const isWeekday = (word: string): boolean => weekday.test(word)

const inFull = wordwise(
  /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week(?:day|end)s?|daily|every day|all week|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|werktags?|wochenendes?|täglich|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|tous les jours|lunes|martes|miércoles|jueves|viernes|sábado|domingo|todos los días)\b/iu
)
/** "Mon-Fri", "Mo–Fr", "Tue, Thu". */
const inShort = wordwise(
  /\b(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So)\.?\s?(?:[-–—,/&]|to|bis|and|und)\s?(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So)\b/u
)

/** Whether a text lists weekdays; it then also tells about those that it omits. */
export const mentionsWeekdays = memoize(
  ({ text }: ReadText): boolean => inFull().test(text) || inShort().test(text)
)

const months =
  "(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch|s)?|märz|apr(?:il)?|may|mai|ju[nl][eyi]?|aug(?:ust)?|sep(?:tember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|janvier|février|avril|juin|juillet|août|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
const month = new RegExp(`^${months}$`, "iu")
const monthSpan = wordwise(
  new RegExp(
    `\\b${months}\\.?\\s?(?:[-–—]|to|until|till|through|bis|à|a)\\s?${months}\\b|\\b(?:otherwise|all year|year-round|rest of the year|ganzjährig|sonst|toute l['’]année|todo el año)\\b`,
    "iu"
  )
)

/** Whether a word names a month. */
export const isMonth = (word: string): boolean => month.test(word)

/** Whether a text lists months; it then also tells about those that it omits. */
export const mentionsMonths = memoize(({ text }: ReadText): boolean => monthSpan().test(text))
