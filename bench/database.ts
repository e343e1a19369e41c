import { createHash, randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import type * as Layer from "effect/Layer"
import pg from "pg"
import type { Engine, EngineOptions } from "../adapters/sqlite/index.js"
import type { Ports } from "../core/ports.js"
import { startCluster } from "../test/support/postgres-cluster.js"

export type Kind = "sqlite" | "postgres"

/** Loaded where they are used: the program that lists the benches, or refuses to run one, needs no engine. */
const onSqlite = () => import("../adapters/sqlite/index.js")
const onPostgres = () => import("../adapters/postgres/index.js")

/** Tells this program and those it starts which server to use, and by what word its databases begin. */
const [urlName, wordName] = ["KANON_BENCH_SERVER", "KANON_BENCH_WORD"]
/** Says that the benches are to run on the server, not only that there is one. */
const kindName = "KANON_BENCH_DATABASE"

/** Returns the database that the benches run on. */
export const chosen = (): Kind => (process.env[kindName] === "postgres" ? "postgres" : "sqlite")

/**
 * Has the benches run on the database that `asked` names: `sqlite`, `postgres` (a throw-away cluster, or the server in
 * `TEST_DATABASE_URL`), or the URL of a server whose role may make databases. Gives what removes all they made there.
 */
export const choose = async (asked: string): Promise<() => Promise<void>> => {
  // Before anything is timed.
  await onSqlite()
  if (asked === "sqlite") return async () => {}
  await onPostgres()
  process.env[kindName] = "postgres"
  const cluster = asked === "postgres" ? await startCluster() : { url: asked, stop: () => {} }
  process.env[urlName] = cluster.url
  process.env[wordName] = `kanon_bench_${randomUUID().slice(0, 8)}`
  return async () => {
    try {
      await dropAll()
    } finally {
      cluster.stop()
    }
  }
}

/** All ports over the data at a folder, in memory where none is named. */
export const portsAt = async (
  { data, vault }: { readonly vault: string; readonly data: string | undefined },
  kind = chosen()
): Promise<Layer.Layer<Ports>> => {
  if (data !== undefined) mkdirSync(data, { recursive: true })
  return kind === "sqlite"
    ? (await onSqlite()).sqlitePorts({ vault, data: data ?? ":memory:" })
    : (await onPostgres()).postgresPorts({
        vault,
        database: await databaseAt(data),
        ...(data === undefined ? {} : { data })
      })
}

/** An engine over the data at a folder. */
export const engineAt = async (options: EngineOptions): Promise<Engine> => {
  if (chosen() === "sqlite") return (await onSqlite()).createEngine(options)
  const { thread: _, ...rest } = options
  const data = options.data ?? join(options.vault, ".kanon")
  return (await onPostgres()).createEngine({ ...rest, data, database: await databaseAt(data) })
}

/** The URL of the database that belongs to a folder, made where there is none: the same one in every process. */
export const databaseAt = async (data: string | undefined): Promise<string> => {
  const name = `${process.env[wordName]}_${
    data === undefined
      ? randomUUID().replaceAll("-", "")
      : createHash("sha256").update(resolve(data)).digest("hex").slice(0, 24)
  }`
  await onServer(async (client) => {
    const found = await client.query("select 1 from pg_database where datname = $1", [name])
    if (found.rowCount === 0) await client.query(`create database ${name}`)
  })
  const url = new URL(process.env[urlName] ?? "")
  url.pathname = `/${name}`
  return url.href
}

const dropAll = (): Promise<void> =>
  onServer(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where starts_with(datname, $1)",
      [process.env[wordName]]
    )
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
  })

const onServer = async (use: (client: pg.Client) => Promise<void>): Promise<void> => {
  const client = new pg.Client(process.env[urlName])
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}
