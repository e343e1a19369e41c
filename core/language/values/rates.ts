import { matchesOf, wordwise } from "../languages/index.js"
import { measureOf, numberWord } from "./measures.js"

/** The denominator of a rate: `size` units of a kind ("per week" is 604,800 of `time`, "per person" 1 of `person`). */
export interface Period {
  readonly unit: string
  readonly size: number
}

/** How often something happens: `times` in each period. */
export interface FoundRecurrence {
  readonly start: number
  readonly end: number
  readonly times: number
  readonly per: Period
}

/** Parts of a day and of a week that recur; no number of hours, so they are compared by name. */
const dayParts: ReadonlyMap<string, string> = new Map(
  (
    [
      ["night", "night nights nacht nächte noche noches nuit nuits"],
      ["morning", "morning mornings vormittag morgen matin matins mañana mañanas"],
      ["afternoon", "afternoon afternoons nachmittag tarde tardes"],
      ["evening", "evening evenings abend abende soir soirs"],
      ["weekday", "weekday weekdays wochentag wochentage"],
      ["weekend", "weekend weekends wochenende wochenenden"],
      ["shift", "shift shifts schicht schichten turno turnos"]
    ] as const
  ).flatMap(([name, words]) => words.split(" ").map((word) => [word, name] as const))
)

/** Adverbs and adjectives that say how often. */
const adverbs: ReadonlyMap<string, Period> = new Map(
  (
    [
      ["time", 3600, "hourly stündlich"],
      ["time", 86_400, "daily täglich diario diaria diarios diarias diariamente quotidien quotidienne"],
      ["time", 604_800, "weekly wöchentlich semanal semanales semanalmente hebdomadaire"],
      ["time", 1_209_600, "fortnightly vierzehntäglich quincenal"],
      ["months", 1, "monthly monatlich mensual mensuales mensualmente mensuel mensuelle"],
      ["months", 3, "quarterly vierteljährlich quartalsweise trimestral trimestrales trimestriel"],
      ["months", 6, "half-yearly semi-annual semi-annually semiannual semiannually halbjährlich semestral"],
      ["months", 12, "yearly annual annually jährlich anual anuales anualmente annuel annuelle"],
      ["night", 1, "nightly nächtlich"]
    ] as const
  ).flatMap(([unit, size, words]) => words.split(" ").map((word) => [word, { unit, size }] as const))
)
/** German adjectives have endings ("die monatliche Gebühr"). */
const adverbOf = (word: string): Period | undefined => {
  const lower = word.toLowerCase()
  return adverbs.get(lower) ?? adverbs.get(lower.replace(/(?<=lich)e[nrsm]?$/u, ""))
}

/** Returns the period that a word names: "month", "night"; undefined for other words. */
const periodOf = (word: string): Period | undefined => {
  const part = dayParts.get(word.toLowerCase())
  if (part !== undefined) return { unit: part, size: 1 }
  const measure = word.length > 2 || /^[hs]$/u.test(word) ? measureOf(word) : undefined
  return measure === undefined || !isSpan(measure.dimension)
    ? undefined
    : { unit: measure.dimension, size: measure.factor }
}
const isSpan = (dimension: string): boolean =>
  dimension === "time" || dimension === "months" || dimension === "working time"

const count = (name: string): string => `(?:(?<${name}>\\d{1,4}|\\p{L}{2,20})[\\s\\u00a0])?`
const apart = "(?<!\\p{L})"
const done = "(?![\\p{L}\\p{N}])"
const every = "every|each|jede[nmrs]?|alle|cada|chaque|tous les|toutes les|todos los|todas las"
const within = "an?|al|a la|am|im|in der|par"

/** "per month", "a month", "/month", "every two weeks", "daily" behind an amount; "per person". */
const afterAmount = wordwise(
  () =>
    new RegExp(
      `^(?:[\\s\\u00a0]?/[\\s\\u00a0]?(?<unit>\\p{L}{1,20})|[\\s\\u00a0](?:(?:per|pro|je|por)[\\s\\u00a0]${count("eachCount")}(?<each>\\p{L}{1,20})|(?:${every})[\\s\\u00a0](?:other[\\s\\u00a0])?${count("timeCount")}(?<time>\\p{L}{3,20})|(?:${within})[\\s\\u00a0](?<one>\\p{L}{3,20})|(?<adverb>\\p{L}{5,16}(?:-\\p{L}{5,10})?)))${done}`,
      "iu"
    )
)
/** "Three people a year later" happen once; "a minute of silence". */
const isNarrated = wordwise(() => /^[\s\u00a0](?:later|ago|earlier|before|after|of|old|long)(?!\p{L})/iu)
/** "Each day of the week" counts days. */
const isCounted = wordwise(() => /^[\s\u00a0]of(?!\p{L})/iu)
const wordBehind = /^[\s\u00a0](\p{L}{3,20})(?![\p{L}\p{N}])/u
/** "5 per cent" is no rate. */
const isShare = /^(?:cent|ciento|zent|mil|mille)$/iu

/** Returns the denominator that stands behind an amount, and its length; undefined where none does. */
export const rateAfter = (after: string): { readonly per: Period; readonly length: number } | undefined => {
  const match = afterAmount().exec(after)
  const groups = match?.groups
  if (match === null || groups === undefined) return undefined
  const length = match[0].length
  const { adverb, each, eachCount, one, time, timeCount, unit } = groups
  if (adverb !== undefined) {
    const per = adverbOf(adverb)
    return per === undefined ? undefined : { per, length }
  }
  if (unit !== undefined || one !== undefined) {
    if (one !== undefined && isNarrated().test(after.slice(length))) return undefined
    const per = periodOf(unit ?? one ?? "")
    return per === undefined ? undefined : { per, length }
  }
  const { behind, size, word } = countedWord(eachCount ?? timeCount, each ?? time ?? "")
  if (isShare.test(word)) return undefined
  const period = periodOf(word)
  const times = size ?? (/\sother\s/iu.test(match[0]) ? 2 : 1)
  if (period !== undefined)
    return { per: { unit: period.unit, size: period.size * times }, length: length - behind }
  // "per user", "per square metre": what else an amount may be divided by.
  if (each === undefined || size !== undefined) return undefined
  return {
    per: { unit: word.toLowerCase().replace(/(?<=\p{L}{3})s$/u, ""), size: 1 },
    length: length - behind
  }
}

/** The number and the word of "per two weeks"; of "per minute at" the first word, and how much stands behind it. */
const countedWord = (
  first: string | undefined,
  second: string
): { readonly size?: number; readonly word: string; readonly behind: number } => {
  if (first === undefined) return { word: second, behind: 0 }
  const size = numberOf(first)
  return size === undefined ? { word: first, behind: second.length + 1 } : { size, word: second, behind: 0 }
}

const numberOf = (word: string): number | undefined =>
  /^\d/u.test(word) ? Number(word) : /^(?:an?|one|eine?[nmrs]?|una?)$/iu.test(word) ? 1 : numberWord(word)

const times = "(?:times|mal|veces|fois|[x×])"
const multiples: ReadonlyMap<string, number> = new Map(
  (
    [
      [1, "once einmal"],
      [2, "twice zweimal"],
      [3, "thrice dreimal"],
      [4, "viermal"],
      [5, "fünfmal"],
      [6, "sechsmal"]
    ] as const
  ).flatMap(([number, words]) => words.split(" ").map((word) => [word, number] as const))
)

/**
 * "Twice a day", "three times per week", "zweimal täglich", "2 veces al día": a number of times before a period. One
 * pattern for all, so that a text is scanned once.
 */
const recurring = wordwise(
  () =>
    new RegExp(
      `${apart}(?:(?<times>${[...multiples.keys()].join("|")}|una vez|(?:\\d{1,3}|\\p{L}{3,10})[\\s\\u00a0-]?${times})(?=[\\s\\u00a0])|(?:${every})[\\s\\u00a0](?<other>other[\\s\\u00a0])?(?<time>\\d{1,4}|\\p{L}{2,20})${done}|(?<adverb>(?:${[...adverbs.keys()].sort((a, b) => b.length - a.length).join("|")})(?:e[nrsm]?)?(?!\\p{L})))`,
      "giu"
    )
)

/** Cheaper than the pattern: most texts hold none of these letters. */
export const mayRecur =
  /every|each|jede|alle |cada|chaque|t(?:ous|outes) les|tod[ao]s |ice[ -]a|ice[ -](?:per|each|every|dai|wee|mon)|once|times|mal|ve(?:ces|z)|fois|\d ?[x×]|hourly|daily|weekly|nightly|monthly|quarterly|annual|yearly|lich|weise|diari|seman|mensu|mestr|quincen|anual/i

/** Returns what recurs in a text: "every three years", "monthly", "twice a day". */
export const findRecurrences = (text: string): ReadonlyArray<FoundRecurrence> =>
  (mayRecur.test(text) ? matchesOf(recurring(), text) : []).flatMap(
    (match): ReadonlyArray<FoundRecurrence> => {
      const { adverb, other, time, times: multiple } = match.groups ?? {}
      const start = match.index
      const end = start + match[0].length
      if (multiple !== undefined) {
        const number = timesOf(multiple)
        const rate = rateAfter(text.slice(end, end + 40))
        return number === undefined || rate === undefined
          ? []
          : [{ start, end: end + rate.length, times: number, per: rate.per }]
      }
      if (adverb !== undefined) {
        // "The Daily Telegraph" is a name.
        const per = /^\p{Lu}/u.test(adverb) && start > 0 ? undefined : adverbOf(adverb)
        return per === undefined ? [] : [{ start, end, times: 1, per }]
      }
      // The pattern stops at a number, so that "each tower once a quarter" leaves the rest to the next match.
      const number = numberOf(time ?? "")
      const [counted = "", word = ""] =
        number === undefined ? ["", time] : (wordBehind.exec(text.slice(end, end + 24)) ?? [])
      const period = periodOf(word)
      const last = end + counted.length
      return period === undefined || isCounted().test(text.slice(last, last + 4))
        ? []
        : [
            {
              start,
              end: last,
              times: 1,
              per: { unit: period.unit, size: period.size * (number ?? (other === undefined ? 1 : 2)) }
            }
          ]
    }
  )

const timesOf = (written: string): number | undefined => {
  const lower = written.toLowerCase()
  if (lower === "una vez") return 1
  return multiples.get(lower) ?? numberOf(lower.replace(timesSuffix, ""))
}
const timesSuffix = new RegExp(`[\\s\\u00a0-]?${times}$`, "u")
