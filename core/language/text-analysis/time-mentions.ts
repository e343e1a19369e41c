import { wordwise } from "../languages/index.js"

/**
 * Whether a text tells when something is without a date: a time of day, a weekday, a month, a season, a part of the
 * year ("in the last week of December").
 */
export const mentionsTime = (text: string): boolean =>
  timeOfDay().test(text) ||
  hourInWords().test(text) ||
  timeOfYear().test(text) ||
  partOfYear().test(text) ||
  countedDay().test(text)

const timeOfDay = wordwise(
  () =>
    /\b\d{1,2}(?::\d{2}|\s?[ap]\.?m\.?|(?:[:.]\d{2})?\s?(?:uhr|heures?|час(?:а|ов)|o['’]clock)\b)|\b\p{L}{3,12} (?:uhr|o['’]clock)\b|\b(?:à|dès|vers|avant|jusqu['’]à) [\p{L}-]{3,14} heures?\b|\b(?:noon|midnight|mittags?|mitternacht|midi|minuit|mediodía|medianoche|полдень|полночь|(?:утра|вечера))\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|jueves|viernes|domingo|понедельник|вторник|четверг|пятниц|суббот|воскресень)|\bсред(?:а|у|ы|ам)\b/iu
)

/** "At nine", "um neun", "a las nueve", and the first or last day of something. */
const hourInWords = wordwise(
  () =>
    /\b(?:(?:at|until|till|before|after) (?:half past |quarter (?:past|to) )?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|(?:um|ab|bis) (?:halb |viertel (?:vor|nach) )?(?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf))\b(?=\s*(?:[.,;:!?)]|$|(?:to|and|or|in the|on|every|sharp|bis|und|oder)\b))|\ba (?:la una|las (?:dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|\d{1,2}))\b|\b(?:first|last|\d{1,2}(?:st|nd|rd|th)) (?:day )?of (?:the|each|every) (?:week|month|quarter|year)\b/iu
)

/** The name of a month may also be a person's name or a verb ("May"); the word before it decides. */
const timeOfYear = wordwise(
  () =>
    /\b(?:in|by|from|through|until|till|since|every|each|early|late|mid|end of|im|ab|bis|seit|anfang|mitte|ende|jeden|und|en|dès|début|fin|et|de|d['’]ici|au|y|в|во|до|с|к|и|начал[аео]|конц[аеу]|кажд\p{L}+) ?(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|januar|jänner|februar|märz|mai|juni|juli|oktober|dezember|frühjahr|frühling|sommer|herbst|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|printemps|été|automne|hiver|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|primavera|verano|otoño|invierno|январ[еяю]|феврал[еяю]|март[еау]|апрел[еяю]|ма[еяю]|июн[еяю]|июл[еяю]|август[еау]|сентябр[еяю]|октябр[еяю]|ноябр[еяю]|декабр[еяю]|весной|летом|осенью|зимой)\b/iu
)

const partOfYear = wordwise(
  () =>
    /\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)(?:woche|hälfte|tag|ende)\p{L}*\b|\b(?:first|last|second|erste[nr]?|letzte[nr]?|zweite[nr]?|premi(?:er|ère)|derni(?:er|ère)|deuxième|primer[ao]?|últim[oa]|перв\p{L}+|последн\p{L}+) (?:[\p{L}-]+ )?(?:day|week|weekend|month|quarter|tag|woche|wochenende|monats?|quartals?|jour|semaine|week-end|mois|trimestre|día|semana|mes|день|дня|недел\p{L}+|месяц\p{L}*|квартал\p{L}*) (?:of|des|im|du|de|del|в|\p{L}{3,10}[ая])\b|(?<!\p{L})(?:весной|летом|осенью|зимой)\b/iu
)

/** "From the fourth day of illness". */
const countedDay = wordwise(
  () =>
    /\b(?:(?:first|second|third|fourth|fifth|sixth|seventh|eighth|tenth) (?:\p{L}+ )?(?:day|week|month|year)|(?:erste|zweite|dritte|vierte|fünfte|sechste|siebte|achte|zehnte)[nrsm]? \p{L}*(?:tage?s?|woche|monats?|jahr(?:es)?)|(?:premi(?:er|ère)|deuxième|troisième|quatrième|cinquième|sixième|septième|dixième) (?:jour|semaine|mois|année)|(?:primer|segund|tercer|cuart|quint|sext)[oa]? (?:día|semana|mes|año)|(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|десят)\p{L}{1,4} (?:рабоч\p{L}+ )?(?:день|дня|недел\p{L}+|месяц\p{L}*|год\p{L}*))\b/iu
)

/** Weekdays in full, as words of a question. */
const weekday =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)$/iu

/** Whether a word names a weekday. */
export const isWeekday = (word: string): boolean => weekday.test(word)
