import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type Database from "better-sqlite3"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createEngine, type Engine, importWorkspace } from "../../adapters/postgres/index.js"
import { damages } from "../support/damages.js"
import type { Damage } from "../support/harm.js"
import { burnHealthy, type Patient, withPatient } from "../support/patient.js"
import { copyDatabase, dropDatabase, makeMigrated } from "../support/postgres.js"

/** Damage that is done by other means than statements, or to what Postgres or an import has not. */
const ofSqlite: ReadonlySet<string> = new Set([
  "an index that lacks rows",
  "bytes where texts belong, and words where numbers do",
  "bytes that spell nothing where documents are named",
  "texts where bytes belong",
  "no bytes where some should be",
  "a list of removed passages that is cut off",
  "a list of removed passages that is gone",
  "counters that stand where none can",
  "a workspace whose number is gone, by which much is kept",
  "history that nobody guards",
  "a document that no trail tells of",
  "postings of another text",
  "an index on disk that is not what was written",
  "evidence at a place beyond all that there can be"
])

const tried = damages.filter(([, what]) => !ofSqlite.has(what))

const folder = mkdtempSync(join(tmpdir(), "kanon-doctor-"))
const healthy = { root: join(folder, "healthy"), database: "" }

const open = (root: string, database: string, worker: boolean): Promise<Engine> => {
  const place = { vault: join(root, "vault"), data: join(root, "data"), database }
  return createEngine({ ...place, worker, mend: false, connectionsMax: 4 })
}

beforeAll(async () => {
  const pieces: Array<Uint8Array> = []
  await withPatient(({ using }) =>
    using(async (engine) => {
      for await (const piece of engine.export()) pieces.push(piece)
    })
  )
  healthy.database = await makeMigrated()
  const source = async function* () {
    yield Buffer.concat(pieces)
  }
  const place = { vault: join(healthy.root, "vault"), data: join(healthy.root, "data") }
  await importWorkspace(source(), { ...place, database: healthy.database })
  const engine = await open(healthy.root, healthy.database, true)
  await engine.ingest()
  await engine.close()
})
afterAll(async () => {
  await burnHealthy()
  if (healthy.database !== "") await dropDatabase(healthy.database)
  rmSync(folder, { recursive: true, force: true })
})

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

const withClient = async <A>(database: string, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client(database)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Harms a copy of the whole workspace; statements are collected while that is done, and run behind everybody's back. */
const harmed = async (root: string, database: string, harm: Damage[2]): Promise<void> => {
  const statements: Array<string> = []
  const collecting = { exec: (statement: string) => void statements.push(statement), function: () => {} }
  const patient: Patient = {
    vault: join(root, "vault"),
    data: join(root, "data"),
    sql: (use) => use(collecting as unknown as Database.Database),
    using: async (use, { worker = false } = {}) => {
      const engine = await open(root, database, worker)
      try {
        return await use(engine)
      } finally {
        await engine.close()
      }
    }
  }
  await harm(patient)
  await withClient(database, async (client) => {
    // Damage asks neither triggers nor references.
    await client.query("set session_replication_role = replica")
    for (const statement of statements) await client.query(asPostgres(statement))
  })
}

/** Everything that the tables hold. */
const contents = (database: string): Promise<ReadonlyArray<unknown>> =>
  withClient(database, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = current_schema() order by 1"
    )
    const found: Array<unknown> = []
    for (const { name } of tables)
      found.push([name, (await client.query(`select t::text as row from ${name} t order by 1`)).rows])
    return found
  })

const differences = ({ findings }: Awaited<ReturnType<Engine["doctor"]>>) =>
  findings.filter(({ severity }) => severity === "difference")

describe("a doctor on Postgres", () => {
  it.each(tried)("finds %s (%s) without touching it, and mends it", async (code, _what, harm) => {
    const root = join(folder, crypto.randomUUID())
    cpSync(healthy.root, root, { recursive: true, preserveTimestamps: true })
    const database = await copyDatabase(healthy.database)
    try {
      await harmed(root, database, harm)
      const before = await contents(database)
      const engine = await open(root, database, false)
      const found = await engine.doctor({ repair: false })
      expect(differences(found).map((finding) => finding.code)).toContain(code)
      expect(found).toMatchObject({ ok: false, repaired: 0 })
      expect(await contents(database)).toEqual(before)
      const mended = await engine.doctor({ repair: true })
      expect(differences(mended).filter(({ repaired }) => !repaired)).toEqual([])
      expect(differences(mended).map((finding) => finding.code)).toContain(code)
      expect(mended).toMatchObject({ ok: true, differences: 0 })
      await engine.close()
    } finally {
      await dropDatabase(database)
      rmSync(root, { recursive: true, force: true })
    }
  })

  it("finds nothing wrong with a whole workspace", async () => {
    const engine = await open(healthy.root, healthy.database, false)
    expect(differences(await engine.doctor())).toEqual([])
    await engine.close()
  })
})
