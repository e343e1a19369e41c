import { matchesOf, wordwise } from "../languages/index.js"

/** A time of day in minutes after midnight. */
export interface FoundTime {
  readonly start: number
  readonly end: number
  readonly minutes: number
  /** "9 pm", "10 in the morning": the half of the day is written. */
  readonly half: "am" | "pm" | null
}

/** "9:30", "9.30 pm", "10 am", "10 Uhr", "9 o'clock", each with the part of the day behind it. */
const timePattern = wordwise(
  () =>
    /(?<![\p{L}\p{N}.,:/-])(?:(?<h>[01]?\d|2[0-4]):(?<m>[0-5]\d)(?::[0-5]\d)?(?![\p{N}:])|(?<hour>[01]?\d|2[0-4])(?:\.(?<minute>[0-5]\d))?(?=[\s\u00a0]?(?:[ap]\.?m(?!\p{L})(?![\s\u00a0](?:\d{1,2}\.|(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch|Tag|Morgen|Abend|(?:Nach|Vor)mittag|\p{Ll}+sten))|[ap]\.\s?m\.|Uhr(?!\p{L})|o['’]clock)))(?:[\s\u00a0]?(?:(?:Uhr|o['’]clock|h)(?!\p{L})(?:[\s\u00a0](?<past>[0-5]\d)(?![\p{N}.,]))?))?(?:[\s\u00a0]?(?<half>[ap]\.\s?m\.?|[ap]m(?!\p{L})(?![\s\u00a0](?:\d{1,2}\.|(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch|Tag|Morgen|Abend|(?:Nach|Vor)mittag|\p{Ll}+sten)))|,?[\s\u00a0](?<part>in the (?:morning|afternoon|evening)|at night|morgens|vormittags|nachmittags|abends|nachts|de la (?:mañana|tarde|noche))(?!\p{L}))?/giu
)

/** Noon and midnight stand for a time behind these words; elsewhere they are parts of a day. */
const namedTime = wordwise(
  () =>
    /(?<=(?<!\p{L})(?:at|until|till|by|from|before|after|um|bis|ab|vor|nach|al?|hasta|desde|12)\s)(?:(?<noon>noon|midday|mediodía)|midnight|medianoche|Mitternacht)(?!\p{L})/giu
)

/** Cheaper than the patterns: few texts tell the time. */
const mayTell = /\d(?::\d|[ \u00a0]?(?:[ap]\.? ?m|uhr|o['’]clock))/i
/** In texts that name noon or midnight. */
export const mayName = /noon|mid(?:day|night)|mitternacht|medi(?:odía|anoche)/i

/** Returns the times of day in a text. */
export const findTimes = (text: string, hasDigit: boolean): ReadonlyArray<FoundTime> => {
  const found: Array<FoundTime> = []
  if (hasDigit && mayTell.test(text))
    for (const match of matchesOf(timePattern(), text)) {
      const { h, half, hour, m, minute, part, past } = match.groups ?? {}
      const written = Number(h ?? hour)
      const side = halfOf(half, part, written)
      if (side !== null && written > 12) continue
      const start = match.index
      const hours = side === null ? written : (written % 12) + (side === "pm" ? 12 : 0)
      const minutes = hours * 60 + Number(m ?? minute ?? past ?? 0)
      found.push({ start, end: start + match[0].length, minutes, half: side })
    }
  for (const match of mayName.test(text) ? matchesOf(namedTime(), text) : []) {
    const { index: start } = match
    const isFree = found.every(({ end }) => end <= start || end > start + match[0].length)
    const minutes = match.groups?.["noon"] === undefined ? 0 : 720
    if (isFree) found.push({ start, end: start + match[0].length, minutes, half: null })
  }
  return found.sort((a, b) => a.start - b.start)
}

const halfOf = (half: string | undefined, part: string | undefined, hour: number): "am" | "pm" | null => {
  if (half !== undefined) return /^a/iu.test(half) ? "am" : "pm"
  if (part === undefined || hour > 12) return null
  if (/morning|morgens|vormittags|mañana/iu.test(part)) return "am"
  // "At 2 at night" is early, "at 11 at night" late.
  if (/night|nachts/iu.test(part)) return hour < 6 || hour === 12 ? "am" : "pm"
  return "pm"
}
