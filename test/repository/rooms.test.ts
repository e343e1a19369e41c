import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { filesUnder, root, textOf } from "../support/tree.js"

type Rooms = Readonly<Record<string, ReadonlyArray<string>>>

const districts: Readonly<Record<string, Rooms>> = JSON.parse(textOf("core/rooms.json"))
const rooms: Rooms = Object.assign({}, ...Object.values(districts))

const districtOf = new Map(
  Object.entries(districts).flatMap(([district, own]) => Object.keys(own).map((room) => [room, district]))
)

/** The other districts that a district imports, through any of its rooms; every room imports the kernel. */
const callsOf = (district: string): ReadonlyArray<string> => {
  const called = new Set(
    Object.values(districts[district] ?? {}).flatMap((imports) =>
      ["kernel", ...imports].map((room) => districtOf.get(room))
    )
  )
  return Object.keys(districts).filter((other) => other !== district && called.has(other))
}

/** The table of the architecture page: its columns "Room" and "May import", whatever else it has. */
const roomsOfPage = (page: string): Rooms => {
  const lines = page.split("\n")
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.replace(/[`*]/g, "").trim())
  const start = lines.findIndex(
    (line) => line.includes("|") && /\broom\b/i.test(line) && /may import/i.test(line)
  )
  if (start < 0) return {}
  const head = cells(lines[start] ?? "")
  const roomAt = head.findIndex((cell) => /^room$/i.test(cell))
  const importsAt = head.findIndex((cell) => /^may import/i.test(cell))
  const rows: Array<readonly [string, ReadonlyArray<string>]> = []
  for (const line of lines.slice(start + 2)) {
    if (!line.includes("|")) break
    const row = cells(line)
    const words = (row[importsAt] ?? "").match(/[a-z]+(?:-[a-z]+)*/g) ?? []
    rows.push([row[roomAt] ?? "", words.filter((word) => word !== "nothing" && word !== "kernel")])
  }
  return Object.fromEntries(rows)
}

const sorted = (table: Rooms) =>
  Object.fromEntries(
    Object.keys(table)
      .sort()
      .map((room) => [room, [...(table[room] ?? [])].sort()])
  )

describe("the table of rooms", () => {
  it("is the one that docs/architecture.md shows", () => {
    expect(filesUnder("docs/architecture.md")).toEqual(["docs/architecture.md"])
    expect(sorted(roomsOfPage(textOf("docs/architecture.md")))).toEqual(sorted(rooms))
  })

  it("names every folder of core, and only those", () => {
    const foldersOf = (path: string) =>
      readdirSync(join(root, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort()
    expect(foldersOf("core")).toEqual(Object.keys(districts).sort())
    for (const [district, own] of Object.entries(districts))
      expect(foldersOf(`core/${district}`)).toEqual(Object.keys(own).sort())
  })

  it("lets a room import only rooms that come before it, so that there is no circle", () => {
    const before = new Set<string>()
    for (const [room, imports] of Object.entries(rooms)) {
      expect(
        imports.filter((other) => !before.has(other)),
        room
      ).toEqual([])
      before.add(room)
    }
  })

  it("lets a district call only districts that come before it", () => {
    const order = Object.keys(districts)
    for (const [at, district] of order.entries())
      expect(
        callsOf(district).filter((other) => order.indexOf(other) > at),
        district
      ).toEqual([])
  })

  it("is what the README of each district and the table of districts say", () => {
    const page = textOf("docs/architecture.md")
    for (const [district, own] of Object.entries(districts)) {
      const readme = textOf(`core/${district}/README.md`)
      expect([...readme.matchAll(/^- `([a-z-]+)`: /gm)].map(([, room]) => room)).toEqual(Object.keys(own))
      const calls = callsOf(district).join(", ")
      expect(readme).toContain(`May call: ${calls === "" ? "no other district" : calls}.`)
      expect(page).toContain(`| ${Object.keys(own).join(", ")} | ${calls} |`)
    }
  })

  it("is read from a page with more columns, code marks and words for nothing", () => {
    const page = [
      "| Room | Owns | May import (kernel always) | Port |",
      "|---|---|---|---|",
      "| `kernel` | words | nothing | - |",
      "| audit | trail | - | x |",
      "| **graph** | edges | `audit`, kernel | y |",
      "",
      "| Room | May import |"
    ]
    expect(roomsOfPage(page.join("\n"))).toEqual({ kernel: [], audit: [], graph: ["audit"] })
  })
})
