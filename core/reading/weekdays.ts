import { factOf } from "./fact-of.js"
import type { ReadText } from "./read-text.js"
import { wordwise } from "./wordwise.js"

/** Days of the week in full, as the words of a question hold them. */
const weekday =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)$/iu

/** True of a word that names a day of the week. */
export const isWeekday = (word: string): boolean => weekday.test(word)

const inFull = wordwise(
  /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week(?:day|end)s?|daily|every day|all week|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|werktags?|wochenendes?|täglich|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|tous les jours|lunes|martes|miércoles|jueves|viernes|sábado|domingo|todos los días)\b/iu
)
/** "Mon-Fri", "Mo–Fr", "Tue, Thu". */
const inShort = wordwise(
  /\b(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So)\.?\s?(?:[-–—,/&]|to|bis|and|und)\s?(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So)\b/u
)

/** Whether a text says on which days of the week: then it also tells of those that it leaves out. */
export const tellsWeekdays = factOf(
  ({ text }: ReadText): boolean => inFull().test(text) || inShort().test(text)
)
