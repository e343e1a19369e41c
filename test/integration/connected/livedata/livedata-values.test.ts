import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cellText } from "../../../../core/answers/evidence/index.js"
import { type LiveWorld, runOn, worlds } from "../../../support/live-databases.js"

type Kind = LiveWorld["kind"]

/** Rows at the edges of a day, where a shift by a zone would tell the wrong one. */
const tables: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  postgres: [
    "create type tide as enum ('ebb', 'flood, high')",
    "create table v (day date, moment timestamptz, noted timestamp, born time, flag boolean, one bit(1), three bit(3), price real, rate double precision, tides tide[], days date[], unset text)",
    "set timezone = 'Asia/Tokyo'",
    "insert into v values ('2024-03-01', '2024-03-01 00:30:00-05', '2024-03-10 02:30:00', '00:30', true, '0', '101', 0.1, 0.2, '{ebb,\"flood, high\"}', '{2024-03-01,2024-12-31}', null)"
  ],
  mysql: [
    "set time_zone = '-05:00'",
    "create table v (day date, moment timestamp, noted datetime, born time, flag boolean, grade tinyint(1), one bit(1), three bit(3), price float, rate double, unset text)",
    "insert into v values ('2024-03-01', '2024-03-01 00:30:00', '2024-03-10 02:30:00', '00:30', true, 3, b'0', b'101', 0.1, 0.2, null)"
  ],
  sqlite: [
    "create table v (day date, moment text, noted datetime, flag boolean, price real, rate double, unset text)",
    "insert into v values ('2024-03-01', '2024-03-01T00:30:00-05:00', '2024-03-10 02:30:00', 1, 0.1, 0.2, null)"
  ]
}

const expected: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
  postgres: {
    day: "2024-03-01",
    // PostgreSQL keeps the moment, not the zone in which it was written.
    moment: "2024-03-01T05:30:00Z",
    noted: "2024-03-10T02:30:00",
    born: "00:30:00",
    flag: true,
    one: false,
    three: "101",
    price: 0.1,
    rate: 0.2,
    tides: ["ebb", "flood, high"],
    days: ["2024-03-01", "2024-12-31"],
    unset: null
  },
  mysql: {
    day: "2024-03-01",
    moment: "2024-03-01T05:30:00Z",
    noted: "2024-03-10T02:30:00",
    born: "00:30:00",
    flag: true,
    grade: 3,
    one: false,
    three: 5,
    price: 0.1,
    rate: 0.2,
    unset: null
  },
  sqlite: {
    day: "2024-03-01",
    moment: "2024-03-01T00:30:00-05:00",
    noted: "2024-03-10 02:30:00",
    flag: true,
    price: 0.1,
    rate: 0.2,
    unset: null
  }
}

const zone = process.env["TZ"]
beforeAll(() => {
  process.env["TZ"] = "America/New_York"
})
afterAll(() => {
  if (zone === undefined) delete process.env["TZ"]
  else process.env["TZ"] = zone
})

describe.each(worlds)("values of %s", (kind, open) => {
  let world: LiveWorld
  beforeAll(async () => {
    world = await open()
    await world.make(tables[kind])
  })
  afterAll(() => world.close())

  it("are told as the database has them, in whatever zone the server is", async () => {
    // The zone is in force: a date that is read as a moment would be of the day before.
    expect(new Date("2024-03-01").getDate()).toBe(29)
    const driver = world.driver()
    const { columns, rows } = await runOn(driver, world.owner, "select * from v")
    const [row = []] = rows
    expect(Object.fromEntries(columns.map(({ name }, at) => [name, row[at]]))).toEqual(expected[kind])
    await driver.close(null)
  })

  it("come back for each of a list, by IN and where arrays are known by any", async () => {
    const driver = world.driver()
    const days = new Map([["days", { type: "date[]", value: ["2024-03-01", "2024-03-02"] }]] as const)
    const prices = new Map([["prices", { type: "number[]", value: ["0.2", "7"] }]] as const)
    const none = new Map([["days", { type: "date[]", value: [] }]] as const)
    const count = async (sql: string, params: Parameters<typeof runOn>[3]) =>
      (await runOn(driver, world.owner, sql, params)).rows.length
    expect(await count("select * from v where day in (:days)", days)).toBe(1)
    expect(await count("select * from v where rate in (:prices)", prices)).toBe(1)
    expect(await count("select * from v where day in (:days)", none)).toBe(0)
    const any = count("select * from v where day = any(:days)", days)
    if (kind === "postgres") expect(await any).toBe(1)
    else await expect(any).rejects.toThrow("IN (:days)")
    await driver.close(null)
  })
})

describe("a cell of a row in an answer", () => {
  it("is a word for what is not set, a list as a list, a truth value as such, and a number as written", () => {
    expect([null, ["ebb", "flood"], [], true, false, 0.1, "2024-03-01"].map(cellText)).toEqual([
      "not set",
      "ebb, flood",
      "",
      "true",
      "false",
      "0.1",
      "2024-03-01"
    ])
  })
})
