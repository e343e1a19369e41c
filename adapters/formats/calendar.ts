import { escapeMarkdown } from "./table.js"

/** A line of a calendar: `DTSTART;TZID=Europe/Oslo:20240514T140000`. */
interface Property {
  readonly key: string
  readonly parameters: string
  readonly text: string
}

/** An invitation or another part of a calendar as sections: what, when, where, who. */
export const calendarMarkdown = (text: string): string => {
  const sections: Array<string> = []
  let event: Array<Property> | null = null
  let [depth, method] = [0, ""]
  for (const line of text
    .replace(/\r\n?/g, "\n")
    .replace(/\n[ \t]/g, "")
    .split("\n")
    .slice(0, linesMax)) {
    const [, name = "", parameters = "", raw = ""] =
      /^([A-Z-]+)((?:;[^:"]*(?:"[^"]*")?[^:"]*)*):(.*)$/i.exec(line) ?? []
    const key = name.toUpperCase()
    if (key === "METHOD") method = raw.trim().toUpperCase()
    if (key === "BEGIN" && ["VEVENT", "VTODO"].includes(raw.toUpperCase())) [event, depth] = [[], 0]
    else if (key === "BEGIN") depth += 1
    else if (key === "END" && ["VEVENT", "VTODO"].includes(raw.toUpperCase())) {
      if (event !== null) sections.push(sectionOf(event, method))
      event = null
    } else if (key === "END") depth -= 1
    else if (event !== null && depth === 0 && Object.hasOwn(labels, key)) {
      const plain = textOf(raw)
      if (plain !== "") event.push({ key, parameters, text: plain })
    }
  }
  return sections.join("\n\n")
}

const linesMax = 20_000

const labels: Readonly<Record<string, string>> = {
  SUMMARY: "What",
  DTSTART: "Begins",
  DTEND: "Ends",
  DUE: "Due",
  DURATION: "Duration",
  RRULE: "Repeats",
  RDATE: "Also on",
  EXDATE: "Not on",
  "RECURRENCE-ID": "Replaces the occurrence of",
  LOCATION: "Where",
  ORGANIZER: "Organizer",
  ATTENDEE: "Attendee",
  STATUS: "Status",
  DESCRIPTION: "Description"
}

const textOf = (raw: string): string =>
  raw
    .replace(/\\[nN]/g, " ")
    .replace(/\\([,;\\])/g, "$1")
    .replace(/\s+/gu, " ")
    .trim()

const sectionOf = (event: ReadonlyArray<Property>, method: string): string => {
  const title = event.find(({ key }) => key === "SUMMARY")?.text ?? "Event"
  const isStatusCancelled = event.some(({ key, text }) => key === "STATUS" && /^cancell?ed$/i.test(text))
  const isCancelled = method === "CANCEL" || isStatusCancelled
  const lines = event.map(
    (property) => `- **${labels[property.key] ?? property.key}:** ${escapeMarkdown(valueOf(property, event))}`
  )
  const kind = isCancelled ? "Cancelled" : method === "REPLY" ? "Reply to the invitation" : "Invitation"
  const status = isCancelled && !isStatusCancelled ? ["- **Status:** CANCELLED"] : []
  return `## ${kind}: ${escapeMarkdown(title)}\n\n${[...lines, ...status].join("\n")}`
}

const valueOf = (property: Property, event: ReadonlyArray<Property>): string => {
  const { key, parameters, text } = property
  if (/^(?:DTSTART|DUE|RECURRENCE-ID)$/.test(key)) return momentText(text, parameters)
  if (key === "DTEND") {
    const begin = event.find((one) => one.key === "DTSTART")?.text ?? ""
    return momentText(lastDay(begin, text), parameters)
  }
  if (key === "EXDATE" || key === "RDATE")
    return text
      .split(",")
      .map((moment) => momentText(moment.trim(), parameters))
      .join(", ")
  if (key === "RRULE") return ruleText(text)
  if (key === "DURATION") return durationText(text)
  if (key !== "ORGANIZER" && key !== "ATTENDEE") return text
  const address = text.replace(/^mailto:/i, "")
  const name = /;CN=(?:"([^"]*)"|([^;:]*))/i.exec(parameters)
  const called = name?.[1] ?? name?.[2] ?? ""
  const answer = /;PARTSTAT=(ACCEPTED|DECLINED|TENTATIVE)/i.exec(parameters)?.[1]?.toLowerCase()
  return `${called === "" || called === address ? address : `${called} (${address})`}${answer === undefined ? "" : `, ${answer}`}`
}

const datePattern = /^(\d{4})(\d\d)(\d\d)$/

/** The last day of an event of whole days, whose end is the day after it. */
const lastDay = (begin: string, end: string): string => {
  if (!datePattern.test(begin) || !datePattern.test(end) || end <= begin) return end
  const [, year, month, day] = datePattern.exec(end) ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - 1))
  return date.toISOString().slice(0, 10).replaceAll("-", "")
}

const momentText = (text: string, parameters: string): string => {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?/.exec(text) ?? []
  if (year === undefined) return text
  const zone = utc === "Z" ? " UTC" : zoneOf(parameters)
  return hour === undefined ? `${year}-${month}-${day}` : `${year}-${month}-${day} ${hour}:${minute}${zone}`
}

const zoneOf = (parameters: string): string => {
  const zone = /;TZID=(?:"([^"]*)"|([^;:]*))/i.exec(parameters)
  const name = zone?.[1] ?? zone?.[2]
  return name === undefined ? "" : ` (${name})`
}

const units: Readonly<Record<string, string>> = {
  SECONDLY: "second",
  MINUTELY: "minute",
  HOURLY: "hour",
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year"
}
const weekdays: Readonly<Record<string, string>> = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday"
}
const months = "January,February,March,April,May,June,July,August,September,October,November,December".split(
  ","
)
const ordinals = ["", "first", "second", "third", "fourth", "fifth"]

/** `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=5` as `every 2 weeks on Monday, 5 times`; what has no words stays as it is. */
const ruleText = (rule: string): string => {
  const parts = new Map(
    rule.split(";").map((part): [string, string] => {
      const [name = "", value = ""] = part.split("=")
      return [name.trim().toUpperCase(), value.trim()]
    })
  )
  const unit = units[parts.get("FREQ")?.toUpperCase() ?? ""]
  const days = (parts.get("BYDAY") ?? "").split(",").filter((day) => day !== "")
  const dayTexts = days.map(dayText)
  const byMonth = listOf(parts.get("BYMONTH")).map((month) => months[Number(month) - 1])
  if (unit === undefined || dayTexts.includes(null) || byMonth.includes(undefined)) return rule
  const interval = Number(parts.get("INTERVAL") ?? 1)
  const until = parts.get("UNTIL")
  const count = parts.get("COUNT")
  const monthDays = listOf(parts.get("BYMONTHDAY")).map((day) =>
    day === "-1" ? "the last day" : day.startsWith("-") ? `day ${day} from the end` : `day ${day}`
  )
  const rest = [...parts]
    .filter(([name]) => !wordedParts.has(name))
    .map(([name, value]) => `${name}=${value}`)
  return [
    `every ${interval > 1 ? `${interval} ${unit}s` : unit}`,
    ...(dayTexts.length === 0 ? [] : [` on ${dayTexts.join(", ")}`]),
    ...(monthDays.length === 0 ? [] : [` on ${monthDays.join(", ")}`]),
    ...(byMonth.length === 0 ? [] : [` in ${byMonth.join(", ")}`]),
    ...(until === undefined ? [] : [`, until ${momentText(until, "")}`]),
    ...(count === undefined ? [] : [`, ${count} times`]),
    ...(rest.length === 0 ? [] : [` (${rest.join(", ")})`])
  ].join("")
}

const wordedParts = new Set(["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "UNTIL", "COUNT", "WKST"])

const listOf = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined || value === "" ? [] : value.split(",").map((one) => one.trim())

/** `MO` as `Monday`, `1MO` as `the first Monday`, `-1FR` as `the last Friday`; null for what is no day. */
const dayText = (text: string): string | null => {
  const [, sign, number, day = ""] = /^([+-]?)(\d{0,2})([A-Z]{2})$/i.exec(text.trim()) ?? []
  const name = weekdays[day.toUpperCase()]
  if (name === undefined) return null
  if (number === undefined || number === "") return name
  const which = ordinals[Number(number)] ?? `${number}th`
  return sign === "-"
    ? number === "1"
      ? `the last ${name}`
      : `the ${which} ${name} from the end`
    : `the ${which} ${name}`
}

/** `P1DT2H30M` as `1 day 2 hours 30 minutes`. */
const durationText = (text: string): string => {
  const found = /^([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i.exec(text)
  if (found === null) return text
  const words = ["week", "day", "hour", "minute", "second"].flatMap((unit, at) => {
    const count = found[at + 2]
    return count === undefined || Number(count) === 0
      ? []
      : [`${Number(count)} ${unit}${count === "1" ? "" : "s"}`]
  })
  return words.length === 0 ? text : `${found[1] === "-" ? "-" : ""}${words.join(" ")}`
}
