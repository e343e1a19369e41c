import { mkdirSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import mysql from "mysql2/promise"
import pg from "pg"
import { loadGrammar, postgresRefusal } from "../adapters/livedata/postgres/guard.js"
import { sqliteRefusal } from "../adapters/livedata/sqlite/guard.js"
import { type DataConnectorKind, livedataOperations, mysqlRefusal } from "../core/connected/livedata/index.js"
import { runOperation } from "../core/platform/kernel/index.js"
import { guardTables, legitimateStatements } from "../test/support/guard-statements.js"
import { hasMariaDb, startMariaDb } from "../test/support/mariadb.js"
import { databaseAt, openServer } from "./database.js"
import { compare, costOf, interleaved } from "./measure.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { median } from "./statistics.js"
import { openWorkspace, withFolder } from "./workspace.js"

const rowCounts = [1, 100, 1_000]
const pairsWanted: Readonly<Record<Size, number>> = { small: 1, default: 10, full: 30 }
/** Runs of a query in one window. */
const runsOf: Readonly<Record<Size, number>> = { small: 2, default: 20, full: 50 }

/** A database with the table, as a connector names it, and its bare client. */
interface Source {
  readonly kind: DataConnectorKind
  readonly peer: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly credential: string | null
  readonly bare: (rows: number) => Promise<ReadonlyArray<unknown>>
  readonly close: () => Promise<void>
}

const columns = "id integer primary key, name varchar(80), amount numeric(10, 2), sold date"
const rowsSql = Array.from(
  { length: 1_000 },
  (_, at) => `(${at}, 'Article number ${at} of the shop', ${at}.25, '2026-01-15')`
).join(",")
const table = [`create table article (${columns})`, `insert into article values ${rowsSql}`]
const select = (parameter: string) =>
  `select id, name, amount, sold from article where id < ${parameter} order by id`

const postgresSource = async (data: string): Promise<Source> => {
  const url = await databaseAt(data)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  for (const statement of table) await pool.query(statement)
  const { hostname, password, pathname, port, username } = new URL(url)
  return {
    kind: "postgres",
    peer: "pg",
    settings: {
      host: hostname,
      port: Number(port || 5432),
      database: pathname.slice(1),
      user: decodeURIComponent(username) || "postgres",
      tls: "off"
    },
    credential: decodeURIComponent(password) || null,
    bare: async (rows) => (await pool.query(select("$1"), [rows])).rows,
    close: () => pool.end()
  }
}

const mysqlSource = async (): Promise<Source> => {
  const server = await startMariaDb()
  await server.root("create database shop")
  for (const statement of table) await server.script("shop", statement)
  await server.root(
    "create user kanon@'127.0.0.1' identified by 'secret'",
    "grant select on shop.* to kanon@'127.0.0.1'"
  )
  const at = { host: server.host, port: server.port, database: "shop", user: "kanon" }
  const pool = mysql.createPool({ ...at, password: "secret", connectionLimit: 1 })
  return {
    kind: "mysql",
    peer: "mysql2",
    settings: { ...at, tls: "off" },
    credential: "secret",
    bare: async (rows) => {
      const [found] = await pool.execute(select("?"), [rows])
      return Array.isArray(found) ? found : []
    },
    close: async () => {
      await pool.end()
      await server.stop()
    }
  }
}

/** Measures a governed run beside the bare client, and the guard's time for a statement. */
export const livedata: RunBench = async (context) => {
  const stop = await openServer()
  const before = process.env["KANON_PRIVATE_DATA_ADDRESSES"]
  process.env["KANON_PRIVATE_DATA_ADDRESSES"] = "1"
  try {
    await withFolder(async (folder) => {
      mkdirSync(join(folder, "data"))
      await measure(context, await postgresSource(join(folder, "live")), join(folder, "data", "postgres"))
      if (hasMariaDb()) await measure(context, await mysqlSource(), join(folder, "data", "mysql"))
      else context.skip("MariaDB is not installed")
    })
    await guards(context)
  } finally {
    if (before === undefined) delete process.env["KANON_PRIVATE_DATA_ADDRESSES"]
    else process.env["KANON_PRIVATE_DATA_ADDRESSES"] = before
    await stop()
  }
}

const measure = async ({ report, size }: BenchContext, source: Source, data: string): Promise<void> => {
  const { bare, close, credential, kind, peer, settings } = source
  const workspace = await openWorkspace({ data, database: "sqlite" })
  const connector = await workspace.run(
    runOperation(livedataOperations.createDataConnector, {
      name: "Shop",
      kind,
      settings,
      ...(credential === null ? {} : { credential }),
      probe: false
    })
  )
  await workspace.run(
    runOperation(livedataOperations.putDataQuery, {
      slug: "articles",
      title: "Articles",
      connectorId: connector.id,
      sql: select(":rows"),
      params: [{ name: "rows", type: "integer" }]
    })
  )
  const many = runsOf[size]
  for (const rows of rowCounts) {
    const governed = async () => {
      for (let run = 0; run < many; run += 1) {
        const { rowCount } = await workspace.run(
          runOperation(livedataOperations.runDataQuery, { slug: "articles", params: { rows } })
        )
        if (rowCount !== rows) throw new Error(`${rowCount} rows instead of ${rows}`)
      }
    }
    const alone = async () => {
      for (let run = 0; run < many; run += 1) await bare(rows)
    }
    const pairs = await interleaved(
      pairsWanted[size],
      () => costOf(governed),
      () => costOf(alone)
    )
    for (const cost of ["cpuMs", "wallMs"] as const)
      report({
        metric: `${kind}, ${rows} ${rows === 1 ? "row" : "rows"}, ${cost === "cpuMs" ? "CPU" : "wall"}`,
        ...compare(pairs, (measured) => measured[cost] / many),
        unit: "ms",
        peer,
        ...(rows === 100 && cost === "cpuMs" ? { target: "<= 1.5" } : {})
      })
  }
  await workspace.close()
  await close()
}

/** Reads all legitimate statements of the tests of the guard. */
const guards = async ({ report, size }: BenchContext): Promise<void> => {
  await loadGrammar()
  const database = new Sqlite(":memory:")
  for (const statement of guardTables) database.exec(statement)
  const refusals: Readonly<Record<DataConnectorKind, (sql: string) => string | null>> = {
    postgres: (sql) => postgresRefusal(sql, {}),
    mysql: (sql) => mysqlRefusal(sql, {}),
    sqlite: (sql) => sqliteRefusal(database, sql, [], {})
  }
  for (const kind of ["postgres", "sqlite", "mysql"] as const) {
    const statements = legitimateStatements(kind).filter((sql) => !sql.includes(":"))
    const each = Array.from({ length: pairsWanted[size] + 1 }, (_, round) => {
      // A statement that was read before is remembered, so each is another one.
      const fresh = statements.map((sql) => `${sql}\n-- ${round}`)
      const startedAt = performance.now()
      for (const sql of fresh) refusals[kind](sql)
      return (performance.now() - startedAt) / statements.length
    }).slice(1)
    const ours = median(each)
    report({
      metric: `the guard of ${kind}, for a statement`,
      ours,
      floor: 1,
      n: statements.length,
      unit: "ms",
      peer: "a millisecond",
      target: "<= 1"
    })
  }
  database.close()
}
