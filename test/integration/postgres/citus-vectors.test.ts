import { cpSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { distributeDatabase } from "../../../adapters/postgres/distribution-status.js"
import { createEngine, type Engine } from "../../../adapters/postgres/index.js"
import { joinCitus } from "../../support/citus.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, entrancesOf, makeDatabase } from "../../support/postgres.js"
import { root } from "../../support/tree.js"

const folder = temporaryFolder("citus-vectors")
const vault = join(folder, "vault")
let database = ""
let hasExtension = false

const rows = async (statement: string) => {
  const client = new pg.Client(database)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  database = await makeDatabase()
  await joinCitus(inject("postgresServers"), new URL(database).pathname.slice(1))
  hasExtension = (await rows("select 1 from pg_available_extensions where name = 'vector'")).length > 0
  if (hasExtension)
    await rows(
      "create schema if not exists extensions; create extension if not exists vector schema extensions"
    )
  for (const name of ["products", "decisions"])
    cpSync(join(root, "demo", "vault", name), join(vault, name), { recursive: true })
})
afterAll(() => dropDatabase(database))

const withEngine = async <A>(at: string, work: (engine: Engine) => Promise<A>): Promise<A> => {
  const engine = await createEngine({ vault, data: join(folder, "data"), database: at, listen: database })
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

const found = async (engine: Engine) =>
  (await engine.search("how long is a broken lamp replaced")).results.map(({ docPath, score }) => [
    docPath,
    score.toFixed(6)
  ])

it("are searched by each process when the database is distributed, with pgvector and without", async () => {
  const before = await withEngine(database, async (engine) => {
    await engine.ingest({ wait: true })
    return found(engine)
  })
  expect(before.length).toBeGreaterThan(0)
  const tables = "select relname from pg_class where relname like 'vector_nearest%' and relkind in ('r', 'p')"
  expect((await rows(tables)).length > 0).toBe(hasExtension)
  expect((await distributeDatabase({ database, dryRun: false })).refusals).toEqual([])
  expect(await rows(tables)).toEqual([])
  for (const entrance of entrancesOf(database))
    await withEngine(entrance, async (engine) => {
      expect(await found(engine)).toEqual(before)
      const { findings, ok } = await engine.doctor()
      expect(ok).toBe(true)
      expect(findings.find(({ code }) => code === "vectors_in_process")?.message).toContain(
        hasExtension ? "the database is distributed" : "the extension vector is not in this database"
      )
    })
})
