import { matchesOf, wordwise } from "../../language/languages/index.js"
import { type DateParts, type DateValue, findValues } from "../../language/values/index.js"
import {
  type DayRange,
  daysBefore,
  lastDayOfMonth,
  relativeTime,
  weekdayOf,
  withoutRelativeTime
} from "./relative-time.js"

/** Questions for what changed: "What changed in the tariff since March?", "Was ist neu in …?", "¿Qué ha cambiado en …?" */

/** What a question asks the changes of. */
export interface ChangesAsked {
  /** What the changes are about, in the words of the question; empty for everything. */
  readonly subject: string
  /** First and last day of the changes, as ISO dates; null where the question leaves it open. */
  readonly from: string | null
  readonly to: string | null
}

/** How such questions begin, with the name of what changed where it stands in the middle. */
const openings: ReadonlyArray<() => RegExp> = [
  // English
  /^what(?:['’]s| is| was| has| have| did)?(?: we| you| they| anyone)?(?: recently)?(?: been)? (?:changed?|changing|different|updated|edited|modified|added|removed|amended|revised)(?=\W|$)/iu,
  /^what(?:['’]s| is| was) new(?=\?|$| (?:in|with|about|on|for|since|at)\b)/iu,
  /^(?:what|which)(?: are| were)?(?: the| all)?(?: latest| last| recent| newest)? (?:changes|edits|updates|revisions|amendments|differences)(?: (?:have|has) been| were| was| are| did (?:we|you|they) make)?(?: there| made| done| applied| seen)?(?=\?|$|,| (?:to|in|on|of|for|from|since|between|during|over|within|at|about|last|this|today|yesterday|recently)(?!\p{L}))/iu,
  /^(?:show|list|summari[sz]e|give me|tell me)(?: me)?(?: the| all| what)?(?: latest| last| recent)? (?:changes|changed|edits|updates|revisions)(?: made)?(?=\W|$)/iu,
  /^how (?:has|have|did) (?<subject>.{2,120}?) (?:been )?(?:changed?|evolved?|developed?)(?=\W|$)/iu,
  /^(?:has|have|did) anything (?:been )?changed?(?=\W|$)/iu,
  // German
  /^was (?:hat|haben) (?:sich|wir|sie)(?<time1>(?: (?:seit|im|in|am)(?: \S+){1,4}?)?)(?: (?:an|am|bei|beim|in|im|zu|zum|zur|auf) (?<subject>.{2,120}?))?(?<time2>(?: seit(?: \S+){1,4}?)?)(?: alles)? (?:ge|ver)ändert(?=\W|$)/iu,
  /^was (?:wurde|ist)(?<time1>(?: (?:seit|im|in|am)(?: \S+){1,4}?)?)(?: (?:an|am|bei|beim|in|im|zu|zum|zur|auf) (?<subject>.{2,120}?))?(?<time2>(?: seit(?: \S+){1,4}?)?)(?: alles)?(?: worden)? (?:ge|ver)ändert(?=\W|$)/iu,
  /^was (?:ist|gibt es|gibt['’]s)(?: denn)? neue?s?(?=\W|$)/iu,
  /^welche(?: letzten| neuen| jüngsten)? (?:änderungen|neuerungen|anpassungen)(?: gab es| gibt es| wurden| hat)?(?=\W|$)/iu,
  /^(?:wie|inwiefern) (?:hat|haben) sich (?<subject>.{2,120}?)(?<time2>(?: seit(?: \S+){1,4}?)?) (?:ge|ver)ändert(?=\W|$)/iu,
  // French
  /^qu['’]est[- ]ce qui (?:a changé|est nouveau|a été modifié)(?=\W|$)/iu,
  /^(?:quoi de neuf|quelles sont les nouveautés|quels(?: sont les)?(?: derniers)? changements(?: y a-t-il eu| ont été apportés)?)(?=\W|$)/iu,
  // Spanish
  /^¿?qué (?:ha cambiado|cambió|se ha (?:cambiado|modificado)|se (?:cambió|modificó)|hay de nuevo|es nuevo|cambios (?:hubo|ha habido|hay|se han hecho|se hicieron)|novedades hay)(?=\W|$)/iu,
  /^¿?cuáles (?:son|fueron|han sido) (?:los|las)(?: últim[oa]s)? (?:cambios|novedades|modificaciones)(?=\W|$)/iu,
  /^¿?cómo (?:ha cambiado|han cambiado|cambió|cambiaron) /iu
].map((pattern) => wordwise(() => pattern))

/** Words between the opening and what it is about. */
const joints =
  /^[\s,:]*(?:(?:made|done|there|recently|lately|in|within|inside|with|about|to|on|at|for|of|from|an|am|bei|beim|im|zu|zum|zur|auf|bezüglich|dans|sur|pour|à|aux?|en|con|sobre|de|del|a|al)\s+)+/iu

/** What the thing is called that holds the text: "the crew page", "página de la tarifa". */
const ofKind =
  /^(?:page|document|file|note|seite|dokument|datei|notiz|document|fichier|página|documento|archivo|nota)s?(?: (?:of|about|on|for|von|über|zu|zum|zur|sur|de|del|de la|du|sobre))? (?=\S)|\s(?:page|document|file|note|seite|dokument|datei|notiz|fichier|página|documento|archivo)$/iu

const since = /(?:since|from|as of|seit(?: dem| der)?|ab(?: dem)?|depuis(?: le| la)?|desde(?: el| la)?)\s*$/iu
const withinTime =
  /(?:in|during|on|im|am|in der|en|au(?: cours de)?|le|durante|el|la)(?: the| le| la| el)?\s*$/iu

/** Times that are named by today. */
const nearTimes: ReadonlyArray<readonly [() => RegExp, (today: string) => string]> = [
  [wordwise(() => /(?<!\p{L})(?:today|heute|aujourd['’]hui|hoy)(?!\p{L})/iu), (today) => today],
  [wordwise(() => /(?<!\p{L})(?:yesterday|gestern|hier|ayer)(?!\p{L})/iu), (today) => daysBefore(today, 1)],
  [
    wordwise(() => /(?<!\p{L})(?:this week|diese(?:r)? woche|cette semaine|esta semana)(?!\p{L})/iu),
    (today) => daysBefore(today, weekdayOf(today))
  ],
  [
    wordwise(() => /(?<!\p{L})(?:this month|diese[nms]{1,2} monat|ce mois(?:-ci)?|este mes)(?!\p{L})/iu),
    (today) => `${today.slice(0, 7)}-01`
  ],
  [
    wordwise(() => /(?<!\p{L})(?:this year|diese[sm] jahr|cette année|este año)(?!\p{L})/iu),
    (today) => `${today.slice(0, 4)}-01-01`
  ]
]

/** "In the last 30 days", "in den letzten zwei Wochen", "en los últimos 3 meses". */
const countedPast = wordwise(
  () =>
    /(?<!\p{L})(?:over |during |within |in |während |en |au cours |dans )?(?:the |den |der |des |les |los |las )?(?:last|past|letzten|vergangenen|derniers|dernières|últim[oa]s) (?<count>\d{1,3}) (?<unit>days?|tagen?|jours|días|weeks?|wochen|semaines|semanas|months?|monaten?|mois|meses)(?!\p{L})/iu
)
const recently = wordwise(
  () =>
    /(?<!\p{L})(?:recently|lately|in letzter zeit|kürzlich|zuletzt|récemment|dernièrement|recientemente|últimamente)(?!\p{L})/giu
)

/** Returns what a question asks the changes of; null for a question about anything else. */
export const changesAsked = (question: string, today: string): ChangesAsked | null => {
  const text = question.replace(/\s+/gu, " ").trim()
  const found = openings.map((opening) => opening().exec(text)).find((match) => match !== null)
  if (found === undefined) return null
  const { subject = "", time1 = "", time2 = "" } = found.groups ?? {}
  const rest = text.slice(found[0].length).replace(/[?¿!.\s]+$/u, "")
  const timed = timeOf([subject, time1, time2, rest].join(" "), today)
  return {
    from: timed.from,
    to: timed.to,
    subject: timed.rest
      .replace(recently(), " ")
      .replace(/\s+/gu, " ")
      .replace(joints, "")
      .trim()
      .replace(/^(?:the|our|der|die|das|den|dem|unsere[nmr]?|les?|la|los|las|el|notre|nuestr[oa])\s+/iu, "")
      .replace(/\s+(?:in|since|seit|depuis|desde)$/iu, "")
      .replace(ofKind, "")
      .trim()
  }
}

interface Timed {
  readonly from: string | null
  readonly to: string | null
  /** The text without that time. */
  readonly rest: string
}

const timeOf = (text: string, today: string): Timed => {
  const counted = countedPast().exec(text)
  if (counted !== null) {
    const { count = "0", unit = "" } = counted.groups ?? {}
    const days = /^(?:d|t|j)/iu.test(unit) ? 1 : /^(?:w|s)/iu.test(unit) ? 7 : 31
    return {
      from: daysBefore(today, Number(count) * days),
      to: null,
      rest: cut(text, counted.index, counted[0])
    }
  }
  for (const [pattern, day] of nearTimes) {
    const near = pattern().exec(text)
    if (near !== null) return { from: day(today), to: null, rest: cut(text, near.index, near[0]) }
  }
  const ago = relativeTime(text, today)
  if (ago !== null)
    return { ...sinceOrWithin(text, ago), rest: withoutRelativeTime(text).replace(/\bsince\b/iu, "") }
  const dates = datesIn(text, today)
  const [first] = dates
  const last = dates.at(-1)
  if (first === undefined || last === undefined) return { from: null, to: null, rest: text }
  const ahead = text.slice(0, first.start)
  const isOpen = since.test(ahead) && dates.length === 1
  if (!isOpen && dates.length === 1 && !withinTime.test(ahead)) return { from: null, to: null, rest: text }
  const words = (isOpen ? since : /(?:between|from|zwischen|von|entre|de(?:l)?|vom)?\s*$/iu).exec(ahead)
  const start = Math.min(words?.index ?? first.start, withinTime.exec(ahead)?.index ?? first.start)
  return {
    from: first.from,
    to: isOpen ? null : last.to,
    rest: `${text.slice(0, start)} ${text.slice(last.end)}`
  }
}

const sinceOrWithin = (text: string, { from, to }: DayRange) => ({
  from,
  to: /(?<!\p{L})(?:since|seit|depuis|desde)(?!\p{L})/iu.test(text) ? null : to
})

const cut = (text: string, start: number, found: string): string =>
  `${text.slice(0, start).replace(since, "")} ${text.slice(start + found.length)}`

interface FoundDays {
  readonly from: string
  readonly to: string
  readonly start: number
  readonly end: number
}

/** The days that a text names; a month without a year is the last one that has begun. */
const datesIn = (text: string, today: string): ReadonlyArray<FoundDays> => {
  const dates = findValues(text).filter((value): value is DateValue => value.kind === "date")
  const found = dates.flatMap(({ end, readings: [parts], start }) => {
    const days = parts === undefined ? null : daysOf(parts, today)
    return days === null ? [] : [{ ...days, start, end }]
  })
  const bare = matchesOf(/(?<![\p{L}\p{N}])\p{L}{3,10}(?![\p{L}\p{N}])/gu, text).flatMap(
    ({ 0: word, index }) => {
      const end = index + word.length
      if (found.some((one) => index < one.end && one.start < end)) return []
      if (!since.test(text.slice(0, index)) && !withinTime.test(text.slice(0, index))) return []
      const [value] = findValues(`${word} ${today.slice(0, 4)}`)
      const parts = value?.kind === "date" && value.start === 0 ? value.readings[0] : undefined
      const days = parts == null || parts.month === null ? null : daysOf({ ...parts, year: null }, today)
      return days === null ? [] : [{ ...days, start: index, end }]
    }
  )
  return [...found, ...bare].sort((one, other) => one.start - other.start)
}

const daysOf = ({ day, month, year }: DateParts, today: string): DayRange | null => {
  if (month === null) return year === null ? null : { from: `${year}-01-01`, to: `${year}-12-31` }
  const inYear = (of: number): DayRange => {
    const start = `${of}-${String(month).padStart(2, "0")}`
    const digits = (part: number) => String(part).padStart(2, "0")
    return day === null
      ? { from: `${start}-01`, to: `${start}-${digits(lastDayOfMonth(month))}` }
      : { from: `${start}-${digits(day)}`, to: `${start}-${digits(day)}` }
  }
  if (year !== null) return inYear(year)
  const present = Number(today.slice(0, 4))
  return inYear(present).from <= today ? inYear(present) : inYear(present - 1)
}
