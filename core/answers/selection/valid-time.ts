import { matchesOf, wordwise } from "../../language/languages/index.js"
import type { Question } from "../../language/questions/index.js"
import { type ReadText, type ReadUnit, saysPast } from "../../language/text-analysis/index.js"
import type { DateParts, DateValue } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { Evidence, EvidencePassage } from "../evidence/index.js"
import { lastDayOfMonth, relativeTime, withoutRelativeTime } from "./relative-time.js"

/** A stretch of time in days since year 0, both ends included; open ends are infinite. */
interface Period {
  readonly from: number
  readonly to: number
}

const [monthDays, yearDays] = [31, 372]
const always: Period = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

/** The days of a date, in months of 31 days: only their order counts. */
const daysOf = ({ day, month, year }: DateParts): Period | null => {
  if (year === null) return null
  const first =
    year * yearDays + (month === null ? 0 : (month - 1) * monthDays) + (day === null ? 0 : day - 1)
  const length = month === null ? yearDays : day === null ? monthDays : 1
  return { from: first, to: first + length - 1 }
}

/** The day of an ISO date. */
const dayOf = (date: string): number => {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number)
  return year * yearDays + (month - 1) * monthDays + day - 1
}

const between = (a: Period | null, b: Period | null): Period | null =>
  a === null || b === null ? null : { from: a.from, to: b.to }

/** Words before a date, by what they make of it; the longest come first. */
const before: ReadonlyArray<readonly ["until" | "since" | "before" | "after" | "in", RegExp]> = [
  [
    "until",
    /(?:until|till|up to|through|bis(?: zum?| ende)?|jusqu['’](?:en|au|à)|hasta(?: el)?)(?: the end of| end of)? ?$/iu
  ],
  ["before", /(?:before|prior to|vor(?: dem)?|avant(?: le)?|antes de(?:l)?) ?$/iu],
  [
    "since",
    /(?:since|as of|as from|from|effective|starting|seit(?: dem)?|ab(?: dem)?|depuis(?: le)?|à partir d[eu]|desde(?: el)?|a partir de(?:l)?) ?$/iu
  ],
  ["after", /(?:after|nach(?: dem)?|après(?: le)?|después de(?:l)?) ?$/iu],
  [
    "in",
    /(?:in|on|during|for|at|im(?: jahre?)?|am|während|en|le|au|durante|el)(?: the| le| el| dem)?(?: early| mid| late)? ?$/iu
  ]
]
/** Between two dates of one range. */
const range = /^\s*(?:to|until|till|through|and|[-–—]|bis(?: zum?)?|à|au|jusqu['’](?:en|au|à)|a|hasta)\s*$/iu

/** Which part of a time is meant, and words that only point back: "at the end of April", "Anfang Mai", "back in March". */
const partOfTime =
  /(?:^|\s)(?:(?:at|by|around|towards?|am|um|gegen|zu|a|hacia|vers|à la)\s)?(?:the\s)?(?:beginning|start|middle|mid|early|late|end|anfang|beginn|mitte|ende|principios|comienzos|mediados|finales|début|milieu|fin)(?:\s(?:of|des?|der|von))?\s*$/iu
const pointingBack =
  /(?:^|\s)(?:back|then|already|still|damals|seinerzeit|schon|noch|à l['’]époque|alors|allá(?:\spor)?|entonces|ya|por)\s*$/iu

/** When a text says that something holds or happens, and whether that is a state that it limits. */
interface Timed extends Period {
  /** "In 2021 the office had 30 staff", "until 2023"; "moved in 2021" tells of an event, after which something holds. */
  readonly isState: boolean
}

/** Returns the time of a text, by the first date in it that limits what it says; null where none does. */
const timeIn = ({ text, values }: Pick<ReadText, "text" | "values">, isQuestion: boolean): Timed | null => {
  const dates = values.filter((value): value is DateValue => value.kind === "date")
  for (const [at, date] of dates.entries()) {
    const days = daysOf(date.readings[0] ?? noDate)
    if (days === null || days.from < firstYear * yearDays || days.to > lastYear * yearDays) continue
    const next = dates[at + 1]
    if (next !== undefined && range.test(text.slice(date.end, next.start))) {
      const period = between(days, daysOf(next.readings[0] ?? noDate))
      return period === null ? null : { ...period, isState: true }
    }
    const ahead = text.slice(Math.max(0, date.start - 24), date.start)
    const found = before.find(([, words]) => words.test(ahead))
    const how = found?.[0] ?? (isBare(text, date, isQuestion) ? "in" : null)
    if (how !== null) return { ...limited(how, days), isState: how !== "in" || date.start <= openingMaxChars }
  }
  return null
}
const noDate = { year: null, month: null, day: null }
/** Other numbers of four digits count something. */
const [firstYear, lastYear] = [1900, 2100]
const openingMaxChars = 12

/** "2021 310 employees", "had 2021", and the end of a question: the date stands without a word of time. */
const isBare = (text: string, { end, start }: DateValue, isQuestion: boolean): boolean =>
  /^\s*$/u.test(text.slice(0, start)) ||
  /(?:hatte|war|was|had)\s+$/iu.test(text.slice(0, start)) ||
  (isQuestion && /^[\s?]*$/u.test(text.slice(end)))

const limited = (how: (typeof before)[number][0], days: Period): Period => {
  switch (how) {
    case "until":
      return { ...always, to: days.to }
    case "before":
      return { ...always, to: days.from - 1 }
    case "since":
      return { ...always, from: days.from }
    case "after":
      return { ...always, from: days.to + 1 }
    case "in":
      return days
  }
}

/** When a statement holds, by its own words. */
const statedPeriod = memoize((read: ReadText): Timed | null => timeIn(read, false))

const fromField =
  /^(?:valid[ _-]?from|effective(?:[ _-]?(?:from|date))?|gültig[ _-]?(?:ab|von)|valable[ _-]?du|válido[ _-]?desde)$/iu
const toField =
  /^(?:valid[ _-]?(?:to|until|through)|expires?|gültig[ _-]?bis|valable[ _-]?jusqu.*|válido[ _-]?hasta)$/iu

/** When the statements of a page hold: by its front matter, else by the only year in its title or path. */
const pagePeriod = ({ sources }: Evidence, source: EvidencePassage): Period | null => {
  // Front matter is a passage of its own.
  for (const { passage, units } of [source, ...sources])
    if (passage.documentId === source.passage.documentId) {
      const declared = declaredPeriod(units)
      if (declared !== null) return declared
    }
  return yearOfHead(source)
}

const declaredPeriod = memoize((units: ReadonlyArray<ReadUnit>): Period | null => {
  let [from, to]: [Period | null, Period | null] = [null, null]
  for (const { heading, kind, text, values } of units) {
    if (kind !== "field") continue
    const name = heading === "" ? (text.split(": ")[0] ?? "") : heading
    const day = values.find((value): value is DateValue => value.kind === "date")?.readings[0]
    if (day === undefined) continue
    if (fromField.test(name)) from = daysOf(day)
    else if (toField.test(name)) to = daysOf(day)
  }
  return from === null && to === null ? null : { from: from?.from ?? always.from, to: to?.to ?? always.to }
})

const yearOfHead = memoize((source: EvidencePassage): Period | null => {
  const head = `${source.passage.docTitle} ${source.passage.docPath}`
  const years = new Set(
    matchesOf(
      /(?<![\p{L}\p{N}.-])(?:19|20)\d{2}(?![\p{N}])|(?<=[-_/ ])(?:19|20)\d{2}(?=[-_./ ]|$)/gu,
      head
    ).map(([year]) => Number(year))
  )
  const [year, ...others] = [...years]
  return year === undefined || others.length > 0 ? null : daysOf({ year, month: null, day: null })
})

/** Asks since or until when something holds: the dates of all statements are answers then. */
const asksWhen = wordwise(
  () =>
    /(?<!\p{L})(?:when|what (?:date|day|month|year)|which (?:date|day|month|year)|wann|quand|quelle (?:date|année)|cuándo|qué (?:fecha|año)|how long|wie lange)(?!\p{L})/iu
)

/** Returns the time that a question names, if it asks what held then; `today` is for "last spring". */
const periodAsked = (question: Question, today: string | undefined): Period | null =>
  asksWhen().test(question.text) ? null : (datedPeriod(question) ?? relativePeriod(question.text, today))

/** The season, quarter, month or year before the present one. */
const relativePeriod = (text: string, today: string | undefined): Period | null => {
  const found = today === undefined ? null : relativeTime(text, today)
  return found === null ? null : { from: dayOf(found.from), to: dayOf(found.to) }
}

const datedPeriod = memoize((question: Question): Period | null => timeIn(question.read, true))

/** Returns the last day of the time that a question names, as an ISO date; null where it names none, or an open one. */
export const lastDayAsked = (question: Question, today: string): string | null => {
  const period = periodAsked(question, today)
  if (period === null || !Number.isFinite(period.to)) return null
  const [year, rest] = [Math.floor(period.to / yearDays), period.to % yearDays]
  const month = Math.floor(rest / monthDays) + 1
  const day = Math.min((rest % monthDays) + 1, lastDayOfMonth(month))
  const digits = (part: number, count: number) => String(part).padStart(count, "0")
  return year < 1 || year > 9999 ? null : `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`
}

/**
 * Returns a question without the time that it names, to be asked of the documents of a day within that time: they do not
 * say that they are of that day. The question as it is when it names another time.
 */
export const withoutTime = (question: Question, day: string): string => {
  const [period, { text, values }] = [datedPeriod(question), question.read]
  if (period === null) return withoutRelativeTime(text)
  const date = values.find((value): value is DateValue => value.kind === "date")
  if (date === undefined || !meet(period, { from: dayOf(day), to: dayOf(day) })) return text
  const ahead = text.slice(0, date.start).replace(partOfTime, " ")
  const words = before.map(([, pattern]) => pattern.exec(ahead)).find((found) => found !== null)
  const head = ahead.slice(0, words?.index ?? ahead.length).replace(pointingBack, "")
  const bare = `${head.trimEnd()}${text.slice(date.end)}`
  return bare.replace(/^[\s,]+/u, "")
}

/** Whether two periods have a day in common. */
const meet = (a: Period, b: Period): boolean => a.from <= b.to && b.from <= a.to

/** What a statement gains when it holds at the time that is asked for, and loses when it does not. */
const [holdsThen, isOfOtherTime, isOver] = [3, 6, 2.5]

/** The period before the one of which a statement says that it began with a name: "before Tore Lind". */
const beforeName = wordwise(
  () =>
    /(?<!\p{L})(?:before|prior to|vor|avant|antes de|preceded|predecessor of|vorgänger(?:in)? von|prédécesseur de)(?!\p{L})/iu
)

/** Returns the names before which something is asked about: "before Tore Lind". */
const namesAskedBefore = ({ anchors, text: asked }: Question) =>
  !beforeName().test(asked)
    ? []
    : anchors.filter(
        ({ kind, text }) =>
          kind === "name" &&
          beforeName().test(asked.slice(Math.max(0, asked.indexOf(text) - 20), asked.indexOf(text)))
      )

/** Whether a statement says itself what was before a name: "Head: Ida Vik (since 2019; before her Tor Bakke)". */
const saysWhatWasBefore = ({ question }: Evidence, { field, text }: ReadText): boolean =>
  namesAskedBefore(question).some((name) => field.has(name)) && wasBefore().test(text)
const wasBefore = wordwise(
  () =>
    /(?<!\p{L})(?:before (?:her|him|it|them|that|then)|previously|formerly|predecessors?|succeeded|took over from|vor (?:ihr|ihm|ihnen)|davor|zuvor|vorher|vorgänger(?:in|innen)?|nachfolger(?:in)? von|avant (?:elle|lui|eux)|auparavant|prédécesseure?|succédé|antes de (?:ella|él|ellos)|anteriormente|predecesora?|sucedió)(?!\p{L})/iu
)

/** Returns the day before a named one began, by a statement that tells since when; null for other questions. */
const periodBeforeName = ({ question, sources }: Evidence): Period | null => {
  const names = namesAskedBefore(question)
  for (const { units } of names.length === 0 ? [] : sources)
    for (const unit of units) {
      const period = statedPeriod(unit)
      if (period === null || !Number.isFinite(period.from) || Number.isFinite(period.to)) continue
      if (names.some((name) => unit.field.has(name))) return { from: period.from - 1, to: period.from - 1 }
    }
  return null
}

const timesAsked = memoize(
  (evidence: Evidence): Period | null =>
    periodAsked(evidence.question, evidence.today) ?? periodBeforeName(evidence)
)

/** Whether a question asks what held before a person or thing that a statement gives a beginning. */
export const asksBeforeName = (evidence: Evidence): boolean =>
  periodAsked(evidence.question, evidence.today) === null && periodBeforeName(evidence) !== null

/** Whether a question asks what held at a time that it names, or that a statement tells. */
export const asksOfTime = (evidence: Evidence): boolean => timesAsked(evidence) !== null

/**
 * Returns how the time of a statement speaks for it: for a question that names a time, what held then comes first and what
 * held at another time last; for a question about the present, what is over comes last. 0 where neither names a time.
 */
export const timeFit = (
  evidence: Evidence,
  source: EvidencePassage,
  unit: ReadText & { readonly kind?: string }
): number => {
  const asked = timesAsked(evidence)
  const own = statedPeriod(unit)
  if (asked === null) {
    const today = evidence.today === undefined ? null : dayOf(evidence.today)
    const isOfPast = own?.isState === true && today !== null && own.to < today
    return isOfPast && !asksWhen().test(evidence.question.text) && !saysPast(evidence.question) ? -isOver : 0
  }
  if (saysWhatWasBefore(evidence, unit)) return holdsThen
  const period = own ?? pagePeriod(evidence, source)
  if (period === null) return 0
  return meet(period, asked) ? holdsThen : -isOfOtherTime
}

/** The terms of the time that a question names: a statement that holds then says them without having them. */
export const termsOfTime = memoize((question: Question): ReadonlySet<string> => {
  const dates = question.read.values.filter(({ kind }) => kind === "date")
  return new Set(
    question.read
      .termsIn(question.language)
      .flatMap(({ end, start, term }) =>
        dates.some((date) => start < date.end && date.start < end) ? [term] : []
      )
  )
})

/** Whether the best statement says of the time that the question names that it holds then. */
export const isSaidOfThen = (
  evidence: Evidence,
  best: { readonly source: EvidencePassage; readonly unit: ReadText } | undefined
): boolean => best !== undefined && timeFit(evidence, best.source, best.unit) > 0

/** Whether a page is of the time that a question names, so that it is no old page for it. */
export const isOfAskedTime = (evidence: Evidence, source: EvidencePassage): boolean => {
  const asked = timesAsked(evidence)
  const period = asked === null ? null : pagePeriod(evidence, source)
  return asked !== null && period !== null && meet(period, asked)
}
