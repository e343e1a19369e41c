import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import pg from "pg"
import type { Driver, Layers } from "../../adapters/livedata/driver.js"
import { mysqlDriver } from "../../adapters/livedata/mysql/driver.js"
import { postgresDriver } from "../../adapters/livedata/postgres/driver.js"
import { sqliteDriver } from "../../adapters/livedata/sqlite/driver.js"
import {
  compileStatement,
  type DataLimits,
  type DataResult,
  type DataTarget,
  type ParamValue
} from "../../core/connected/livedata/index.js"
import { guardTables } from "./guard-statements.js"
import { hasMariaDb, type MariaDb, startMariaDb } from "./mariadb.js"
import { dropDatabase, makeDatabase } from "./postgres.js"

/** A live database with the tables of the guard statements. */
export interface LiveWorld {
  readonly kind: DataTarget["kind"]
  /** As an account that may only read. */
  readonly reader: DataTarget
  /** As an account that may do anything. */
  readonly owner: DataTarget
  readonly driver: (layers?: Partial<Layers>) => Driver
  /** Returns the rows of the canary table and the relations: equal before and after. */
  readonly picture: () => Promise<unknown>
  /** Runs statements that make tables and rows. */
  readonly make: (statements: ReadonlyArray<string>) => Promise<void>
  readonly close: () => Promise<void>
}

export const usualLimits: DataLimits = { rowCap: 1000, maxBytes: 5_242_880, timeoutMs: 10_000 }
export const notAborted = (): AbortSignal => new AbortController().signal

const targetOf = (
  kind: DataTarget["kind"],
  settings: DataTarget["settings"],
  credential: string | null,
  version = "1"
): DataTarget => ({
  id: "con_00000000000000000000000000" as DataTarget["id"],
  version,
  kind,
  settings,
  credential: credential === null ? null : Redacted.make(credential)
})

const allOff = { guard: true, session: true }
const anywhere = { privateAddresses: true }

const postgresWorld = async (): Promise<LiveWorld> => {
  const url = new URL(await makeDatabase())
  const client = new pg.Client(url.href)
  await client.connect()
  for (const statement of guardTables) await client.query(statement)
  const database = url.pathname.slice(1)
  const role = `${database}_reader`
  await client.query("create sequence canary_seq")
  await client.query(
    "create function evil() returns int language sql volatile security definer as 'delete from canary; select 1'"
  )
  await client.query(`create role ${role} login password 'secret'`)
  await client.query(`revoke all on database ${database} from public`)
  await client.query(`grant connect on database ${database} to ${role}`)
  await client.query(`grant usage on schema public to ${role}`)
  await client.query(`grant select on artist, album, invoice, canary to ${role}`)
  await client.query("revoke execute on function evil() from public")
  const server = { host: url.hostname, port: Number(url.port || 5432), database }
  return {
    kind: "postgres",
    reader: targetOf("postgres", { ...server, user: role }, "secret"),
    owner: targetOf(
      "postgres",
      { ...server, user: decodeURIComponent(url.username) },
      decodeURIComponent(url.password) || null,
      "2"
    ),
    driver: (layers) => postgresDriver(anywhere, { ...allOff, ...layers }),
    make: async (statements) => {
      for (const statement of statements) await client.query(statement)
    },
    picture: async () => [
      (await client.query("select * from canary order by id")).rows,
      (
        await client.query(
          "select relname from pg_class where relnamespace = 'public'::regnamespace order by 1"
        )
      ).rows,
      (await client.query("select last_value from canary_seq")).rows
    ],
    close: async () => {
      await client.end()
      await dropDatabase(url.href)
      const admin = new pg.Client(Object.assign(new URL(url.href), { pathname: "/postgres" }).href)
      await admin.connect()
      await admin.query(`drop role if exists ${role}`)
      await admin.end()
    }
  }
}

const mysqlWorld = async (): Promise<LiveWorld & { readonly server: MariaDb }> => {
  const server = await startMariaDb()
  await server.root("create database shop", "create database elsewhere")
  for (const statement of guardTables)
    await server.root(statement.replace(/^(create table |insert into )/u, "$1shop."))
  await server.root(
    "create function shop.evil() returns int modifies sql data begin delete from canary; return 1; end",
    "create sequence shop.s",
    "create user reader@'127.0.0.1' identified by 'secret'",
    "grant select on shop.* to reader@'127.0.0.1'",
    "create user owner@'127.0.0.1' identified by 'secret'",
    "grant all on *.* to owner@'127.0.0.1'"
  )
  const at = { host: server.host, port: server.port, database: "shop" }
  return {
    kind: "mysql",
    server,
    reader: targetOf("mysql", { ...at, user: "reader" }, "secret"),
    owner: targetOf("mysql", { ...at, user: "owner" }, "secret", "2"),
    driver: (layers) => mysqlDriver(anywhere, { ...allOff, ...layers }),
    make: (statements) => server.script("shop", statements.join(";")),
    picture: async () => [
      await server.rows("select * from shop.canary order by id"),
      await server.rows("show tables from shop"),
      await server.rows("select next_not_cached_value from shop.s")
    ],
    close: () => server.stop()
  }
}

export const sqliteWorld = async (): Promise<LiveWorld & { readonly folder: string }> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-live-"))
  const path = join(folder, "shop.sqlite")
  const database = new Sqlite(path)
  for (const statement of guardTables) database.exec(statement)
  database.close()
  const rules = { folders: [folder] }
  const target = targetOf("sqlite", { path }, null)
  return {
    kind: "sqlite",
    folder,
    reader: target,
    owner: target,
    driver: (layers) => sqliteDriver(rules, { ...allOff, ...layers }),
    make: async (statements) => {
      const write = new Sqlite(path)
      for (const statement of statements) write.exec(statement)
      write.close()
    },
    picture: async () => {
      const read = new Sqlite(path, { readonly: true })
      try {
        return [
          read.prepare("select * from canary order by id").all(),
          read.prepare("select name from sqlite_master order by 1").all(),
          readdirSync(folder)
        ]
      } finally {
        read.close()
      }
    },
    close: async () => rmSync(folder, { recursive: true, force: true })
  }
}

/** The databases that can be started here. */
export const worlds: ReadonlyArray<readonly [LiveWorld["kind"], () => Promise<LiveWorld>]> = [
  ["postgres", postgresWorld],
  ["sqlite", sqliteWorld],
  ...(hasMariaDb() ? [["mysql", mysqlWorld] as const] : [])
]

/** Runs a statement as the service does; what refuses it is thrown. */
export const runOn = async (
  driver: Driver,
  target: DataTarget,
  sql: string,
  params: ReadonlyMap<string, ParamValue> = new Map(),
  limits: Partial<DataLimits> = {}
): Promise<DataResult> => {
  const compiled = compileStatement(sql, target.kind, params)
  if (Either.isLeft(compiled)) throw new RangeError(compiled.left)
  return driver.run(target, compiled.right, { ...usualLimits, ...limits }, notAborted())
}
