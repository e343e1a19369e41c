import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mysqlDriver } from "../../../../adapters/livedata/mysql/driver.js"
import type { DataTarget } from "../../../../core/connected/livedata/index.js"
import { notAborted, runOn } from "../../../support/live-databases.js"
import { hasMariaDb, type MariaDb, startMariaDb } from "../../../support/mariadb.js"

describe.skipIf(!hasMariaDb())("MariaDB", () => {
  let server: MariaDb
  const driver = mysqlDriver({ privateAddresses: true })
  const as = (user: string): DataTarget => ({
    id: `con_${user}` as DataTarget["id"],
    version: "1",
    kind: "mysql",
    settings: {
      host: server.host,
      port: server.port,
      database: "shop",
      user,
      tls: "off"
    } as DataTarget["settings"],
    credential: Redacted.make("secret")
  })

  beforeAll(async () => {
    server = await startMariaDb()
    await server.root(
      "create database shop",
      "create table shop.item (id int, flag boolean, made datetime)",
      "insert into shop.item values (1, true, '2024-03-10 02:30:00'), (2, false, null)",
      "create table shop.grade (flag boolean, grade tinyint)",
      "insert into shop.grade values (true, 1), (false, 0)",
      "create role reader",
      "grant select, show view on shop.* to reader",
      "create role writer",
      "grant insert on shop.* to writer",
      "create role outer_role",
      "grant writer to outer_role",
      ...["plain", "roled", "idle", "nested"].map(
        (name) => `create user ${name}@'127.0.0.1' identified by 'secret'`
      ),
      "grant select on shop.* to plain@'127.0.0.1'",
      "grant reader to roled@'127.0.0.1'",
      "set default role reader for roled@'127.0.0.1'",
      "grant select on shop.* to idle@'127.0.0.1'",
      "grant reader to idle@'127.0.0.1'",
      "grant select on shop.* to nested@'127.0.0.1'",
      "grant outer_role to nested@'127.0.0.1'"
    )
  }, 120_000)
  afterAll(async () => {
    await driver.close(null)
    await server.stop()
  })

  it.each([
    "flag from item where id = 1",
    "max(flag) from item",
    "min(flag) from item where id = 1",
    "flag from item where id = 1 union select flag from item where id = 1",
    "(select flag from item where id = 1)",
    "nullif(flag, 7) from item where id = 1",
    "first_value(flag) over (order by id) from item limit 1",
    "* from (select max(flag) as flag from item) as m"
  ])("tells a truth value as such wherever a query takes it from: %s", async (rest) => {
    expect((await runOn(driver, as("plain"), `select ${rest}`)).rows).toEqual([[true]])
  })

  it("leaves a computed TINYINT a number where the tables have one of another width", async () => {
    expect((await runOn(driver, as("plain"), "select max(grade), min(grade) from grade")).rows).toEqual([
      [1, 0]
    ])
  })

  it.each(["plain", "roled", "idle"])("proves the account %s read-only, its roles included", async (user) => {
    expect(await driver.probe(as(user), notAborted())).toMatchObject({
      ok: true,
      readOnlyProven: true,
      message: null
    })
  })

  it("finds what an account may do by a role of its role", async () => {
    expect(await driver.probe(as("nested"), notAborted())).toMatchObject({
      readOnlyProven: false,
      message: expect.stringContaining("it has INSERT on `shop`.*")
    })
  })

  it("says which rights every account has", async () => {
    await server.root("grant insert on shop.* to public")
    expect(await driver.probe(as("plain"), notAborted())).toMatchObject({
      readOnlyProven: false,
      message:
        "The account is not read-only: every account (PUBLIC) has INSERT on `shop`.*. Revoke from PUBLIC what changes something."
    })
    await server.root("revoke insert on shop.* from public")
  })
})
