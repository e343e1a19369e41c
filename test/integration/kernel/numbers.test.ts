import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { postgresClient } from "../../../adapters/postgres/client.js"
import { type Engine, createEngine as openPostgres } from "../../../adapters/postgres/index.js"
import inNumbers from "../../../adapters/sql/migrations/0063-numbers.js"
import { sqliteClient } from "../../../adapters/sqlite/client.js"
import { createEngine as openSqlite } from "../../../adapters/sqlite/index.js"
import { atomically, Ids, type WorkspaceScope } from "../../../core/kernel/index.js"
import { Settings, WorkspaceStore } from "../../../core/workspace/index.js"
import { dropDatabase, makeMigrated, postgresBase } from "../../support/postgres.js"
import { baseLayer, makeWorkspace, runEffect } from "../../support/run.js"

const other = `ws_01${"z".repeat(24)}`

const databases = { SQLite: () => baseLayer(), Postgres: () => postgresBase() }

/** The numbers of workspaces, by their ids. */
const numbersOf = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ id: WorkspaceScope; number: number }>`select id, number from workspace`,
    (rows) => new Map(rows.map(({ id, number }) => [id, number]))
  )
)

describe.each(Object.entries(databases))("numbers of workspaces on %s", (_, base) => {
  it("are each workspace's own, however many are made at once, and stay", () =>
    runEffect(
      Effect.gen(function* () {
        const [store, ids] = [yield* WorkspaceStore, yield* Ids]
        const made = yield* Effect.all(
          Array.from({ length: 12 }, () => atomically(makeWorkspace())),
          { concurrency: 6 }
        )
        const undone = { id: ids.make("workspace"), name: "undone", settings: Settings.parse({}) }
        yield* Effect.flip(
          atomically(Effect.zipRight(store.insert(undone, "2026-01-01T00:00:00.000Z"), Effect.fail("no")))
        )
        const before = yield* numbersOf
        expect([...before.keys()].sort()).toEqual([...made].sort())
        expect(new Set(before.values()).size).toBe(made.length)
        expect([...before.values()].every((number) => Number.isInteger(number) && number > 0)).toBe(true)
        const last = yield* makeWorkspace()
        const after = yield* numbersOf
        expect(new Set(after.values()).size).toBe(made.length + 1)
        after.delete(last)
        expect(after).toEqual(before)
      }).pipe(Effect.provide(base()))
    ))
})

const folders: Array<string> = []
const urls: Array<string> = []
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  for (const url of urls) await dropDatabase(url)
})

/** A vault with a database of its own, and what is said to that behind the back of the program. */
interface Place {
  readonly open: () => Promise<Engine>
  readonly change: (statements: ReadonlyArray<string>) => Promise<void>
  readonly client: () => Layer.Layer<SqlClient.SqlClient>
  readonly numbers: (statement: string) => Promise<ReadonlyArray<number>>
}

const vaultOf = (): string => {
  const vault = mkdtempSync(join(tmpdir(), "kanon-numbers-"))
  folders.push(vault)
  for (const [path, text] of Object.entries(notes)) writeFileSync(join(vault, path), text)
  return vault
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite: async () => {
    const vault = vaultOf()
    const within = <A>(use: (database: Sqlite.Database) => A): A => {
      const database = new Sqlite(join(vault, ".kanon", "kanon.sqlite"))
      try {
        return use(database)
      } finally {
        database.close()
      }
    }
    return {
      open: () => openSqlite({ vault }),
      change: async (statements) => within((database) => void database.exec(statements.join(";"))),
      client: () => sqliteClient({ filename: join(vault, ".kanon", "kanon.sqlite") }),
      numbers: async (statement) =>
        within((database) => database.prepare(statement).pluck().all()).map(Number)
    }
  },
  Postgres: async () => {
    const [vault, database] = [vaultOf(), await makeMigrated()]
    urls.push(database)
    const ask = async (statement: string) => {
      const client = new pg.Client(database)
      await client.connect()
      try {
        return await client.query<{ n: string }>(statement)
      } finally {
        await client.end()
      }
    }
    return {
      open: () => openPostgres({ vault, database }),
      // With the number go the walls that name it.
      change: async (statements) =>
        void (await ask(statements.join(";").replace("drop column number", "$& cascade"))),
      client: () => postgresClient({ url: database }),
      numbers: async (statement) => (await ask(statement)).rows.map(({ n }) => Number(n))
    }
  }
}

const notes = {
  "orchard.md": "---\ntags: [trees]\n---\n# Orchard\n\nThe [[Quarry]] lies behind, and [[Nobody's Hill]].\n",
  "quarry.md": "---\naliases: [Stone Pit]\n---\n# Quarry\n\nStone for the Orchard and the Harbour.\n",
  "harbour.md": "# Harbour\n\nShips from the Quarry. Old Tom Reed steers, and Old Tom Reed sleeps.\n"
}

/** What makes the database what it was before 0063, with a second workspace that has the rows of the first. */
const asBefore = [
  `create table mention_of_ids as select w.id as workspace_id, d.id as document_id, m.label, m.start_offset,
      m.end_offset, e.id as entity_id, m.key, m.confidence, m.run
    from mention m join workspace w on w.number = m.workspace_no
    join id_number d on d.workspace_no = m.workspace_no and d.number = m.document_no
    join id_number e on e.workspace_no = m.workspace_no and e.number = m.entity_no`,
  `create table claim_of_ids as select w.id as workspace_id, c.key, d.id as document_id, c.role, c.type, c.name,
      c.subject, c.word_hash, c.prose_count, c.heading_count
    from graph_claim c join workspace w on w.number = c.workspace_no
    join id_number d on d.workspace_no = c.workspace_no and d.number = c.document_no`,
  ...["mention", "graph_claim", "id_number"].map((table) => `drop table ${table}`),
  "alter table mention_of_ids rename to mention",
  "alter table claim_of_ids rename to graph_claim",
  "drop index workspace_number",
  "alter table workspace drop column number",
  "delete from counter where name = 'id_number'",
  `insert into workspace (id, name, settings, created_at, updated_at)
    select '${other}', 'other', settings, created_at || 'z', updated_at from workspace`,
  `insert into mention select '${other}', document_id, label, start_offset, end_offset, entity_id, key, confidence,
      run from mention`,
  `insert into graph_claim select '${other}', key, document_id, role, type, name, subject, word_hash, prose_count,
      heading_count from graph_claim where role <> 'link'`
]

const exported = async (engine: Engine): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of engine.export()) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

describe.each(Object.entries(places))("a database of before there were numbers, on %s", (_, make) => {
  it("has all mentions and claims of each workspace by number, and goes on", async () => {
    const { change, client, numbers, open } = await make()
    const first = await open()
    await first.ingest({ wait: true })
    const before = await exported(first)
    await first.close()
    const count = (
      table: string
    ) => `select count(*) as n from ${table} t join workspace w on w.number = t.workspace_no
      group by w.id order by w.id`
    const [mentions = 0] = await numbers(count("mention"))
    const [claims = 0] = await numbers(count("graph_claim"))
    const [links = 0] = await numbers("select count(*) as n from graph_claim where role = 'link'")
    expect(mentions).toBeGreaterThan(3)
    expect(links).toBeGreaterThan(0)
    await change(asBefore)
    await runEffect(Effect.provide(inNumbers, client()))
    const engine = await open()
    expect(await exported(engine)).toBe(before)
    expect(await numbers(count("mention"))).toEqual([mentions, mentions])
    expect(await numbers(count("graph_claim"))).toEqual([claims, claims - links])
    expect(new Set(await numbers("select number as n from workspace")).size).toBe(2)
    expect(await numbers("select min(number) as n from id_number group by workspace_no")).toEqual([1, 1])
    expect(
      (await engine.doctor()).findings.filter(({ code }) => !/second_wall|vectors_in/.test(code))
    ).toEqual([])
    // Numbers that come are behind those that were given.
    const last = "select max(number) as n from id_number group by workspace_no order by 1"
    const [given = 0] = await numbers(last)
    await engine.documents.create({
      path: "ferry.md",
      content: "# Ferry\n\nFrom the Harbour to the Quarry.\n"
    })
    await engine.ingest({ wait: true })
    await engine.close()
    const [kept, more = 0] = await numbers(last)
    expect([kept, more > given]).toEqual([given, true])
    expect(Math.max(...(await numbers(count("mention"))))).toBeGreaterThan(mentions)
  })
})
