import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codeNorm, findValues, type Value, valueEntails } from "../../../../core/language/values/index.js"

const only = (text: string): Value => {
  const values = findValues(text)
  expect(values).toHaveLength(1)
  const [value] = values
  if (value === undefined) throw new Error("no value")
  return value
}

const shown = (text: string) =>
  findValues(text).map((value) =>
    value.kind === "code"
      ? value.code
      : value.kind === "date"
        ? value.readings.map(({ day, month, year }) => [year, month, day].join("-"))
        : `${value.low}${value.high === value.low ? "" : `..${value.high}`} ${value.dimension}${value.approximate ? " about" : ""}${value.per === undefined ? "" : ` per ${value.per.size} ${value.per.unit}`}${value.isVersion === true ? ` named ${value.written}` : ""}`
  )

/** A number as it is written in Chinese characters. */
const inHan = (value: number): string => {
  const digits = "〇一二三四五六七八九"
  if (value >= 10_000)
    return `${inHan(Math.floor(value / 10_000))}万${value % 10_000 === 0 ? "" : inHan(value % 10_000)}`
  return [1000, 100, 10, 1]
    .map((power, at) => {
      const digit = Math.floor(value / power) % 10
      return digit === 0 ? "" : `${digits[digit]}${["千", "百", "十", ""][at]}`
    })
    .join("")
}

describe("findValues", () => {
  it.each([
    ["1,234,567 users", ["1234567 count"]],
    ["1.234,56 €", ["1234.56 EUR"]],
    ["10 000 personnes", ["10000 count"]],
    ["EUR 3,214,000", ["3214000 EUR"]],
    ["3.2 million euros", ["3200000 EUR"]],
    ["$3.5bn", ["3500000000 USD"]],
    ["2,5 Mio. Euro", ["2500000 EUR"]],
    ["12 %", ["12 percent"]],
    ["ten years.", ["120 months"]],
    ["twenty-five minutes", ["1500 time"]],
    ["2 hours", ["7200 time"]],
    ["28 Tage", ["2419200 time"]],
    ["1.5 GB", ["1500000000 bytes"]],
    ["24KiB", ["24576 bytes"]],
    ["4 to 8 cores", ["4..8 count"]],
    ["from 68 to 16", ["16..68 count"]],
    ["between 4 and 8 GB", ["4000000000..8000000000 bytes"]],
    ["about 100 users", ["100 count about"]],
    ["the 10th century", ["10 ordinal"]],
    ["4 March 2021", [["2021-3-4"]]],
    ["March 4th, 2021", [["2021-3-4"]]],
    ["2021-03-04", [["2021-3-4"]]],
    ["am 3. März 2024", [["2024-3-3"]]],
    ["le 1er août 2023", [["2023-8-1"]]],
    ["5 de mayo de 2020", [["2020-5-5"]]],
    ["2021年3月4日", [["2021-3-4"]]],
    ["03/04/2021", [["2021-4-3", "2021-3-4"]]],
    ["in 1066", [["1066--"]]],
    ["since May 2022", [["2022-5-"]]],
    ["the 1960s", [["1960--"]]],
    ["EIP-1559 in 2021.", ["eip1559", ["2021--"]]],
    ["KX-2041 and v1.2.3", ["kx2041", "1.2.3"]],
    ["900 euros per month", ["900 EUR per 1 months"]],
    ["900 Euro im Monat", ["900 EUR per 1 months"]],
    ["900 euros al mes", ["900 EUR per 1 months"]],
    ["60 requests per minute", ["60 count per 60 time"]],
    ["12.50 euros per person", ["12.5 EUR per 1 person"]],
    ["twice a day", ["2 recurrence per 86400 time"]],
    ["zweimal täglich", ["2 recurrence per 86400 time"]],
    ["dos veces al día", ["2 recurrence per 86400 time"]],
    ["every three years", ["1 recurrence per 36 months"]],
    ["every night", ["1 recurrence per 1 night"]],
    ["die monatliche Gebühr", ["1 recurrence per 1 months"]],
    ["The Daily Telegraph", []],
    ["three people a year later", ["3 count"]],
    ["at 10 pm.", ["1320 clock"]],
    ["um 14.30 Uhr", ["870 clock"]],
    ["9:30 am Montag", ["570 clock"]],
    ["6:15 in the morning", ["375 clock"]],
    ["9 to 5 pm", ["540..1020 clock"]],
    ["Python 3.10 is required", ["3.1 count named 3.10"]],
    ["Rund 1.500 Menschen", ["1500 count about"]],
    ["minus 18 °C", ["-18 celsius"]],
    ["18 degrees Celsius below zero", ["-18 celsius"]],
    ["–18 °C", ["-18 celsius"]],
    ["al menos 18 años", ["216 months"]],
    ["3:1", ["3..1 ratio"]],
    ["C++, C# and grade A-", ["c++", "c#", "a-"]],
    ["1.5 MW", ["1500000 power"]],
    ["20 kN at 5 kn", ["20000 force", "9.26 speed"]],
    ["5 metres per second", ["18 speed"]],
    ["half of the members", ["50 percent"]],
    ["5 per cent", ["5 percent"]],
    ["12 percentage points", ["12 percentage point"]],
    ["two hundred and fifty users", ["250 count"]],
    ["one hundred days", ["8640000 time"]],
    ["zweihundertfünfzig Euro", ["250 EUR"]],
    ["doscientos cincuenta euros", ["250 EUR"]],
    ["a three-year term", ["36 months"]],
    ["one of the best", []],
    ["fünfundvierzig Minuten", ["2700 time"]],
    ["soixante-douze heures", ["259200 time"]],
    ["в течение пятнадцати минут", ["900 time"]],
    ["не дороже 5000 рублей", ["5000 RUB"]],
    ["с 5 марта 2024 года", [["2024-3-5"]]],
    ["作動油は2000時間ごとに交換", ["7200000 time"]],
    ["月に2,000円、3万円", ["2000 JPY", "30000 JPY"]],
    ["每天一百二十元", ["120 CNY"]],
    ["4月1日に改定", [["-4-1"]]],
    ["機種KX-2041の重さ", ["kx2041"]],
    ["三楼的五花肉", []]
  ])("reads %j", (text, expected) => {
    expect(shown(text)).toEqual(expected)
  })

  it("reads every number that Chinese characters write", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999 }), (value) => {
        expect(shown(`共${inHan(value)}公斤`)).toEqual([`${value * 1000} mass`])
      })
    )
  })

  it("never overlaps, stays inside, and is ordered", () => {
    const piece = fc.constantFrom(
      ..."1 2021 -03 -04 , . million % € EUR to and May 4th KX- 0x 1.2.3 about ten ２ 年 kB M".split(" "),
      " "
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(piece).map((parts) => parts.join(""))
        ),
        (text) => {
          let at = 0
          for (const { start, end } of findValues(text)) {
            expect(start).toBeGreaterThanOrEqual(at)
            expect(end).toBeGreaterThan(start)
            expect(end).toBeLessThanOrEqual(text.length)
            at = end
          }
        }
      )
    )
  })
})

describe("valueEntails", () => {
  it.each([
    ["EUR 3,214,000", "3.2 million euros", true],
    ["EUR 3,214,000", "3.3 million euros", false],
    ["3.2 million euros", "EUR 3,214,000", false],
    ["3 USD", "3 EUR", false],
    ["120 minutes", "2 hours", true],
    ["1500 MB", "1.5 GB", true],
    ["12 months", "one year and 1 year", true],
    ["103 users", "about 100 users", true],
    ["110 users", "about 100 users", false],
    ["12 May 2022", "May 2022", true],
    ["May 2022", "12 May 2022", false],
    ["2021-03-04", "4 March 2021", true],
    ["KX-2041", "kx2041", true],
    ["KX-2041", "KX-2042", false],
    ["900 euros per month", "900 euros a month", true],
    ["900 euros per month", "900 euros per week", false],
    ["900 euros per month", "900 euros", true],
    ["900 euros", "900 euros per month", false],
    ["900 euros per month", "monthly", true],
    ["60 litres per hour", "1 litre per minute", true],
    ["twice a day", "two times a day", true],
    ["twice a day", "twice a week", false],
    ["every 12 months", "annually", true],
    ["10 pm", "22:00", true],
    ["10 pm", "10 am", false],
    ["9:00–17:00", "17:00", true],
    ["version 3.10", "Python 3.10", true],
    ["version 3.10", "version 3.1", false],
    ["v3.10", "version 3.10", true],
    ["−18 °C", "minus 18 °C", true],
    ["−18 °C", "18 °C", false],
    ["≥ 5 mg", "at least 5 mg", true],
    ["≥ 5 mg", "5 mg", false],
    ["≥ 5 mg", "< 5 mg", false],
    ["x != 0", "x = 0", false],
    ["3:1", "1:3", false],
    ["C++", "C#", false],
    ["1.5 MW", "1,500 kW", true],
    ["1.5 MW", "1,523 kW", false],
    ["1,523 kW", "1.5 MW", true],
    ["40 litres", "40 gallons", false],
    ["5 %", "5 percentage points", false],
    ["15 s", "about 15 seconds", true],
    ["two hundred and fifty", "250", true]
  ])("%s carries %s: %s", (evidence, claim, expected) => {
    expect(findValues(claim).some((one) => valueEntails(only(evidence), one))).toBe(expected)
  })

  it("holds of every value and itself", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 9 }),
        fc.constantFrom(" years", " %", " GB", " euros", "", " km"),
        (number, unit) => {
          const [value] = findValues(`it is ${number}${unit} so`)
          expect(value !== undefined && valueEntails(value, value)).toBe(true)
        }
      )
    )
  })

  it("compares codes without case and separators", () => {
    expect(codeNorm("EIP 1559")).toBe(codeNorm("eip-1559"))
  })
})
