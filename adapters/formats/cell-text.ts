import { format, getFormatDateInfo, isValidFormat } from "numfmt"

/**
 * How a workbook counts days: as Excel does, whose year 1900 has a 29 February; from 1904; or from 30 December 1899 by
 * the calendar, also before 1900.
 */
export type DayCount = "excel" | "1904" | "calendar"

/** Returns the text of a workbook's number in its number format. Dates and times are written as in ISO 8601. */
export const numberText = (value: number, pattern: string, dayCount: DayCount): string => {
  if (!Number.isFinite(value)) return ""
  const code = pattern.length <= patternMaxLength && isValidFormat(pattern) ? pattern : "General"
  if (/^general$/i.test(code) || code === "@") return generalText(value)
  const shown = dateText(value, code, dayCount)
  if (shown !== null) return shown
  // The language of a currency would change the signs of thousands and decimals, which spreadsheets do not.
  const plain = code.replace(/\[\$([^\]-]*)-[0-9a-f]+\]/gi, (_, sign: string) =>
    sign === "" ? "" : `"${sign}"`
  )
  const text = format(plain, value, { nbsp: false, throws: false, ignoreTimezone: true })
  return text.replace(/\s+/gu, " ").trim()
}

/** A date and time in ISO 8601, as some programs store them, in a number format of dates; as it is in another one. */
export const isoText = (value: string, pattern: string): string => {
  const time = /^\d{4}-\d\d-\d\d/.test(value)
    ? Date.parse(/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}${value.includes("T") ? "Z" : ""}`)
    : Number.NaN
  const shown = Number.isNaN(time) ? null : dateText(time / 86_400_000 + 25_569, pattern, "calendar")
  return shown ?? value.replace(/T00:00:00(?:\.0+)?Z?$/, "").replace("T", " ")
}

const patternMaxLength = 255
const daysTo1904 = 1462
/** The last day of the year 9999. */
const lastDay = 2_958_465
/** The first day of the year 1. */
const firstDay = -693_593
const secondsPerDay = 86_400

/** Long numbers of cards and the like keep their last digits; other numbers lose what binary fractions add. */
const generalText = (value: number): string =>
  String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)))

/** The parts of a number format: `mm` between hours and seconds stands for minutes, elsewhere for the month. */
const partsOf = (section: string) => {
  const plain = section.replace(/am\/pm|a\/p|"[^"]*"|\\.|[_*].|\[[^\]]*\]/gi, " ")
  const letters = Array.from(plain.matchAll(/y+|m+|d+|h+|s+/gi), ([found]) => found.toLowerCase())
  const isMinutes = (at: number): boolean =>
    /^m{1,2}$/.test(letters[at] ?? "") && (letters[at - 1]?.[0] === "h" || letters[at + 1]?.[0] === "s")
  return {
    minutes: letters.some((_, at) => isMinutes(at)),
    month: letters.some((letter, at) => letter[0] === "m" && !isMinutes(at)),
    /** Digits of a second's fraction. */
    digits: Math.min(3, /(?:s|\[s+\])[.,](0+)/i.exec(section)?.[1]?.length ?? 0)
  }
}

/** A date, a time or both; null for a format of neither, and for a duration, which is no moment. */
const dateText = (value: number, code: string, dayCount: DayCount): string | null => {
  const [section = ""] = code.split(";")
  const { digits, minutes, month } = partsOf(section)
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return durationText(value, section, digits)
  const info = getFormatDateInfo(code)
  const { day, hours, seconds, year } = info
  // The library takes minutes before seconds for months, unless hours stand before them.
  const hasMonth = (info.month || info.minutes) && month
  const hasDate = year || hasMonth || day
  const hasTime = hours || minutes || seconds
  // Days and hours without a month are a span of time.
  const isSpan = day && hasTime && !year && !hasMonth
  if ((!hasDate && !hasTime) || isSpan) return null
  const serial = dayCount === "1904" ? value + daysTo1904 : value
  if ((dayCount === "excel" && serial < 0) || serial < firstDay || serial > lastDay + 1)
    return generalText(value)
  const perDay = secondsPerDay * 10 ** digits
  const total = Math.round(serial * perDay)
  const days = Math.floor(total / perDay)
  const rest = (total - days * perDay) / 10 ** digits
  // The calendar of Excel has a 29 February 1900.
  const epoch = Date.UTC(1899, 11, dayCount === "excel" && days < 60 ? 31 : 30)
  const date = new Date(epoch + days * 86_400_000).toISOString().slice(0, 10)
  const shownDate =
    year && !hasMonth && !day ? date.slice(0, 4) : year && hasMonth && !day ? date.slice(0, 7) : date
  if (!hasTime) return shownDate
  if (!hasDate && !hours) {
    const inMinute = secondsText(rest % 60, digits)
    if (!minutes) return inMinute
    return [twoDigits(Math.floor(rest / 60) % 60), ...(seconds ? [inMinute] : [])].join(":")
  }
  const time = clock(Math.floor(rest / 3600), rest, seconds, digits)
  if (!hasDate) return time
  return rest === 0 ? shownDate : `${shownDate} ${time}`
}

const durationText = (value: number, section: string, digits: number): string => {
  const unit = 10 ** digits
  const total = Math.round(Math.abs(value) * secondsPerDay * unit) / unit
  const sign = value < 0 && total > 0 ? "-" : ""
  if (/\[s+\]/i.test(section)) return `${sign}${total.toFixed(digits)}`
  if (/\[m+\]/i.test(section))
    return `${sign}${Math.floor(total / 60)}${/s/i.test(section) ? `:${secondsText(total % 60, digits)}` : ""}`
  return sign + clock(Math.floor(total / 3600), total, /s/i.test(section), digits)
}

const clock = (hours: number, seconds: number, showsSeconds: boolean, digits: number): string =>
  [
    twoDigits(hours),
    twoDigits(Math.floor(seconds / 60) % 60),
    ...(showsSeconds ? [secondsText(seconds % 60, digits)] : [])
  ].join(":")

const twoDigits = (number: number): string => String(number).padStart(2, "0")

const secondsText = (seconds: number, digits: number): string =>
  seconds.toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, "0")
