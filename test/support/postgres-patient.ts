import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type Database from "better-sqlite3"
import pg from "pg"
import { createEngine, type Engine, importWorkspace } from "../../adapters/postgres/index.js"
import type { Damage } from "./damage.js"
import { burnHealthy, type Patient, withPatient } from "./patient.js"
import { copyDatabase, dropDatabase, makeMigrated } from "./postgres.js"

/** The workspace of `withPatient` on Postgres, closed. */
export interface PostgresPatient {
  readonly root: string
  readonly database: string
}

export const openOn = ({ database, root }: PostgresPatient, worker = false): Promise<Engine> => {
  const place = { vault: join(root, "vault"), data: join(root, "data"), database }
  return createEngine({ ...place, worker, mend: false, connectionsMax: 4 })
}

/** Makes the workspace of which copies are harmed: an import of the one on SQLite. */
export const makeHealthyOnPostgres = async (): Promise<PostgresPatient> => {
  const pieces: Array<Uint8Array> = []
  await withPatient(({ using }) =>
    using(async (engine) => {
      for await (const piece of engine.export()) pieces.push(piece)
    })
  )
  await burnHealthy()
  const root = mkdtempSync(join(tmpdir(), "kanon-doctor-"))
  const database = await makeMigrated()
  const source = async function* () {
    yield Buffer.concat(pieces)
  }
  await importWorkspace(source(), { vault: join(root, "vault"), data: join(root, "data"), database })
  const engine = await openOn({ root, database }, true)
  await engine.ingest()
  await engine.close()
  return { root, database }
}

export const burnOnPostgres = async ({ database, root }: PostgresPatient): Promise<void> => {
  await dropDatabase(database)
  rmSync(root, { recursive: true, force: true })
}

/** Hands over a copy of a workspace. */
export const withCopy = async (
  healthy: PostgresPatient,
  use: (copy: PostgresPatient) => Promise<void>
): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "kanon-doctor-"))
  cpSync(healthy.root, root, { recursive: true, preserveTimestamps: true })
  const database = await copyDatabase(healthy.database)
  try {
    await use({ root, database })
  } finally {
    await burnOnPostgres({ root, database })
  }
}

/** Harms a workspace; statements are collected while that is done, and run behind everybody's back. */
export const harmOn = async (patient: PostgresPatient, harm: Damage[2]): Promise<void> => {
  const statements: Array<string> = []
  const collecting = { exec: (statement: string) => void statements.push(statement), function: () => {} }
  const collected: Patient = {
    vault: join(patient.root, "vault"),
    data: join(patient.root, "data"),
    sql: (use) => use(collecting as unknown as Database.Database),
    using: async (use, { worker = false } = {}) => {
      const engine = await openOn(patient, worker)
      try {
        return await use(engine)
      } finally {
        await engine.close()
      }
    }
  }
  await harm(collected)
  await withClient(patient.database, async (client) => {
    // Damage asks no references.
    await client.query("set session_replication_role = replica")
    for (const statement of statements) await client.query(asPostgres(statement))
  })
}

/** Everything that the tables hold. */
export const contentsOf = ({ database }: PostgresPatient): Promise<ReadonlyArray<unknown>> =>
  withClient(database, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = current_schema() order by 1"
    )
    const found: Array<unknown> = []
    for (const { name } of tables)
      found.push([name, (await client.query(`select t::text as row from ${name} t order by 1`)).rows])
    return found
  })

const withClient = async <A>(database: string, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client(database)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** A statement that was written for SQLite. */
const asPostgres = (statement: string): string =>
  statement
    .replace(/^pragma .*$/, "select 1")
    .replaceAll("x'00'", "'\\x00'::bytea")
    .replaceAll(/flip\((\w+)\)/g, "set_byte($1, length($1) / 2, get_byte($1, length($1) / 2) # 16)")
    .replaceAll(
      /json_set\((\w+), '\$\.(\w+)', json\(('[^']*')\)\)/g,
      "jsonb_set($1::jsonb, '{$2}', $3)::text"
    )
    .replaceAll(/\(select id as workspace_id from workspace\)/g, "$& as own")
