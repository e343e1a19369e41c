/** Calendars and mails reach Markdown with the dates, lines and letters that their programs show. */

import { strToU8 } from "fflate"
import { describe, expect, it } from "vitest"
import { convertHere } from "../../../adapters/formats/convert.js"

const textOf = async (name: string, file: string | Uint8Array) =>
  (await convertHere({ name, bytes: typeof file === "string" ? strToU8(file) : file })).markdown

const calendar = (method: string, ...events: ReadonlyArray<ReadonlyArray<string>>) =>
  [
    "From: a@b.example",
    "Subject: Plan",
    "MIME-Version: 1.0",
    `Content-Type: text/calendar; charset=utf-8; method=${method}`,
    "",
    "BEGIN:VCALENDAR",
    `METHOD:${method}`,
    ...events.flatMap((lines) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"]),
    "END:VCALENDAR",
    ""
  ].join("\r\n")

describe("calendars", () => {
  it("end all-day events on their last day", async () => {
    const days = (begin: string, end: string) =>
      calendar("REQUEST", ["SUMMARY:Days", `DTSTART;VALUE=DATE:${begin}`, `DTEND;VALUE=DATE:${end}`])
    expect(await textOf("a.eml", days("20260703", "20260706"))).toContain("- **Ends:** 2026-07-05")
    expect(await textOf("a.eml", days("20260710", "20260711"))).toContain("- **Ends:** 2026-07-10")
    expect(await textOf("a.eml", days("20251231", "20260101"))).toContain("- **Ends:** 2025-12-31")
    const hours = calendar("REQUEST", ["DTSTART:20260703T100000Z", "DTEND:20260706T110000Z"])
    expect(await textOf("a.eml", hours)).toContain("- **Ends:** 2026-07-06 11:00 UTC")
  })

  it("say that an event is cancelled", async () => {
    const markdown = await textOf(
      "a.eml",
      calendar("CANCEL", ["SUMMARY:Pump meeting", "DTSTART:20260703T100000Z"])
    )
    expect(markdown).toContain("## Cancelled: Pump meeting")
    expect(markdown).toContain("- **Status:** CANCELLED")
  })

  it("write rules in words, with left out and moved occurrences", async () => {
    const markdown = await textOf(
      "a.eml",
      calendar(
        "REQUEST",
        [
          "SUMMARY:Round",
          "DTSTART;TZID=Europe/Oslo:20260706T100000",
          "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20261231T000000Z",
          "EXDATE;TZID=Europe/Oslo:20260720T100000,20260803T100000"
        ],
        [
          "SUMMARY:Round",
          "RECURRENCE-ID;TZID=Europe/Oslo:20260817T100000",
          "DTSTART;TZID=Europe/Oslo:20260818T110000",
          "DURATION:PT1H30M"
        ],
        ["SUMMARY:Board", "RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=5;BYHOUR=9"]
      )
    )
    for (const line of [
      "- **Repeats:** every 2 weeks on Monday, Wednesday, until 2026-12-31 00:00 UTC",
      "- **Not on:** 2026-07-20 10:00 (Europe/Oslo), 2026-08-03 10:00 (Europe/Oslo)",
      "- **Replaces the occurrence of:** 2026-08-17 10:00 (Europe/Oslo)",
      "- **Duration:** 1 hour 30 minutes",
      "- **Repeats:** every month on the last Friday, 5 times (BYHOUR=9)"
    ])
      expect(markdown).toContain(line)
  })
})

const message = (type: string, encoding: string, body: string) =>
  `From: a@b.example\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`

describe("mail", () => {
  it("joins flowed lines within their quotes", async () => {
    const body =
      "> The price of the gear box is \r\n> 40 euros\r\n>> and \r\n> 3 days\r\n\r\nIt is \r\nfine.\r\n-- \r\nAda"
    const markdown = await textOf("a.eml", message("text/plain; charset=utf-8; format=flowed", "7bit", body))
    expect(markdown).toContain("> The price of the gear box is 40 euros\n>> and\n> 3 days")
    expect(markdown).toContain("It is fine.\n--\nAda")
    const deleted = message("text/plain; format=flowed; delsp=yes", "quoted-printable", "> 12 =\r\n\r\n> 50")
    expect(await textOf("a.eml", deleted)).toContain("> 1250")
  })

  it("is read in the charset of its encoded bodies, whatever they declare", async () => {
    const latin = Buffer.from("Das Smørbrød für Åse kostet über 40 Kronen. Größe: groß.", "latin1")
    const page = Buffer.from(
      '<html><head><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"></head><body><p>Das Smørbrød für Åse</p></body></html>',
      "latin1"
    )
    const quoted = (bytes: Buffer) =>
      Array.from(bytes, (byte) =>
        byte > 126 || byte === 61 ? `=${byte.toString(16).toUpperCase()}` : String.fromCharCode(byte)
      ).join("")
    for (const type of ["text/plain", "text/plain; charset=utf-8", "text/plain; charset=us-ascii"]) {
      expect(await textOf("a.eml", message(type, "base64", latin.toString("base64")))).toContain(
        "Das Smørbrød für Åse"
      )
      expect(await textOf("a.eml", message(type, "quoted-printable", quoted(latin)))).toContain(
        "Das Smørbrød für Åse"
      )
    }
    for (const type of ["text/html", "text/html; charset=utf-8"])
      expect(await textOf("a.eml", message(type, "base64", page.toString("base64")))).toContain(
        "Das Smørbrød für Åse"
      )
    const part = `--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${latin.toString("base64")}\r\n--b--`
    const parts = message('multipart/mixed; boundary="b"', "7bit", part)
    expect(await textOf("a.eml", parts)).toContain("Das Smørbrød für Åse")
    const utf8 = Buffer.from("Größe 5 €").toString("base64")
    expect(await textOf("a.eml", message("text/plain", "base64", utf8))).toContain("Größe 5 €")
  })

  it("writes the dates of forwarded messages as its own", async () => {
    const inner =
      "From: Bo <bo@b.example>\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\nSubject: Offer\r\n\r\nIt costs 40 euros.\r\n"
    const outer = message(
      'multipart/mixed; boundary="b"',
      "7bit",
      `--b\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--b--`
    )
    const markdown = await textOf("a.eml", outer)
    expect(markdown).toContain("See below.\n\n## Forwarded message\n\n### Offer")
    expect(markdown).toContain("- **Date:** 2026-03-02T10:00:00.000Z")
    expect(markdown).toContain("It costs 40 euros.")
    expect(markdown).not.toContain("3/2/2026")
  })
})
