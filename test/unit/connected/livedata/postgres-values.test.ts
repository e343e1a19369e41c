import { SqlError } from "@effect/sql/SqlError"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonCell } from "../../../../adapters/livedata/driver.js"
import { toCell } from "../../../../adapters/livedata/postgres/values.js"
import { isAway, isRefused } from "../../../../adapters/postgres/connection-loss.js"

describe("a JSON cell", () => {
  it.each([
    '{"a":900719925474099.3}',
    '{"a":12345678901.1234567}',
    '{"a":1234567.123456789012}',
    '{"a":1e400}',
    "[1e-400]",
    "[[12345678901234567890]]",
    "-0.30000000000000001",
    "no JSON"
  ])("stays text where a number of it would lose digits: %s", (text) => {
    expect(jsonCell(text)).toBe(text)
  })

  it.each([
    '{"id":"1234567890123456"}',
    '{"said":"\\"1e400\\" and 900719925474099.3"}',
    '{"1234567890123456789":1}',
    "[0.1,1.10,1e3,-0,9007199254740991,1.5e-7,100000000000000000000,0.30000000000000004]",
    "[]"
  ])("is the value where all numbers are exact: %s", (text) => {
    expect(jsonCell(text)).toEqual(JSON.parse(text))
  })

  it("is the value for whatever JSON itself writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(jsonCell(text))).toBe(text)
      })
    )
  })

  it("loses no digit of any decimal number", () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 25 })
    fc.assert(
      fc.property(digits, digits, (whole, fraction) => {
        const number = `${BigInt(whole.join(""))}.${fraction.join("")}`
        const cell = jsonCell(`[${number}]`)
        if (!Array.isArray(cell)) return
        const scaled = (text: string) => {
          const [before = "", after = ""] = text.split(".")
          return BigInt(before + after.padEnd(30, "0"))
        }
        const [value] = cell as ReadonlyArray<number>
        const written = String(value)
        if (!/e/u.test(written)) expect(scaled(written)).toBe(scaled(number))
      })
    )
  })
})

describe("dates and moments of Postgres", () => {
  const [date, timestamp, timestamptz] = [1082, 1114, 1184]
  it.each([
    [date, "2024-03-01", "2024-03-01"],
    [date, "0044-03-15 BC", "-0043-03-15"],
    [date, "0001-12-31 BC", "0000-12-31"],
    [date, "12026-01-01", "+012026-01-01"],
    [date, "infinity", "infinity"],
    [timestamp, "0044-03-15 12:00:00 BC", "-0043-03-15T12:00:00"],
    [timestamp, "2024-03-10 02:30:00.5", "2024-03-10T02:30:00.5"],
    [timestamptz, "0044-03-15 12:00:00+00 BC", "-0043-03-15T12:00:00Z"],
    [timestamptz, "12026-01-01 00:00:00+00", "+012026-01-01T00:00:00Z"],
    [timestamptz, "-infinity", "-infinity"]
  ])("of type %i are ISO 8601: %s", (type, text, expected) => {
    expect(toCell(type, text)).toBe(expected)
  })
})

describe("a connection that Postgres ended by a time limit", () => {
  const failure = (code: string) =>
    new SqlError({ cause: Object.assign(new Error("terminating connection"), { code }), message: "Failed" })
  it("counts as lost, for each of the limits", () => {
    for (const code of ["57P05", "25P03", "25P04"]) expect(isAway(failure(code)), code).toBe(true)
    // An idle session was ended before the statement came, which may therefore be sent again whatever it does.
    expect(isRefused(failure("57P05"))).toBe(true)
    expect(isRefused(failure("25P04"))).toBe(false)
  })
})
