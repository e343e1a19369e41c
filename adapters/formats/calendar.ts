import { escapeMarkdown } from "./table.js"

/** An invitation or another part of a calendar as sections: what, when, where, who. */
export const calendarMarkdown = (text: string): string => {
  const sections: Array<string> = []
  let event: Array<readonly [label: string, value: string]> | null = null
  let depth = 0
  for (const line of text
    .replace(/\r\n?/g, "\n")
    .replace(/\n[ \t]/g, "")
    .split("\n")
    .slice(0, linesMax)) {
    const [, name = "", parameters = "", raw = ""] =
      /^([A-Z-]+)((?:;[^:"]*(?:"[^"]*")?[^:"]*)*):(.*)$/i.exec(line) ?? []
    const key = name.toUpperCase()
    if (key === "BEGIN" && /^V(?:EVENT|TODO)$/i.test(raw)) [event, depth] = [[], 0]
    else if (key === "BEGIN") depth += 1
    else if (key === "END" && /^V(?:EVENT|TODO)$/i.test(raw)) {
      if (event !== null) sections.push(sectionOf(event))
      event = null
    } else if (key === "END") depth -= 1
    else if (event !== null && depth === 0 && Object.hasOwn(labels, key)) {
      const value = valueOf(key, raw, parameters)
      if (value !== "") event.push([labels[key] ?? key, value])
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
  LOCATION: "Where",
  ORGANIZER: "Organizer",
  ATTENDEE: "Attendee",
  STATUS: "Status",
  DESCRIPTION: "Description"
}

const sectionOf = (event: ReadonlyArray<readonly [string, string]>): string => {
  const title = event.find(([label]) => label === "What")?.[1] ?? "Event"
  const lines = event.map(([label, value]) => `- **${label}:** ${escapeMarkdown(value)}`)
  return `## Invitation: ${escapeMarkdown(title)}\n\n${lines.join("\n")}`
}

const valueOf = (key: string, raw: string, parameters: string): string => {
  const text = raw
    .replace(/\\[nN]/g, " ")
    .replace(/\\([,;\\])/g, "$1")
    .replace(/\s+/gu, " ")
    .trim()
  if (/^(?:DTSTART|DTEND|DUE)$/.test(key)) {
    const [, year, month, day, hour, minute, utc] =
      /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(text) ?? []
    if (year === undefined) return text
    const zone = utc === "Z" ? " UTC" : zoneOf(parameters)
    return hour === undefined ? `${year}-${month}-${day}` : `${year}-${month}-${day} ${hour}:${minute}${zone}`
  }
  if (key !== "ORGANIZER" && key !== "ATTENDEE") return text
  const address = text.replace(/^mailto:/i, "")
  const name = /;CN=(?:"([^"]*)"|([^;:]*))/i.exec(parameters)
  const called = name?.[1] ?? name?.[2] ?? ""
  return called === "" || called === address ? address : `${called} (${address})`
}

const zoneOf = (parameters: string): string => {
  const zone = /;TZID=(?:"([^"]*)"|([^;:]*))/i.exec(parameters)
  const name = zone?.[1] ?? zone?.[2]
  return name === undefined ? "" : ` (${name})`
}
