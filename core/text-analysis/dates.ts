import { matchesOf } from "./patterns.js"

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
/** Returns the months that a text names, 1 to 12. "May" and "march" are months only with a capital. */
export const monthsIn = (text: string): ReadonlySet<number> =>
  new Set(
    matchesOf(/\p{L}{3,}/gu, text).flatMap(([word]) =>
      /^(?:may|march|mar|dec|sep|jan)$/u.test(word) ? [] : (months.get(word.toLowerCase()) ?? [])
    )
  )
const month = `(?<month>${[...months.keys()].sort((a, b) => b.length - a.length).join("|")})`
const edge = "(?<![\\p{L}\\p{N}])"
const done = "(?![\\p{L}\\p{N}])"
const noUnit =
  "(?![\\p{N}\\p{L}%€$]|-(?![12]\\d{3})|[.,:]\\d|\\s*(?:%|€|[Ee]uro|EUR|USD|[Dd]ollar|[kKMGT]i?B\\b|ms\\b))"

const patterns: ReadonlyArray<readonly [RegExp, (groups: Groups) => ReadonlyArray<DateParts>]> = [
  [
    new RegExp(`${edge}(?<y>[12]\\d{3})-(?<m>\\d{2})-(?<d>\\d{2})(?!\\d)`, "giu"),
    (at) => [{ year: number(at["y"]), month: number(at["m"]), day: number(at["d"]) }]
  ],
  [
    new RegExp(
      `${edge}(?<d>\\d{1,2})(?:st|nd|rd|th|er|º)?\\.?\\s+(?:of\\s+|de\\s+)?${month}\\.?,?\\s+(?:of\\s+|de\\s+|del\\s+)?(?<y>[12]\\d{3})${done}`,
      "giu"
    ),
    (at) => [{ year: number(at["y"]), month: monthOf(at["month"]), day: number(at["d"]) }]
  ],
  [
    new RegExp(`${edge}${month}\\.?\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<y>[12]\\d{3})${done}`, "giu"),
    (at) => [{ year: number(at["y"]), month: monthOf(at["month"]), day: number(at["d"]) }]
  ],
  [
    new RegExp(`${edge}${month}\\.?,?\\s+(?:of\\s+|de\\s+)?(?<y>[12]\\d{3})${done}`, "giu"),
    (at) => [{ year: number(at["y"]), month: monthOf(at["month"]), day: null }]
  ],
  [
    new RegExp(`${edge}(?<d>\\d{1,2})\\.\\s?(?<m>\\d{1,2})\\.\\s?(?<y>[12]\\d{3})(?!\\d)`, "giu"),
    (at) => [{ year: number(at["y"]), month: number(at["m"]), day: number(at["d"]) }]
  ],
  [
    new RegExp(`${edge}(?<d>\\d{1,2})/(?<m>\\d{1,2})/(?<y>[12]\\d{3})(?!\\d)`, "giu"),
    (at) => [
      { year: number(at["y"]), month: number(at["m"]), day: number(at["d"]) },
      { year: number(at["y"]), month: number(at["d"]), day: number(at["m"]) }
    ]
  ],
  [
    /(?<![\d.,])(?<y>[12]\d{3})年(?:(?<m>\d{1,2})月(?:(?<d>\d{1,2})[日号號])?)?/gu,
    (at) => [{ year: number(at["y"]), month: maybe(at["m"]), day: maybe(at["d"]) }]
  ],
  [
    /(?<![\d.,])(?<m>\d{1,2})月(?<d>\d{1,2})[日号號]/gu,
    (at) => [{ year: null, month: number(at["m"]), day: number(at["d"]) }]
  ],
  [
    new RegExp(`${edge}(?<d>\\d{1,2})(?:st|nd|rd|th|er|º)?\\.?\\s+(?:of\\s+|de\\s+)?${month}${done}`, "giu"),
    (at) => [{ year: null, month: monthOf(at["month"]), day: number(at["d"]) }]
  ],
  [
    new RegExp(`${edge}${month}\\.?\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?(?![\\p{L}\\p{N}.,]*\\d)${done}`, "giu"),
    (at) => [{ year: null, month: monthOf(at["month"]), day: number(at["d"]) }]
  ],
  // The preceding word distinguishes years before 1500 from plain numbers.
  [
    new RegExp(
      `(?<=\\b(?:in|since|until|till|by|of|from|around|year|im|ab|bis|seit|jahr|en|depuis|desde|hasta|año|an)\\s)(?<y>1[0-4]\\d{2})${noUnit}`,
      "giu"
    ),
    (at) => [{ year: number(at["y"]), month: null, day: null }]
  ],
  [
    new RegExp(`${edge}(?<y>1\\d{2}0|20\\d0)(?:['’]?s|er)${done}`, "gu"),
    (at) => [{ year: number(at["y"]), month: null, day: null }]
  ],
  // Excludes codes ("EIP-1559", "ISO 1600") and quantities.
  [
    new RegExp(`${edge}(?<![\\p{L}\\p{N}][-_#/]|\\p{Lu}{2} )(?<y>1[5-9]\\d{2}|20\\d{2})${noUnit}`, "gu"),
    (at) => [{ year: number(at["y"]), month: null, day: null }]
  ]
]

type Groups = Readonly<Record<string, string | undefined>>
const number = (digits: string | undefined): number => Number(digits ?? 0)
const maybe = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits))
const monthOf = (name: string | undefined): number => months.get((name ?? "").toLowerCase()) ?? 0

/**
 * Returns the dates of a text in order, without overlaps; the more precise reading of a range wins. English, German,
 * French, Spanish and CJK forms, ISO 8601, and bare years from 1500 to 2099.
 */
export const findDates = (text: string): ReadonlyArray<FoundDate> => {
  if (!/\d/u.test(text)) return []
  const found: Array<FoundDate> = []
  // Marks the units that already belong to a date; patterns run from precise to vague.
  const taken = new Uint8Array(text.length)
  for (const [pattern, read] of patterns) {
    for (const match of matchesOf(pattern, text)) {
      const start = match.index
      const end = start + match[0].length
      if (taken.subarray(start, end).includes(1)) continue
      const readings = read(match.groups ?? {}).filter(isDate)
      if (readings.length === 0) continue
      found.push({ start, end, readings })
      taken.fill(1, start, end)
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
