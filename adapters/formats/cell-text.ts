import { format, getFormatDateInfo, isValidFormat } from "numfmt"

/** Returns the text of a workbook's number in its number format. Dates and times are written as in ISO 8601. */
export const numberText = (value: number, pattern: string, isFrom1904: boolean): string => {
  if (!Number.isFinite(value)) return ""
  const code = pattern.length <= patternMaxLength && isValidFormat(pattern) ? pattern : "General"
  if (/^general$/i.test(code) || code === "@") return generalText(value)
  const shown = dateText(value + (isFrom1904 && value >= 0 ? daysTo1904 : 0), value, code)
  if (shown !== null) return shown
  // The language of a currency would change the signs of thousands and decimals, which spreadsheets do not.
  const plain = code.replace(/\[\$([^\]-]*)-[0-9a-f]+\]/gi, (_, sign: string) =>
    sign === "" ? "" : `"${sign}"`
  )
  const text = format(plain, value, { nbsp: false, throws: false, ignoreTimezone: true })
  return text.replace(/\s+/gu, " ").trim()
}

const patternMaxLength = 255
const daysTo1904 = 1462
/** The last day of the year 9999. */
const lastDay = 2_958_465
const secondsPerDay = 86_400

/** Long numbers of cards and the like keep their last digits; other numbers lose what binary fractions add. */
const generalText = (value: number): string =>
  String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)))

/** A date, a time or both; null for a format of neither, and for a duration, which is no moment. */
const dateText = (serial: number, duration: number, code: string): string | null => {
  const [section = ""] = code.split(";")
  const isElapsed = /\[(?:h+|m+|s+)\]/i.test(section)
  if (isElapsed) return durationText(duration, section)
  const { day, hours, minutes, month, seconds, year } = getFormatDateInfo(code)
  const hasDate = year || month || day
  const hasTime = hours || minutes || seconds
  if (!hasDate && !hasTime) return null
  if (serial < 0 || serial > lastDay + 1) return generalText(serial)
  const total = Math.round(serial * secondsPerDay)
  const days = Math.floor(total / secondsPerDay)
  const rest = total - days * secondsPerDay
  // The calendar of spreadsheets has a 29 February 1900.
  const date = new Date(Date.UTC(1899, 11, days < 60 ? 31 : 30) + days * 86_400_000)
    .toISOString()
    .slice(0, 10)
  const shownDate =
    year && !month && !day ? date.slice(0, 4) : year && month && !day ? date.slice(0, 7) : date
  const time = clock(Math.floor(rest / 3600), rest, seconds)
  if (!hasTime) return shownDate
  if (!hasDate) return time
  return rest === 0 ? shownDate : `${shownDate} ${time}`
}

const durationText = (value: number, section: string): string => {
  const total = Math.round(Math.abs(value) * secondsPerDay)
  const sign = value < 0 ? "-" : ""
  if (/\[s+\]/i.test(section)) return `${sign}${total}`
  if (/\[m+\]/i.test(section)) return `${sign}${Math.floor(total / 60)}:${twoDigits(total % 60)}`
  return sign + clock(Math.floor(total / 3600), total, /s/i.test(section))
}

const clock = (hours: number, seconds: number, showsSeconds: boolean): string =>
  [hours, Math.floor(seconds / 60) % 60, ...(showsSeconds ? [seconds % 60] : [])].map(twoDigits).join(":")

const twoDigits = (number: number): string => String(number).padStart(2, "0")
