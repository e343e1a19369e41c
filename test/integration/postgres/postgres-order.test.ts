import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createEngine, type Engine, migrateDatabase } from "../../../adapters/postgres/index.js"
import { createEngine as createOnSqlite } from "../../../adapters/sqlite/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, makeInLanguage } from "../../support/postgres.js"

/** Paths that a dictionary orders otherwise than their bytes do. */
const paths = [
  "Zebra",
  "apple",
  "a b",
  "a-b",
  "ab",
  "a.b",
  "_x",
  "A/b",
  "a/D",
  "a/c",
  "Éa",
  "é",
  "ﬁn",
  "𝔞"
].map((path) => `${path}.md`)

const folder = temporaryFolder("order")
const vault = join(folder, "vault")
let url = ""

const ask = async <Row extends pg.QueryResultRow>(statement: string): Promise<ReadonlyArray<Row>> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

const textColumns = (collation: string) =>
  ask<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'text' and coalesce(collation_name, 'default') ${collation}`
  )

beforeAll(async () => {
  for (const path of paths) {
    mkdirSync(dirname(join(vault, path)), { recursive: true })
    writeFileSync(
      join(vault, path),
      `---\ntype: ${path.slice(0, 2)}\n---\n\n# ${path}\n\nIt names [[apple]].\n`
    )
  }
  url = await makeInLanguage()
})
afterAll(() => dropDatabase(url))

/** Everything that comes in the order of a text. */
const told = async (engine: Engine) => {
  await engine.ingest()
  const listed = async (pathPrefix?: string) => {
    const query = { limit: 3, ...(pathPrefix === undefined ? {} : { pathPrefix }) }
    const pages: Array<string> = []
    for (let offset = 0; ; offset += 3) {
      const { items } = await engine.documents.list({ ...query, offset })
      if (items.length === 0) return pages
      pages.push(...items.map(({ path }) => path))
    }
  }
  const { entities } = await engine.entities.list({ limit: 100 })
  return {
    all: await listed(),
    small: await listed("a"),
    folder: await listed("a/"),
    names: entities.map(({ name }) => name)
  }
}

describe("a database that orders text as a dictionary does", () => {
  it("is brought to the order of bytes, whatever it held before", async () => {
    expect(await ask("select 'a' < 'B' as found")).toEqual([{ found: true }])
    await migrateDatabase({ database: url })
    expect((await textColumns("= 'C'")).length).toBeGreaterThan(250)
    await ask("drop policy kanon_workspace on audit_head")
    await ask(`alter table audit_head alter column workspace_id type text collate "default"`)
    await ask(`create policy kanon_workspace on audit_head using (workspace_id = 'nobody')`)
    await ask("drop policy kanon_workspace_or_host on workspace")
    await ask(`alter table workspace alter column id type text collate "default"`)
    expect(await textColumns("<> 'C'")).toEqual([
      { name: "audit_head.workspace_id" },
      { name: "workspace.id" }
    ])
    await ask("drop policy kanon_workspace on document")
    expect(await migrateDatabase({ database: url, dryRun: true })).toMatchObject({
      migrations: [],
      repairs: [
        { code: "text_order", tables: ["audit_head", "workspace"] },
        { code: "row_security", tables: ["document", "workspace"] }
      ]
    })
    await (await createEngine({ vault, database: url })).close()
    expect(await textColumns("<> 'C'")).toEqual([])
    const [policy] = await ask<{ text: string }>(
      "select qual as text from pg_policies where tablename = 'audit_head' and policyname = 'kanon_workspace'"
    )
    expect(policy?.text).toContain("kanon.workspace")
  })

  it("lists, pages and filters as SQLite does", async () => {
    const there = await createEngine({ vault, database: url })
    const here = await createOnSqlite({ vault, data: ":memory:" })
    try {
      const onPostgres = await told(there)
      expect(onPostgres).toEqual(await told(here))
      expect(onPostgres.all).toEqual(
        [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      )
      expect(onPostgres.small.length).toBeGreaterThan(5)
    } finally {
      await there.close()
      await here.close()
    }
  })
})
