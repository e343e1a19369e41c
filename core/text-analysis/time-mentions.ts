import { memoize } from "../caching/index.js"
import { wordwise } from "../languages/index.js"
import type { ReadText } from "./read-text.js"

/**
 * Whether a text tells when something is without a date: a time of day, a weekday, a month, a season, a part of the
 * year ("in the last week of December").
 */
export const mentionsTime = (text: string): boolean =>
  timeOfDay().test(text) || timeOfYear().test(text) || partOfYear().test(text) || countedDay().test(text)

const timeOfDay = wordwise(
  /\b\d{1,2}(?::\d{2}|\s?[ap]\.?m\.?|(?:[:.]\d{2})?\s?(?:uhr|heures?|час(?:а|ов)|o['’]clock)\b)|\b\p{L}{3,12} (?:uhr|o['’]clock)\b|\b(?:à|dès|vers|avant|jusqu['’]à) [\p{L}-]{3,14} heures?\b|\b(?:noon|midnight|mittags?|mitternacht|midi|minuit|mediodía|medianoche|полдень|полночь|(?:утра|вечера))\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|jueves|viernes|domingo|понедельник|вторник|четверг|пятниц|суббот|воскресень)|\bсред(?:а|у|ы|ам)\b/iu
)

/** Whether a text gives a beginning and an end: "from 21:30 to 07:45", "9 a.m.–5 p.m.", "May to July". */
export const mentionsSpan = (text: string): boolean => spanOfDay().test(text) || monthSpan().test(text)
const spanOfDay = wordwise(
  /(?<![\d.:])\d{1,2}(?:[:.]\d{2})?(?:\s?(?:[ap]\.?m\.?|uhr|h(?:\d{2})?|heures?))?\s?(?:[-–—]|to|until|till|bis|à|a|hasta(?: las)?|до)\s?\d{1,2}(?:[:.]\d{2}|\s?(?:[ap]\.?m\.?|uhr|h(?:\d{2})?|heures?)\b)/iu
)

/** The name of a month may also be a person's name or a verb ("May"); the word before it decides. */
const timeOfYear = wordwise(
  /\b(?:in|by|until|till|since|every|each|early|late|mid|end of|im|ab|bis|seit|anfang|mitte|ende|jeden|und|en|dès|début|fin|et|de|d['’]ici|au|y|в|во|до|с|к|и|начал[аео]|конц[аеу]|кажд\p{L}+) ?(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|januar|jänner|februar|märz|mai|juni|juli|oktober|dezember|frühjahr|frühling|sommer|herbst|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|printemps|été|automne|hiver|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|primavera|verano|otoño|invierno|январ[еяю]|феврал[еяю]|март[еау]|апрел[еяю]|ма[еяю]|июн[еяю]|июл[еяю]|август[еау]|сентябр[еяю]|октябр[еяю]|ноябр[еяю]|декабр[еяю]|весной|летом|осенью|зимой)\b/iu
)

const partOfYear = wordwise(
  /\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)(?:woche|hälfte|tag|ende)\p{L}*\b|\b(?:first|last|second|erste[nr]?|letzte[nr]?|zweite[nr]?|premi(?:er|ère)|derni(?:er|ère)|deuxième|primer[ao]?|últim[oa]|перв\p{L}+|последн\p{L}+) (?:[\p{L}-]+ )?(?:day|week|weekend|month|quarter|tag|woche|wochenende|monats?|quartals?|jour|semaine|week-end|mois|trimestre|día|semana|mes|день|дня|недел\p{L}+|месяц\p{L}*|квартал\p{L}*) (?:of|des|im|du|de|del|в|\p{L}{3,10}[ая])\b|(?<!\p{L})(?:весной|летом|осенью|зимой)\b/iu
)

/** "From the fourth day of illness". */
const countedDay = wordwise(
  /\b(?:(?:first|second|third|fourth|fifth|sixth|seventh|eighth|tenth) (?:\p{L}+ )?(?:day|week|month|year)|(?:erste|zweite|dritte|vierte|fünfte|sechste|siebte|achte|zehnte)[nrsm]? \p{L}*(?:tage?s?|woche|monats?|jahr(?:es)?)|(?:premi(?:er|ère)|deuxième|troisième|quatrième|cinquième|sixième|septième|dixième) (?:jour|semaine|mois|année)|(?:primer|segund|tercer|cuart|quint|sext)[oa]? (?:día|semana|mes|año)|(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|десят)\p{L}{1,4} (?:рабоч\p{L}+ )?(?:день|дня|недел\p{L}+|месяц\p{L}*|год\p{L}*))\b/iu
)

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
